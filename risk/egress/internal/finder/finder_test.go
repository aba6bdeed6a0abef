package finder

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/samples"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

func engine(t testing.TB) *Engine {
	t.Helper()
	e, err := NewEngine(rules.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func everything(rules.Class) bool { return true }

// material makes texts of rows with secrets and look-alikes, joined by what stands
// between things.
type material struct {
	random  *rand.Rand
	secrets []samples.Row
	benign  []samples.Sample
}

func newMaterial(seed uint64) material {
	random := rand.New(rand.NewPCG(seed, seed))
	return material{random, samples.Rows(random, 2), samples.Benign(random, 2)}
}

var joints = []string{"\n", " ", "", "\"", ", ", "\n> ", "|", "</td><td>", "\u200b", "\\n", "是"}

func (m material) text(most int) string {
	var b strings.Builder
	for range 1 + m.random.IntN(most) {
		next := m.benign[m.random.IntN(len(m.benign))].Text
		if m.random.IntN(2) == 0 {
			next = m.secrets[m.random.IntN(len(m.secrets))].Text
		}
		b.WriteString(next + joints[m.random.IntN(len(joints))])
	}
	return b.String()
}

// checkHits wants finds in order, apart and within the text, and their holes too.
func checkHits(t *testing.T, in string, hits []Hit) {
	t.Helper()
	last := 0
	for _, h := range hits {
		if h.Start < last || h.End <= h.Start || h.End > len(in) {
			t.Fatalf("%d to %d after %d, of %d: %q", h.Start, h.End, last, len(in), in)
		}
		last = h.End
		at := h.Start
		for _, hole := range h.Holes {
			if hole[0] < at || hole[1] <= hole[0] || hole[1] >= h.End {
				t.Fatalf("hole %v in %d to %d: %q", hole, h.Start, h.End, in)
			}
			at = hole[1]
		}
	}
}

func TestFindsAreInOrderAndApart(t *testing.T) {
	m := newMaterial(1)
	w := NewSweep(engine(t), everything)
	found := 0
	for range 400 {
		in := m.text(6)
		hits := w.Prose([]byte(in))
		checkHits(t, in, hits)
		found += len(hits)
	}
	if found < 400 {
		t.Errorf("%d finds in 400 texts", found)
	}
}

// A search is not changed by the one before it.
func TestASweepForgets(t *testing.T) {
	m := newMaterial(3)
	e := engine(t)
	used := NewSweep(e, everything)
	for range 100 {
		in := []byte(m.text(4))
		got, want := used.Any(in, 0), NewSweep(e, everything).Any(in, 0)
		if len(got) != len(want) {
			t.Fatalf("%q: %v, want %v", in, got, want)
		}
		for i := range got {
			if got[i].Start != want[i].Start || got[i].End != want[i].End || got[i].Rule != want[i].Rule {
				t.Fatalf("%q: %v, want %v", in, got[i], want[i])
			}
		}
	}
}

// The pointer of a find leads to the string that holds it, by encoding/json.
func TestPointersLeadToTheString(t *testing.T) {
	m := newMaterial(5)
	w := NewSweep(engine(t), everything)
	found := 0
	for range 200 {
		doc := map[string]any{"a/b": []any{m.text(1), map[string]any{"~note": m.text(2), "n": 7}}, "token": m.text(1)}
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		hits := w.Any(raw, 0)
		checkHits(t, string(raw), hits)
		for _, h := range hits {
			if h.Pointer == "" {
				t.Fatalf("no pointer: %v in %s", h, raw)
			}
			var at any = doc
			for _, step := range strings.Split(h.Pointer[1:], "/") {
				step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
				switch v := at.(type) {
				case map[string]any:
					at = v[step]
				case []any:
					i, err := strconv.Atoi(step)
					if err != nil {
						t.Fatal(err)
					}
					at = v[i]
				}
			}
			value, ok := at.(string)
			if !ok {
				t.Fatalf("%s leads to %v", h.Pointer, at)
			}
			if plain := string(h.Value(raw)); len(h.Holes) == 0 && !strings.Contains(plain, `\`) && !strings.Contains(value, plain) {
				t.Errorf("%q is not in %q", plain, value)
			}
			found++
		}
	}
	if found < 200 {
		t.Errorf("%d finds in 200 documents", found)
	}
}

func TestRulesThatCannotBeFoundAreRefused(t *testing.T) {
	for _, list := range [][]rules.Rule{
		{{ID: "a", Pattern: `a[0-9]{9}`}, {ID: "a", Pattern: `b[0-9]{9}`}},
		{{ID: "a", Pattern: `[0-9]{9}`}},
		{{ID: "a", Regexp: `(`}},
	} {
		if _, err := NewEngine(list); err == nil {
			t.Errorf("%v is taken", list)
		}
	}
}
