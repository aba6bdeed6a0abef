package clients_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/clients"
)

var entry = clients.Entry{Command: "/bin/glovebox", Args: []string{"serve", "--stdio"}}

// befores are files as people have them; all but the first must come back byte
// for byte.
var befores = map[string]string{
	"nothing":       "",
	"empty object":  "{}",
	"other servers": "{\n  \"theme\": \"dark\",\n  \"%KEY%\": {\n    \"other\":   {\"command\": \"x\", \"args\": [1.0]}\n  }\n}\n",
	"no servers":    "{\"a\": 1e2,   \"b\":[ ]}\n\n",
	"windows":       "{\r\n\t\"%KEY%\": {}\r\n}\r\n",
}

func TestConnectAndUndoAreExact(t *testing.T) {
	for _, c := range clients.All() {
		key := map[bool]string{true: "servers", false: "mcpServers"}[c.ID == "vscode"]
		for name, before := range befores {
			t.Run(c.ID+" "+name, func(t *testing.T) {
				before := strings.ReplaceAll(before, "%KEY%", key)
				file := filepath.Join(t.TempDir(), "sub", "config.json")
				if before != "" {
					if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(before), 0o640); err != nil {
						t.Fatal(err)
					}
				}
				connect(t, c, file)
				after, err := os.ReadFile(file)
				if err != nil || !json.Valid(after) || gjson.GetBytes(after, key+".glovebox.command").Str != "/bin/glovebox" {
					t.Fatalf("%v: %s", err, after)
				}
				for _, path := range []string{"theme", key + ".other", "a", "b"} {
					if got, want := gjson.GetBytes(after, path).Raw, gjson.Get(before, path).Raw; got != want {
						t.Errorf("%s was %s and is %s", path, want, got)
					}
				}
				if before != "" {
					if info, _ := os.Stat(file); info.Mode().Perm() != 0o640 {
						t.Errorf("mode %v", info.Mode())
					}
				}
				connect(t, c, file) // again: nothing happens
				if again, _ := os.ReadFile(file); string(again) != string(after) {
					t.Errorf("the second time: %s", again)
				}
				disconnect(t, c, file)
				restored, err := os.ReadFile(file)
				if before == "" {
					if !os.IsNotExist(err) {
						t.Errorf("a file is left: %s", restored)
					}
				} else if string(restored) != before {
					t.Errorf("it is %q, it was %q", restored, before)
				}
				if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*glovebox*")); len(left) > 0 {
					t.Errorf("left over: %v", left)
				}
			})
		}
	}
}

func connect(t *testing.T, c clients.Client, file string) {
	t.Helper()
	text, _, err := clients.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	ch, err := c.Connect(text, "glovebox", entry)
	if err != nil {
		t.Fatal(err)
	}
	if err := clients.Apply(file, ch); err != nil {
		t.Fatal(err)
	}
}

func disconnect(t *testing.T, c clients.Client, file string) {
	t.Helper()
	text, backup, err := clients.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	ch, err := c.Disconnect(text, backup, "glovebox")
	if err != nil {
		t.Fatal(err)
	}
	if err := clients.Undo(file, ch); err != nil {
		t.Fatal(err)
	}
}

// TestUndoKeepsWhatCameLater: an edit between the two is kept.
func TestUndoKeepsWhatCameLater(t *testing.T) {
	c, err := clients.Find("cursor")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte(`{"a":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	connect(t, c, file)
	text, _ := os.ReadFile(file)
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), `"a":1`, `"a":2`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	disconnect(t, c, file)
	if got, _ := os.ReadFile(file); string(got) != `{"a":2,"mcpServers":{}}` {
		t.Errorf("%s", got)
	}
}

func TestFilesThatAreNotTouched(t *testing.T) {
	c, _ := clients.Find("vscode")
	for _, text := range []string{"// a comment\n{}", "[]", `{"servers": []}`, `{"a":1`, "null", `{} {}`} {
		if ch, err := c.Connect([]byte(text), "glovebox", entry); err == nil {
			t.Errorf("%s becomes %s", text, ch.After)
		}
		if ch, err := c.Disconnect([]byte(text), nil, "glovebox"); err == nil {
			t.Errorf("%s becomes %s", text, ch.After)
		}
	}
	if _, err := clients.Find("notepad"); err == nil || !strings.Contains(err.Error(), "claude-desktop") {
		t.Error(err)
	}
}

// TestNamesAreNoPaths: a name with dots and stars is one member.
func TestNamesAreNoPaths(t *testing.T) {
	c, _ := clients.Find("cursor")
	for _, name := range []string{"a.b", "a*", "a|b", "#", "@this", `a\b`, "0"} {
		ch, err := c.Connect([]byte(`{"mcpServers":{"a":{}}}`), name, entry)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got struct {
			MCPServers map[string]any
		}
		if err := json.Unmarshal(ch.After, &got); err != nil || got.MCPServers[name] == nil || len(got.MCPServers) != 2 {
			t.Errorf("%s: %s", name, ch.After)
		}
	}
}
