package editors_test

import (
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/editors"
)

// TestListIsBounded: files that a parser would need minutes or gigabytes for are
// refused before it sees them.
func TestListIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"dots.toml":     strings.Repeat("a.", 100_000) + "b = 1",
		"brackets.toml": "a = " + strings.Repeat("[\n", 300_000),
		"tables.toml":   "a = " + strings.Repeat("{a = ", 200_000),
		"long.toml":     strings.Repeat("a", 2<<20),
		"keys.yaml":     strings.Repeat("k: v\n", 60_000),
		"flow.yaml":     "{" + strings.Repeat("k,", 60_000) + "}",
		"deep.yaml":     strings.Repeat("[", 500_000),
		"deep.json":     strings.Repeat(`{"a":`, 300_000),
		"huge.json":     `{"a":"` + strings.Repeat("a", editors.MaxText) + `"}`,
	} {
		if _, err := editors.ListFile(name, []byte(text)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}
