package library

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog"
)

// bundle is a parsed bundle file: its members in order, and its specs in order, as
// written. An unusable spec stays in the file.
type bundle struct {
	members []member
	specs   []bundled
	server  *catalog.ServerSetting
}

type member struct{ name, raw string }

type bundled struct {
	raw  []byte
	spec *catalog.Spec // nil when it has problems
}

const specsMember = "toolSpecs"

// readBundle reads the bundle at path. A missing file is an empty bundle; a file that
// is not a bundle is set aside and reported.
func readBundle(path string) (bundle, []Trouble, error) {
	text, err := Read(path)
	if errors.Is(err, os.ErrNotExist) {
		return bundle{}, nil, nil
	}
	if err != nil {
		return bundle{}, nil, err
	}
	if !catalog.IsBundle(text) {
		aside, err := setAside(path)
		if err != nil {
			return bundle{}, nil, err
		}
		_, problems := catalog.ParseBundle(text)
		return bundle{}, []Trouble{{File: path, Problems: problems, Err: fmt.Errorf("no bundle of specs; it was kept as %s", aside)}}, nil
	}
	b, trouble := parseBundle(path, text)
	return b, trouble, nil
}

func parseBundle(path string, text []byte) (bundle, []Trouble) {
	var b bundle
	gjson.ParseBytes(text).ForEach(func(key, value gjson.Result) bool {
		if key.String() != specsMember {
			b.members = append(b.members, member{key.Raw, value.Raw})
			return true
		}
		b.members = append(b.members, member{name: key.Raw})
		value.ForEach(func(_, item gjson.Result) bool {
			entry := bundled{raw: []byte(item.Raw)}
			if spec, problems := catalog.Parse(entry.raw); problems.Err() == nil {
				entry.spec = spec
			}
			b.specs = append(b.specs, entry)
			return true
		})
		return true
	})
	// The problems again, with pointers and lines of the whole file.
	parsed, problems := catalog.ParseBundle(text)
	b.server = parsed.Server
	if problems.Err() != nil {
		return b, []Trouble{{File: path, Problems: problems}}
	}
	return b, nil
}

func (b bundle) entries(path string) []Entry {
	var entries []Entry
	for _, s := range b.specs {
		if s.spec != nil {
			entries = append(entries, Entry{Spec: s.spec, Origin: Saved, File: path, Hidden: !b.server.Exposes(s.spec.ToolID())})
		}
	}
	return entries
}

// text writes the bundle. Unchanged members and specs keep their bytes.
func (b bundle) text() []byte {
	if !slices.ContainsFunc(b.members, func(m member) bool { return m.raw == "" }) {
		b.members = append(b.members, member{name: `"` + specsMember + `"`})
	}
	var out bytes.Buffer
	out.WriteString("{")
	for i, m := range b.members {
		if i > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, "\n  %s: %s", m.name, m.raw)
		if m.raw != "" {
			continue
		}
		out.WriteString("[")
		for j, s := range b.specs {
			if j > 0 {
				out.WriteString(",")
			}
			out.WriteString("\n")
			out.Write(s.raw)
		}
		out.WriteString("\n  ]")
	}
	out.WriteString("\n}\n")
	return out.Bytes()
}

func (b *bundle) find(toolID string) int {
	return slices.IndexFunc(b.specs, func(s bundled) bool { return s.spec != nil && s.spec.ToolID() == toolID })
}

// ErrNoBundle is returned by Save and Remove of a library without a bundle file.
var ErrNoBundle = errors.New("the library has no bundle file to write to")

// Save puts one spec into the bundle; see [Library.SaveAll].
func (l *Library) Save(spec *catalog.Spec, now time.Time) (*catalog.Spec, error) {
	stored, err := l.SaveAll([]*catalog.Spec{spec}, now, nil)
	if err != nil {
		return nil, err
	}
	return stored[0], nil
}

