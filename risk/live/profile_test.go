package live

import (
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk/capability"
)

func TestProfilesComeFromTheBestThatIsKnown(t *testing.T) {
	file, err := ParseFile([]byte(`{"format": 1, "servers": {"mail": {"trusted_server": true, "tools": {"send": {
		"access": "write", "result": {"integrity": "trusted", "confidentiality": "private"}, "sink": "external", "argument_roles": {"to": "destination"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	b := NewBook(file)
	b.Add("mail", capability.Definition{Name: "send", Description: "Sends a message."}, Hints{}, false)
	b.Add("mail", capability.Definition{Name: "forward", Description: "Sends a message on to somebody.", Schema: []byte(`{"type":"object","properties":{"recipient":{"type":"string"},"body":{"type":"string"}}}`)}, Hints{}, false)
	b.Add("mail", capability.Definition{Name: "xyzzy"}, Hints{}, true)

	if p := b.Profile("mail", "send"); p.Basis != Reviewed || p.Sink != capability.External || p.Reversible || p.role("to") != Destination || !p.TrustedServer || p.Result.Origins[0] != "mail" {
		t.Errorf("from the file: %+v", p)
	}
	if p := b.Profile("mail", "forward"); p.Basis != Inferred || p.Sink != capability.External || p.role("recipient") != Destination || p.role("body") != Payload || !p.Result.Untrusted {
		t.Errorf("from the definition: %+v", p)
	}
	for _, name := range []string{"xyzzy", "never added"} {
		if p := b.Profile("mail", name); p.Basis != Assumed || p.Sink != capability.External || p.Reversible || !p.Result.Untrusted || !p.Result.Private {
			t.Errorf("of a tool that nothing is known of: %+v", p)
		}
	}
}

// Hints of a server that nobody vouches for may only make things worse.
func TestHints(t *testing.T) {
	d := capability.Definition{Name: "update_page", Description: "Updates a page."}
	if p := Infer("s", d, Hints{ReadOnly: true}, false); p.Sink == capability.NoSink {
		t.Error("an untrusted server made its tool harmless")
	}
	if p := Infer("s", d, Hints{ReadOnly: true}, true); p.Sink != capability.NoSink {
		t.Error("a trusted server's read-only hint does not count")
	}
	if p := Infer("s", capability.Definition{Name: "list_pages", Description: "Lists all pages."}, Hints{Destructive: true}, false); p.Sink == capability.NoSink || p.Reversible {
		t.Error("a destructive hint of an untrusted server does not count")
	}
}

func TestAFileWithMistakesIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                           "not one of labels",
		`{"format": 2}`:               "/format is 2",
		`{"format": 1} x`:             "behind the end",
		`{"format": 1, "server": {}}`: "unknown field",
		`{"format": 1, "servers": {"a": {"tools": {"b": {"access": "write", "result": {"integrity": "trusted", "confidentiality": "public"}, "sink": "none"}}}}}`:                                      "/servers/a/tools/b/sink",
		`{"format": 1, "servers": {"a": {"tools": {"b": {"access": "read", "result": {"integrity": "trustet", "confidentiality": "public"}, "sink": "none"}}}}}`:                                       `"trustet"`,
		`{"format": 1, "servers": {"a": {"tools": {"b": {"access": "read", "result": {"integrity": "trusted", "confidentiality": "public"}, "sink": "none", "argument_roles": {"x": "recipient"}}}}}}`: "/argument_roles/x",
	} {
		if _, err := ParseFile([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add([]byte(`{"format": 1, "servers": {"a": {"tools": {"b": {"access": "read", "result": {"integrity": "trusted", "confidentiality": "public"}, "sink": "none"}}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := ParseFile(text)
		if err != nil {
			return
		}
		for server, s := range file.Servers {
			for tool := range s.Tools {
				if p := file.Profile(server, tool); p == nil || p.Basis != Reviewed {
					t.Fatalf("%s/%s: %+v", server, tool, p)
				}
			}
		}
	})
}

func TestBounded(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type": "boolean"}`: true,
		`{"type": "object", "properties": {"ok": {"type": "boolean"}, "n": {"type": "integer"}, "on": {"type": "string", "format": "date"}}, "additionalProperties": false}`: true,
		`{"type": "object", "properties": {"ok": {"type": "boolean"}}}`: false, // more members may come
		`{"type": "string"}`:      false,
		`{"enum": ["yes", "no"]}`: true,
		`{"type": "string", "maxLength": 8, "pattern": "^[A-Z]{2}-[0-9]{4}$"}`: true,
		`{"type": "string", "maxLength": 8, "pattern": "^.*$"}`:                false,
		`{"type": "string", "maxLength": 4000, "pattern": "^[a-z]+$"}`:         false,
		`{"type": "string", "maxLength": 8, "pattern": "[a-z]"}`:               false, // not anchored
		`{"type": "array", "items": {"type": "number"}}`:                       false,
		`{"type": "array", "items": {"type": "number"}, "maxItems": 3}`:        true,
		`{"type": ["boolean", "string"]}`:                                      false,
		`{"$ref": "#/$defs/x", "type": "boolean"}`:                             false,
		`{}`:    false,
		`true`:  false,
		`{"typ`: false,
	} {
		if got := Bounded([]byte(schema)); got != want {
			t.Errorf("%s: %v, want %v", schema, got, want)
		}
	}
	o := Observation{Server: "s", Profile: &Profile{Result: Label{Untrusted: true}}, Bounded: true, Order: true}
	if o.Labelled().Untrusted {
		t.Error("a bounded result taints")
	}
}

func TestDeclared(t *testing.T) {
	if Declared([]byte(`{"content": []}`)) != nil {
		t.Error("a result without a label has one")
	}
	if got := Declared([]byte(`{"_meta": {"ifc": {"integrity": "trusted", "confidentiality": "public"}}}`)); got.String() != "trusted, public" {
		t.Errorf("read %v", got)
	}
	if got := Declared([]byte(`{"_meta": {"ifc": {"integrity": "TRUSTED"}}}`)); !got.Untrusted || !got.Private {
		t.Errorf("what is not known counts as the worse: %v", got)
	}
}

// Objects of one server are those of no other, and a payload names none.
func TestObjects(t *testing.T) {
	note := call("records/note", "page", "Plans ", "text", "Please send it")
	lookup := call("records/lookup", "page", "plans")
	written, readers := note.Written(nil), lookup.Read()
	if len(written) != 1 || len(readers) != 1 || written[0] != readers[0] {
		t.Errorf("wrote %v, read %v", written, readers)
	}
	other := call("web/search", "page", "plans")
	if other.Read()[0] == written[0] || len(lookup.Written(nil)) != 0 {
		t.Error("a server's objects are its own, and reading writes nothing")
	}
}
