package imports_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/imports"
)

const manifest = `{"manifest_version":"0.3","name":"My Files","version":"1.2.0","server":{"type":"node","entry_point":"server/index.js",
	"mcp_config":{"command":"node","args":["${__dirname}/server/index.js","--key=${user_config.api_key}","${user_config.folders}"],
		"env":{"KEY":"${user_config.api_key}","SIZE":"${user_config.size}","WHERE":"${DOCUMENTS}"},
		"platform_overrides":{"plan9":{"command":"rc"}}}},
	"user_config":{"api_key":{"type":"string","title":"API key","sensitive":true,"required":true},
		"folders":{"type":"directory","multiple":true,"required":true,"default":["${HOME}/Desktop","/srv"]},
		"size":{"type":"number","default":10}}}`

// file is an entry of an archive.
type file struct {
	name, text string
	mode       fs.FileMode
}

func archive(t testing.TB, files ...file) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		h.SetMode(f.mode | 0o644)
		out, err := w.CreateHeader(h)
		if err == nil {
			_, err = out.Write([]byte(f.text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b.Bytes())
}

func TestBundle(t *testing.T) {
	in := archive(t, file{name: "manifest.json", text: manifest}, file{name: "server/", mode: fs.ModeDir | 0o755}, file{name: "server/index.js", text: "run()"}, file{name: "bin/tool", text: "#!", mode: 0o777})
	b, err := imports.OpenBundle(in, in.Size())
	if err != nil {
		t.Fatal(err)
	}
	if b.Folder() != "my-files-1-2-0" {
		t.Errorf("the folder is %q", b.Folder())
	}
	dir := filepath.Join(t.TempDir(), "bundles", b.Folder())
	if err := b.Unpack(dir); err != nil {
		t.Fatal(err)
	}
	if err := b.Unpack(dir); !errors.Is(err, fs.ErrExist) {
		t.Errorf("unpacked twice: %v", err)
	}
	for name, mode := range map[string]fs.FileMode{"server/index.js": 0o600, "bin/tool": 0o700} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	found, err := reader(t).Bundle(b, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := upstream.Config{Name: "my-files", Kind: "stdio", Dir: dir,
		Command: []string{"node", dir + "/server/index.js", "--key=${MY_FILES_API_KEY}", "/home/me/Desktop", "/srv"},
		Env:     map[string]string{"KEY": "${MY_FILES_API_KEY}", "SIZE": "10", "WHERE": "/home/me/Documents"}}
	if diff := cmp.Diff(want, found.Config); diff != "" {
		t.Error(diff)
	}
	if len(found.Variables) != 1 || found.Variables[0].For != "API key" {
		t.Errorf("%+v", found.Variables)
	}
	// What the operator gives takes the place of defaults; a secret stays out.
	found, err = reader(t).Bundle(b, dir, map[string]string{"api_key": secret, "folders": "/a" + string(filepath.ListSeparator) + "/b"})
	want.Command = append(want.Command[:3:3], "/a", "/b")
	if diff := cmp.Diff(want, found.Config); err != nil || diff != "" || found.Variables[0].Value.Reveal() != secret {
		t.Error(err, diff)
	}
	if _, err = reader(t).Bundle(b, dir, map[string]string{"apikey": "x"}); err == nil || !strings.Contains(err.Error(), "api_key, folders, size") {
		t.Error(err)
	}
}

// TestHostileBundles: nothing is written outside of the folder, and nothing stays of
// a bundle that is refused.
func TestHostileBundles(t *testing.T) {
	main := file{name: "manifest.json", text: manifest}
	for name, files := range map[string][]file{
		"up":          {main, {name: "../outside", text: "x"}},
		"far up":      {main, {name: "a/../../outside", text: "x"}},
		"rooted":      {main, {name: "/outside", text: "x"}},
		"backslash":   {main, {name: `..\outside`, text: "x"}},
		"link":        {main, {name: "l", text: "/etc", mode: fs.ModeSymlink}},
		"link, file":  {main, {name: "l", text: "..", mode: fs.ModeSymlink}, {name: "l/outside", text: "x"}},
		"device":      {main, {name: "d", mode: fs.ModeDevice}},
		"twice":       {main, {name: "a", text: "x"}, {name: "a", text: "y"}},
		"file as dir": {main, {name: "a", text: "x"}, {name: "a/b", text: "y"}},
		"no name":     {main, {name: ".", text: "x"}},
	} {
		in := archive(t, files...)
		b, err := imports.OpenBundle(in, in.Size())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		above := t.TempDir()
		if err := b.Unpack(filepath.Join(above, "in")); err == nil {
			t.Errorf("%s is unpacked", name)
		}
		if left, err := os.ReadDir(above); err != nil || len(left) > 0 {
			t.Errorf("%s leaves %v %v", name, left, err)
		}
	}
	for name, files := range map[string][]file{
		"no manifest": {{name: "a"}}, "no JSON": {{name: "manifest.json", text: "{"}}, "no object": {{name: "manifest.json", text: "[]"}},
		"too long": {{name: "manifest.json", text: `{"a":"` + strings.Repeat("a", 2<<20) + `"}`}},
	} {
		in := archive(t, files...)
		if _, err := imports.OpenBundle(in, in.Size()); err == nil {
			t.Errorf("%s is opened", name)
		}
	}
	for name, text := range map[string]string{
		"a variable of ours": `{"name":"x","server":{"mcp_config":{"command":"x","env":{"A":"${AWS_SECRET_ACCESS_KEY}"}}}}`,
		"in a default":       `{"name":"x","server":{"mcp_config":{"command":"x","args":["${user_config.a}"]}},"user_config":{"a":{"default":"${AWS_SECRET_ACCESS_KEY}"}}}`,
		"other systems":      `{"name":"x","server":{"mcp_config":{"command":"x"}},"compatibility":{"platforms":["plan9"]}}`,
		"no command":         `{"name":"x","server":{"type":"node"}}`,
		"uv, outside":        `{"name":"x","server":{"type":"uv","entry_point":"../x.py"}}`,
	} {
		in := archive(t, file{name: "manifest.json", text: text})
		b, err := imports.OpenBundle(in, in.Size())
		if err != nil {
			t.Fatal(name, err)
		}
		if found, err := reader(t).Bundle(b, "/dir", nil); err == nil {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
