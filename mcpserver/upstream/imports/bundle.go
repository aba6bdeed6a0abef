package imports

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

const (
	// maxManifest bounds manifest.json, in bytes; those with screenshots and
	// translations have some ten thousand.
	maxManifest = 1 << 20
	// maxFiles bounds the files of a bundle: one with all of node_modules has ten to
	// twenty thousand.
	maxFiles = 50_000
	// maxUnpacked bounds them in bytes, counted as they are written, because the
	// sizes in the archive are its author's word.
	maxUnpacked = 1 << 30
)

// Bundle is a .mcpb file, opened.
type Bundle struct {
	files    *zip.Reader
	manifest gjson.Result
}

// OpenBundle reads the table of contents and the manifest.
func OpenBundle(r io.ReaderAt, size int64) (*Bundle, error) {
	files, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("it is no bundle: %w", err)
	}
	if len(files.File) > maxFiles {
		return nil, fmt.Errorf("it has more than %d files", maxFiles)
	}
	i := slices.IndexFunc(files.File, func(f *zip.File) bool { return f.Name == "manifest.json" })
	if i < 0 {
		return nil, errors.New("it has no manifest.json, so it is no bundle of an MCP server")
	}
	f, err := files.File[i].Open()
	if err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("manifest.json: %w", err)
	case len(text) > maxManifest:
		return nil, fmt.Errorf("manifest.json: it has more than %d bytes", maxManifest)
	case !gjson.ValidBytes(text) || !gjson.ParseBytes(text).IsObject():
		return nil, errors.New("manifest.json: it is no JSON object")
	}
	return &Bundle{files, gjson.ParseBytes(text)}, nil
}

// Folder names the folder that a bundle is unpacked to, below one for all of them.
func (b *Bundle) Folder() string {
	return nameOf(b.manifest.Get("name").String() + "-" + b.manifest.Get("version").String())
}

// platforms are the names that manifests use for operating systems.
var platforms = map[string]string{"windows": "win32"}

// Bundle returns the server in a bundle as it is started when dir holds its files.
// values are those of the operator for what the bundle asks its user.
func (r *Reader) Bundle(b *Bundle, dir string, values map[string]string) (Found, error) {
	m := b.manifest
	d := r.draft(m.Get("name").String(), dialect{})
	server := m.Get("server")
	how := server.Get("mcp_config")
	platform := runtime.GOOS
	if other, known := platforms[platform]; known {
		platform = other
	}
	if runs := m.Get("compatibility.platforms").Array(); len(runs) > 0 && !slices.ContainsFunc(runs, func(v gjson.Result) bool { return v.String() == platform }) {
		d.refuse("it is not for %s", platform)
	}
	f := &d.found
	f.Kind, f.Dir = "stdio", dir
	u := userConfig{d, m.Get("user_config"), dir, values}
	over := how.Get("platform_overrides").Get(platform)
	either := func(name string) gjson.Result {
		if v := over.Get(name); v.Exists() {
			return v
		}
		return how.Get(name)
	}
	switch command := either("command").String(); {
	case command != "":
		f.Command = append(u.text(command), u.all(either("args"))...)
	case server.Get("type").String() == "uv" && inside(server.Get("entry_point").String()):
		f.Command = []string{"uv", "run", "--directory", dir, filepath.FromSlash(server.Get("entry_point").String())}
	default:
		d.refuse("its manifest does not say how it is started (server.mcp_config.command)")
	}
	for _, env := range []gjson.Result{how.Get("env"), over.Get("env")} {
		d.pairs(env, func(name, value string) {
			if f.Env == nil {
				f.Env = map[string]string{}
			}
			f.Env[name] = strings.Join(u.text(value), ",")
		})
	}
	for name := range values {
		if !u.asked.Get(gjson.Escape(name)).Exists() {
			d.refuse("it asks for no value %q; it asks for %s", name, strings.Join(u.names(), ", "))
		}
	}
	return d.done()
}

// userConfig replaces what the manifest leaves to its user.
type userConfig struct {
	*draft
	asked  gjson.Result
	dir    string
	values map[string]string
}

