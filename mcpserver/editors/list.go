package editors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
)

const (
	// MaxText bounds a configuration that is listed, in bytes. Claude Code keeps its
	// history in the same file, which reaches tens of megabytes.
	MaxText = 64 << 20
	// maxOther bounds one in TOML or YAML, in bytes, whose parsers need about fifty
	// times that in memory. Codex's with every option has ten thousand.
	maxOther = 1 << 20
	// maxEntries bounds the lines and commas of one in YAML, whose parser compares all
	// names of a group with each other: 0.2 s at this limit.
	maxEntries = 10_000
	// maxServers bounds the servers of one file; a client that starts so many does
	// nothing else.
	maxServers = 1000
)

// Listed is one server in a configuration, as it is written there.
type Listed struct {
	Name  string
	Entry json.RawMessage // a JSON object, whatever the format of the file
	// Project is the folder that the entry is for; empty if it is for all.
	Project string
}

// Listing is what a configuration says about servers.
type Listing struct {
	Servers []Listed // in the order of the file; by name in TOML
	// Inputs describe the values that a client asks its user for, by their id.
	Inputs map[string]json.RawMessage
}

// keys are the members that hold servers, in the files of any client.
var keys = []string{"mcpServers", "mcp_servers", "context_servers", "servers", "extensions", "mcp"}

// List reads the servers in a configuration of this client.
func (c Client) List(text []byte) (Listing, error) {
	read := standardJSON
	if _, is := c.text.(tomlText); is {
		read = fromTOML
	}
	l, err := list(read, text, []string{c.key})
	if err != nil {
		err = c.byHand(err)
	}
	return l, err
}

// ListFile reads the servers in a configuration of a client that need not be known:
// the name of the file tells the language, and the servers are in the first member
// that holds servers in the configuration of some client.
func ListFile(name string, text []byte) (Listing, error) {
	read := standardJSON
	switch strings.ToLower(filepath.Ext(name)) {
	case ".toml":
		read = fromTOML
	case ".yaml", ".yml":
		read = fromYAML
	}
	l, err := list(read, text, keys)
	if err == nil && l.Servers == nil {
		err = fmt.Errorf("it has none of the members %s, which hold servers in the files of the known clients", strings.Join(keys, ", "))
	}
	return l, err
}

func list(read func([]byte) ([]byte, error), text []byte, keys []string) (l Listing, err error) {
	if len(text) > MaxText {
		return l, fmt.Errorf("it has more than %d MiB", MaxText>>20)
	}
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	if len(bytes.TrimSpace(text)) == 0 {
		return l, nil
	}
	if text, err = read(text); err != nil {
		return l, err
	}
	root := gjson.ParseBytes(text)
	if !root.IsObject() {
		return l, errors.New("it is no group of settings")
	}
	members := membersOf(root)
	for _, key := range keys {
		if servers, there := members[key]; there {
			if l.Servers, err = entries(servers, key, ""); err != nil {
				return l, err
			}
			break
		}
	}
	// Claude Code keeps the servers of a folder beside those of all folders.
	for project, settings := range members["projects"].Map() {
		more, err := entries(settings.Get("mcpServers"), "mcpServers", project)
		if err != nil {
			return l, err
		}
		l.Servers = append(l.Servers, more...)
	}
	if len(l.Servers) > maxServers {
		return l, fmt.Errorf("it has more than %d servers", maxServers)
	}
	slices.SortStableFunc(l.Servers, func(a, b Listed) int { return strings.Compare(a.Project, b.Project) })
	l.Inputs = map[string]json.RawMessage{}
	for _, input := range members["inputs"].Array() {
		l.Inputs[input.Get("id").String()] = json.RawMessage(input.Raw)
	}
	return l, nil
}

// membersOf returns the members of an object; of equal names the last counts, as it
// does for every client.
func membersOf(object gjson.Result) map[string]gjson.Result {
	members := map[string]gjson.Result{}
	object.ForEach(func(key, value gjson.Result) bool {
		members[key.String()] = value
		return true
	})
	return members
}

// entries reads the servers below a key: an object by name, or a list with the name
// in each.
func entries(servers gjson.Result, key, project string) ([]Listed, error) {
	all := []Listed{}
	add := func(name string, entry gjson.Result) {
		all = slices.DeleteFunc(all, func(l Listed) bool { return l.Name == name }) // the last counts
		all = append(all, Listed{Name: name, Entry: json.RawMessage(entry.Raw), Project: project})
	}
	var err error
	switch {
	case servers.IsObject():
		servers.ForEach(func(name, entry gjson.Result) bool {
			// Zed and Goose have other extensions and settings beside the servers.
			if entry.IsObject() {
				add(name.String(), entry)
			}
			return len(all) <= maxServers
		})
	case servers.IsArray():
		servers.ForEach(func(_, entry gjson.Result) bool {
			if entry.IsObject() {
				add(entry.Get("name").String(), entry)
			}
			return len(all) <= maxServers
		})
	case servers.Type != gjson.Null:
		err = fmt.Errorf("%q is no group of servers", key)
	}
	return all, err
}

// standardJSON takes comments and last commas out.
func standardJSON(text []byte) ([]byte, error) {
	d, err := parse(text, "")
	if err != nil {
		return nil, err
	}
	d.root.Standardize()
	return d.root.Pack(), nil
}

func fromTOML(text []byte) ([]byte, error) {
	if len(text) > maxOther {
		return nil, fmt.Errorf("it has more than %d MiB", maxOther>>20)
	}
	if deep(text) {
		return nil, fmt.Errorf("it is nested more than %d deep", maxDeep)
	}
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// maxDeep bounds open brackets, and dots in a line. The parser of TOML takes time by
// the square of either; a server has three.
const maxDeep = 200

// deep reports whether a TOML text is nested deeper than any configuration. It does
// not read strings, and may count a bracket too many.
func deep(text []byte) bool {
	open, dots := 0, 0
	for _, c := range text {
		switch c {
		case '[', '{':
			open++
		case ']', '}':
			open = max(0, open-1)
		case '.':
			dots++
		case '\n':
			dots = 0
		}
		if open > maxDeep || dots > maxDeep {
			return true
		}
	}
	return false
}

func fromYAML(text []byte) ([]byte, error) {
	if len(text) > maxOther {
		return nil, fmt.Errorf("it has more than %d MiB", maxOther>>20)
	}
	if bytes.Count(text, []byte("\n"))+bytes.Count(text, []byte(",")) > maxEntries {
		return nil, fmt.Errorf("it has more than %d lines and commas", maxEntries)
	}
	var all map[string]any
	if err := yaml.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}
