// Package editors adds a server to the configuration files of MCP clients, and
// removes it again.
//
//	Client  a program, the location of its configuration and its format
//	Entry   how the client starts the server
//	Change  an edit of a file; Apply writes it
//
// Everything else in a file stays as it is, byte for byte, comments included. Each
// new text is read back before the change is returned, so a file that this package
// misunderstands is refused and not damaged.
package editors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Client is one program that starts MCP servers.
type Client struct {
	ID   string
	Name string

	root  root
	file  string // below the root
	key   string // the member that holds the servers
	shape shape
	text  format
}

// root is the folder that a configuration is below.
type root uint8

const (
	home root = iota
	// config is the system's folder for configurations.
	config
	// dotConfig is ~/.config, even where the system uses another folder.
	dotConfig
)

// format edits one configuration language.
type format interface {
	// entry returns the entry of a server, as JSON; empty if there is none.
	entry(text []byte, key, name string) (string, error)
	// set adds an entry or replaces the existing one.
	set(text []byte, key, name string, entry []byte) ([]byte, error)
	// remove removes an existing entry.
	remove(text []byte, key, name string) ([]byte, error)
}

// all lists the known clients; their ids never change.
var all = [...]Client{
	{ID: "claude-desktop", Name: "Claude Desktop", root: config, file: "Claude/claude_desktop_config.json", key: "mcpServers", text: jsonc{}},
	{ID: "claude-code", Name: "Claude Code", file: ".claude.json", key: "mcpServers", shape: typed, text: jsonc{}},
	{ID: "cursor", Name: "Cursor", file: ".cursor/mcp.json", key: "mcpServers", text: jsonc{}},
	{ID: "gemini", Name: "Gemini CLI", file: ".gemini/settings.json", key: "mcpServers", text: jsonc{}},
	{ID: "vscode", Name: "Visual Studio Code", root: config, file: "Code/User/mcp.json", key: "servers", shape: typed, text: jsonc{}},
	{ID: "windsurf", Name: "Windsurf", file: ".codeium/windsurf/mcp_config.json", key: "mcpServers", text: jsonc{}},
	{ID: "cline", Name: "Cline", root: config, file: "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", key: "mcpServers", text: jsonc{}},
	{ID: "kiro", Name: "Kiro", file: ".kiro/settings/mcp.json", key: "mcpServers", text: jsonc{}},
	{ID: "lm-studio", Name: "LM Studio", file: ".lmstudio/mcp.json", key: "mcpServers", text: jsonc{}},
	{ID: "amazon-q", Name: "Amazon Q Developer", file: ".aws/amazonq/mcp.json", key: "mcpServers", text: jsonc{}},
	{ID: "zed", Name: "Zed", root: dotConfig, file: "zed/settings.json", key: "context_servers", shape: custom, text: jsonc{}},
	{ID: "opencode", Name: "OpenCode", root: dotConfig, file: "opencode/opencode.json", key: "mcp", shape: oneList, text: jsonc{}},
	{ID: "codex", Name: "Codex", file: ".codex/config.toml", key: "mcp_servers", text: tomlText{}},
}

// All returns the known clients.
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

// File returns the path of the client's configuration, given the user's home folder
// and folder for configurations.
func (c Client) File(homeDir, configDir string) string {
	below := map[root]string{home: homeDir, config: configDir, dotConfig: configDir}[c.root]
	if c.root == dotConfig && runtime.GOOS == "darwin" {
		below = filepath.Join(homeDir, ".config")
	}
	return filepath.Join(below, filepath.FromSlash(c.file))
}

// Change is an edit of a file that has not been written yet.
type Change struct {
	Before, After []byte // the file; Before is nil if there is none
	Old, New      string // the entry, as JSON; empty if there is none
}

// Connect returns the change that adds the server under a name. It is empty (Before
// equals After) if the entry is already there. It keeps the entry's other members,
// such as environment variables.
func (c Client) Connect(before []byte, name string, e Entry) (Change, error) {
	ch, err := c.look(before, name)
	if err != nil {
		return Change{}, err
	}
	entry, err := e.over(ch.Old, c.shape)
	if err != nil {
		return Change{}, err
	}
	ch.New = string(entry)
	if same(ch.Old, ch.New) {
		return ch, nil
	}
	ch.After, err = c.text.set(before, c.key, name, entry)
	if err != nil {
		err = c.byHand(err)
	} else {
		err = c.holds(ch.After, name, ch.New)
	}
	return ch, err
}

// Disconnect returns the change that removes the entry. backup is the file before
// the entry was made, nil if there was none: if nothing else has changed since, the
// change restores exactly that.
func (c Client) Disconnect(before, backup []byte, name string) (Change, error) {
	ch, err := c.look(before, name)
	if err != nil || ch.Old == "" {
		return ch, err
	}
	if undone, err := c.text.set(backup, c.key, name, []byte(ch.Old)); err == nil && bytes.Equal(undone, before) {
		ch.After = backup
		return ch, nil
	}
	ch.After, err = c.text.remove(before, c.key, name)
	if err != nil {
		err = c.byHand(err)
	} else {
		err = c.holds(ch.After, name, "")
	}
	return ch, err
}

// Program returns the program the client starts for an entry.
func (c Client) Program(entry string) string {
	command := gjson.Get(entry, "command")
	if command.IsArray() {
		command = command.Get("0")
	}
	return command.Str
}

// look finds the entry in a file.
func (c Client) look(text []byte, name string) (Change, error) {
	old, err := c.text.entry(text, c.key, name)
	if err != nil {
		return Change{}, c.byHand(err)
	}
	return Change{Before: text, After: text, Old: old}, nil
}

// holds reads the new text back and checks its entry.
func (c Client) holds(text []byte, name, entry string) error {
	got, err := c.text.entry(text, c.key, name)
	if err != nil {
		return c.byHand(err)
	}
	if got != entry && !same(got, entry) {
		return c.byHand(fmt.Errorf("%q would not be what is meant", name))
	}
	return nil
}

func (c Client) byHand(err error) error {
	return fmt.Errorf("this configuration of %s is not understood (%w); correct it, or change it by hand", c.Name, err)
}

// same reports whether two entries are equal, ignoring order.
func same(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return string(p) == string(q)
}
