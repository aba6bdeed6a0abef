// Package prelude holds the JavaScript that gives a guest its globals: one file
// for each family, evaluated before any tool code in a realm nobody has touched.
//
// A file is a function body with two parameters, `host` (the primitives, see
// core.js) and `primordials` (built-ins captured in time). Its head says what it
// installs, which host calls it needs and which files must come before it:
//
//	// installs: fetch Headers Response
//	// needs: http.fetch
//	// after: timers.js
//
// A file is evaluated only if every host call it needs is in the call's table,
// so a capability that was not granted is absent and not a stub that throws.
package prelude

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.js
var sources embed.FS

// Core is the file that comes first and that receives `raw` in place of the two
// parameters of the others.
const Core = "core.js"

// Always first and in this order: what the other files may take for granted.
var ground = []string{Core, "console.js", "timers.js"}

// File is one prelude file.
type File struct {
	Name     string
	Installs []string // names of globals
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

// Granted are the files to evaluate when the guest may make the given host calls.
func Granted(files []File, operations []string) []File {
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool {
		return slices.ContainsFunc(f.Needs, func(op string) bool { return !slices.Contains(operations, op) })
	})
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

// order lists the files so that each comes after those it names, otherwise as in names.
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
