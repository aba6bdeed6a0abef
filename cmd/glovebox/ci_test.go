package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The examples for build servers are YAML, and their commands have the flags they use.
func TestExamplesForBuildServers(t *testing.T) {
	files, err := filepath.Glob("../../examples/ci/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	commands := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var doc any
		if err := yaml.Unmarshal(text, &doc); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), ">")
			line, _, _ = strings.Cut(line, "|")
			words := strings.Fields(line)
			if len(words) < 2 || words[0] != "glovebox" {
				continue
			}
			commands++
			cmd, rest, err := newRoot().Find(words[1:])
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", file, line, err)
			}
		}
	}
	if commands < 2 {
		t.Errorf("%d commands", commands)
	}
}
