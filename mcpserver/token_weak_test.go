package mcpserver_test

import (
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver"
)

func TestTokensThatCanBeGuessed(t *testing.T) {
	for text, want := range map[string]bool{
		"t": true, "hunter2": true, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": true, "0123456789": true, "abcabcabcabcabcabcabcabc": true,
		"kq0Vd1xX3bWm5nR7tY9z": false, "gbx_0123456789abcdefghij": false,
	} {
		token, err := mcpserver.NewToken(text)
		if err != nil || token.Weak() != want {
			t.Errorf("%s: weak %v, %v", text, token.Weak(), err)
		}
	}
	if _, made, err := mcpserver.EnsureToken(t.TempDir() + "/token"); err != nil {
		t.Error(err)
	} else if token, _ := mcpserver.NewToken(made); token.Weak() {
		t.Error("our own can be guessed")
	}
}
