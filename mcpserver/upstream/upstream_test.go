package upstream_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// peer is a client that answers every elicitation and keeps what it hears.
type peer struct {
	mu    sync.Mutex
	asked []string
	heard []string
	can   func(method string) bool
}

func (p *peer) Request(_ context.Context, asked ...upstream.Asked) (answers []json.RawMessage, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range asked {
		p.asked = append(p.asked, a.Method+" "+gjson.GetBytes(a.Params, "message").Str)
		answers = append(answers, json.RawMessage(`{"action":"accept","content":{"name":"Ada"}}`))
	}
	return answers, nil
}

func (p *peer) Notify(method string, params json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard = append(p.heard, method+" "+gjson.GetBytes(params, "progress").Raw+gjson.GetBytes(params, "data").Str)
}

func (p *peer) Can(method string) bool { return p.can == nil || p.can(method) }

func call(t testing.TB, u *upstream.Upstream, p upstream.Peer, tool, arguments string) string {
	t.Helper()
	result, err := u.Call(t.Context(), upstream.Request{Method: "tools/call", Params: json.RawMessage(`{"name":"` + tool + `","arguments":` + arguments + `}`), Peer: p})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if !json.Valid(result) {
		t.Fatalf("%s: %q", tool, result)
	}
	return gjson.GetBytes(result, "content.0.text").Str
}

// The SDK's server is understood over every transport and in both eras.
func TestAgainstTheSDK(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name+" "+way.era, func(t *testing.T) {
			u := open(t, configOf(t, way.name, way.era, nil), options())
			s, err := u.Surface(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if way.want != "" && s.Era != way.want {
				t.Errorf("the era is %s, want %s", s.Era, way.want)
			}
			var names []string
			for _, tool := range s.Tools {
				names = append(names, gjson.GetBytes(tool, "name").Str)
			}
			slices.Sort(names)
			if got := strings.Join(names, " "); got != "ask break off echo grow header log progress touch wait" {
				t.Errorf("the tools are %s", got)
			}
			if len(s.Resources) != 1 || len(s.Templates) != 1 || len(s.Prompts) != 1 || s.Instructions != "be kind" || len(s.Truncated) > 0 || len(s.Repeated) > 0 {
				t.Errorf("%+v", s)
			}
			if name := gjson.GetBytes(s.Server, "name").Str; name != "oracle" {
				t.Errorf("the server is %q", name)
			}
			if got := call(t, u, nil, "echo", `{"text":"é\n"}`); got != "é\n" {
				t.Errorf("echo %q", got)
			}
			read, err := u.Call(t.Context(), upstream.Request{Method: "resources/read", Params: json.RawMessage(`{"uri":"test://a"}`)})
			if err != nil || gjson.GetBytes(read, "contents.0.text").Str != "A" {
				t.Errorf("%s, %v", read, err)
			}
			prompt, err := u.Call(t.Context(), upstream.Request{Method: "prompts/get", Params: json.RawMessage(`{"name":"hello"}`)})
			if err != nil || gjson.GetBytes(prompt, "messages.0.content.text").Str != "hi" {
				t.Errorf("%s, %v", prompt, err)
			}
			if way.name != "http-json" { // an answer that is one JSON document leaves no room for anything else
				p := &peer{}
				call(t, u, p, "progress", `{}`)
				if got := strings.Join(p.heard, ","); got != "notifications/progress 1,notifications/progress 2,notifications/progress 3" {
					t.Errorf("heard %s", got)
				}
				p = &peer{}
				if got := call(t, u, p, "ask", `{}`); got != "accept Ada state" || strings.Join(p.asked, ",") != "elicitation/create who?" {
					t.Errorf("%q after %q", got, p.asked)
				}
			}
			if err := u.Check(t.Context()); err != nil {
				t.Error(err)
			}
			status := u.Status()
			if !status.Connected || status.Breaker != upstream.Closed || status.Starts != 1 || status.Running != 0 {
				t.Errorf("%+v", status)
			}
		})
	}
}
