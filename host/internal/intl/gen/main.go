// Command gen makes cldr/data.zip from the CLDR JSON packages of the npm
// registry, unpacked side by side in one directory (see the make target
// intl-data, which pins their versions):
//
//	go run ./host/internal/intl/gen DIRECTORY host/internal/intl/cldr/data.zip
//
// The archive holds supplemental.json and LOCALE/SECTION.json. A locale with a
// parent in the archive holds only what differs from it: a nested object is
// merged, null removes a member, anything else replaces. Entries carry no time,
// so the same input gives the same bytes.
package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// languages are those whose locales are taken, with every region CLDR has for
// them: the official languages of the European Union that CLDR covers to its
// highest level, and the most used ones elsewhere.
var languages = strings.Fields(`ar bg bn ca cs da de el en es et fa fi fil fr he hi hr hu id it ja ko lt lv ms nb nl no pl pt ro ru sk sl sr sv sw ta te th tr uk ur vi zh`)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: gen DIRECTORY data.zip")
	}
	if err := generate(source{os.Args[1]}, os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// source is the directory that holds the packages.
type source struct{ dir string }

type object = map[string]any

// read returns the JSON object of a file below the packages.
func (s source) read(parts ...string) (object, error) {
	name := filepath.Join(append([]string{s.dir}, parts...)...)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return o, nil
}

// at walks down; a missing member is an empty object.
func at(o object, path ...string) object {
	for _, name := range path {
		o, _ = o[name].(object)
	}
	return o
}

func generate(s source, out string) error {
	available, err := s.read("cldr-core", "availableLocales.json")
	if err != nil {
		return err
	}
	parents, err := s.read("cldr-core", "supplemental", "parentLocales.json")
	if err != nil {
		return err
	}
	explicit := at(parents, "supplemental", "parentLocales", "parentLocale")
	names := []string{}
	for _, l := range at(available)["availableLocales"].(object)["full"].([]any) {
		name := l.(string)
		if !slices.Contains(languages, strings.SplitN(name, "-", 2)[0]) {
			continue
		}
		// English in Deseret and Shavian letters lacks half of the files.
		if _, err := os.Stat(filepath.Join(s.dir, "cldr-localenames-full", "main", name, "scripts.json")); err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	parentOf := map[string]string{}
	for _, name := range names {
		if parent := parent(name, explicit); slices.Contains(names, parent) {
			parentOf[name] = parent
		}
	}

	entries := map[string]any{}
	for _, section := range sections {
		whole := map[string]object{}
		for _, name := range names {
			if whole[name], err = section.extract(s, name); err != nil {
				return err
			}
		}
		for _, name := range names {
			entry := whole[name]
			if parent, ok := parentOf[name]; ok {
				if entry = difference(whole[parent], entry); len(entry) == 0 {
					continue
				}
			}
			entries[name+"/"+section.name+".json"] = entry
		}
	}
	if entries["supplemental.json"], err = supplemental(s, names, parentOf); err != nil {
		return err
	}
	return write(out, entries)
}

// parent is the locale that CLDR says a locale inherits from.
func parent(name string, explicit object) string {
	if p, ok := explicit[name].(string); ok {
		return p
	}
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		return name[:at]
	}
	return ""
}

// difference is what must be merged into from to get to.
func difference(from, to object) object {
	d := object{}
	for name := range from {
		if _, ok := to[name]; !ok {
			d[name] = nil
		}
	}
	for name, value := range to {
		old, ok := from[name]
		if ok && reflect.DeepEqual(old, value) {
			continue
		}
		oldObject, was := old.(object)
		newObject, is := value.(object)
		if was && is {
			d[name] = difference(oldObject, newObject)
		} else {
			d[name] = value
		}
	}
	return d
}

func write(out string, entries map[string]any) error {
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(file)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		w, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(entries[name]); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return file.Close()
}
