package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

var contexts = []func(random *rand.Rand, s sample) string{
	func(r *rand.Rand, s sample) string { return "export " + upper(label(r, s)) + "=" + s.value },
	func(r *rand.Rand, s sample) string { return label(r, s) + ": \"" + s.value + "\"" },
	func(r *rand.Rand, s sample) string {
		return "request failed: 401 (" + label(r, s) + "=" + s.value + ")"
	},
	func(r *rand.Rand, s sample) string {
		return "2026-03-01T12:00:00Z INFO client started " + label(r, s) + "=" + s.value + " retries=3"
	},
	func(r *rand.Rand, s sample) string { return encode(map[string]any{"ok": true, label(r, s): s.value}) },
	func(r *rand.Rand, s sample) string {
		return encode(map[string]any{"content": []any{map[string]any{"type": "text", "text": encode(map[string]any{label(r, s): s.value})}}})
	},
	func(r *rand.Rand, s sample) string {
		return "Config:\n  " + label(r, s) + " = '" + s.value + "'\n  timeout = 3\n"
	},
}

func upper(s string) string { return strings.ToUpper(strings.ReplaceAll(s, "-", "_")) }

func label(r *rand.Rand, s sample) string {
	if s.name == "" {
		return []string{"value", "data", "setting", "k"}[r.IntN(4)]
	}
	return s.name + []string{"", "_api_key", "_token", "-secret", ".key", "_client_id"}[r.IntN(6)]
}

func encode(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func TestFormats(t *testing.T) {
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	engine, err := egress.NewEngine(rules.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	s := egress.New(engine, egress.DefaultPolicy())
	session := egress.NewSession([]byte("test"), nil)
	random := rand.New(rand.NewPCG(1, 1))
	total, ours, theirs := 0, 0, 0
	missed := map[string]int{}
	for _, x := range samples(t, detector.Config, 8) {
		text := contexts[random.IntN(len(contexts))](random, x)
		total++
		if len(detector.DetectString(text)) > 0 {
			theirs++
		}
		out, _ := s.Text(session, egress.Place{}, text)
		core := x.value
		if len(core) > 8 {
			core = core[len(core)/4 : len(core)*3/4]
		}
		if !strings.Contains(out, core) {
			ours++
		} else {
			missed[x.rule]++
			if missed[x.rule] <= 2 {
				t.Logf("%s: %s", x.rule, text)
			}
		}
	}
	fmt.Printf("%d samples: ours %d (%.1f%%), gitleaks %d (%.1f%%)\n", total, ours, 100*float64(ours)/float64(total), theirs, 100*float64(theirs)/float64(total))
	for id, n := range missed {
		fmt.Println(n, id)
	}
}
