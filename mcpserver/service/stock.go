package service

import (
	"cmp"
	"fmt"
	"os"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// stock holds the specs that a configuration names.
type stock struct {
	specs *library.Library
	pins  catalog.Pins
}

func openStock(l *config.Loaded, p Place) (*stock, error) {
	bundled, pins, err := bundledSpecs(l)
	if err != nil {
		return nil, err
	}
	folders := make([]string, len(l.Specs.Folders))
	for i, f := range l.Specs.Folders {
		folders[i] = string(f)
	}
	// The library accepts a bundle that does not exist yet; a server would then
	// silently ignore a mistyped name.
	if bundle := string(l.Specs.Bundle); bundle != "" {
		if _, err := os.Stat(bundle); err != nil {
			return nil, fmt.Errorf("bundle: %w", err)
		}
	}
	specs, err := library.Open(library.Config{Builtin: bundled, Bundle: p.Bundle(l), Folders: folders, Passes: p.Passes()})
	if err != nil {
		return nil, err
	}
	return &stock{specs, pins}, nil
}

// bundledSpecs returns the tools of the preset. A server with specs of its own gets
// none unless it asks for them.
func bundledSpecs(l *config.Loaded) ([]*catalog.Spec, catalog.Pins, error) {
	name := cmp.Or(l.Specs.Preset, defaultPreset(l))
	if name == "" {
		return nil, nil, nil
	}
	preset, err := tools.PresetNamed(name)
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

// defaultPreset is the preset served when none is set.
func defaultPreset(l *config.Loaded) string {
	if l.Specs.Bundle == "" && len(l.Specs.Folders) == 0 {
		return tools.DefaultPreset
	}
	return ""
}
