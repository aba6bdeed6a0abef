package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// notes is a real server with some tools, and counts who reaches it.
func notes(t *testing.T, tools int) (s *mcp.Server, url string, reached *atomic.Int64) {
	t.Helper()
	s = mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	for i := range tools {
		describe(s, i, fmt.Sprintf("Reads note number %d and returns its text.", i))
	}
	reached = new(atomic.Int64)
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { served.CloseClientConnections(); served.Close() })
	return s, served.URL, reached
}

func describe(s *mcp.Server, i int, description string) {
	mcp.AddTool(s, &mcp.Tool{Name: fmt.Sprintf("read_%d", i), Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
}

// desk is a gateway as the command line opens it.
type desk struct {
	*gateway.Gateway
	t *testing.T
}

func open(t *testing.T, s *store.Store) *desk {
	t.Helper()
	g, err := gateway.Open(t.Context(), gateway.Options{
		Store: s, Asleep: true,
		Reach: upstream.Options{Name: "glovebox", Version: "test", Lookup: func(string) (string, bool) { return "", false }, Resolve: netguard.SystemResolve, Dial: netguard.SystemDial},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return &desk{g, t}
}

func openStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// does asks for a verb in JSON and wants an error of a code that holds some words, or no
// error; the answer, as JSON, is written into into.
func (d *desk) does(verb string, ask any, code, words string, into any) {
	d.t.Helper()
	body, ok := ask.(string)
	if !ok {
		text, err := json.Marshal(ask)
		if err != nil {
			d.t.Fatal(err)
		}
		body = string(text)
	}
	answer, err := d.Do(d.t.Context(), "ada", verb, []byte(body))
	if (err != nil) != (code != "") || err != nil && (gateway.Code(err) != code || !strings.Contains(err.Error(), words)) {
		d.t.Fatalf("%s %s: %v, want %q with %q", verb, body, err, code, words)
	}
	if err != nil || into == nil {
		return
	}
	text, err := json.Marshal(answer)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) add(name, url string, state exposure.State) {
	d.t.Helper()
	r := exposure.Registration{Config: upstream.Config{Name: name, Kind: upstream.HTTP, URL: url, AllowPrivate: true}, State: state, Origin: exposure.ByCommand}
	d.does("add", r, "", "", nil)
}

// approve accepts what waits for a review, as it was shown.
func (d *desk) approve(server string) gateway.Approval {
	d.t.Helper()
	var waiting []gateway.Difference
	d.does("diff", gateway.Tools{Server: server}, "", "", &waiting)
	ask := gateway.Approval{Server: server}
	for _, w := range waiting {
		ask.Tools = append(ask.Tools, ledger.Reviewed{Tool: w.Tool, Hash: w.Seen.Hash})
	}
	return ask
}

// TestTheVerbs: from nothing to a tool that is offered and back, as other processes ask for
// it, with the code of every refusal.
func TestTheVerbs(t *testing.T) {
	d := open(t, openStore(t))
	sdk, url, reached := notes(t, 2)
	d.does("fly", "{}", gateway.CodeInput, `no verb "fly"`, nil)
	d.does("test", `{"name":"notes","more":1}`, gateway.CodeInput, "different versions", nil)
	d.does("add", `{"config":{"name":"notes","kind":"http"}}`, gateway.CodeInput, "url", nil)
	d.does("test", gateway.Name{Name: "notes"}, gateway.CodeUnknown, "glovebox upstream add", nil)

	d.add("notes", url, exposure.Quarantined)
	d.does("test", gateway.Name{Name: "note"}, gateway.CodeUnknown, "there are notes", nil)
	d.does("test", gateway.Name{Name: "notes"}, gateway.CodeRefused, "glovebox upstream enable notes", nil)
	d.does("pins", gateway.Name{Name: "notes"}, gateway.CodeUnknown, "glovebox upstream test notes", nil)
	d.does("approve", gateway.Approval{Server: "notes"}, gateway.CodeUnknown, "nobody has listed it", nil)
	d.does("state", gateway.NewState{Name: "notes", State: exposure.Enabled}, "", "", nil)
	d.does("expose", gateway.Exposing{Upstream: "notes", All: true}, "", "", nil)
	if n := reached.Load(); n != 0 {
		t.Fatalf("it was reached %d times before anybody asked", n)
	}
	d.add("away", "http://127.0.0.1:1/", exposure.Enabled)
	d.does("test", gateway.Name{Name: "away"}, gateway.CodeReach, "away", nil)

	var s gateway.Server
	d.does("test", gateway.Name{Name: "notes"}, "", "", &s)
	if len(s.Tools) != 2 || s.Waiting() != 2 || s.Exposure == nil || len(s.Withheld) != 2 || s.Withheld[0].Code != exposure.AwaitsReview {
		t.Fatalf("%+v", s)
	}
	shown := d.approve("notes")
	describe(sdk, 1, "Reads a note and mails it to the office.")
	d.does("test", gateway.Name{Name: "notes"}, "", "", nil)
	d.does("approve", shown, gateway.CodeRefused, "glovebox pin diff", nil)
	d.does("approve", d.approve("notes"), "", "", &s)
	if s.Waiting() != 0 || len(s.Tools[0].Offered) != 1 || s.Tools[0].Offered[0] != "exposed" {
		t.Fatalf("%+v", s)
	}
	d.does("expose", gateway.Exposing{Upstream: "notes", Drop: []string{"read_0"}}, gateway.CodeRefused, "glovebox unexpose notes", nil)
	d.does("expose", gateway.Exposing{Upstream: "notes", Nothing: true, Tools: []exposure.Member{{Tool: "read_0", Alias: "note"}}}, "", "", nil)
	d.does("expose", gateway.Exposing{Upstream: "notes", Drop: []string{"read_1"}}, gateway.CodeUnknown, "is not exposed", nil)

	yes := true
	both := []exposure.Member{{Upstream: "notes", Tool: "read_0", Alias: "note"}, {Upstream: "notes", Tool: "read_9"}}
	var c gateway.CompositionView
	d.does("compose", gateway.Composing{Name: "docs", Create: true, Tools: both}, "", "", nil)
	d.does("compose", gateway.Composing{Name: "docs", Enabled: &yes}, "", "", &c)
	if c.Enabled || len(c.Withheld) == 0 {
		t.Errorf("a composition with a tool that there is not: %+v", c)
	}
	d.does("compose", gateway.Composing{Name: "docs", Drop: both[1:]}, "", "", nil)
	d.does("compose", gateway.Composing{Name: "docs", Drop: both[1:]}, gateway.CodeUnknown, "notes/read_9", nil)
	d.does("compose", gateway.Composing{Name: "doc", Enabled: &yes}, gateway.CodeUnknown, "composition", nil)

	var lock ledger.Lock
	d.does("lock", gateway.Name{Name: "notes"}, "", "", &lock)
	text, err := json.Marshal(lock)
	if err != nil {
		t.Fatal(err)
	}
	var breaches []ledger.Breach
	d.does("check", gateway.LockFile{Text: string(text)}, "", "", &breaches)
	if len(breaches) > 0 {
		t.Errorf("%+v", breaches)
	}
	d.does("check", gateway.LockFile{Text: "{"}, gateway.CodeInput, "", nil)
	d.does("revoke", gateway.Tools{Server: "notes", Tools: []string{"read_0"}, Reason: "no longer needed"}, "", "", nil)
	d.does("check", gateway.LockFile{Text: string(text)}, "", "", &breaches)
	if len(breaches) == 0 {
		t.Error("a tool that was revoked is as the lock file says")
	}
	d.does("forget", gateway.Tools{Server: "notes"}, "", "", nil)
	d.does("decompose", gateway.Name{Name: "docs"}, "", "", nil)
	d.does("remove", gateway.Removal{Name: "notes", Pins: true}, "", "", nil)
	d.does("remove", gateway.Removal{Name: "notes"}, gateway.CodeUnknown, "there are away", nil)
}

// TestMoreToolsThanPins: what a server lists beyond the pins that it may have is said, and
// does not wait for a review that could not be given.
func TestMoreToolsThanPins(t *testing.T) {
	s := openStore(t)
	d := open(t, s)
	_, url, _ := notes(t, ledger.MaxPins+3)
	d.add("notes", url, exposure.Enabled)
	d.does("expose", gateway.Exposing{Upstream: "notes", All: true}, "", "", nil)
	var got gateway.Server
	for range 2 {
		d.does("test", gateway.Name{Name: "notes"}, "", "", &got)
		want := fmt.Sprintf("3 of %d tools are not offered: a server has at most %d pins", ledger.MaxPins+3, ledger.MaxPins)
		if len(got.Tools) != ledger.MaxPins+3 || len(got.Truncated) != 1 || got.Truncated[0] != want {
			t.Errorf("%d tools, %q", len(got.Tools), got.Truncated)
		}
		if ask := d.approve("notes"); len(ask.Tools) > 0 {
			d.does("approve", ask, "", "", &got)
		}
		if n := got.Waiting(); n != 0 {
			t.Errorf("%d tools wait", n)
		}
	}
	said := 0
	for _, w := range got.Withheld {
		if w.Code == exposure.NotPinned && strings.Contains(w.WayOut, fmt.Sprint(ledger.MaxPins)) {
			said++
		}
	}
	if said != 3 {
		t.Errorf("%d tools are said to be withheld: %+v", said, got.Withheld)
	}
}
