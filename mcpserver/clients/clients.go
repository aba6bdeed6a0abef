// Package clients puts a server into the configuration files of MCP clients, and
// takes it out again.
//
//	Client  a program, where its configuration is and what it looks like
//	Entry   how the client is to start the server
//	Change  what would become of a file; Apply does it
//
// Everything else in a file stays as it is, byte for byte. A file that is not
// plain JSON is refused: a comment could not be kept.
package clients

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/pretty"
	"github.com/tidwall/sjson"
)

// Client is one program that starts MCP servers.
type Client struct {
	ID   string
	Name string
	// file is the configuration below the home folder, or below the folder for
	// configurations if inConfig is set.
	file     string
	inConfig bool
	key      string // the member that holds the servers
	typed    bool   // an entry says what its transport is
}

// all are the clients that are known; an id stays.
var all = [...]Client{
	{ID: "claude-desktop", Name: "Claude Desktop", file: "Claude/claude_desktop_config.json", inConfig: true, key: "mcpServers"},
	{ID: "claude-code", Name: "Claude Code", file: ".claude.json", key: "mcpServers", typed: true},
	{ID: "cursor", Name: "Cursor", file: ".cursor/mcp.json", key: "mcpServers"},
	{ID: "gemini", Name: "Gemini CLI", file: ".gemini/settings.json", key: "mcpServers"},
	{ID: "vscode", Name: "Visual Studio Code", file: "Code/User/mcp.json", inConfig: true, key: "servers", typed: true},
}

// All returns the clients that are known.
func All() []Client { return slices.Clone(all[:]) }

// Find returns the client with that id.
func Find(id string) (Client, error) {
	var known []string
	for _, c := range all {
		if c.ID == id {
			return c, nil
		}
		known = append(known, c.ID)
	}
	return Client{}, fmt.Errorf("no client is called %q; known are %s", id, strings.Join(known, ", "))
}

// File returns where the client keeps its configuration, given the user's home
// folder and folder for configurations.
func (c Client) File(home, config string) string {
	if c.inConfig {
		return filepath.Join(config, filepath.FromSlash(c.file))
	}
	return filepath.Join(home, filepath.FromSlash(c.file))
}

// Entry is how a client starts the server.
type Entry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// Change is what would become of a file.
type Change struct {
	Before, After []byte // the file; Before is nil if there is none
	Old, New      string // the entry, as JSON; empty if there is none
}

// Connect returns the change that enters the server under a name. It is empty
// (Before equals After) if the entry is there already.
func (c Client) Connect(before []byte, name string, e Entry) (Change, error) {
	if c.typed {
		e.Type = "stdio"
	}
	entry, err := json.Marshal(e)
	if err != nil {
		return Change{}, err
	}
	ch, err := c.look(before, name)
	if err != nil {
		return Change{}, err
	}
	ch.New = string(entry)
	if sameJSON(ch.Old, ch.New) {
		return ch, nil
	}
	ch.After, err = c.with(before, name, ch.New)
	return ch, err
}

// Disconnect returns the change that takes the entry out. backup is the file as
// it was before the entry was made, nil if there was none: if nothing else has
// changed since, the file becomes exactly that.
func (c Client) Disconnect(before, backup []byte, name string) (Change, error) {
	ch, err := c.look(before, name)
	if err != nil || ch.Old == "" {
		return ch, err
	}
	if undone, err := c.with(backup, name, ch.Old); err == nil && string(undone) == string(before) {
		ch.After = backup
		return ch, nil
	}
	ch.After, err = sjson.DeleteBytes(before, c.path(name))
	return ch, err
}

// look finds the entry in a file.
func (c Client) look(text []byte, name string) (Change, error) {
	ch := Change{Before: text, After: text}
	if len(text) == 0 {
		return ch, nil
	}
	if !json.Valid(text) || !gjson.ParseBytes(text).IsObject() {
		return ch, fmt.Errorf("the configuration of %s is not a JSON object without comments; enter the server by hand", c.Name)
	}
	if servers := gjson.GetBytes(text, c.key); servers.Exists() && !servers.IsObject() {
		return ch, fmt.Errorf("%q in the configuration of %s is not an object", c.key, c.Name)
	}
	ch.Old = gjson.GetBytes(text, c.path(name)).Raw
	return ch, nil
}

// with enters an entry into a file.
func (c Client) with(text []byte, name, entry string) ([]byte, error) {
	if len(text) == 0 {
		text, err := sjson.SetRawBytes([]byte("{}"), c.path(name), []byte(entry))
		return pretty.Pretty(text), err
	}
	return sjson.SetRawBytes(slices.Clone(text), c.path(name), []byte(entry))
}

func (c Client) path(name string) string { return c.key + "." + gjson.Escape(name) }

func sameJSON(a, b string) bool {
	return a != "" && string(pretty.Ugly([]byte(a))) == string(pretty.Ugly([]byte(b)))
}
