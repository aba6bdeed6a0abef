package mcpserver_test

//lint:file-ignore SA1019 what is deprecated is relayed for as long as servers use it

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/relay"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// entries are definitions whose member says their key.
func entries(member string, definitions ...string) (all []relay.Entry) {
	for _, d := range definitions {
		all = append(all, relay.Entry{Key: gjson.Get(d, member).Str, Listed: json.RawMessage(d)})
	}
	return all
}

// echoes is a request of a server that answers with a result made of its params.
func echoes(source, method, result string) *theirs {
	o := newTheirs(source, fmt.Sprintf(`{"name":%q}`, method), result)
	o.run = func(_ context.Context, p *governed.Permit) (out governed.Output) {
		if gjson.GetBytes(p.Arguments, "uri").Str == "file:///gone" {
			out.Failure = &governed.Failure{Kind: governed.Exception, Verbatim: json.RawMessage(`{"code":-32002,"message":"gone for good"}`)}
			return out
		}
		text, _ := json.Marshal(source + " was sent " + string(p.Arguments))
		out.Value = json.RawMessage(strings.ReplaceAll(result, `"$"`, string(text)))
		return out
	}
	return o
}

// heard is what a source was asked for besides governed calls.
type heard struct {
	mu   sync.Mutex
	said []string
	more chan struct{}
}

func (h *heard) hear(what string) func(context.Context, string) error {
	return func(_ context.Context, of string) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.said = append(h.said, what+" "+of)
		select {
		case h.more <- struct{}{}:
		default:
		}
		return nil
	}
}

func (h *heard) wait(t testing.TB, what string) {
	t.Helper()
	for deadline := time.After(enough); ; {
		h.mu.Lock()
		said := slices.Contains(h.said, what)
		h.mu.Unlock()
		if said {
			return
		}
		select {
		case <-h.more:
		case <-deadline:
			t.Fatalf("the source did not hear %q: %q", what, h.said)
		}
	}
}

// archive is a source with everything.
func archive(h *heard) relay.Source {
	return relay.Source{
		Name:      "files",
		Resources: entries("uri", `{"uri":"file:///a","name":"A","icons":[],"later":1.0}`, `{"uri":"file:///gone","name":"G"}`),
		Templates: entries("uriTemplate", `{"uriTemplate":"file:///dir/{name}","name":"T"}`),
		Prompts:   entries("name", `{"name":"greet","arguments":[{"name":"who","required":true}],"later":null}`),
		Read:      echoes("files", "resources/read", `{"contents":[{"uri":"file:///a","text":"$"}]}`),
		Get:       echoes("files", "prompts/get", `{"messages":[{"role":"user","content":{"type":"text","text":"$"}}]}`),
		Complete:  echoes("files", "completion/complete", `{"completion":{"values":["$"],"hasMore":false}}`),
		Subscribe: h.hear("subscribe"), Unsubscribe: h.hear("unsubscribe"), LogLevel: h.hear("level"),
	}
}

