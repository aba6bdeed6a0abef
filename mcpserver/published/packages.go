package published

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Registry is a kind of registry.
type Registry string

const (
	NPM  Registry = "npm"
	PyPI Registry = "pypi"
	Go   Registry = "go" // a module proxy
)

// Package is a server whose stated version is that of its package. Most servers state
// another one, that of their library or one that nobody raises, and are not listed.
type Package struct {
	Server   string   `json:"server"` // serverInfo.name
	Registry Registry `json:"registry"`
	Name     string   `json:"name"`
}

//go:embed packages.json
var bundled []byte

// Packages returns the servers that are asked about, by the name that they state.
func Packages() (map[string]Package, error) { return parse(bundled) }

func parse(raw []byte) (map[string]Package, error) {
	var list []Package
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	all := map[string]Package{}
	for i, p := range list {
		if _, known := bases[p.Registry]; !known || p.Server == "" || p.Name == "" {
			return nil, fmt.Errorf("packages: /%d: want server, name and a registry of npm, pypi and go", i)
		}
		if _, twice := all[p.Server]; twice {
			return nil, fmt.Errorf("packages: /%d: %q is listed twice", i, p.Server)
		}
		all[p.Server] = p
	}
	return all, nil
}
