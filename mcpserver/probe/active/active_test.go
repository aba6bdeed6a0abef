package active

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/session"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
	"github.com/glovebox-run/glovebox/risk/score"
)

// serve answers every call, and refuses those of one tool.
func serve(t *testing.T, refuses string) (session.Dial, func() []string) {
	var mu sync.Mutex
	var called []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments json.RawMessage
			}
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch {
		case m.Method == "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}}`, m.ID)
		case m.Method == "tools/call" && m.Params.Name != refuses:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, m.ID)
		case m.Method == "tools/call":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"ghp_secret"}}`, m.ID)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}`, m.ID)
		}
		if m.Method == "tools/call" {
			mu.Lock()
			defer mu.Unlock()
			called = append(called, m.Params.Name+" "+string(m.Params.Arguments))
		}
	}))
	t.Cleanup(srv.Close)
	to, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	dial := func(_ context.Context, handle transport.Handle, dropped func(transport.Drop)) (transport.Conn, error) {
		return transport.NewHTTP(to, http.DefaultTransport, http.Header{}, handle, dropped), nil
	}
	return dial, func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(called) }
}

func observed(tools ...string) (*score.Observation, *score.Report) {
	o := &score.Observation{Target: score.Target{Kind: score.HTTP, URL: "https://a.example.com/"}, Hello: &score.Hello{}, Tools: score.Listing{Asked: true}}
	for _, raw := range tools {
		o.Tools.Items = append(o.Tools.Items, json.RawMessage(raw))
	}
	r := score.Evaluate(*o, score.Refined, score.Background{})
	return o, &r
}

func reader(name, properties, required string) string {
	return fmt.Sprintf(`{"name":%q,"description":"Gets the height of the tide.","inputSchema":{"type":"object","properties":{%s},"required":[%s]}}`, name, properties, required)
}

// Either consent alone calls nothing.
func TestBothHaveToAgree(t *testing.T) {
	dial, called := serve(t, "")
	o, r := observed(reader("get_height", "", ""))
	for _, g := range []Gate{{}, {Machine: true}, {Scan: true}} {
		if _, err := Probe(t.Context(), g, dial, session.Options{Era: session.Legacy}, o, r); !errors.Is(err, ErrClosed) {
			t.Errorf("%+v: %v", g, err)
		}
	}
	if len(called()) > 0 {
		t.Errorf("called %v", called())
	}
}

func TestWhatIsCalled(t *testing.T) {
	dial, called := serve(t, "get_depth")
	o, r := observed(
		`{"name":"delete_station","description":"Deletes a station.","inputSchema":{"type":"object"}}`,
		`{"name":"get_hidden","description":"Gets.","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}`,
		`{"name":"get_admitted","description":"Gets.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}`,
		reader("get_user", "", ""),
		reader("get_by_token", "", ""),
		reader("get_page", `"url":{"type":"string"}`, `"url"`),
		reader("get_pattern", `"station":{"type":"string","pattern":"^x$"}`, `"station"`),
		reader("get_object", `"station":{"type":"object"}`, `"station"`),
		reader("get_long", `"station":{"type":"string","minLength":50}`, `"station"`),
		reader("get_height", `"station":{"type":"string","enum":["Brest"]},"day":{"type":"integer","minimum":3},"exact":{"type":"boolean"}`, `"station","day","exact"`),
		reader("get_depth", `"place":{"type":"string","maxLength":3}`, `"place"`),
		reader("get_range", "", ""),
		reader("get_fourth", "", ""),
	)
	did, err := Probe(t.Context(), Gate{Machine: true, Scan: true}, dial, session.Options{Era: session.Legacy}, o, r)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`get_height {"day":3,"exact":false,"station":"Brest"}`, `get_depth {"place":"exa"}`, "get_range {}"}
	if got := called(); !slices.Equal(got, want) {
		t.Errorf("called %q, want %q", got, want)
	}
	if len(did.Calls) != score.MaxActiveCalls || did.Calls[0].Error != "" || did.Calls[1].Error == "" || did.Calls[2].Error != "" {
		t.Errorf("%+v", did.Calls)
	}
	o.Active = did
	for _, f := range score.Evaluate(*o, score.Refined, score.Background{}).Rules {
		if f.ID == "active_probe_read_tools_honor_their_schema" && f.Status != score.Fail {
			t.Error(f.Status)
		}
	}
}
