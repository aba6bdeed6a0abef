package mcpserver_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver"
)

func TestTokens(t *testing.T) {
	for _, blank := range []string{"", "  ", "\n", "a b", "ä"} {
		if _, err := mcpserver.NewToken(blank); err == nil {
			t.Errorf("%q is a token", blank)
		}
	}
	token, err := mcpserver.NewToken(" tok \n")
	if err != nil || !token.Admits("tok") || token.Admits(" tok ") || token.Admits("") || token.Admits("toK") {
		t.Errorf("a token with space around it: %v", err)
	}
	if (mcpserver.Token{}).Admits("") || strings.Contains(token.ID(), "tok ") {
		t.Error("the zero token admits somebody")
	}

	path := filepath.Join(t.TempDir(), "state", "token")
	first, made, err := mcpserver.EnsureToken(path)
	if err != nil || len(made) != 43 || !first.Admits(made) {
		t.Fatal(first, made, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	again, madeAgain, err := mcpserver.EnsureToken(path)
	if err != nil || madeAgain != "" || !again.Admits(made) {
		t.Error(again, madeAgain, err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := mcpserver.EnsureToken(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that others may read: %v", err)
	}
}

// TestTokenIsMadeOnce: several processes that start at once end up with one.
func TestTokenIsMadeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	var mu sync.Mutex
	var wg sync.WaitGroup
	tokens, made := map[string]bool{}, 0
	for range 20 {
		wg.Go(func() {
			token, text, err := mcpserver.EnsureToken(path)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if text != "" {
				made++
			}
			tokens[token.ID()] = true
		})
	}
	wg.Wait()
	if made != 1 || len(tokens) != 1 {
		t.Errorf("%d made, %d different", made, len(tokens))
	}
}
