package editors_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/editors"
)

var entry = editors.Entry{Command: "/bin/glovebox", Args: []string{"serve", "--stdio", "--folder", `C:\tools "mine"`}}

// befores are realistic files, in JSON and in TOML; all but the first must be
// restored byte for byte. KEY is the member that holds the servers.
var befores = map[string]struct{ json, toml string }{
	"nothing":       {},
	"empty":         {"{}", "\n"},
	"other servers": {"{\n  \"theme\": \"dark\",\n  \"KEY\": {\n    \"other\":   {\"command\": \"x\", \"args\": [1.0]}\n  }\n}\n", "theme='dark'\n[KEY.other]\ncommand = \"x\""},
	"no servers":    {"{\"a\": 1e2,   \"b\":[ ]}\n\n", "a=1\nb = [ ]\n\n\n"},
	"windows":       {"{\r\n\t\"KEY\": {}\r\n}\r\n", "[KEY]\r\n# none\r\n"},
	"byte order":    {"\xef\xbb\xbf{\"KEY\":{\"other\":{\"command\":\"x\"}}}", "a = 1"},
	"comments": {`// mine, and nobody else's
{
    /* { "KEY": "not this one" } */
    "theme": "dark", // "dark", as ever
    "KEY": {
        "other": {"command": "//x", "args": ["/*", ",}"]}, // the one
        // "third": {},
    },
    "last": 1, // a comma, and
    // another comment
}
// the end`, "# mine\n[KEY.other] # the one\ncommand = '[x]'\nargs = [\n  \"a\", # ]\n]\n\n# about the next\n[[after]]\nx = 1\n"},
	"no comma":    {"{\n\t\"KEY\": {\n\t\t\"other\": {} // the one\n\t\t// \"third\": {}\n\t}\n\t// the end\n}", "KEY = {other = {command = 'x'}}\n"},
	"odd layout":  {"{ \"a\":1\n,\"KEY\" :\n{ \"other\" :{} } }", "[ KEY . 'other' ]\ncommand='x'\n\n  [ after ]\n"},
	"twice there": {`{"KEY":{"x":{}},"KEY":{"other":{"command":"y"}}}`, "[KEY.\"other\"]\ncommand = \"y\"\n[KEY.\"other\".env]\nA = \"1\"\n"},
}

// keys are the members that hold the servers, according to each client's
// documentation.
var keys = map[string]string{
	"claude-desktop": "mcpServers", "claude-code": "mcpServers", "cursor": "mcpServers", "gemini": "mcpServers", "vscode": "servers", "windsurf": "mcpServers", "cline": "mcpServers",
	"kiro": "mcpServers", "lm-studio": "mcpServers", "amazon-q": "mcpServers", "zed": "context_servers", "opencode": "mcp", "codex": "mcp_servers",
}

func TestConnectAndUndoAreExact(t *testing.T) {
	for _, c := range editors.All() {
		for name, both := range befores {
			t.Run(c.ID+" "+name, func(t *testing.T) {
				before := both.json
				if c.ID == "codex" {
					if before = both.toml; name == "no comma" {
						t.Run("refused", func(t *testing.T) { refused(t, c, strings.ReplaceAll(before, "KEY", keys[c.ID])) })
						return
					}
				}
				before = strings.ReplaceAll(before, "KEY", keys[c.ID])
				file := filepath.Join(t.TempDir(), "sub", "config")
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
				if err != nil {
					t.Fatal(err)
				}
				hasWords(t, after, before)
				if before != "" {
					if info, _ := os.Stat(file); info.Mode().Perm() != 0o640 {
						t.Errorf("mode %v", info.Mode())
					}
				}
				connect(t, c, file) // a second time: nothing changes
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
				withoutBackup(t, c, before, after)
			})
		}
	}
}

