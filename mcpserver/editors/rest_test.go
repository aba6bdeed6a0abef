package editors

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
)

// FuzzRestStays: whatever the file contains, a change is refused or changes one
// entry only; comments stay as well.
func FuzzRestStays(f *testing.F) {
	for _, text := range []string{"{}", `{"k":{"a":1,},}`, "{ // a\n \"k\": {\n  \"a\": {} // b\n }\n}", "{\r\n\t\"k\" : {\"s\":{\"env\":{}}, \"a\":[,]}}", `{"a":{"k":1}/*,*/}`, `{"k":{"s":1,"s":{"x":2}}}`, `{"k":{"a":1},"z":1}`, `{"k":{},"z":{"s":1}}`, "{\n \"k\": {\"s\": {}},\n \"z\": [{}, {\"s\": 2}]\n}", "{\"x\":1 /* , */ , // }\n\"k\":{\"s\":{},}}"} {
		f.Add([]byte(text))
	}
	c := Client{Name: "C", key: "k", text: jsonc{}}
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := c.Connect(text, "s", Entry{Command: "p"})
		if err != nil {
			return
		}
		if !bytes.Contains(in.After, []byte(`"p"`)) {
			t.Errorf("%q becomes %q", text, in.After)
		}
		// Use another reader: ours may be wrong in the same way.
		var there struct {
			K map[string]any `json:"k"`
		}
		if err := json.Unmarshal(standard(t, in.After), &there); err != nil || there.K["s"] == nil {
			t.Errorf("the entry is elsewhere: %q becomes %q", text, in.After)
		}
		before, after := rest(t, text), rest(t, in.After)
		if before["k"] == nil && len(after["k"].(map[string]any)) == 0 {
			delete(after, "k")
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%q becomes %q: %s", text, in.After, diff)
		}
		for _, mark := range []string{"//", "/*"} {
			if bytes.Count(in.After, []byte(mark)) != bytes.Count(text, []byte(mark)) && in.Old == "" && len(bytes.TrimSpace(text)) > 2 {
				t.Errorf("a comment is gone: %q becomes %q", text, in.After)
			}
		}
		out, err := c.Disconnect(in.After, text, "s")
		if err != nil || in.Old == "" && !bytes.Equal(out.After, text) {
			t.Errorf("%v: %q becomes %q, and then %q", err, text, in.After, out.After)
		}
		if out, err = c.Disconnect(in.After, []byte("nothing of use"), "s"); err != nil {
			return // perhaps a duplicate
		}
		if diff := cmp.Diff(rest(t, in.After), rest(t, out.After)); diff != "" {
			t.Errorf("%q becomes %q: %s", in.After, out.After, diff)
		}
	})
}

// rest returns everything in a file except the entry.
func rest(t *testing.T, text []byte) map[string]any {
	all := map[string]any{}
	if len(bytes.TrimSpace(text)) == 0 {
		return all
	}
	if err := json.Unmarshal(standard(t, text), &all); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if servers, ok := all["k"].(map[string]any); ok {
		delete(servers, "s")
	}
	return all
}

// standard returns a file without its comments.
func standard(t *testing.T, text []byte) []byte {
	text, err := hujson.Standardize(append(bytes.TrimPrefix(bytes.Clone(text), []byte(byteOrderMark)), '\n'))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return text
}
