package fingerprint

import (
	"errors"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
)

// The hashes were published for the reference implementation.
func TestReferenceMatchesPublishedHashes(t *testing.T) {
	for _, tc := range []struct {
		name, tool string
		of         func([]byte) (Fingerprint, error)
		want       string
	}{
		{"a live tool", `{"name":"search_web","description":"Search the web and return top results.","inputSchema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]},"annotations":{"readOnlyHint":true}}`,
			Reference, "2308889d3c635456f52daa70ce97bdc9f4691e2854d48afe76fb67f6c4f9973a"},
		{"no schema", `{"name":"t","description":"d"}`, Reference, "4b06fc923f2824738eb5575598851c240331ca8b634eae703bbe5d3b0011bbd5"},
		{"no description", `{"name":"t","description":null,"inputSchema":{"type":"object"},"title":"T"}`, Reference, "a904f359c8ecdb6a05f8f1679f79016e12de4b154c3c06dd2238ae003ba33e1f"},
		{"annotated", `{"name":"t","description":"d","inputSchema":null,"annotations":{"readOnlyHint":true,"title":"T","other":1}}`, ReferenceAnnotated, "7dac1850cd6b50e63a910dcb95ab000fa3b862953b66d6cd3387694b779b09f6"},
	} {
		got, err := tc.of([]byte(tc.tool))
		if err != nil || got.Hash != tc.want || got.Profile != catalog.CanonicalProfile {
			t.Errorf("%s: %v, %v", tc.name, got, err)
		}
	}
}

const base = `{"name":"read_note","description":"Reads a note.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`

// What the reference cannot see is what a rug pull would use.
func TestOurFormSeesWhatTheReferenceDoesNot(t *testing.T) {
	for _, tc := range []struct{ name, old, new string }{
		{"annotations", `{"readOnlyHint":true}`, `{"readOnlyHint":false}`},
		{"annotations taken away", `,"annotations":{"readOnlyHint":true}`, ``},
		{"absent and false", `{"readOnlyHint":true}`, `{"readOnlyHint":true,"destructiveHint":false}`},
		{"title", `"name"`, `"title":"Notes","name"`},
		{"output schema", `"name"`, `"outputSchema":{"type":"object"},"name"`},
		{"icons", `"name"`, `"icons":[{"src":"https://a.example/i.png"}],"name"`},
		{"_meta", `"name"`, `"_meta":{"a":1},"name"`},
		{"a field nobody knows", `"name"`, `"execution":{"taskSupport":"required"},"name"`},
	} {
		changed := strings.Replace(base, tc.old, tc.new, 1)
		a, _ := Of([]byte(base))
		b, err := Of([]byte(changed))
		if err != nil || a == b {
			t.Errorf("%s: not seen (%v)", tc.name, err)
		}
		x, _ := Reference([]byte(base))
		y, _ := Reference([]byte(changed))
		if x != y {
			t.Errorf("%s: the reference form sees it", tc.name)
		}
	}
	reordered := `{ "annotations" : {"readOnlyHint":true}, "inputSchema":{"properties":{"id":{"type":"string"}},"type":"object"}, "description":"\u0052eads a note.", "name":"read_note" }`
	a, _ := Of([]byte(base))
	if b, err := Of([]byte(reordered)); a != b {
		t.Errorf("another spelling of the same JSON is another fingerprint (%v)", err)
	}
}

func TestNotATool(t *testing.T) {
	for _, raw := range []string{"", "null", "[]", `"x"`, `{"name":`, "{\"name\":\"\xff\"}"} {
		if f, err := Of([]byte(raw)); err == nil {
			t.Errorf("%q has the fingerprint %v", raw, f)
		}
		if f, err := Reference([]byte(raw)); err == nil {
			t.Errorf("%q has the reference fingerprint %v", raw, f)
		}
	}
	var refused *catalog.CanonicalError
	if _, err := Of([]byte(`{"a":1e999}`)); !errors.As(err, &refused) {
		t.Errorf("a number nobody can hold: %v", err)
	}
}