// TestAnOldBackupIsNotRestored: the file it belongs to has been deleted since.
func TestAnOldBackupIsNotRestored(t *testing.T) {
	c, err := editors.Find("cursor")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(`{"old":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	connect(t, c, file)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	connect(t, c, file)
	disconnect(t, c, file)
	if left, err := os.ReadFile(file); !os.IsNotExist(err) {
		t.Errorf("a file is left: %s", left)
	}
}

func hasWords(t *testing.T, text []byte, of string) {
	t.Helper()
	for word := range strings.FieldsSeq(of) {
		if word = strings.TrimRight(word, ",{}:[]"); !strings.Contains(string(text), word) {
			t.Errorf("%q is gone:\n%s", word, text)
		}
	}
}

// withoutBackup removes the entry from a file whose backup is lost: other entries
// and everything people wrote are still there.
func withoutBackup(t *testing.T, c editors.Client, before string, after []byte) {
	t.Helper()
	out, err := c.Disconnect(after, []byte("{ }"), "glovebox")
	if err != nil {
		t.Fatal(err)
	}
	hasWords(t, out.After, before)
	if strings.Contains(string(out.After), "glovebox") {
		t.Errorf("it is there still: %s", out.After)
	}
	again, err := c.Connect(out.After, "glovebox", entry)
	if err != nil {
		t.Errorf("%v, in\n%s", err, out.After)
	}
	was, err := c.Connect(again.After, "other", editors.Entry{Command: "z"})
	if hadOther := strings.Contains(before, `other`); err != nil || (was.Old != "") != hadOther {
		t.Errorf("%v: the other server is now %q, in\n%s", err, was.Old, again.After)
	}
}

// TestEntriesHaveTheirShape: each client's documented shape, in the layout of the
// file.
func TestEntriesHaveTheirShape(t *testing.T) {
	golden := map[string][2]string{
		"cursor": {"{\n\t\"mcpServers\": {\n\t\t\"a\": {} // one\n\t}\n}\n",
			"{\n\t\"mcpServers\": {\n\t\t\"a\": {}, // one\n\t\t\"glovebox\": {\n\t\t\t\"command\": \"g\",\n\t\t\t\"args\": [\n\t\t\t\t\"serve\"\n\t\t\t]\n\t\t}\n\t}\n}\n"},
		"kiro":     {"{\r\n  \"a\": 1\r\n}", "{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"glovebox\": {\r\n      \"command\": \"g\",\r\n      \"args\": [\r\n        \"serve\"\r\n      ]\r\n    }\r\n  }\r\n}"},
		"vscode":   {`{"a":1}`, `{"a":1,"servers":{"glovebox":{"type":"stdio","command":"g","args":["serve"]}}}`},
		"zed":      {`{"context_servers":{},}`, `{"context_servers":{"glovebox":{"source":"custom","command":"g","args":["serve"]}},}`},
		"opencode": {`{"mcp":{"a":{},}}`, `{"mcp":{"a":{},"glovebox":{"type":"local","command":["g","serve"],"enabled":true},}}`},
		"codex":    {"model = \"o\"\n", "model = \"o\"\n\n[mcp_servers.glovebox]\ncommand = \"g\"\nargs = [\"serve\"]\n"},
	}
	for id, texts := range golden {
		c, err := editors.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		ch, err := c.Connect([]byte(texts[0]), "glovebox", editors.Entry{Command: "g", Args: []string{"serve"}})
		if err != nil || string(ch.After) != texts[1] {
			t.Errorf("%s: %v\n%s\nwant\n%s", id, err, ch.After, texts[1])
		}
		if got := c.Program(ch.New); got != "g" {
			t.Errorf("%s starts %q", id, got)
		}
	}
}

// TestWhatElseAnEntrySaysStays: environment variables that a user added survive a
// change of the flags.
func TestWhatElseAnEntrySaysStays(t *testing.T) {
	c, _ := editors.Find("cursor")
	ch, err := c.Connect([]byte(`{"mcpServers":{"glovebox":{"command":"old","args":[],"env":{"KEY.x":"1"},"disabled":true}}}`), "glovebox", entry)
	if err != nil || gjson.GetBytes(ch.After, `mcpServers.glovebox.env.KEY\.x`).Str != "1" || !gjson.GetBytes(ch.After, "mcpServers.glovebox.disabled").Bool() ||
		gjson.GetBytes(ch.After, "mcpServers.glovebox.command").Str != entry.Command {
		t.Errorf("%v: %s", err, ch.After)
	}
}

// TestTwoNamesAreUndoneOneByOne: each has its own backup of what was there before.
func TestTwoNamesAreUndoneOneByOne(t *testing.T) {
	c, _ := editors.Find("cursor")
	file := filepath.Join(t.TempDir(), "mcp.json")
	for _, name := range []string{"one", "two"} {
		text, _, _ := editors.Read(file, name)
		ch, err := c.Connect(text, name, entry)
		if err != nil || editors.Apply(file, name, ch) != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"two", "one"} {
		text, backup, _ := editors.Read(file, name)
		ch, err := c.Disconnect(text, backup, name)
		if err != nil || editors.Undo(file, name, ch) != nil {
			t.Fatal(err)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

func connect(t *testing.T, c editors.Client, file string) {
	t.Helper()
	text, _, err := editors.Read(file, "glovebox")
	if err != nil {
		t.Fatal(err)
	}
	ch, err := c.Connect(text, "glovebox", entry)
	if err != nil {
		t.Fatal(err)
	}
	if err := editors.Apply(file, "glovebox", ch); err != nil {
		t.Fatal(err)
	}
}

func disconnect(t *testing.T, c editors.Client, file string) {
	t.Helper()
	text, backup, err := editors.Read(file, "glovebox")
	if err != nil {
		t.Fatal(err)
	}
	ch, err := c.Disconnect(text, backup, "glovebox")
	if err != nil {
		t.Fatal(err)
	}
	if err := editors.Undo(file, "glovebox", ch); err != nil {
		t.Fatal(err)
	}
}

// TestUndoKeepsWhatCameLater: undo keeps an edit made in between.
func TestUndoKeepsWhatCameLater(t *testing.T) {
	c, err := editors.Find("cursor")
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

func refused(t *testing.T, c editors.Client, text string) {
	t.Helper()
	if ch, err := c.Connect([]byte(text), "glovebox", entry); err == nil {
		t.Errorf("%s becomes %s", text, ch.After)
	} else if !strings.Contains(err.Error(), c.Name) || !strings.Contains(err.Error(), "by hand") {
		t.Errorf("%.200s: %v", text, err)
	}
}

func TestFilesThatAreNotTouched(t *testing.T) {
	c, _ := editors.Find("vscode")
	for _, text := range []string{"// a comment", "[]", `{"servers": []}`, `{"a":1`, "null", `{} {}`, `{"a":/* 1}`, `{"a" 1}`, `{,}`, `{"a":[,]}`, `{"a":1,,}`, `{"a":1}/`, strings.Repeat("[", 4<<20)} {
		refused(t, c, text)
		if ch, err := c.Disconnect([]byte(text), nil, "glovebox"); err == nil {
			t.Errorf("%s becomes %s", text, ch.After)
		}
	}
	c, _ = editors.Find("codex")
	// One text contains, inside a string, what looks like the server's table.
	for _, text := range []string{"a =", "mcp_servers = 1", "x = \"\"\"\n[mcp_servers.glovebox]\n\"\"\"\n[mcp_servers]\nglovebox = {command = 'x'}\n", "[mcp_servers]\nglovebox = {command = 'x'}\n"} {
		refused(t, c, text)
	}
	// One of two equal names would remain.
	twice := `{"mcpServers":{"glovebox":{"command":"a"},"glovebox":{"command":"b"}}}`
	c, _ = editors.Find("cursor")
	if ch, err := c.Disconnect([]byte(twice), nil, "glovebox"); err == nil {
		t.Errorf("%s becomes %s", twice, ch.After)
	}
	if _, err := editors.Find("notepad"); err == nil || !strings.Contains(err.Error(), "claude-desktop") {
		t.Error(err)
	}
}

// TestNamesAreNoPaths: a name with dots and stars is a single member.
func TestNamesAreNoPaths(t *testing.T) {
	c, _ := editors.Find("cursor")
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
