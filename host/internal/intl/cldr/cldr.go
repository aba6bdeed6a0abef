// Package cldr is the part of the Unicode Common Locale Data Repository that
// ECMA-402 needs: data.zip, made by the generator next door, read piece by piece
// when a locale is first asked for.
//
//   - [Dates], [Zones], [Numbers], [Currencies], [Units], [Names] and [Text] load
//     one section of one locale.
//   - [World] holds what belongs to no one locale.
//   - [ParseTag] and [Resolve] are locale identifiers and the choice of a locale.
//   - [Plural] is the category of a number.
//
// What was loaded is kept for the process and never changed.
package cldr

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
)

//go:embed data.zip
var data []byte

// open reads the archive's directory once.
var open = sync.OnceValues(func() (map[string]*zip.File, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("cldr: %w", err)
	}
	files := make(map[string]*zip.File, len(archive.File))
	for _, f := range archive.File {
		files[f.Name] = f
		locale, _, _ := strings.Cut(f.Name, "/")
		files[locale] = f // any entry: the locale has data of its own
	}
	return files, nil
})

// read decodes an entry into v and reports whether there is one.
func read(name string, v any) (bool, error) {
	files, err := open()
	if err != nil || files[name] == nil {
		return false, err
	}
	r, err := files[name].Open()
	if err != nil {
		return false, err
	}
	defer r.Close()
	if err := json.NewDecoder(r).Decode(v); err != nil {
		return false, fmt.Errorf("cldr: %s: %w", name, err)
	}
	return true, nil
}

// loaded holds *T by "LOCALE/SECTION": a few hundred at most, because only
// locales of the archive get there.
var loaded sync.Map

// load returns a section of a data locale, inherited members included.
func load[T any](locale, section string) (*T, error) {
	name := locale + "/" + section
	if v, ok := loaded.Load(name); ok {
		return v.(*T), nil
	}
	whole, err := inherit(locale, section)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	t := new(T)
	if err := json.Unmarshal(text, t); err != nil {
		return nil, fmt.Errorf("cldr: %s: %w", name, err)
	}
	v, _ := loaded.LoadOrStore(name, t)
	return v.(*T), nil
}

// inherit merges a section of a locale into that of its parents.
func inherit(locale, section string) (map[string]any, error) {
	world, err := World()
	if err != nil {
		return nil, err
	}
	own := map[string]any{}
	found, err := read(locale+"/"+section+".json", &own)
	if err != nil {
		return nil, err
	}
	parent, ok := world.Parents[locale]
	if !ok {
		if !found {
			return nil, fmt.Errorf("cldr: no data for %s/%s", locale, section)
		}
		return own, nil
	}
	whole, err := inherit(parent, section)
	if err != nil {
		return nil, err
	}
	merge(whole, own)
	return whole, nil
}

// merge applies a difference: null removes, objects merge, the rest replaces.
func merge(into, difference map[string]any) {
	for name, value := range difference {
		if value == nil {
			delete(into, name)
			continue
		}
		nested, ok := value.(map[string]any)
		old, was := into[name].(map[string]any)
		if ok && was {
			merge(old, nested)
			continue
		}
		if ok {
			value = maps.Clone(nested)
		}
		into[name] = value
	}
}
