package editors

import (
	"bytes"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
)

// FuzzTOMLRestStays: whatever a TOML file contains, a change is refused or changes one
// entry only.
func FuzzTOMLRestStays(f *testing.F) {
	for _, text := range []string{
		"", "k = 1\n", "[k]\n", "[k.a]\ncommand = 'x'\n", "[k.s]\ncommand = 'x'\n[k.s.env]\nA = '1'\n", "# c\n[z]\na = [\n1,\n2]\n",
		"[k.s]\r\ncommand='x'\r\n\r\n# of z\r\n[z]\r\n", "k.s.command = 'x'\n", "k = {s = {command = 'x'}}\n", "[[k.s]]\na=1\n",
		"['k'.\"s\"]\na = '''\n[k.s]\n'''\n", "[z]\na = \"\"\"\n[k.s]\nb\"\"\"\n[k.s]\nc=1\n", "[k.s.x]\na=1\n[z]\n[k.s.y]\nb=2\n", "[k.s]\nwhen = 1979-05-27T07:32:00Z\nf = 1e400\nn = nan\n",
	} {
		f.Add([]byte(text))
	}
	c := Client{Name: "C", key: "k", text: tomlText{}}
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := c.Connect(text, "s", Entry{Command: "p", Args: []string{"a\n\"b"}})
		if err != nil {
			return
		}
		before, after := tomlRest(t, text), tomlRest(t, in.After)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%q becomes %q: %s", text, in.After, diff)
		}
		out, err := c.Disconnect(in.After, text, "s")
		if err != nil || in.Old == "" && !bytes.Equal(out.After, text) {
			t.Errorf("%v: %q becomes %q, and then %q", err, text, in.After, out.After)
		}
		if out, err = c.Disconnect(in.After, []byte("nothing = 'of use'"), "s"); err != nil {
			return // it has to be done by hand
		}
		if diff := cmp.Diff(before, tomlRest(t, out.After)); diff != "" {
			t.Errorf("%q becomes %q: %s", in.After, out.After, diff)
		}
	})
}

// tomlRest returns everything in a file except the entry, written by the library: not a
// number is not equal to itself.
func tomlRest(t *testing.T, text []byte) string {
	t.Helper()
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if servers, ok := all["k"].(map[string]any); ok {
		delete(servers, "s")
		if len(servers) == 0 {
			delete(all, "k")
		}
	}
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(all); err != nil {
		return "the library cannot write it"
	}
	return b.String()
}
