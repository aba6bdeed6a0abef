package advisory

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func TestBundledEntriesFollowTheSchema(t *testing.T) {
	list, err := Bundled()
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(bundled, &doc); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(doc); err != nil {
		t.Error(err)
	}
	if err := resolved.Validate([]any{map[string]any{"id": "x"}}); err == nil {
		t.Error("an entry without references is valid")
	}
	public := regexp.MustCompile(`^(CVE-\d{4}-\d{4,}|GHSA(-[a-z0-9]{4}){3}|SNYK-[A-Z]+-[A-Z0-9]+-\d+)$`)
	for _, e := range list {
		for _, r := range e.References {
			if !strings.HasPrefix(r.URL, "https://") {
				t.Errorf("%s: %s is no public reference", e.ID, r.URL)
			}
		}
		if len(e.Aliases) == 0 {
			t.Errorf("%s: nobody else has a number for it", e.ID)
		}
		for _, alias := range e.Aliases {
			if !public.MatchString(alias) {
				t.Errorf("%s: %q is no public id", e.ID, alias)
			}
		}
		for _, a := range e.Affected {
			if hit := list.Match(a.Package.Name, "1000.0.0"); len(hit) > 0 {
				t.Errorf("%s: every version of %s is hit", e.ID, a.Package.Name)
			}
		}
	}
}

// The order is that of the example in Semantic Versioning 2.0.0, 11.
func TestVersionsAreOrdered(t *testing.T) {
	order := strings.Fields("0 0.9 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1 1.2 1.10 2025.9.25")
	for i := range order {
		for j := range order {
			a, okA := parseVersion(order[i])
			b, okB := parseVersion(order[j])
			if !okA || !okB {
				t.Fatal(order[i], order[j])
			}
			if got, want := a.compare(b), cmpInt(i, j); got != want {
				t.Errorf("%s to %s is %d, want %d", order[i], order[j], got, want)
			}
		}
	}
}

func cmpInt(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestMatch(t *testing.T) {
	list, err := Parse([]byte(`{"vulns": [{"id": "A", "summary": "s", "references": [{"type": "WEB", "url": "https://example.com"}], "affected": [
		{"package": {"ecosystem": "npm", "name": "srv"}, "ranges": [{"type": "SEMVER", "events": [{"introduced": "1.0.0"}, {"fixed": "1.2.0"}, {"introduced": "2.0.0"}, {"last_affected": "2.1.0"}]}], "versions": ["odd"]}]},
		{"id": "B", "withdrawn": "2026-01-01T00:00:00Z", "references": [{"type": "WEB", "url": "https://example.com"}], "affected": [{"package": {"name": "srv"}, "versions": ["1.0.0"]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for version, hit := range map[string]bool{
		"0.9.0": false, "1.0.0": true, "v1.1.9": true, "1.2.0-rc.1": true, "1.2.0": false, "2.0.0": true, "2.1.0": true, "2.1.1": false, "odd": true, "odder": false, "": false,
	} {
		if got := len(list.Match("SRV", version)) == 1; got != hit {
			t.Errorf("%q: %v", version, got)
		}
	}
	if len(list.Match("other", "1.0.0")) > 0 {
		t.Error("another name is hit")
	}
}

func TestParseRefuses(t *testing.T) {
	for _, raw := range []string{"", "x", "[", `[{"id": "A"}]`, `[{"references": [{"url": "https://a"}]}]`, `{"id": "A", "references": [{"url": "u"}], "affected": [{}]}`,
		`[{"id": "A", "references": [{"url": "u"}]}, {"id": "A", "references": [{"url": "u"}]}]`} {
		if list, err := Parse([]byte(raw)); err == nil {
			t.Errorf("%s: %v", raw, list)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(bundled, "postmark-mcp", "1.0.16")
	f.Add([]byte(`{"vulns":[]}`), "", "1.-")
	f.Fuzz(func(t *testing.T, raw []byte, name, version string) {
		list, err := Parse(raw)
		if err != nil {
			return
		}
		for _, e := range list.Match(name, version) {
			if e.Reference() == "" {
				t.Error("an entry without a reference")
			}
		}
	})
}