// TestEverythingOfAServerIsRelayed: to clients of the SDK in every era, over both
// transports, each request a governed call of its own.
func TestEverythingOfAServerIsRelayed(t *testing.T) {
	h := &heard{more: make(chan struct{}, 1)}
	f := newFixture(t, mcpserver.Config{}, add)
	if withheld := f.server.Compose("all", mcpserver.Composition{Tools: []governed.Tool{survey()}, Sources: []relay.Source{archive(h)}}); len(withheld) > 0 {
		t.Fatal(withheld)
	}
	f.server.Arrange(mcpserver.Endpoints{Exposure: mcpserver.Both, Default: "all"})
	updates := make(chan string, 100)
	options := &mcp.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, n *mcp.ResourceUpdatedNotificationRequest) { updates <- n.Params.URI }}
	everywhere(t, f, options, func(t *testing.T, version string, client *mcp.ClientSession) {
		can := client.InitializeResult().Capabilities
		if can.Resources == nil || !can.Resources.Subscribe || can.Prompts == nil || can.Completions == nil || can.Logging == nil || can.Tools == nil {
			t.Errorf("%+v", can)
		}
		tools, err := client.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) != 2 || tools.Tools[0].Name != "add" || tools.Tools[1].Name != "survey" {
			t.Errorf("%+v, %v", tools, err)
		}
		resources, err := client.ListResources(t.Context(), nil)
		if err != nil || len(resources.Resources) != 2 || resources.Resources[0].Name != "A" {
			t.Errorf("%+v, %v", resources, err)
		}
		templates, err := client.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(templates.ResourceTemplates) != 1 {
			t.Errorf("%+v, %v", templates, err)
		}
		prompts, err := client.ListPrompts(t.Context(), nil)
		if err != nil || len(prompts.Prompts) != 1 || !prompts.Prompts[0].Arguments[0].Required {
			t.Errorf("%+v, %v", prompts, err)
		}
		before := len(f.records(t))
		for _, uri := range []string{"file:///a", "file:///dir/x", "mem://of-a-link"} {
			read, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil || read.Contents[0].Text != `files was sent {"uri":"`+uri+`"}` {
				t.Errorf("%+v, %v", read, err)
			}
		}
		if _, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "file:///gone"}); err == nil || !strings.Contains(err.Error(), "gone for good") {
			t.Error(err)
		}
		prompt, err := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"who": "Ada"}})
		if err != nil || prompt.Messages[0].Content.(*mcp.TextContent).Text != `files was sent {"arguments":{"who":"Ada"},"name":"greet"}` {
			t.Errorf("%+v, %v", prompt, err)
		}
		if _, err := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "other"}); err == nil || !strings.Contains(err.Error(), "unknown prompt") {
			t.Error(err)
		}
		completed, err := client.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "greet"}, Argument: mcp.CompleteParamsArgument{Name: "who", Value: "A"}})
		if err != nil || !strings.HasPrefix(completed.Completion.Values[0], "files was sent ") {
			t.Errorf("%+v, %v", completed, err)
		}
		if n := len(f.records(t)) - before; n != 6 {
			t.Errorf("%d records", n)
		}
		if version == stateless {
			return // subscribes by a stream; see TestSubscriptionsWithoutASession
		}
		if err := client.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "notice"}); err != nil {
			t.Error(err)
		}
		h.wait(t, "level notice")
		if err := client.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "file:///a"}); err != nil {
			t.Fatal(err)
		}
		h.wait(t, "subscribe file:///a")
		f.server.ResourceUpdated("another", "file:///a")
		f.server.ResourceUpdated("files", "file:///a")
		select {
		case uri := <-updates:
			if uri != "file:///a" {
				t.Error(uri)
			}
		case <-time.After(enough):
			t.Error("no update was heard")
		}
		if len(updates) > 0 {
			t.Error("an update of another server was heard")
		}
		client.Close()
		h.wait(t, "unsubscribe file:///a")
		h.mu.Lock()
		h.said = nil
		h.mu.Unlock()
	})
}

