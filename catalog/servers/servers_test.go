package servers

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func compiled(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBundledServers(t *testing.T) {
	entries, err := Bundled()
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 57 {
		t.Errorf("%d servers, want 57", len(entries))
	}
	var doc any
	if err := json.Unmarshal(bundled, &doc); err != nil {
		t.Fatal(err)
	}
	if err := compiled(t).Validate(doc); err != nil {
		t.Error(err)
	}
	owner := map[string]string{}
	for _, e := range entries {
		if e.Docs.URL == "" {
			t.Errorf("%s has no documentation address", e.ID)
		}
		for _, tr := range e.Transports {
			// A path beyond the host tells servers of one vendor apart.
			key := tr.URL + tr.Package
			if other := owner[key]; other != "" {
				t.Errorf("%s and %s are reached the same way: %s", e.ID, other, key)
			}
			owner[key] = e.ID
		}
	}
}

// The schema is for authors and Parse is for us: what one refuses, the other
// must refuse too.
func TestParseRefusesWhatTheSchemaRefuses(t *testing.T) {
	const good = `{"version":1,"servers":[{"id":"a","name":"A","vendor":"","category":"c","description":"d","stability":"ga",` +
		`"transports":[{"type":"sse","url":"https://a.example/{t}","auth":"none"}],"docs":{"url":"","adequate":false},"trust":[]}]}`
	schema := compiled(t)
	verdict := func(text string) (bySchema, byParse error) {
		var doc any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		_, byParse = Parse([]byte(text))
		return schema.Validate(doc), byParse
	}
	if bySchema, byParse := verdict(good); bySchema != nil || byParse != nil {
		t.Fatalf("the good catalog: %v, %v", bySchema, byParse)
	}
	for _, tc := range []struct{ old, new string }{
		{`"version":1`, `"version":2`},
		{`"id":"a"`, `"id":"A b"`},
		{`"id":"a"`, `"id":""`},
		{`"name":"A"`, `"name":""`},
		{`"name":"A"`, `"nom":"A"`},
		{`"ga"`, `"GA"`},
		{`"auth":"none"`, `"auth":"basic"`},
		{`"type":"sse"`, `"type":"grpc"`},
		{`"type":"sse"`, `"type":"stdio"`},
		{`https://a`, `http://a`},
		{`https://a`, `https://{host}`},
		{`https://a`, `https://*`},
		{`"auth":"none"`, `"auth":"none","command":"npx"`},
		{`[{"type":"sse","url":"https://a.example/{t}","auth":"none"}]`, `[]`},
	} {
		text := strings.Replace(good, tc.old, tc.new, 1)
		if bySchema, byParse := verdict(text); bySchema == nil || byParse == nil {
			t.Errorf("%s: schema says %v, Parse says %v", tc.new, bySchema, byParse)
		}
	}
	twice := strings.Replace(good, `"servers":[`, `"servers":[`+good[strings.Index(good, `{"id"`):len(good)-2]+",", 1)
	if _, err := Parse([]byte(twice)); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("two servers with one id: %v", err)
	}
}
