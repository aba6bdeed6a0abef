package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk/score"
)

func install(t *testing.T, dir, name, about string) string {
	t.Helper()
	root := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "package.json"), []byte(about), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	for about, want := range map[string]string{
		`{"bin": "a.js"}`: "a.js", `{"bin": {"c": "dist/c.js", "b": "b.js"}}`: "dist/c.js", `{}`: "", `{"bin": {}}`: "", `{`: "",
	} {
		root := install(t, dir, "@scope/one", about)
		got, err := program(root)
		if want != "" && got != filepath.Join(root, want) || (want == "") != (err != nil) {
			t.Errorf("%s: %q %v", about, got, err)
		}
	}
}

// A server that cannot be scanned is said, and is no success.
func TestNoScoreIsNoSuccess(t *testing.T) {
	dir := t.TempDir()
	install(t, dir, "gone", `{"bin": "a.js"}`)
	if err := os.WriteFile(filepath.Join(dir, "servers.json"), []byte(`[{"package": "gone"}, {"package": "never-installed"}]`), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	ok, err := run(&out, filepath.Join(dir, "no-such-program"), dir, dir)
	if ok || err != nil || !strings.Contains(out.String(), "gone ") || !strings.Contains(out.String(), "never-installed") {
		t.Errorf("%v %v\n%s", ok, err, out.String())
	}
}

func TestBlocksAreShownWithEvidence(t *testing.T) {
	o := score.Observation{Version: 1, Target: score.Target{Kind: score.Stdio, Command: []string{"a"}},
		Hello: &score.Hello{Era: "legacy", Protocol: "2025-11-25", Server: json.RawMessage(`{"name":"n","version":"1"}`)},
		Tools: score.Listing{Asked: true, Items: []json.RawMessage{json.RawMessage(`{"name":"run_shell_command","description":"Runs a shell command.","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}}`)}}}
	var out bytes.Buffer
	row(&out, "a", score.Evaluate(o, score.Refined, score.Background{}))
	for _, want := range []string{"\tblock\t1\t", "no_public_code_execution_tools", "blocks: tool run_shell_command"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, out.String())
		}
	}
}
