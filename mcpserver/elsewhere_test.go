package mcpserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/replica"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// TestRequestsReachTheirOwner: an id of a session and the state of a waiting call lead to
// the member that made them, in both eras, and everything else stays here.
func TestRequestsReachTheirOwner(t *testing.T) {
	url := natstest.One(t, nil).ClientURL()
	join := func() *replica.Member {
		s, err := store.Connect(t.Context(), store.Cluster{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		m, err := replica.Join(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Leave)
		return m
	}
	here, there := join(), join()
	there.Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	f := newFixtureWith(t, audit.Options{}, mcpserver.Config{Replica: here}, nothing)
	endpoint := f.endpoint(t, mcpserver.HTTP{Open: true}) + "/mcp"
	for name, c := range map[string]struct {
		session, state string
		passed         bool
	}{
		"a session there":              {there.SessionID(), "", true},
		"a session here":               {here.SessionID(), "", false},
		"a session of nobody":          {"AAAAAAAAAA.x", "", false},
		"a call that waits there":      {"", "call." + there.Name() + ".ID.1.seal", true},
		"a call that waits here":       {"", "call." + here.Name() + ".ID.1.seal", false},
		"a call that waited elsewhere": {"", "call.AAAAAAAAAA.ID.1.seal", false},
		"an approval":                  {"", there.Name() + ".ID.1.seal", false},
	} {
		headers := map[string]string{"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": c.session}
		body := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		if c.session == "" {
			headers = map[string]string{"Mcp-Protocol-Version": stateless, "Mcp-Method": "tools/call", "Mcp-Name": "nothing"}
			body = fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing","arguments":{},"requestState":%q,%s}}`, c.state, meta)
		}
		r, err := http.NewRequest(http.MethodPost, endpoint, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range headers {
			r.Header.Set(name, value)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if passed := answer.StatusCode == http.StatusTeapot; passed != c.passed {
			t.Errorf("%s: passed on: %v (%s)", name, passed, answer.Status)
		}
	}
}
