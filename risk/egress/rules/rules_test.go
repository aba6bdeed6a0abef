package rules

import (
	"testing"

	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
)

func TestBuiltinRulesCompile(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Builtin() {
		if seen[r.ID] {
			t.Errorf("two rules %s", r.ID)
		}
		seen[r.ID] = true
		if r.Pattern == "" {
			continue
		}
		p, err := pattern.Compile(r.Pattern)
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		for _, l := range p.Literals() {
			if l == "" && len(r.Words) == 0 {
				t.Errorf("%s has neither words nor a literal", r.ID)
			}
		}
	}
	t.Logf("%d rules", len(seen))
}
