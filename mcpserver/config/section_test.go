package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestEveryFieldOfAMemberHasOneSetting: as for the whole configuration.
func TestEveryFieldOfAMemberHasOneSetting(t *testing.T) {
	everyField(t, Upstreams)
	everyField(t, Compositions)
	everyField(t, Clients)
	everyField(t, Notices)
}

func everyField[T any](t *testing.T, entries []Entry[T]) {
	t.Helper()
	var value T
	fields := map[any]string{}
	leaves(reflect.ValueOf(&value).Elem(), fmt.Sprintf("%T", value), fields)
	for _, e := range entries {
		if fields[e.of(&value)] == "" {
			t.Errorf("%s has no field, or one that another setting has", e.Path)
		}
		delete(fields, e.of(&value))
		if !strings.HasSuffix(e.Doc, ".") {
			t.Errorf("%s is explained by %q", e.Path, e.Doc)
		}
	}
	for _, path := range fields {
		t.Errorf("%s has no setting", path)
	}
}

const gatewayText = `
upstreams:
  files:
    command: [npx, -y, "@modelcontextprotocol/server-filesystem@2026.7.10", data]
    sandbox: files
    files: {read: [data, ~/more]}
    limits:
      memory: 512MiB
    env: {DEBUG: "1", FILES_KEY: "${FILES_KEY}"}
    expose: ["*", read_file=cat]
    approve: [write_file]
    first_sight: trust
  far:
    url: https://mcp.example.com/mcp
    headers: {Authorization: "Bearer ${FAR_TOKEN}"}
    timeout: 30s
    enabled: false
compositions:
  docs:
    tools: [files/read_file, far/search=find]
    approve: ["*"]
    cap: L2
gateway:
  mode: composed
  endpoints: {docs: both}
`

