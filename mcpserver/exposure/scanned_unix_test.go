//go:build unix

package exposure_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// A real shell takes the advice apart as it was meant, whatever is in a configuration.
func TestScanCommandIsTakenApartByAShell(t *testing.T) {
	for _, tc := range []struct {
		config upstream.Config
		want   []string
	}{
		{upstream.Config{Kind: upstream.HTTP, URL: "https://a.example.com/mcp?a=b&c=$d", AllowPrivate: true, Headers: map[string]string{"Authorization": "Bearer ${TOKEN}"}},
			[]string{"--header", "Authorization: Bearer ${TOKEN}", "--allow-private", "https://a.example.com/mcp?a=b&c=$d"}},
		{upstream.Config{Kind: upstream.SSE, URL: "https://a.example.com/"}, []string{"--http-sse", "https://a.example.com/"}},
		{upstream.Config{Kind: upstream.Stdio, Command: []string{"it's", "", "`id`; $(id) \"x\"\n&"}, PassEnv: []string{"A"}, Env: map[string]string{"B": "${B}", "C": "${D}"}, Sandbox: "files"},
			[]string{"--start", "--pass-env", "A", "--pass-env", "B", "--sandbox", "files", "--", "it's", "", "`id`; $(id) \"x\"\n&"}},
	} {
		out, err := exec.Command("sh", "-c", `glovebox() { printf '%s\0' "$@"; }; `+exposure.ScanCommand(&tc.config)).Output()
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if want := append([]string{"scan"}, tc.want...); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, want %q: %v", got, want, err)
		}
	}
}
