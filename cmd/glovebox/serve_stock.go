package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// stock is the specs that there are.
type stock struct {
	specs *library.Library
	pins  catalog.Pins
}

func openStock(l *config.Loaded) (*stock, error) {
	bundled, pins, err := bundledSpecs(l)
	if err != nil {
		return nil, err
	}
	folders := make([]string, len(l.Specs.Folders))
	for i, f := range l.Specs.Folders {
		folders[i] = string(f)
	}
	// The library's own bundle need not be there yet; a server would say no word about
	// a name that was mistyped.
	if bundle := string(l.Specs.Bundle); bundle != "" {
		if _, err := os.Stat(bundle); err != nil {
			return nil, fmt.Errorf("bundle: %w", err)
		}
	}
	bundle, err := libraryBundle(l)
	if err != nil {
		return nil, err
	}
	state, err := stateDir()
	if err != nil {
		return nil, err
	}
	specs, err := library.Open(library.Config{Builtin: bundled, Bundle: bundle, Folders: folders, Passes: filepath.Join(state, "passes.json")})
	if err != nil {
		return nil, err
	}
	return &stock{specs, pins}, nil
}

// bundledSpecs are the tools of the preset. A server that is given specs of its own
// has none unless it asks.
func bundledSpecs(l *config.Loaded) ([]*catalog.Spec, catalog.Pins, error) {
	name := cmp.Or(l.Specs.Preset, defaultPreset(l))
	if name == "" {
		return nil, nil, nil
	}
	preset, err := presetNamed(name)
	if err != nil {
		return nil, nil, err
	}
	var specs []*catalog.Spec
	for _, tool := range preset.Tools {
		specs = append(specs, tools.Find(tool))
	}
	pins, err := tools.Pins()
	return specs, pins, err
}

// defaultPreset is what is served when nothing was asked for.
func defaultPreset(l *config.Loaded) string {
	if l.Specs.Bundle == "" && len(l.Specs.Folders) == 0 {
		return tools.DefaultPreset
	}
	return ""
}

// shelf puts what the library holds before the server's clients, again after
// each change.
type shelf struct {
	stock  *stock
	lookup catalog.Lookup
	rt     *runtime.Runtime
	server *mcpserver.Server
	stderr io.Writer
	said   map[string]bool // what is withheld already, as it was told
}

// withheld tells what was not told before, and what is served from now on although
// it was withheld; what is no longer withheld is told again when it comes back.
func (s shelf) withheld(lines []string, served map[string]bool) {
	for _, line := range slices.Sorted(maps.Keys(s.said)) {
		if name, _, _ := strings.Cut(line, ": "); served[name] && !slices.Contains(lines, line) {
			fmt.Fprintf(s.stderr, "serving %s\n", name)
		}
	}
	for _, line := range lines {
		if !s.said[line] {
			fmt.Fprintf(s.stderr, "withheld %s\n", line)
		}
	}
	clear(s.said)
	for _, line := range lines {
		s.said[line] = true
	}
}

// offer is told what became of a reload. The tools are offered as they were read
// last, whatever that was.
func (s shelf) offer(reloaded error) {
	if reloaded != nil {
		fmt.Fprintf(s.stderr, "glovebox: %v; what was read before stays\n", reloaded)
	}
	// Read again as well: another process adds to it.
	passes, err := s.stock.specs.Passes()
	if err != nil {
		fmt.Fprintf(s.stderr, "glovebox: %v\n", err)
	}
	var lines []string
	for _, t := range s.stock.specs.Trouble() {
		lines = append(lines, oneLine(t.Error()))
	}
	found, served := s.stock.specs.Tools(passes, s.stock.pins, s.lookup), map[string]bool{}
	for _, t := range found {
		served[t.Spec.Name()] = true
	}
	for _, w := range s.server.Offer(s.rt, found) {
		lines = append(lines, w.Name+": "+oneLine(w.Reason))
		delete(served, w.Name)
	}
	s.withheld(lines, served)
}
