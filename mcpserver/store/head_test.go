package store

import (
	"os"
	"strings"
	"testing"
)

// A head of the first format counts as before; one of a newer program is refused.
func TestHeadsHaveAVersion(t *testing.T) {
	h := &heads{dir: t.TempDir(), open: map[string]*head{}, marks: &marks{}}
	defer h.close()
	name := h.name("s")
	if err := os.WriteFile(name, []byte("00000000000000000007\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if h.behind("s", 7) != nil || h.behind("s", 6) == nil {
		t.Error("version 0 is not understood")
	}
	if err := h.reached("s", 8); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(name); string(text) != "1 00000000000000000008\n" || h.behind("s", 8) != nil || h.behind("s", 7) == nil {
		t.Errorf("%q", text)
	}
	if err := os.WriteFile(name, []byte("2 something else\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.behind("s", 9); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("a newer one: %v", err)
	}
}