func (u userConfig) names() (names []string) {
	u.asked.ForEach(func(name, _ gjson.Result) bool {
		names = append(names, name.String())
		return len(names) < maxItems
	})
	return names
}

// all returns arguments; one that stands for several values becomes several.
func (u userConfig) all(list gjson.Result) (texts []string) {
	for _, text := range u.list(list) {
		if texts = append(texts, u.text(text)...); len(texts) > maxItems {
			u.refuse("%w", errTooMuch)
			return nil
		}
	}
	return texts
}

var inManifest = regexp.MustCompile(`\$\{([^{}]{1,200})\}`)

// text replaces the references of one text.
func (u userConfig) text(text string) []string {
	if m := inManifest.FindStringSubmatch(text); m != nil && m[0] == text {
		if name, is := strings.CutPrefix(m[1], "user_config."); is {
			return u.value(name)
		}
	}
	return []string{inManifest.ReplaceAllStringFunc(text, func(match string) string {
		name := match[2 : len(match)-1]
		if key, is := strings.CutPrefix(name, "user_config."); is {
			return strings.Join(u.value(key), ",")
		}
		return u.place(name)
	})}
}

// place is a folder that a manifest may name. Anything else would be a variable of
// the operator.
func (u userConfig) place(name string) string {
	switch name {
	case "__dirname":
		return u.dir
	case "HOME":
		return u.homeFolder()
	case "DESKTOP", "DOCUMENTS", "DOWNLOADS":
		return filepath.Join(u.homeFolder(), name[:1]+strings.ToLower(name[1:]))
	case "/", "pathSeparator":
		return string(filepath.Separator)
	}
	u.refuse("its manifest refers to ${%s}, which is not a thing that a bundle may ask for", name)
	return ""
}

// value is what the operator gave, the default, or a variable.
func (u userConfig) value(name string) []string {
	described := u.asked.Get(gjson.Escape(name))
	given, is := u.values[name]
	switch {
	case is && described.Get("sensitive").Bool():
		return []string{u.hide(given, described.Get("title").String(), name)}
	case is && described.Get("multiple").Bool():
		return filepath.SplitList(given)
	case is:
		return []string{given}
	}
	var texts []string
	if value := described.Get("default"); value.Exists() && !described.Get("sensitive").Bool() {
		for _, v := range value.Array() { // one value is a list of one
			texts = append(texts, inManifest.ReplaceAllStringFunc(v.String(), func(match string) string { return u.place(match[2 : len(match)-1]) }))
		}
		return texts
	}
	if !described.Get("required").Bool() && !described.Get("sensitive").Bool() {
		return nil
	}
	what := described.Get("description").String()
	if what == "" {
		what = described.Get("title").String()
	}
	return []string{u.wanted(variable(u.found.Name, name), what)}
}

// inside reports whether a path of an archive stays below its folder.
func inside(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && !strings.Contains(name, `\`)
}

// Unpack writes the files to a folder that does not exist yet, and removes it again
// if one of them cannot be written as it should be. Links are refused, and so is
// every name that leads out of the folder.
func (b *Bundle) Unpack(dir string) (err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	left := int64(maxUnpacked)
	for _, f := range b.files.File {
		n, err := unpack(root, f, left)
		if err != nil {
			return fmt.Errorf("%q: %w", f.Name, err)
		}
		left -= n
	}
	return nil
}

func unpack(root *os.Root, f *zip.File, left int64) (int64, error) {
	name := strings.TrimSuffix(f.Name, "/")
	if !inside(name) {
		return 0, errors.New("the name leads out of the bundle's folder")
	}
	switch mode := f.Mode(); {
	case mode.IsDir():
		return 0, root.MkdirAll(name, 0o700)
	case !mode.IsRegular():
		return 0, errors.New("it is neither a file nor a folder")
	}
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return 0, err
	}
	mode := fs.FileMode(0o600) | f.Mode()&0o100 // a program of its owner, or no program
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return 0, err
	}
	defer to.Close()
	from, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer from.Close()
	n, err := io.Copy(to, io.LimitReader(from, left+1))
	if err == nil && n > left {
		err = fmt.Errorf("the bundle has more than %d MiB", maxUnpacked>>20)
	}
	return n, errors.Join(err, to.Close())
}
