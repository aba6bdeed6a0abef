package imports_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/editors"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/imports"
)

var (
	goodName     = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	goodVariable = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)
)

// sound checks what holds for every server, whoever wrote the file.
func sound(t *testing.T, text []byte, read imports.Read) {
	names := map[string]bool{}
	for _, f := range read.Found {
		if !goodName.MatchString(f.Name) || names[f.Name] {
			t.Errorf("%q gives the name %q", text, f.Name)
		}
		names[f.Name] = true
		if (f.Kind == "stdio") != (len(f.Command) > 0) || (f.Kind == "stdio") == (f.URL != "") {
			t.Errorf("%q gives %+v", text, f.Config)
		}
		shown := string(marshalled(t, f))
		for _, v := range f.Variables {
			if !goodVariable.MatchString(v.Name) {
				t.Errorf("%q gives the variable %q", text, v.Name)
			}
			// A short value may well be somewhere else, too.
			if value := v.Value.Reveal(); len(value) > 12 && !strings.Contains(value, "${") && strings.Count(string(text), value) == 1 && strings.Contains(shown, value) {
				t.Errorf("%q shows the value of %s: %s", text, v.Name, shown)
			}
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, text := range []string{
		`{"mcpServers":{"a":{"command":"x","args":["--token","abc"],"env":{"A_KEY":"v","B":"${env:B}"}}}}`,
		`{"servers":{"a":{"type":"http","url":"https://u:p@x/?key=1","headers":{"Authorization":"Bearer x"}}},"inputs":[{"id":"k"}]}`,
		"[mcp_servers.a]\ncommand='x'\n", "mcpServers:\n- name: a\n  command: x\n",
		`{"name":"a/b","packages":[{"registryType":"oci","identifier":"x","runtimeArguments":[{"type":"named","name":"-v","value":"{a}"}]}]}`,
		`{"name":"a/b","remotes":[{"type":"sse","url":"https://{x}/","variables":{"x":{"default":"y"}}}]}`,
		`{"projects":{"/a":{"mcpServers":{"x":{"command":"y"}}}},"mcpServers":null}`,
	} {
		f.Add("x.json", []byte(text))
		f.Add("x.toml", []byte(text))
		f.Add("x.yaml", []byte(text))
	}
	r := reader(f)
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		if read, err := r.File(name, text); err == nil {
			sound(t, text, read)
		}
		for _, c := range editors.All() {
			if read, err := r.Client(c, text); err == nil {
				sound(t, text, read)
			}
		}
	})
}

// FuzzBundle: an archive of any bytes is refused, or unpacked below its folder.
func FuzzBundle(f *testing.F) {
	for _, files := range [][]file{{{name: "manifest.json", text: manifest}, {name: "a/b", text: "x"}}, {{name: "manifest.json", text: "{}"}, {name: "../x"}}} {
		in := archive(f, files...)
		text := make([]byte, in.Size())
		if _, err := in.Read(text); err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	r := reader(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := imports.OpenBundle(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return
		}
		above := t.TempDir()
		dir := filepath.Join(above, "in")
		if found, err := r.Bundle(b, dir, nil); err == nil {
			sound(t, text, imports.Read{Found: []imports.Found{found}})
		}
		err = b.Unpack(dir)
		if left, readErr := os.ReadDir(above); readErr != nil || len(left) > 1 || err != nil && len(left) > 0 {
			t.Errorf("%q leaves %v (%v)", text, left, err)
		}
	})
}
