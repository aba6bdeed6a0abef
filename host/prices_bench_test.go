package host

import (
	"testing"
)

// What operations are charged beside the time that they take: eight units for a
// nanosecond are what a guest pays. Below one an operation escapes its budget,
// above forty an honest tool pays for what it does not get.
func BenchmarkPrices(b *testing.B) {
	content := map[string]string{
		"parser.csv": "names, records", "parser.xml": "elements", "parser.yaml": "mapping",
		"html.parse": "deep paragraphs", "html.select": "deep paragraphs", "html.is": "deep paragraphs", "html.text": "deep text", "html.source": "deep paragraphs", "html.edit": "paragraphs",
		"http.json": "list", "encoding.atob": "base64", "url.readForm": "form",
	}
	s := newStage(b)
	for _, op := range operations {
		name := content[op.name]
		if name == "" {
			name = "words"
		}
		var text string
		for _, sh := range shapes {
			if sh.name == name {
				text = sh.of(32 << 10)
			}
		}
		b.Run(op.name, func(b *testing.B) {
			var units, took float64
			for b.Loop() {
				o := s.try(b, op.name, probes[op.name][0], text)
				units += float64(o.fuel)
				took += float64(o.took.Nanoseconds())
			}
			b.ReportMetric(units/took, "units/ns")
			b.ReportMetric(units/float64(b.N), "units/op")
		})
	}
}