func TestSections(t *testing.T) {
	l, err := Sources{File: "/etc/glovebox/config.yaml", Home: "/home/op"}.Parse([]byte(gatewayText))
	if err != nil {
		t.Fatal(err)
	}
	files, far, docs := l.Upstreams["files"], l.Upstreams["far"], l.Compositions["docs"]
	if len(l.Upstreams) != 2 || files.Sandbox != "files" || !reflect.DeepEqual(files.Files.Read, []Path{"/etc/glovebox/data", "/home/op/more"}) || files.Limits.Memory != 512<<20 || !files.Enabled ||
		far.Enabled || far.Timeout.Seconds() != 30 || files.Env["DEBUG"] != "1" || docs.Cap != "L2" || !docs.Enabled || l.Gateway.Endpoints["docs"] != "both" {
		t.Errorf("%+v", l.Config)
	}
	again, err := Sources{File: "/etc/glovebox/config.yaml", Home: "/home/op"}.Parse([]byte(strings.Replace(gatewayText, "30s", "31s", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if changed := Changed(&l.Config, &again.Config); len(changed) != 1 || changed[0].Path != "upstreams.far" || !changed[0].Live {
		t.Errorf("changed: %+v", changed)
	}
	shown := map[string]string{}
	for _, s := range Members(&l.Config) {
		shown[s.Path] = s.Value
	}
	if shown["upstreams.far.timeout"] != "30s" || shown["upstreams.far.enabled"] != "false" || shown["upstreams.files.files.read"] == "" || len(shown) != 15 {
		t.Errorf("shown: %v", shown)
	}
}

// TestBadSections: each mistake is reported at its place, with what was meant.
func TestBadSections(t *testing.T) {
	for text, want := range map[string]string{
		"upstreams:\n  a:\n    comand: [x]\n":                                                 "f:3:5: CFG05: upstreams.a.comand: there is no such setting; did you mean command?",
		"upstreams:\n  a:\n    limits:\n      memori: 1\n":                                    "f:4:7: CFG05: upstreams.a.limits.memori: there is no such setting; did you mean memory?",
		"upstreams:\n  A b:\n    command: [x]\n":                                              "f:2:3: CFG07: upstreams: \"A b\" is no name of an upstream",
		"upstreams: [a]\n":                                                                    "f:1:12: CFG06: upstreams: is a group of names",
		"upstreams:\n  a: npx\n":                                                              "f:2:6: CFG06: upstreams.a: is a group of settings",
		"upstreams:\n  a: {command: [x], limits: 3}\n":                                        "f:2:29: CFG06: upstreams.a.limits: is a group of settings",
		"upstreams:\n  a: {command: [x]}\n  a: {command: [x]}\n":                              "f:3:3: CFG04: upstreams.a: is there twice",
		"upstreams:\n  a: {command: [x], sandbox: all}\n":                                     "is none of the values",
		"upstreams:\n  a: {command: [x], timeout: 48h}\n":                                     "is more than 24h",
		"upstreams:\n  a: {command: [x], env: [A]}\n":                                         "is no group of names",
		"upstreams:\n  a: {}\n":                                                               "CFG07: upstreams.a: names neither a command nor a url",
		"upstreams:\n  a: {command: [x], url: \"https://x/\"}\n":                              "CFG08: upstreams.a: names a command and a url",
		"upstreams:\n  a: {url: \"ftp://x/\"}\n":                                              "CFG07: upstreams.a: url:",
		"upstreams:\n  a: {url: \"https://x/\", headers: {Authorization: Bearer hunter22}}\n": "CFG09: upstreams.a.headers.Authorization: holds what looks like a secret",
		"upstreams:\n  a: {command: [x], env: {API_KEY: hunter22}}\n":                         "CFG09: upstreams.a.env.API_KEY: holds what looks like a secret",
		"upstreams:\n  library: {command: [x]}\n":                                             "CFG07: upstreams.library: the name",
		"compositions:\n  a: {tools: [b]}\n":                                                  "CFG07: compositions.a.tools: \"b\" is no tool of a server",
		"gateway: {endpoints: {a: none}}\n":                                                   "is none of the values",
		"gateway: {clients: {a: {principal: [x]}}}\n":                                         "CFG05: gateway.clients.a.principal: there is no such setting; did you mean principals?",
		"gateway: {client: {a: {}}}\n":                                                        "did you mean clients?",
		"gateway: {clients: {a: {}}}\n":                                                       "CFG07: gateway.clients.a: says neither who nor what",
		"gateway: {clients: {a: {scopes: [\"\"]}}}\n":                                         "CFG07: gateway.clients.a.scopes: an item is empty",
		"upstream: {}\n": "did you mean upstreams?",
	} {
		_, err := Sources{File: "f"}.Parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter22") {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

// TestSchemaOfSections: schema and reader agree about the shape of every setting.
func TestSchemaOfSections(t *testing.T) {
	schema := compiled(t)
	shapes := []string{`true`, `3`, `"word"`, `"17s"`, `"64MiB"`, `"L3"`, `["a"]`, `[3]`, `[]`, `{}`, `{"a":"b"}`, `{"a":1}`, `null`, `"http"`, `"files"`, `"trust"`, `"pass"`, `"allow"`, `"auto"`, `"mark"`}
	for _, s := range sections() {
		for _, k := range s.settings {
			for _, value := range shapes {
				text := fmt.Sprintf("%q: %s", k.Path, value)
				if group, word, nested := strings.Cut(k.Path, "."); nested {
					text = fmt.Sprintf("%q: {%q: %s}", group, word, value)
				}
				text = fmt.Sprintf("{%q: {%s}}", s.one, text)
				for _, step := range slices.Backward(strings.Split(s.name, ".")) {
					text = fmt.Sprintf("{%q: %s}", step, text)
				}
				var instance any
				if err := json.Unmarshal([]byte(text), &instance); err != nil {
					t.Fatal(err)
				}
				r := &reading{config: defaults(), at: map[string]position{}}
				r.parse([]byte(text))
				if invalid := schema.Validate(instance); (invalid == nil) != (len(r.problems) == 0) && !finer(k, value) {
					t.Errorf("%s: the schema says %v, the reader %v", text, invalid, r.problems)
				}
			}
		}
	}
}
