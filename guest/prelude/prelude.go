// Package prelude holds the JavaScript that gives a guest its globals: one file
// for each family, evaluated before any tool code in an untouched realm.
//
// A file is a function body with two parameters, `host` (the primitives, see
// core.js) and `primordials` (built-ins captured before tool code runs). Its head
// says what it installs, which host calls it needs and which files must come
// before it:
//
//	// installs: fetch Headers Response
//	// needs: http.fetch
//	// after: timers.js
//
// A file is evaluated only if every host call it needs is in the call's table, so
// a capability that was not granted is absent, not a stub that throws.
//
// Most tools use little of what they are granted, so only the ground, core.js and
// the two files after it, is in every image. Another file goes into a tool's image
// if its code mentions a name that the file installs; otherwise stand-ins evaluate
// it on first use ([Split]).
package prelude

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
)

//go:embed *.js
var sources embed.FS

// Core is the file that comes first and that receives `raw` instead of the two
// parameters of the others.
const Core = "core.js"

// Parameters and End make a function of a file's source, and keep the source on
// its lines.
const (
	Parameters = "(function (host, primordials) {"
	End        = "\n})"
)

// Always first and in this order: the other files rely on them.
var ground = []string{Core, "console.js", "timers.js"}

// File is one prelude file.
type File struct {
	Name     string
	Installs []string // names of globals, or of what hangs from one, such as safety.fs
	Needs    []string // names of host calls, all of which must be granted
	After    []string // files that must come before it
	Source   string
}

// Files returns all prelude files in the order of their evaluation.
func Files() ([]File, error) {
	names, err := fs.Glob(sources, "*.js")
	if err != nil {
		return nil, err
	}
	byName := make(map[string]File, len(names))
	for _, name := range names {
		source, err := sources.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parse(name, string(source))
		if err != nil {
			return nil, err
		}
		byName[name] = file
	}
	return order(byName, append(slices.Clone(ground), names...))
}

// Granted returns the files to evaluate when the guest may make the given host
// calls.
func Granted(files []File, operations []string) []File {
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool {
		return slices.ContainsFunc(f.Needs, func(op string) bool { return !slices.Contains(operations, op) })
	})
}

// Ground reports whether the file is part of every image.
func (f File) Ground() bool { return slices.Contains(ground, f.Name) }

// Waiting returns the files that are not part of every image.
func Waiting(files []File) []File { return slices.DeleteFunc(slices.Clone(files), File.Ground) }

// Split separates files into those that the code mentions, with what must come
// before them, and those that can wait until they are used. The ground is in
// neither.
func Split(files []File, code string) (now, later []File) {
	words := identifiers(code)
	wanted := map[string]bool{}
	for _, f := range slices.Backward(files) { // each comes after those it names
		if wanted[f.Name] || slices.ContainsFunc(f.Installs, func(name string) bool { return mentions(words, name) }) {
			wanted[f.Name] = true
			for _, before := range f.After {
				wanted[before] = true
			}
		}
	}
	for _, f := range files {
		switch {
		case f.Ground():
		case wanted[f.Name]:
			now = append(now, f)
		default:
			later = append(later, f)
		}
	}
	return now, later
}

// mentions reports whether every step of a dotted name occurs in the code; of a
// method only the last, since the object it is called on is unknown.
func mentions(words map[string]bool, name string) bool {
	if _, method, ok := strings.Cut(name, ".prototype."); ok {
		return words[method]
	}
	for step := range strings.SplitSeq(name, ".") {
		if !words[step] {
			return false
		}
	}
	return true
}

// identifiers returns the words of a text. It finds a few too many, since comments
// and strings have words too.
func identifiers(code string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(code, func(r rune) bool {
		return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		words[word] = true
	}
	return words
}

func parse(name, source string) (File, error) {
	file := File{Name: name, Source: source}
	head := map[string]*[]string{"installs": &file.Installs, "needs": &file.Needs, "after": &file.After}
	seen := map[string]bool{}
	for line := range strings.Lines(source) {
		comment, ok := strings.CutPrefix(line, "//")
		if !ok {
			break
		}
		key, values, ok := strings.Cut(comment, ":")
		list := head[strings.TrimSpace(key)]
		if !ok || list == nil {
			break
		}
		*list = strings.Fields(values)
		seen[strings.TrimSpace(key)] = true
	}
	if !seen["installs"] || !seen["needs"] {
		return File{}, fmt.Errorf("prelude: %s: its head must say what it installs and needs", name)
	}
	return file, nil
}

// order sorts the files so that each comes after those it names, otherwise as in
// names.
func order(byName map[string]File, names []string) ([]File, error) {
	var sorted []File
	state := map[string]int{} // 1: being placed, 2: placed
	var place func(name string) error
	place = func(name string) error {
		file, ok := byName[name]
		switch {
		case !ok:
			return fmt.Errorf("prelude: no file %s", name)
		case state[name] == 1:
			return fmt.Errorf("prelude: %s must come after itself", name)
		case state[name] == 2:
			return nil
		}
		state[name] = 1
		for _, before := range file.After {
			if err := place(before); err != nil {
				return err
			}
		}
		state[name] = 2
		sorted = append(sorted, file)
		return nil
	}
	for _, name := range names {
		if err := place(name); err != nil {
			return nil, err
		}
	}
	return sorted, nil
}
