package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestTheNextCommandLetsAClientIn: whatever kind of start it was, the command that
// is printed, given to a shell, names an address and a header that are let in.
func TestTheNextCommandLetsAClientIn(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), `Ada's $HOME`)
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(home, "my token"), "mine\n")
	for _, start := range []struct {
		name        string
		once        bool // the token is made and shown
		environment []string
		flags       []string
	}{
		{name: "first", once: true},
		{name: "second"},
		{name: "file", flags: []string{"--token-file", filepath.Join(home, "my token")}},
		{name: "environment", environment: []string{"GLOVEBOX_TOKEN=theirs"}},
	} {
		cmd := exec.Command("glovebox", append([]string{"serve", "--listen", "127.0.0.1:0"}, start.flags...)...)
		cmd.Dir = home
		cmd.Env = append([]string{"HOME=" + home, "XDG_CACHE_HOME=" + cacheDir(), "PATH=" + os.Getenv("PATH")}, start.environment...)
		p := &program{t: t, name: start.name, cmd: cmd}
		cmd.Stderr = &p.stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		next := strings.TrimPrefix(p.told("next: claude mcp add"), "next: ")
		said := p.stderr.String()
		// The client is a function that prints what it is told, a line each.
		shell := exec.Command("sh", "-c", `claude() { printf '%s\n' "$@"; }; `+strings.TrimSpace(next))
		shell.Env = append(cmd.Env, "PATH="+os.Getenv("PATH"))
		out, err := shell.Output()
		if err != nil {
			t.Fatalf("%s: %v", start.name, err)
		}
		words := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(words) != 8 {
			t.Fatalf("%s: %q", start.name, words)
		}
		request, err := http.NewRequest("POST", words[5], strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		name, value, _ := strings.Cut(words[7], ": ")
		request.Header.Set(name, value)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode == http.StatusUnauthorized || strings.Contains(said, "shown this once") != start.once {
			t.Errorf("%s: %s, after\n%s", start.name, response.Status, said)
		}
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", start.name, err)
		}
	}
}
