package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// lateServer is a real MCP server with one tool, which answers nobody before open is
// closed; reached gets a value when somebody waits.
func lateServer(t *testing.T) (url string, reached chan struct{}, open chan struct{}) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "late", Version: "1"}, nil)
	closed := false
	mcp.AddTool(s, &mcp.Tool{Name: "read_late", Description: "Reads a word and returns it.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closed}},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "here it is"}}}, nil, nil
		})
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	reached, open = make(chan struct{}, 1), make(chan struct{})
	over := make(chan struct{}) // a request whose body nobody reads does not end with its connection
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case reached <- struct{}{}:
		default:
		}
		select {
		case <-open:
			h.ServeHTTP(w, r)
		case <-over:
		}
	}))
	t.Cleanup(func() { close(over); served.CloseClientConnections(); served.Close() })
	return served.URL, reached, open
}

// isReady asks as a balancer does.
func (s *served) isReady() bool {
	s.t.Helper()
	answer, err := http.Get(s.url + "/readyz")
	if err != nil {
		s.t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// becomesReady waits until a balancer would send calls.
func (s *served) becomesReady() {
	s.t.Helper()
	for started := time.Now(); !s.isReady(); time.Sleep(20 * time.Millisecond) {
		if time.Since(started) > patience {
			s.t.Fatalf("it is never ready: %s", s.stderr)
		}
	}
}

// TestAReplicaIsReadyWhenItKnowsItsTools: a new server of a cluster whose upstream is slow
// says no until the upstream has listed its tools; the first call that a balancer then
// sends finds the tool, and so does one of a spec that the cluster has published.
func TestAReplicaIsReadyWhenItKnowsItsTools(t *testing.T) {
	t.Parallel()
	cluster := natstest.One(t, nil)
	url, reached, open := lateServer(t)
	file := filepath.Join(t.TempDir(), "config.yaml")
	put(t, file, "upstreams: {late: {url: "+url+", allow_private: true, first_sight: trust, expose: ['*']}}\n")

	author, dir := newMachine(t), t.TempDir()
	put(t, filepath.Join(dir, "word.json"), `{"name": "word", "description": "Says a word.", "code": "return 'published';", "codeType": "Javascript", "draft": false}`)
	signed := runs(t, author, "test", "--sign", dir)
	_, key, found := strings.Cut(signed, "specs.pass_keys: ")
	if !found {
		t.Fatalf("the key is not said: %s", signed)
	}
	runs(t, author, "publish", dir, "--nats", cluster.ClientURL())

	r := replicas(t, cluster.ClientURL(), 1, "--config", file, "--pass-key", strings.Fields(key)[0])[0]
	select {
	case <-reached:
	case <-time.After(patience):
		t.Fatalf("the upstream is not asked: %s", r.stderr)
	}
	if r.isReady() {
		t.Error("it is ready while its upstream has not listed a tool")
	}
	r.says(t, `(?m)^.*server\.not_ready.*the tools of late are not listed yet`)
	if out, err := r.command("health").CombinedOutput(); err == nil || !strings.Contains(string(out), "not ready") {
		t.Errorf("its health check says %q, %v", out, err)
	}
	close(open)
	r.becomesReady()
	for tool, want := range map[string]string{"read_late": "here it is", "word": "published"} {
		if status, answer := r.called("t", tool, `{}`); status != 200 || !strings.Contains(answer.Raw, want) {
			t.Errorf("the first call of %s: %d %s", tool, status, answer.Raw)
		}
	}
}

// TestAnUpstreamThatHangsDoesNotKeepAReplicaAway: after half a minute the server is ready
// without it, and runs its other tools.
func TestAnUpstreamThatHangsDoesNotKeepAReplicaAway(t *testing.T) {
	t.Parallel()
	url, reached, _ := lateServer(t)
	file := filepath.Join(t.TempDir(), "config.yaml")
	put(t, file, "upstreams: {late: {url: "+url+", allow_private: true, first_sight: trust, expose: ['*']}}\n")
	m := newMachine(t)
	started := time.Now()
	r := replica{m, m.serve(t, "--config", file)}
	<-reached
	r.becomesReady()
	if waited := time.Since(started); waited < 30*time.Second {
		t.Errorf("it is ready after %v, without the upstream", waited)
	}
	if status, answer := r.called("t", "add", `{"a":41}`); status != 200 || !strings.Contains(answer.Raw, "42") {
		t.Errorf("%d %s", status, answer.Raw)
	}
	answer, err := http.Get(r.url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "ready\n" {
		t.Errorf("%q, %v", text, err)
	}
}
