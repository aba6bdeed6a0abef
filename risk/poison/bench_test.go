package poison

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

// honest are definitions of the kind that servers send: a paragraph or two, and
// a schema.
func honest(tb testing.TB) (tools [][]byte, size int) {
	for _, r := range ownTexts(tb) {
		if r.Label == "attack" {
			continue
		}
		var tool map[string]any
		if err := json.Unmarshal(r.Tool, &tool); err != nil {
			tb.Fatal(err)
		}
		tool["inputSchema"] = map[string]any{"type": "object", "required": []string{"query"}, "properties": map[string]any{
			"query":       map[string]any{"type": "string", "description": tool["description"], "minLength": 1},
			"max_results": map[string]any{"type": "integer", "description": "How many results to return at most.", "default": 10, "minimum": 1, "maximum": 100},
			"order":       map[string]any{"type": "string", "enum": []string{"ascending", "descending"}, "description": "In which order results are listed."},
		}}
		raw, err := json.Marshal(tool)
		if err != nil {
			tb.Fatal(err)
		}
		tools = append(tools, raw)
		size += len(raw)
	}
	return tools, size
}

// The bar is 10 MB/s with all layers. Machines differ and are busy, so it is read as a
// ratio to decoding the same bytes with encoding/json, in turn with the scans and each at
// its fastest: that does 100 MB/s or more, and a scan takes at most ten times as long.
func BenchmarkScan(b *testing.B) {
	tools, size := honest(b)
	names := NewNames([]string{"search", "fetch"}, nil)
	b.ReportAllocs()
	decoding, scanning := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		for _, raw := range tools {
			var v any
			if err := json.Unmarshal(raw, &v); err != nil {
				b.Fatal(err)
			}
		}
		middle := time.Now()
		for _, raw := range tools {
			if _, err := Scan(raw, names); err != nil {
				b.Fatal(err)
			}
		}
		decoding, scanning = min(decoding, middle.Sub(start)), min(scanning, time.Since(middle))
	}
	b.ReportMetric(float64(scanning)/float64(decoding), "x-encoding/json")
	b.ReportMetric(float64(size)/1e6/scanning.Seconds(), "scan-MB/s")
}

// Hostile texts, each at two sizes: a scan that is linear does the larger one in
// as many MB/s as the smaller.
func BenchmarkHostile(b *testing.B) {
	for name, unit := range map[string]string{
		"verbs":        "must use send ignore ",
		"open quotes":  "' \" ` [ < ",
		"zero width":   "a\u200b",
		"slashes":      "/..//",
		"escapes":      "%41%",
		"comments":     "<!-- ",
		"blanks":       " \n",
		"names":        "call a_b ",
		"one word":     "a",
		"han":          "忽略之",
		"tag openings": "<system",
	} {
		for _, kilobytes := range []int{32, 512} {
			text := strings.Repeat(unit, kilobytes<<10/len(unit))
			b.Run(name+"/"+map[int]string{32: "small", 512: "large"}[kilobytes], func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					ScanText(text, nil)
				}
			})
		}
	}
}
