package texts

import (
	"encoding/json"
	"reflect"
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
