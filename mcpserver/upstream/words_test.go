//go:build unix

package upstream_test

import (
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// TestTheLastWordsOfAServer: one that does not start says why, in the error that a person
// reads, bounded and without secrets.
func TestTheLastWordsOfAServer(t *testing.T) {
	for script, want := range map[string]string{
		`echo "Error [NOT_FOUND]: no package" >&2; echo "    at load" >&2; exit 3`:                         "exited with status 3 and said: Error [NOT_FOUND]: no package",
		`echo first >&2; echo "no such folder" >&2; exit 1`:                                                "exited with status 1 and said: no such folder",
		`printf 'Error: \033[2J%s\n' "$KEY" >&2; exit 1`:                                                   "exited with status 1 and said: Error: \uFFFD[2J",
		`echo "Error: of long ago" >&2; for i in $(seq 50); do echo "line $i" >&2; done; exit 1`:           "exited with status 1 and said: line 50",
		`i=0; while [ $i -lt 100 ]; do printf 'Error: xxxxxxxxxxxxxxxxxxxx' >&2; i=$((i+1)); done; exit 1`: "said: Error: xxxxxxxxxxxxxxxxxxxxError",
		`echo "Error: it goes on" >&2; exec >&- 2>&- <&-; sleep 600`:                                       "closed its output and said: Error: it goes on",
		`exit 4`: "exited with status 4",
	} {
		o := options()
		if !strings.HasPrefix(want, "closed") {
			o.ExitTime = patience
		}
		o.Lookup = func(name string) (string, bool) { return "hunter2-hunter2", name == "KEY" }
		u := open(t, upstream.Config{Name: "mute", Kind: upstream.Stdio, Command: []string{"/bin/sh", "-c", script}, Env: map[string]string{"KEY": "${KEY}"}}, o)
		_, err := u.Surface(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") || len(err.Error()) > 1<<10 {
			t.Errorf("%s: %v", script, err)
		}
		u.Close()
	}
}
