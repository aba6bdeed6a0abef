// Package advisory knows MCP server builds with a published vulnerability, in the
// OSV format (ossf.github.io/osv-schema), of which it reads the part that names
// packages and versions.
//
// A server is matched by what it says of itself, its name and version: a name that
// is not its package's is missed, and another server of that name is hit. Every
// bundled entry has an id that others know it by and a public reference. Parse reads further files; List.Match looks up.
package advisory

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

//go:embed advisories.json
var bundled []byte

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (2020-12) of what Parse reads.
func Schema() []byte { return slices.Clone(schema) }

// Entry is one vulnerability.
type Entry struct {
	ID         string      `json:"id"`
	Modified   string      `json:"modified"`
	Withdrawn  string      `json:"withdrawn,omitempty"`
	Aliases    []string    `json:"aliases,omitempty"`
	Summary    string      `json:"summary"`
	Affected   []Affected  `json:"affected"`
	References []Reference `json:"references"`
}

// Affected is a package and its vulnerable versions.
type Affected struct {
	Package  Package  `json:"package"`
	Ranges   []Range  `json:"ranges,omitempty"`
	Versions []string `json:"versions,omitempty"`
}

// Package is a package of an ecosystem, such as npm.
type Package struct {
	Ecosystem string `json:"ecosystem"`
	Name      string `json:"name"`
}

// Range is a list of events in the order of versions.
type Range struct {
	Type   string  `json:"type"` // SEMVER or ECOSYSTEM; GIT is not matched
	Events []Event `json:"events"`
}

// Event opens or closes a range; one member is set.
type Event struct {
	Introduced   string `json:"introduced,omitempty"`
	Fixed        string `json:"fixed,omitempty"`
	LastAffected string `json:"last_affected,omitempty"`
}

// Reference is where more is published.
type Reference struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// Reference returns the address that a report shows.
func (e Entry) Reference() string {
	if len(e.References) == 0 {
		return ""
	}
	return e.References[0].URL
}

// List is a set of entries. Nil means that none were loaded.
type List []Entry

// Bundled returns the entries that come with the program.
func Bundled() (List, error) { return Parse(bundled) }

// maxEntries bounds a file: all of npm's advisories are a tenth of that.
const maxEntries = 200_000

// Parse reads one entry, a list of entries, or an object with a list in "vulns" as
// the OSV API returns it. Members that matching does not need are ignored.
func Parse(raw []byte) (List, error) {
	var list List
	switch trimmed := strings.TrimSpace(string(raw)); {
	case strings.HasPrefix(trimmed, "["):
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("advisories: %w", err)
		}
	default:
		var one struct {
			Entry
			Vulns List `json:"vulns"`
		}
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, fmt.Errorf("advisories: %w", err)
		}
		if list = one.Vulns; list == nil {
			list = List{one.Entry}
		}
	}
	if len(list) > maxEntries {
		return nil, fmt.Errorf("advisories: %d entries: at most %d are read", len(list), maxEntries)
	}
	seen := map[string]bool{}
	for i, e := range list {
		err := e.check()
		if seen[e.ID] {
			err = errors.New("the id is used twice")
		}
		if err != nil {
			return nil, fmt.Errorf("advisories: /%d (%s): %w", i, e.ID, err)
		}
		seen[e.ID] = true
	}
	return list, nil
}

func (e Entry) check() error {
	switch {
	case e.ID == "":
		return errors.New("id is missing")
	case len(e.References) == 0:
		return errors.New("references are missing: an entry without a public reference is a rumour")
	}
	for _, a := range e.Affected {
		if a.Package.Name == "" {
			return errors.New("affected.package.name is missing")
		}
	}
	return nil
}

// Match returns the entries for a server that states this name and version. A
// version that cannot be read matches nothing but an exact entry in versions.
func (l List) Match(name, version string) []Entry {
	var found []Entry
	for _, e := range l {
		if e.Withdrawn == "" && slices.ContainsFunc(e.Affected, func(a Affected) bool { return a.matches(name, version) }) {
			found = append(found, e)
		}
	}
	return found
}

func (a Affected) matches(name, version string) bool {
	if !strings.EqualFold(a.Package.Name, name) || version == "" {
		return false
	}
	return slices.Contains(a.Versions, version) || slices.ContainsFunc(a.Ranges, func(r Range) bool { return r.has(version) })
}

// has walks the events: the version is in the range if the last event before it
// opened one.
func (r Range) has(text string) bool {
	v, ok := parseVersion(text)
	if !ok || (r.Type != "SEMVER" && r.Type != "ECOSYSTEM") {
		return false
	}
	in := false
	for _, e := range r.Events {
		switch {
		case e.Introduced != "":
			if from, ok := parseVersion(e.Introduced); ok && v.compare(from) >= 0 {
				in = true
			}
		case e.Fixed != "":
			if to, ok := parseVersion(e.Fixed); ok && v.compare(to) >= 0 {
				in = false
			}
		case e.LastAffected != "":
			if last, ok := parseVersion(e.LastAffected); ok && v.compare(last) > 0 {
				in = false
			}
		}
	}
	return in
}
