package imports_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/mcpserver/editors"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/imports"
)

// secret is of no known form: only its place says that it is one.
const secret = "hunter2-correct-horse"

func reader(t testing.TB) *imports.Reader {
	t.Helper()
	r, err := imports.NewReader("/home/me")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestClients: every known client has an entry with a program and one with a URL
// here, in its own words, and both mean the same whichever client wrote them.
func TestClients(t *testing.T) {
	program := upstream.Config{Name: "git-hub", Kind: "stdio", Command: []string{"npx", "-y", "server-github@1.2.3"}, Env: map[string]string{"GITHUB_TOKEN": "${GIT_HUB_GITHUB_TOKEN}", "LOG": "debug"}}
	remote := upstream.Config{Name: "far", Kind: "http", URL: "https://mcp.example.com/mcp", Headers: map[string]string{"Authorization": "Bearer ${FAR_AUTHORIZATION}"}}
	common := `{"KEY": {
		"Git Hub": {TYPE"command": "npx", "args": ["-y", "server-github@1.2.3"], "env": {"GITHUB_TOKEN": "SECRET", "LOG": "debug"}}, // the one
		"far": {"type": "http", "url": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer SECRET"}},
	}}`
	files := map[string]string{
		"gemini": `{"mcpServers": {
			"Git Hub": {"command": "npx", "args": ["-y", "server-github@1.2.3"], "env": {"GITHUB_TOKEN": "SECRET", "LOG": "debug"}, "trust": true},
			"far": {"httpUrl": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer SECRET"}}}}`,
		"windsurf": `{"mcpServers": {
			"Git Hub": {"command": "npx", "args": ["-y", "server-github@1.2.3"], "env": {"GITHUB_TOKEN": "SECRET", "LOG": "debug"}},
			"far": {"serverUrl": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer SECRET"}}}}`,
		"zed": `{"context_servers": {
			"Git Hub": {"source": "custom", "command": {"path": "npx", "args": ["-y", "server-github@1.2.3"], "env": {"GITHUB_TOKEN": "SECRET", "LOG": "debug"}}},
			"far": {"url": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer SECRET"}}}}`,
		"opencode": `{"mcp": {
			"Git Hub": {"type": "local", "command": ["npx", "-y", "server-github@1.2.3"], "environment": {"GITHUB_TOKEN": "SECRET", "LOG": "debug"}, "enabled": true},
			"far": {"type": "remote", "url": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer SECRET"}}}}`,
		"codex": `
[mcp_servers.far]
url = "https://mcp.example.com/mcp"
http_headers = { Authorization = "Bearer SECRET" }
[mcp_servers."Git Hub"]
command = "npx"
args = ["-y", "server-github@1.2.3"]
[mcp_servers."Git Hub".env]
GITHUB_TOKEN = "SECRET"
LOG = "debug"
`,
	}
	for _, c := range editors.All() {
		text, own := files[c.ID]
		if !own {
			key, kind := "mcpServers", ""
			if c.ID == "vscode" {
				key, kind = "servers", `"type": "stdio", `
			}
			text = strings.NewReplacer("KEY", key, "TYPE", kind).Replace(common)
		}
		read, err := reader(t).Client(c, []byte(strings.ReplaceAll(text, "SECRET", secret)))
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		got := map[string]upstream.Config{}
		for _, f := range read.Found {
			got[f.Name] = f.Config
			if len(f.Variables) != 1 || f.Variables[0].Value.Reveal() != secret {
				t.Errorf("%s: %s has the variables %+v", c.ID, f.Name, f.Variables)
			}
		}
		if diff := cmp.Diff(map[string]upstream.Config{"git-hub": program, "far": remote}, got); diff != "" || len(read.Left) > 0 {
			t.Errorf("%s: left %v\n%s", c.ID, read.Left, diff)
		}
		for _, shown := range []string{fmt.Sprintf("%v", read), fmt.Sprintf("%+v", read), fmt.Sprintf("%#v", read), fmt.Sprintf("%s %q %d", read.Found[0].Variables[0].Value, read.Found[0].Variables, read.Found[0].Variables[0].Value), string(marshalled(t, read))} {
			if strings.Contains(shown, secret) {
				t.Errorf("%s: shows the secret: %s", c.ID, shown)
			}
		}
	}
}

func marshalled(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestEntry: what single entries become.
func TestEntry(t *testing.T) {
	for _, row := range []struct {
		name, entry string
		want        string // as JSON; the name is left out
		left        string // part of the reason why it is left
		needs       string // names of variables
		note        string // part of a note
	}{
		{name: "argument after a flag", entry: `{"command":"x","args":["--api-key","` + secret + `","--port","80"]}`,
			want: `{"kind":"stdio","command":["x","--api-key","${S_API_KEY}","--port","80"]}`, needs: "S_API_KEY"},
		{name: "argument with a flag", entry: `{"command":"docker","args":["run","-e","DB_PASSWORD=` + secret + `","--token=` + secret + `"]}`,
			want: `{"kind":"stdio","command":["docker","run","-e","DB_PASSWORD=${S_DB_PASSWORD}","--token=${S_TOKEN}"]}`, needs: "S_DB_PASSWORD S_TOKEN"},
		{name: "password in an argument", entry: `{"command":"x","args":["postgres://me:` + secret + `@db/x"]}`,
			want: `{"kind":"stdio","command":["x","${S_ARGUMENT_1}"]}`, needs: "S_ARGUMENT_1"},
		{name: "header in an argument", entry: `{"command":"npx","args":["mcp-remote","https://a.example/mcp","--header","Authorization: Bearer ` + secret + `"]}`,
			want: `{"kind":"stdio","command":["npx","mcp-remote","https://a.example/mcp","--header","Authorization:${S_AUTHORIZATION}"]}`, needs: "S_AUTHORIZATION"},
		{name: "token in a URL", entry: `{"url":"https://a.example/mcp?api_key=` + secret + `&v=2"}`,
			want: `{"kind":"http","url":"https://a.example/mcp?api_key=${S_API_KEY}&v=2"}`, needs: "S_API_KEY"},
		{name: "password in a URL", entry: `{"url":"https://me:` + secret + `@a.example/mcp"}`, left: "holds a user or a password"},
		{name: "a known form of token", entry: `{"command":"x","env":{"WHAT":"ghp_x7Qm2Lr9Tz4Kd8Vb3Nc6Hj1Wf5Sg0Yp7Ra2E"}}`,
			want: `{"kind":"stdio","command":["x"],"env":{"WHAT":"${S_WHAT}"}}`, needs: "S_WHAT"},
		{name: "path of a key", entry: `{"command":"x","env":{"SSH_KEY":"~/.ssh/id","USE_TOKEN":"true","TOKENS":"4096"}}`,
			want: `{"kind":"stdio","command":["x"],"env":{"SSH_KEY":"~/.ssh/id","USE_TOKEN":"true","TOKENS":"4096"}}`},
		{name: "references", entry: `{"command":"x","env":{"A_TOKEN":"${A_TOKEN}","B_KEY":"${env:B_KEY}","C":"${C:-hello}","D":"${userHome}/d"}}`,
			want: `{"kind":"stdio","command":["x"],"env":{"A_TOKEN":"${A_TOKEN}","B_KEY":"${B_KEY}","C":"${C}","D":"/home/me/d"}}`, needs: "A_TOKEN B_KEY C", note: `"hello"`},
		{name: "an editor's question", entry: `{"type":"http","url":"https://a.example/mcp","headers":{"X-Key":"${input:the-key}"}}`,
			want: `{"kind":"http","url":"https://a.example/mcp","headers":{"X-Key":"${S_THE_KEY}"}}`, needs: "S_THE_KEY"},
		{name: "sse", entry: `{"type":"sse","url":"http://127.0.0.1:9/sse"}`, want: `{"kind":"sse","url":"http://127.0.0.1:9/sse"}`},
		{name: "a project's folder", entry: `{"command":"x","args":["${workspaceFolder}/a"]}`, want: `{"kind":"stdio","command":["x","proj/a"]}`},
		{name: "codex", entry: `{"url":"https://a.example/mcp","bearer_token_env_var":"MY_TOKEN","env_http_headers":{"X-A":"MY_A"}}`,
			want: `{"kind":"http","url":"https://a.example/mcp","headers":{"Authorization":"Bearer ${MY_TOKEN}","X-A":"${MY_A}"}}`, needs: "MY_A MY_TOKEN"},
		{name: "switched off", entry: `{"command":"x","disabled":true}`, want: `{"kind":"stdio","command":["x"]}`, note: "switched off"},
		{name: "allowed there", entry: `{"command":"x","autoApprove":["a"]}`, want: `{"kind":"stdio","command":["x"]}`, note: "not taken over"},
		{name: "ourselves", entry: `{"command":"C:\\bin\\Glovebox.exe","args":["serve","--stdio"]}`, left: "this program"},
		{name: "nothing", entry: `{}`, left: "neither a command nor a URL"},
		{name: "no URL", entry: `{"url":"file:///etc/passwd"}`, left: "not one of http"},
		{name: "a part of it", entry: `{"type":"builtin","name":"developer"}`, left: "no server"},
		{name: "deep", entry: `{"command":"x","args":[["a"]]}`, left: "more than any server needs"},
		{name: "long", entry: `{"command":"x","args":["` + strings.Repeat("a", 70_000) + `"]}`, left: "more than any server needs"},
		{name: "reads a file", entry: `{"command":"x","env":{"A":"{file:~/.ssh/id}"}}`, left: "reads a file"},
		{name: "lower case", entry: `{"command":"x","env":{"A":"${env:path}"}}`, left: "only names in capitals"},
	} {
		text := `{"inputs":[{"id":"the-key","type":"promptString","description":"A key","password":true}],"mcpServers":{"s":` + row.entry + `}}`
		read, err := reader(t).File("proj/.vscode/mcp.json", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if row.left != "" {
			if len(read.Left) != 1 || !strings.Contains(read.Left[0].Why, row.left) || strings.Contains(read.Left[0].Why, secret) {
				t.Errorf("%s: %+v", row.name, read)
			}
			continue
		}
		if len(read.Found) != 1 {
			t.Errorf("%s: %+v", row.name, read)
			continue
		}
		f := read.Found[0]
		f.Config.Name = ""
		want := upstream.Config{}
		if err := json.Unmarshal([]byte(row.want), &want); err != nil {
			t.Fatal(row.name, err)
		}
		if diff := cmp.Diff(want, f.Config); diff != "" {
			t.Errorf("%s: %s", row.name, diff)
		}
		var needs []string
		for _, v := range f.Variables {
			needs = append(needs, v.Name)
		}
		if got := strings.Join(needs, " "); got != row.needs {
			t.Errorf("%s: needs %q, want %q", row.name, got, row.needs)
		}
		if notes := strings.Join(f.Notes, "\n"); row.note == "" && notes != "" || !strings.Contains(notes, row.note) {
			t.Errorf("%s: notes %q", row.name, notes)
		}
	}
}

// TestProjects: Claude Code keeps servers of folders beside its own; equal names stay
// apart.
func TestProjects(t *testing.T) {
	c, err := editors.Find("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	read, err := reader(t).Client(c, []byte(`{"mcpServers":{"db":{"command":"a"}},"projects":{"/home/me/b":{"mcpServers":{"db":{"command":"b"}}},"/home/me/a":{"history":[]}}}`))
	if err != nil || len(read.Found) != 2 || read.Found[1].Name != "db-2" || read.Found[1].Dir != "/home/me/b" || read.Found[0].Dir != "" {
		t.Errorf("%+v %v", read, err)
	}
}

// TestYAML: Goose has an object of extensions, Continue a list of servers.
func TestYAML(t *testing.T) {
	for name, text := range map[string]string{
		"goose.yaml":    "GOOSE_PROVIDER: x\nextensions:\n  developer:\n    type: builtin\n  s:\n    type: stdio\n    cmd: npx\n    args: [-y, thing]\n    envs: {A: \"1\"}\n    env_keys: [THE_TOKEN]\n",
		"continue.yaml": "name: c\nmcpServers:\n  - name: s\n    command: npx\n    args: [-y, thing]\n    env:\n      A: 1\n",
	} {
		read, err := reader(t).File(name, []byte(text))
		if err != nil || len(read.Found) != 1 || strings.Join(read.Found[0].Command, " ") != "npx -y thing" || read.Found[0].Env["A"] != "1" {
			t.Errorf("%s: %+v %v", name, read, err)
		}
	}
	for name, text := range map[string]string{
		"bomb.yaml": "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\nmcpServers: [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n",
		"none.json": `{"theme":"dark"}`, "list.json": `[]`, "no.toml": "a = ", "list2.json": `{"mcpServers":"x"}`,
		"many.json": `{"mcpServers":{` + manyServers(1200) + `}}`,
	} {
		if read, err := reader(t).File(name, []byte(text)); err == nil {
			t.Errorf("%s is read: %d servers", name, len(read.Found))
		}
	}
}

func manyServers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"s%d":{"command":"x"},`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}
