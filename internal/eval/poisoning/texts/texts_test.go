package texts

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestTextsAreMadeTheSameEachTime(t *testing.T) {
	a, err := Generate(3)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Generate(3)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Error("two runs differ")
	}
}

func TestTextsAreWhole(t *testing.T) {
	all, err := Generate(4)
	if err != nil {
		t.Fatal(err)
	}
	written, err := Written()
	if err != nil {
		t.Fatal(err)
	}
	attacks, honest, languages, techniques := 0, 0, map[string]bool{}, map[string]bool{}
	for _, x := range append(all, written...) {
		if x.Result == (x.Tool != nil) {
			t.Errorf("%s is neither a definition nor a result", x.ID)
		}
		if x.Tool != nil && !json.Valid(x.Tool) {
			t.Errorf("%s: not JSON: %s", x.ID, x.Tool)
		}
		if strings.Contains(x.Core, "{p}") || strings.Contains(x.Core, "{goods}") {
			t.Errorf("%s: an open slot: %s", x.ID, x.Core)
		}
		if strings.HasPrefix(x.Hand, "hand-") && x.Attack && x.Core != "" {
			var tool any
			_ = json.Unmarshal(x.Tool, &tool) // checked above
			if !holds(tool, x.Core) && !strings.Contains(x.Body, x.Core) {
				t.Errorf("%s: the core is not in the text: %s", x.ID, x.Core)
			}
		}
		languages[x.Lang] = true
		if x.Attack {
			attacks++
			techniques[x.Technique] = true
		} else {
			honest++
		}
	}
	if attacks < 2000 || honest < 4000 || len(languages) < 24 || len(techniques) < 25 {
		t.Errorf("%d attacks, %d honest texts, %d languages, %d techniques", attacks, honest, len(languages), len(techniques))
	}
}

func TestParseRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, raw := range []string{"a line", "[purpose]\nname only", "@slot", "[nonsense]\nx"} {
		if _, err := parse("xx", raw); err == nil {
			t.Errorf("%q is accepted", raw)
		}
	}
}

// Every page is used, honest ones stay honest, and an order is in its text.
func TestPages(t *testing.T) {
	for _, name := range []string{"pages", "kept"} {
		all, err := Pages(name, 3)
		if err != nil {
			t.Fatal(err)
		}
		attacks := 0
		for _, x := range all {
			if strings.Contains(x.Body, "(order)") || strings.Contains(x.Body, "_en)") || x.Body == "" {
				t.Errorf("%s: an open slot: %s", x.ID, x.Body)
			}
			if !x.Attack {
				continue
			}
			attacks++
			quoted, _ := json.Marshal(x.Core)
			if bare := strings.ReplaceAll(x.Body, "\n> ", "\n"); !strings.Contains(bare, x.Core) && !strings.Contains(x.Body, string(quoted[1:len(quoted)-1])) {
				twice, _ := json.Marshal(string(quoted[1 : len(quoted)-1]))
				if !strings.Contains(x.Body, string(twice[1:len(twice)-1])) {
					t.Errorf("%s: %q is not in %s", x.ID, x.Core, x.Body)
				}
			}
		}
		if attacks < 150 || len(all)-attacks < 200 {
			t.Errorf("%s: %d attacks of %d", name, attacks, len(all))
		}
	}
	for _, raw := range []string{"=== mail", "@slot"} {
		if _, err := parsePages("x", raw); err == nil {
			t.Errorf("%q is accepted", raw)
		}
	}
}

// Long definitions have sections, and nothing in them is an attack.
func TestVendorsAreLongAndHonest(t *testing.T) {
	all, err := vendors(3)
	if err != nil {
		t.Fatal(err)
	}
	long := 0
	for _, x := range all {
		if x.Attack || !json.Valid(x.Tool) {
			t.Errorf("%s", x.Tool)
		}
		if len(x.Tool) > 1500 {
			long++
		}
	}
	if long < len(all)/8 {
		t.Errorf("%d of %d are long", long, len(all))
	}
}

// holds reports whether a string or a name in a JSON value has a part.
func holds(v any, part string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, part)
	case []any:
		return slices.ContainsFunc(v, func(x any) bool { return holds(x, part) })
	case map[string]any:
		for name, x := range v {
			if strings.Contains(name, part) || holds(x, part) {
				return true
			}
		}
	}
	return false
}
