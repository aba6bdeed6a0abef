package service

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/runtime/library"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
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
	shared := ""
	if l.State.NATS.URL != "" {
		shared = p.SharedSpecs()
		if err := os.MkdirAll(shared, 0o700); err != nil {
			return nil, err
		}
		folders = append(folders, shared)
	}
	// The library accepts a bundle that does not exist yet; a server would then
	// silently ignore a mistyped name.
	if bundle := string(l.Specs.Bundle); bundle != "" {
		if _, err := os.Stat(bundle); err != nil {
			return nil, fmt.Errorf("bundle: %w", err)
		}
	}
	keys, err := passnote.ParseKeys(l.Specs.PassKeys...)
	if err != nil {
		return nil, err
	}
	specs, err := library.Open(library.Config{Builtin: bundled, Bundle: p.Bundle(l), Folders: folders, Shared: shared, Passes: p.Passes(), PassKeys: keys, PassKey: p.PassKey()})
	if err != nil {
		return nil, err
	}
	return &stock{specs, pins}, nil
}

// PassKeys returns the keys whose signature counts on passes that come with specs: those
// of the configuration, and the one that signs here.
func PassKeys(l *config.Loaded, p Place) (passnote.Keys, error) {
	keys, err := passnote.ParseKeys(l.Specs.PassKeys...)
	if err != nil {
		return keys, err
	}
	own, err := library.ReadPassKey(p.PassKey())
	if errors.Is(err, library.ErrNoKey) {
		return keys, nil
	}
	return keys.And(own.Keys()), err
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