// SaveAll puts specs into the bundle, all or none, each replacing one with its toolId
// if there is one. It returns them as stored: with their toolId, created the first time
// and updated every time. A spec becomes a draft if its behaviour differs from the one
// it replaces and passes, which may be nil, has no record of its content. When SaveAll
// returns nil the bundle is on disk.
func (l *Library) SaveAll(specs []*catalog.Spec, now time.Time, passes *Passes) ([]*catalog.Spec, error) {
	if err := distinct(specs); err != nil {
		return nil, fmt.Errorf("library: %w", err)
	}
	stored := make([]*catalog.Spec, len(specs))
	err := l.rewrite(func(b *bundle) error {
		for i, spec := range specs {
			at := b.find(spec.ToolID())
			if at < 0 {
				at = len(b.specs)
				b.specs = append(b.specs, bundled{})
			}
			passed := passes != nil && passes.Has(spec.Hash())
			var err error
			if stored[i], err = edited(b.specs[at].spec, spec, now, passed); err != nil {
				return fmt.Errorf("save %s: %w", spec.Name(), err)
			}
			b.specs[at] = bundled{raw: stored[i].Raw(), spec: stored[i]}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("library: %w", err)
	}
	return stored, l.Reload()
}

// distinct refuses two specs with one toolId: the second would replace the first.
func distinct(specs []*catalog.Spec) error {
	by := map[string]string{}
	for _, spec := range specs {
		if other, taken := by[spec.ToolID()]; taken {
			return fmt.Errorf("%s and %s have the same toolId, %s", other, spec.Name(), spec.ToolID())
		}
		by[spec.ToolID()] = spec.Name()
	}
	return nil
}

// edited returns next as it replaces previous, which is nil for a new spec. passed
// reports that this content has its Local Pass.
func edited(previous, next *catalog.Spec, now time.Time, passed bool) (*catalog.Spec, error) {
	created := now
	if !next.Created().IsZero() {
		created = next.Created()
	}
	var problems catalog.Problems
	if previous != nil {
		if !passed {
			if next, problems = catalog.AfterEdit(previous, next); problems.Err() != nil {
				return nil, problems.Err()
			}
		}
		if !previous.Created().IsZero() {
			created = previous.Created()
		}
	}
	stamps := []struct {
		field string
		value any
		set   bool
	}{
		// Without one, the identity would follow the name at the next rename.
		{"toolId", next.ToolID(), !gjson.GetBytes(next.Raw(), "toolId").Exists()},
		{"createTimestamp", created.UnixMilli(), !next.Created().Equal(created)},
		{"updateTimestamp", now.UnixMilli(), true},
	}
	for _, stamp := range stamps {
		if !stamp.set {
			continue
		}
		if next, problems = next.With(stamp.field, stamp.value); problems.Err() != nil {
			return nil, problems.Err()
		}
	}
	return next, nil
}

// Export returns a bundle of the saved specs with these toolIds, as they are
// stored; without any, the whole bundle with its settings.
func (l *Library) Export(toolIDs ...string) ([]byte, error) {
	b, _, err := readBundle(l.config.Bundle)
	if err != nil || len(toolIDs) == 0 {
		return b.text(), err
	}
	var picked bundle
	for _, id := range toolIDs {
		at := b.find(id)
		if at < 0 {
			return nil, fmt.Errorf("library: export %s: %w", id, ErrNotSaved)
		}
		picked.specs = append(picked.specs, b.specs[at])
	}
	return picked.text(), nil
}

// ErrNotSaved is returned by Remove for a toolId that is not in the bundle.
var ErrNotSaved = errors.New("no such spec in the bundle")

// Remove takes specs out of the bundle, all or none. A builtin spec that one of them
// replaced reappears.
func (l *Library) Remove(toolIDs ...string) error {
	err := l.rewrite(func(b *bundle) error {
		for _, id := range toolIDs {
			at := b.find(id)
			if at < 0 {
				return fmt.Errorf("remove %s: %w", id, ErrNotSaved)
			}
			b.specs = slices.Delete(b.specs, at, at+1)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("library: %w", err)
	}
	return l.Reload()
}

// rewrite changes the bundle as it is on disk now, while no other process does.
func (l *Library) rewrite(change func(*bundle) error) error {
	path := l.config.Bundle
	if path == "" {
		return ErrNoBundle
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	// No other process writes now, so any temporary file is from a killed one.
	if err := sweep(path); err != nil {
		return err
	}
	b, trouble, err := readBundle(path)
	if err != nil {
		return err
	}
	if len(trouble) > 0 && trouble[0].Err != nil {
		return trouble[0] // it was readable when the library was opened: look before writing a new one
	}
	if err := change(&b); err != nil {
		return err
	}
	return replace(path, b.text(), 0o600, l.before)
}
