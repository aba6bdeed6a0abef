package labels_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

type token string

func (k token) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

// TestModesOfCompositions: what decisions do is said for each composition; what a client
// met at one counts at the others.
func TestModesOfCompositions(t *testing.T) {
	file, err := live.ParseFile([]byte(officeFile))
	if err != nil {
		t.Fatal(err)
	}
	judge := labels.New(governed.ByLevel{Policy: risk.LevelPolicy{Ceiling: risk.L5, Trusted: risk.L5}}, labels.NewSessions(labels.NewMemory(), time.Now),
		labels.Settings{Mode: live.Observe, Modes: map[string]live.Mode{"strict": live.Enforce, "asking": live.Ask}, File: file, Now: time.Now})
	g := newGateway(t, options{judge: judge}, office()...)
	for _, name := range []string{"strict", "asking", "plain"} {
		if withheld := g.server.Compose(name, mcpserver.Composition{Tools: g.server.Offered()}); len(withheld) > 0 {
			t.Fatal(withheld)
		}
	}
	g.server.Arrange(mcpserver.Endpoints{Exposure: mcpserver.Both, ByName: map[string]mcpserver.Exposure{"strict": mcpserver.Composed, "asking": mcpserver.Composed, "plain": mcpserver.Composed}})
	const key = "0123456789abcdef0123456789abcdef"
	accepted, err := mcpserver.NewToken(key)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(g.server.Handler(mcpserver.HTTP{Token: accepted}))
	t.Cleanup(web.Close)
	t.Cleanup(func() { g.server.Drain(t.Context()) })
	call := func(endpoint, name string, arguments map[string]any) (flow labels.Flow, ran, asked bool) {
		t.Helper()
		c := mcp.NewClient(&mcp.Implementation{Name: "scripted", Version: "1"}, nil)
		session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL + "/mcp" + endpoint, HTTPClient: &http.Client{Transport: token(key)}, MaxRetries: -1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		before := g.ran.Load()
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments}); err != nil {
			t.Fatal(err)
		}
		var record audit.Record
		if err := audit.Read(g.path, audit.Filter{}, func(e audit.Entry) error { record = e.Record; return nil }); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(record.Flow, &flow); err != nil {
			t.Fatal(err)
		}
		return flow, g.ran.Load() > before, record.Approval != nil
	}
	mail := map[string]any{"to": "audit@collector.example", "body": "hi"}
	if _, ran, _ := call("", "read_ticket", map[string]any{"number": "7"}); !ran {
		t.Fatal("the ticket was not read")
	}
	for endpoint, want := range map[string]struct {
		mode       string
		ran, asked bool
	}{
		"": {"observe", true, false}, "/plain": {"observe", true, false}, "/asking": {"ask", false, true}, "/strict": {"enforce", false, false},
	} {
		if flow, ran, asked := call(endpoint, "send_mail", mail); flow.Verdict != "deny" || flow.Mode != want.mode || ran != want.ran || asked != want.asked {
			t.Errorf("/mcp%s: %s in mode %s, ran %v, asked %v; want %+v", endpoint, flow.Verdict, flow.Mode, ran, asked, want)
		}
	}
}