func TestSubscriptionsWithoutASession(t *testing.T) {
	h := &heard{more: make(chan struct{}, 1)}
	f := newFixture(t, mcpserver.Config{})
	f.server.Compose("all", mcpserver.Composition{Sources: []relay.Source{archive(h)}})
	f.server.Arrange(mcpserver.Endpoints{Exposure: mcpserver.Composed, Default: "all"})
	f.wires(t, func(t *testing.T, connect func(*testing.T) *wire) {
		w := connect(t)
		w.say(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["file:///a"],"promptsListChanged":true},` + newMeta + `}}`)
		method := func(name string) func(gjson.Result) bool {
			return func(m gjson.Result) bool { return m.Get("method").Str == name }
		}
		hear(t, w, method("notifications/subscriptions/acknowledged"))
		f.server.ResourceUpdated("files", "file:///a")
		if got := hear(t, w, method("notifications/resources/updated")); got.Get("params.uri").Str != "file:///a" {
			t.Error(got.Raw)
		}
		fewer := archive(h)
		fewer.Prompts = nil
		f.server.Compose("all", mcpserver.Composition{Sources: []relay.Source{fewer}})
		hear(t, w, method("notifications/prompts/list_changed"))
		f.server.Compose("all", mcpserver.Composition{Sources: []relay.Source{archive(h)}})
		w.close()
		h.wait(t, "unsubscribe file:///a")
		h.mu.Lock()
		h.said = nil
		h.mu.Unlock()
	})
}

// TestOfTwoServersWithOneNameTheFirstHasIt: nothing is merged, and what is withheld is
// said.
func TestOfTwoServersWithOneNameTheFirstHasIt(t *testing.T) {
	h := &heard{more: make(chan struct{}, 1)}
	other := archive(h)
	other.Name = "other"
	other.Resources = append(other.Resources, entries("uri", `{"uri":"file:///b","name":"B"}`)...)
	other.Read = echoes("other", "resources/read", `{"contents":[{"uri":"x","text":"$"}]}`)
	other.Templates = append(other.Templates, relay.Entry{Key: "file:///{", Listed: json.RawMessage(`{"uriTemplate":"file:///{"}`)})
	f := newFixture(t, mcpserver.Config{})
	f.server.Arrange(mcpserver.Endpoints{Exposure: mcpserver.Composed, Default: "all"})
	withheld := f.server.Compose("all", mcpserver.Composition{Sources: []relay.Source{archive(h), other}})
	var names []string
	for _, w := range withheld {
		names = append(names, w.Name+": "+w.Reason)
	}
	slices.Sort(names)
	if got := strings.Join(names, "\n"); strings.Count(got, `the name belongs to a tool of the source "files"`) != 4 || !strings.Contains(got, "file:///{: it is no URI template") || len(names) != 5 {
		t.Error(got)
	}
	client := f.stdio(t, stateless, nil)
	for uri, want := range map[string]string{"file:///a": "files was", "file:///b": "other was"} {
		read, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || !strings.HasPrefix(read.Contents[0].Text, want) {
			t.Errorf("%s: %+v, %v", uri, read, err)
		}
	}
	// Which of the two has a URI that neither lists is not for us to guess.
	if _, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "mem://x"}); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Error(err)
	}
}

// TestTasksAreRefused in words, and tools keep what they say about them.
func TestTasksAreRefused(t *testing.T) {
	f := newFixture(t, mcpserver.Config{})
	f.wires(t, func(t *testing.T, connect func(*testing.T) *wire) {
		got := exchange(t, connect(t), `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"x",`+newMeta+`}}`)
		if !strings.Contains(got.Get("error.message").Str, "tasks are not relayed") {
			t.Error(got.Raw)
		}
	})
}

// TestEndpoints: each serves its own set, with sessions of its own; one that is gone
// ends them.
func TestEndpoints(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	shop := newTheirs("shop", `{"name":"buy"}`, `{"content":[{"type":"text","text":"bought"}]}`)
	bank := newTheirs("bank", `{"name":"pay"}`, `{"content":[{"type":"text","text":"paid"}]}`)
	alias := newTheirs("bank", `{"name":"buy"}`, `{"content":[{"type":"text","text":"by the bank"}]}`)
	f.server.Compose("shop", mcpserver.Composition{Tools: []governed.Tool{shop}})
	f.server.Compose("bank", mcpserver.Composition{Tools: []governed.Tool{bank, alias}})
	url := f.http(t).URL
	names := func(t *testing.T, endpoint string) string {
		t.Helper()
		w := httpWire(t, url+endpoint)
		defer w.close()
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + newMeta + `}}`)
		var all []string
		text := <-w.heard
		if strings.HasPrefix(text, "HTTP 404") {
			return "404"
		}
		for _, tool := range gjson.Get(text, "result.tools").Array() {
			all = append(all, tool.Get("name").Str)
		}
		return strings.Join(all, " ")
	}
	for _, row := range []struct {
		to                        mcpserver.Endpoints
		main, builtin, shop, bank string
	}{
		{mcpserver.Endpoints{}, "add", "add", "404", "404"},
		{mcpserver.Endpoints{Exposure: mcpserver.Composed}, "", "add", "buy", "buy pay"},
		{mcpserver.Endpoints{Exposure: mcpserver.Composed, Default: "bank"}, "buy pay", "add", "buy", "buy pay"},
		{mcpserver.Endpoints{Exposure: mcpserver.Both, Default: "shop"}, "add buy", "add", "add buy", "add buy pay"},
		{mcpserver.Endpoints{ByName: map[string]mcpserver.Exposure{"bank": mcpserver.Both}}, "add", "add", "404", "add buy pay"},
		{mcpserver.Endpoints{Exposure: mcpserver.Both, ByName: map[string]mcpserver.Exposure{"bank": mcpserver.Composed, "shop": mcpserver.Builtin}}, "add", "add", "404", "buy pay"},
	} {
		f.server.Arrange(row.to)
		for endpoint, want := range map[string]string{"": row.main, "/builtin": row.builtin, "/shop": row.shop, "/bank": row.bank, "/nobody": "404"} {
			if got := names(t, "/mcp"+endpoint); got != want {
				t.Errorf("%+v: %s serves %q, want %q", row.to, endpoint, got, want)
			}
		}
	}
	f.server.Arrange(mcpserver.Endpoints{Exposure: mcpserver.Composed})
	at := func(name string) *mcp.ClientSession {
		return connect(t, sessions, &mcp.StreamableClientTransport{Endpoint: url + "/mcp/" + name, HTTPClient: &http.Client{Transport: bearer(secret)}, MaxRetries: -1}, nil)
	}
	inShop, inBank := at("shop"), at("bank")
	if got := textOf(t, call(t, inShop, "buy", `{}`)); got != "bought" {
		t.Error(got)
	}
	if got := textOf(t, call(t, inBank, "buy", `{}`)); got != "by the bank" {
		t.Error(got)
	}
	if _, err := inShop.CallTool(t.Context(), &mcp.CallToolParams{Name: "pay"}); err == nil {
		t.Error("a tool of another endpoint was called")
	}
	response := ask(t, http.MethodPost, url+"/mcp/bank", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Mcp-Session-Id", inShop.ID(), "Mcp-Protocol-Version", sessions)
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("a session of another endpoint: %d", response.StatusCode)
	}
	here, there := net.Pipe()
	go f.server.ServeStdioOf(t.Context(), "shop", "stdio", there, there)
	overStdio := connect(t, stateless, &mcp.IOTransport{Reader: here, Writer: here}, nil)
	if got := textOf(t, call(t, overStdio, "buy", `{}`)); got != "bought" {
		t.Error(got)
	}
	if err := f.server.ServeStdioOf(t.Context(), "nobody", "stdio", there, there); err == nil || !strings.Contains(err.Error(), `"nobody"`) {
		t.Error(err)
	}
	f.server.Compose("bank", mcpserver.Composition{})
	if _, err := inBank.CallTool(t.Context(), &mcp.CallToolParams{Name: "pay"}); err == nil {
		t.Error("an endpoint that is gone was called")
	}
}

// TestToolSets: what a client's sets do not show does not exist for it, in any list or
// request.
func TestToolSets(t *testing.T) {
	h := &heard{more: make(chan struct{}, 1)}
	f := newFixture(t, mcpserver.Config{}, add, list)
	f.server.Compose("all", mcpserver.Composition{Tools: []governed.Tool{survey()}, Sources: []relay.Source{archive(h)}})
	f.server.Arrange(mcpserver.Endpoints{Exposure: mcpserver.Both, Default: "all"})
	f.server.Allot([]mcpserver.ToolSet{
		{Principals: []string{"alice"}, Names: []string{"a*"}},
		{Principals: []string{"alice", "bob*"}, Servers: []string{"files"}, Names: []string{"file:///a", "greet"}},
		{Scopes: []string{"admin"}},
	})
	for principal, want := range map[string]string{"alice": "add | file:///a | greet", "bobby": " | file:///a | greet", "carol": " |  | "} {
		client := f.stdioAs(t, principal, stateless, nil)
		tools, err := client.ListTools(t.Context(), nil)
		resources, err2 := client.ListResources(t.Context(), nil)
		prompts, err3 := client.ListPrompts(t.Context(), nil)
		if err != nil || err2 != nil || err3 != nil {
			t.Fatal(err, err2, err3)
		}
		var seen [3][]string
		for _, tool := range tools.Tools {
			seen[0] = append(seen[0], tool.Name)
		}
		for _, r := range resources.Resources {
			seen[1] = append(seen[1], r.URI)
		}
		for _, p := range prompts.Prompts {
			seen[2] = append(seen[2], p.Name)
		}
		if got := strings.Join([]string{strings.Join(seen[0], " "), strings.Join(seen[1], " "), strings.Join(seen[2], " ")}, " | "); got != want {
			t.Errorf("%s sees %q, want %q", principal, got, want)
		}
		if tools.CacheScope != "private" {
			t.Error(tools.CacheScope)
		}
		_, err = client.CallTool(t.Context(), &mcp.CallToolParams{Name: "add", Arguments: map[string]int{"a": 1, "b": 2}})
		if alice := principal == "alice"; alice != (err == nil) || !alice && !strings.Contains(err.Error(), `unknown tool "add"`) {
			t.Errorf("%s: %v", principal, err)
		}
		_, err = client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "file:///gone"})
		if err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("%s: %v", principal, err)
		}
		_, err = client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "greet"})
		if (err == nil) != (principal != "carol") {
			t.Errorf("%s: %v", principal, err)
		}
	}
}
