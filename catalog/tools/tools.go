// Package tools is the catalog that ships with the program: one Safe Tool Spec a
// file, written as examples for authors of further tools.
//
// A tool is authored as two files, name.json and name.js; `go test
// ./catalog/tools -update` puts the second into the first, pins what came out in
// pins.json and rewrites docs/catalog.md and docs/catalog-output.md. The tests hold all of them equal.
package tools

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog"
)

//go:embed *.json
var files embed.FS

const (
	pinsFile    = "pins.json"
	presetsFile = "presets.json"
)

// Specs returns the bundled specs, sorted by name. An error is a defect of this
// program.
func Specs() ([]*catalog.Spec, error) {
	names, err := fs.Glob(files, "*.json") // sorted
	if err != nil {
		return nil, err
	}
	var specs []*catalog.Spec
	for _, name := range names {
		if name == pinsFile || name == presetsFile {
			continue
		}
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		spec, problems := catalog.Parse(text)
		if err := problems.Err(); err != nil {
			return nil, fmt.Errorf("bundled %s: %w", name, err)
		}
		specs = append(specs, spec)
	}
	return specs, nil
}

// Find returns the bundled spec of a name, or nil.
func Find(name string) *catalog.Spec {
	text, err := files.ReadFile(name + ".json")
	if err != nil || strings.ContainsAny(name, "/.") {
		return nil
	}
	spec, problems := catalog.Parse(text)
	if problems.Err() != nil || spec.Name() != name {
		return nil
	}
	return spec
}

// Pins returns the content hashes that the bundled specs must have.
func Pins() (catalog.Pins, error) {
	text, err := files.ReadFile(pinsFile)
	if err != nil {
		return nil, err
	}
	return catalog.ParsePins(text)
}

// Preset is a set of tools that are published together.
type Preset struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tools       []string `json:"tools"`
}

// DefaultPreset is the preset of an unconfigured server.
const DefaultPreset = "starter"

// Presets returns the presets in the order in which they are offered. The tools
// of "everything" are all bundled ones.
func Presets() ([]Preset, error) {
	text, err := files.ReadFile(presetsFile)
	if err != nil {
		return nil, err
	}
	var presets []Preset
	if err := json.Unmarshal(text, &presets); err != nil {
		return nil, fmt.Errorf("bundled presets: %w", err)
	}
	at := slices.IndexFunc(presets, func(p Preset) bool { return p.Name == "everything" })
	if at < 0 {
		return presets, nil
	}
	specs, err := Specs()
	for _, s := range specs {
		presets[at].Tools = append(presets[at].Tools, s.Name())
	}
	return presets, err
}

// PresetNamed finds a preset; the error lists all presets.
func PresetNamed(name string) (Preset, error) {
	presets, err := Presets()
	if err != nil {
		return Preset{}, err
	}
	var names []string
	for _, p := range presets {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Preset{}, fmt.Errorf("no preset %s; one of %s", name, strings.Join(names, ", "))
}
