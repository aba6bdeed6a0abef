package oracle

import (
	"strings"
	"testing"
	"time"

	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/glovebox-run/glovebox/internal/samples"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

// leastFound is the bar for values drawn from gitleaks' own grammar.
const leastFound = 0.97

func sanitiser(t testing.TB) *egress.Sanitiser {
	t.Helper()
	engine, err := egress.NewEngine(rules.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	return egress.New(engine, egress.DefaultPolicy())
}

func names(s sample, i int) string {
	if s.name == "" {
		return []string{"value", "data", "setting"}[i%3]
	}
	return s.name + []string{"", "_api_key", "_token", "-secret", ".key", "_client_id"}[i%6]
}

// What gitleaks finds and we do not is a list with reasons.
func TestFormatsOfGitleaks(t *testing.T) {
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	s := sanitiser(t)
	session := egress.NewSession([]byte("test"), nil)
	total, ours, theirs := 0, 0, 0
	for i, x := range draw(detector.Config, 8) {
		text := samples.Place(i/8+i%8*5, names(x, i), x.value)
		total++
		found := len(detector.DetectString(text)) > 0
		if found {
			theirs++
		}
		out, _ := s.Text(session, egress.Place{}, text)
		core := samples.JSON(x.value[len(x.value)/4 : len(x.value)*3/4])
		if !strings.Contains(out, strings.Trim(core, `"`)) {
			ours++
		} else if missed[x.rule] == "" {
			t.Logf("%s (gitleaks %v): %s", x.rule, found, text)
		}
	}
	t.Logf("%d values in texts: Glovebox finds %.1f %%, gitleaks %.1f %%", total, 100*float64(ours)/float64(total), 100*float64(theirs)/float64(total))
	if float64(ours) < leastFound*float64(total) {
		t.Errorf("fewer than %.0f %%", 100*leastFound)
	}
}

// On the main module's material gitleaks is a second opinion about what is a
// secret: this prints both.
func TestOwnMaterialForComparison(t *testing.T) {
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		list []samples.Sample
	}{
		{"formats", samples.Formats(seeded(), 3)},
		{"evasions", samples.Evasions(seeded())},
		{"benign", samples.Benign(seeded(), 4)},
	} {
		n := 0
		for _, x := range row.list {
			if len(detector.DetectString(x.Text)) > 0 {
				n++
			}
		}
		t.Logf("gitleaks on %-8s %5d texts  %5.1f %%", row.name, len(row.list), 100*float64(n)/float64(len(row.list)))
	}
}

// BenchmarkAgainstGitleaks reports, for each kind of body, how many times as long
// gitleaks takes for the same text in the same run. The best of the runs counts:
// the rest is what else the machine did.
func BenchmarkAgainstGitleaks(b *testing.B) {
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		b.Fatal(err)
	}
	s := sanitiser(b)
	session := egress.NewSession([]byte("test"), nil)
	for _, body := range bodies(256 << 10) {
		b.Run(body.name, func(b *testing.B) {
			ours, theirs := time.Hour, time.Hour
			for b.Loop() {
				start := time.Now()
				s.Text(session, egress.Place{}, body.text)
				middle := time.Now()
				detector.DetectString(body.text)
				ours, theirs = min(ours, middle.Sub(start)), min(theirs, time.Since(middle))
			}
			b.ReportMetric(float64(theirs)/float64(ours), "times-as-long")
			b.ReportMetric(float64(len(body.text))/ours.Seconds()/1e6, "MB/s")
			b.ReportMetric(float64(len(body.text))/theirs.Seconds()/1e6, "MB/s-gitleaks")
		})
	}
}
