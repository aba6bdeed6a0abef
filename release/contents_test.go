package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/sassoftware/go-rpmutils"
	"pault.ag/go/debian/deb"
)

// maxBinary bounds the binary for linux/amd64, in bytes: what it has, and a tenth for what
// is added. docs/how-to/install.md says what makes it up.
const maxBinary = 64_000_000

// entry is what a reader of another hand says of a file in an archive.
type entry struct {
	mode int64
	uid  int
	text []byte
}

func entries(t *testing.T, r *tar.Reader) map[string]entry {
	t.Helper()
	all := map[string]entry{}
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all["/"+strings.TrimPrefix(strings.TrimPrefix(h.Name, "."), "/")] = entry{h.Mode, h.Uid, text}
	}
}

func unpacked(t *testing.T, text []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// inPackages are the files that both packages must have, with their modes.
var inPackages = map[string]int64{
	"/usr/bin/glovebox":                                  0o755,
	"/usr/lib/systemd/system/glovebox.service":           0o644,
	"/usr/lib/systemd/system/glovebox.socket":            0o644,
	"/usr/share/bash-completion/completions/glovebox":    0o644,
	"/usr/share/zsh/vendor-completions/_glovebox":        0o644,
	"/usr/share/fish/vendor_completions.d/glovebox.fish": 0o644,
	"/usr/share/man/man1/glovebox.1.gz":                  0o644,
	"/usr/share/man/man1/glovebox-serve.1.gz":            0o644,
	"/usr/share/doc/glovebox/LICENSE":                    0o644,
	"/usr/share/doc/glovebox/NOTICE":                     0o644,
	"/usr/share/doc/glovebox/THIRD_PARTY_LICENSES":       0o644,
}

func lookAtDeb(t *testing.T, text, binary []byte) {
	d, err := deb.Load(bytes.NewReader(text), "glovebox.deb")
	if err != nil {
		t.Fatal(err)
	}
	c := d.Control
	if c.Package != "glovebox" || c.Version.String() != "0.0.1" || c.Architecture.String() != "amd64" {
		t.Errorf("it is %s %s for %s", c.Package, c.Version, c.Architecture)
	}
	all := entries(t, d.Data)
	for name, mode := range inPackages {
		if e, ok := all[name]; !ok || e.mode&0o7777 != mode || e.uid != 0 {
			t.Errorf("%s: %v, %o of %d", name, ok, e.mode, e.uid)
		}
	}
	if !bytes.Equal(all["/usr/bin/glovebox"].text, binary) {
		t.Error("it has another binary than the archive")
	}
	if page := string(unpacked(t, all["/usr/share/man/man1/glovebox-serve.1.gz"].text)); !strings.Contains(page, `.TH "GLOVEBOX-SERVE" "1"`) {
		t.Errorf("the page of serve is %.200s", page)
	}
	for name := range all {
		if strings.HasPrefix(name, "/etc/") || strings.HasPrefix(name, "/var/") {
			t.Errorf("%s is the operator's", name)
		}
	}
	for member, ar := range d.ArContent {
		if !strings.HasPrefix(member, "control.") {
			continue
		}
		if _, err := ar.Data.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		r, closer, err := ar.Tarfile()
		if err != nil {
			t.Fatal(err)
		}
		defer closer.Close()
		control := entries(t, r)
		for script, says := range map[string]string{"/postinst": "try-restart", "/prerm": "disable --now", "/postrm": "daemon-reload"} {
			if e := control[script]; e.mode&0o111 == 0 || !bytes.Contains(e.text, []byte(says)) {
				t.Errorf("%s: %s", script, e.text)
			}
		}
	}
}

func lookAtRpm(t *testing.T, text, binary []byte) {
	r, err := rpmutils.ReadRpm(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.Header.GetNEVRA(); err != nil || n.Name != "glovebox" || n.Version != "0.0.1" || n.Arch != "x86_64" {
		t.Errorf("it is %v, %v", n, err)
	}
	if said, err := r.Header.GetString(rpmutils.POSTIN); err != nil || !strings.Contains(said, "try-restart") {
		t.Errorf("after installing: %s, %v", said, err)
	}
	payload, err := r.PayloadReaderExtended()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int64{}
	for {
		f, err := payload.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		found[f.Name()] = int64(f.Mode() & 0o7777)
		if f.UserName() != "root" {
			t.Errorf("%s belongs to %s", f.Name(), f.UserName())
		}
		if f.Name() != "/usr/bin/glovebox" {
			continue
		}
		if text, err := io.ReadAll(payload); err != nil || !bytes.Equal(text, binary) {
			t.Errorf("it has another binary than the archive (%v)", err)
		}
	}
	for name, mode := range inPackages {
		if found[name] != mode {
			t.Errorf("%s: mode %o", name, found[name])
		}
	}
}

// lookAtImage reads the tarball as docker load does.
func lookAtImage(t *testing.T, text, binary []byte) {
	files := entries(t, tar.NewReader(bytes.NewReader(text)))
	var manifest []struct {
		Config string
		Layers []string
	}
	if err := json.Unmarshal(files["/manifest.json"].text, &manifest); err != nil || len(manifest) != 1 || len(manifest[0].Layers) != 1 {
		t.Fatalf("%s: %v", files["/manifest.json"].text, err)
	}
	var image struct {
		OS, Architecture string
		Config           struct {
			User        string
			Entrypoint  []string
			Volumes     map[string]any
			Env         []string
			Healthcheck struct{ Test []string }
		}
	}
	if err := json.Unmarshal(files["/"+manifest[0].Config].text, &image); err != nil {
		t.Fatal(err)
	}
	c := image.Config
	if image.OS != "linux" || image.Architecture != "amd64" || c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/glovebox"}) ||
		!slices.Equal(c.Healthcheck.Test, []string{"CMD", "/glovebox", "health"}) || !slices.Equal(slices.Collect(maps.Keys(c.Volumes)), []string{"/state"}) {
		t.Errorf("%+v", image)
	}
	root := entries(t, tar.NewReader(bytes.NewReader(unpacked(t, files["/"+manifest[0].Layers[0]].text))))
	if !bytes.Equal(root["/glovebox"].text, binary) {
		t.Error("it has another binary than the archive")
	}
	for name, e := range root {
		if (e.uid == 65532) != (name == "/state/") {
			t.Errorf("%s belongs to %d", name, e.uid)
		}
	}
	if e := root["/state/"]; e.mode != 0o700 {
		t.Errorf("the state folder has mode %o", e.mode)
	}
	if n := bytes.Count(root["/etc/ssl/certs/ca-certificates.crt"].text, []byte("BEGIN CERTIFICATE")); n < 100 {
		t.Errorf("%d authorities", n)
	}
}

// lookAtBill checks an SBOM against the schema that CycloneDX publishes, with a validator
// that knows nothing of it, and its modules against what go says of the binary.
func lookAtBill(t *testing.T, text []byte, binary string) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	schemas := filepath.Join(strings.TrimSpace(string(out)), "schema")
	compiler := jsonschema.NewCompiler()
	for _, s := range []struct{ url, file string }{{"spdx.schema.json", "spdx.schema.json"}, {"jsf-0.82.schema.json", "jsf-0.82.schemax.json"}} {
		f, err := os.Open(filepath.Join(schemas, s.file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		document, err := jsonschema.UnmarshalJSON(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource("http://cyclonedx.org/schema/"+s.url, document); err != nil {
			t.Fatal(err)
		}
	}
	var bill struct {
		SpecVersion string
		Components  []struct{ Name, Version, Purl string }
	}
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(filepath.Join(schemas, "bom-"+bill.SpecVersion+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text []byte) error {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(document)
	}
	if err := valid(text); err != nil {
		t.Error(err)
	}
	if valid(bytes.Replace(text, []byte(`"type": "library"`), []byte(`"type": "shelf"`), 1)) == nil {
		t.Error("the schema takes everything")
	}
	out, err = exec.Command("go", "version", "-m", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) >= 3 && f[0] == "dep" {
			linked[f[1]] = f[2]
		}
	}
	listed := map[string]string{}
	for _, c := range bill.Components {
		listed[c.Name] = c.Version
		if c.Purl != "pkg:golang/"+c.Name+"@"+c.Version {
			t.Errorf("%s is %s", c.Name, c.Purl)
		}
	}
	if len(linked) < 40 || !maps.Equal(linked, listed) {
		t.Errorf("go version -m says %v, the bill %v", linked, listed)
	}
}

// lookAtSums checks SHA256SUMS with the program that people check it with.
func lookAtSums(t *testing.T, dir string) {
	cmd := exec.Command("sha256sum", "--strict", "-c", "SHA256SUMS")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.Name() != "SHA256SUMS" && !bytes.Contains(sums, []byte("  "+f.Name()+"\n")) {
			t.Errorf("%s has no checksum", f.Name())
		}
	}
}

// TestThePlistIsOne: XML whose dict pairs each key with a value, as launchd wants it.
func TestThePlistIsOne(t *testing.T) {
	d := xml.NewDecoder(bytes.NewReader(plist))
	var names []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			names = append(names, e.Name.Local)
		}
	}
	said := fmt.Sprint(names)
	if want := "[plist dict key string key array string string key true key dict key false key integer key string]"; said != want {
		t.Errorf("%s, want %s", said, want)
	}
}

// TestTheManifestsAreFilled: each archive by its address and its checksum, and nothing else
// is left of the template.
func TestTheManifestsAreFilled(t *testing.T) {
	r := release{out: t.TempDir(), version: "v0.0.1"}
	sums := map[string]string{}
	for i, target := range targets {
		sums[target.String()] = strings.Repeat(fmt.Sprint(i), 64)
	}
	if err := r.manifests(sums); err != nil {
		t.Fatal(err)
	}
	for name, systems := range map[string][]string{"glovebox.rb": {"linux", "darwin"}, "Glovebox.Glovebox.yaml": {"windows"}} {
		text, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range targets {
			want := slices.Contains(systems, target.os)
			if got := strings.Contains(string(text), sums[target.String()]) && strings.Contains(string(text), "/v0.0.1/"+r.name(target)+"."); got != want {
				t.Errorf("%s in %s: %v", target, name, got)
			}
		}
		if strings.Contains(string(text), "{{") {
			t.Errorf("%s is not filled", name)
		}
	}
}

// needed returns the modules that a target is made of, without building it.
func needed(root string, t target) (all []*debug.Module, err error) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{with .Replace}}{{.Path}} {{.Version}}{{else}}{{.Path}} {{.Version}}{{end}}{{end}}{{end}}", "./cmd/glovebox")
	cmd.Dir = root
	cmd.Env = t.environment()
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if path, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !seen[path] {
			seen[path] = true
			all = append(all, &debug.Module{Path: path, Version: version})
		}
	}
	return all, nil
}

// TestLicencesOfEveryTarget: what is linked in on one system alone has a licence too. Nothing
// is built.
func TestLicencesOfEveryTarget(t *testing.T) {
	r := release{root: ".."}
	for _, target := range targets {
		linked, err := needed(r.root, target)
		if err != nil {
			t.Fatal(err)
		}
		if len(linked) < 40 {
			t.Errorf("%s: %d modules", target, len(linked))
		}
		if _, err := r.licences(linked); err != nil {
			t.Errorf("%s: %v", target, err)
		}
	}
}
