package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/relay"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// oracle is a server of the SDK, which asks, reports progress and has resources.
func oracle() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "oracle", Version: "1"}, nil)
	said := func(text string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	mcp.AddTool(s, &mcp.Tool{Name: "ask"}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		if len(r.Params.InputResponses) == 0 {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2})
			return &mcp.CallToolResult{RequestState: "of the oracle", InputRequests: mcp.InputRequestMap{"who": &mcp.ElicitParams{Mode: "form", Message: "who?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}}}}, nil, nil
		}
		answer, ok := r.Params.InputResponses["who"].(*mcp.ElicitResult)
		if !ok || r.Params.RequestState != "of the oracle" {
			return nil, nil, errors.New("that is no answer of mine")
		}
		return said(fmt.Sprintf("%s %v", answer.Action, answer.Content["name"])), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "list"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, []int, error) {
		return said("[1]"), []int{1}, nil
	})
	s.AddResource(&mcp.Resource{URI: "test://a", Name: "a"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://a", Text: "A"}}}, nil
	})
	return s
}

// through is a request of an upstream as a governed tool. [exposure.Tool] is the real
// one, with levels, pins and policies; here only the way there and back counts.
func through(u *upstream.Upstream, method, listed string) *theirs {
	o := newTheirs(u.Name(), listed, "")
	o.run = func(ctx context.Context, p *governed.Permit) (out governed.Output) {
		params := []byte(p.Arguments)
		if method == "tools/call" {
			params = fmt.Appendf(nil, `{"name":%q,"arguments":%s}`, o.about.Name, p.Arguments)
		}
		var err error
		if out.Value, err = u.Call(ctx, upstream.Request{Method: method, Params: params, Peer: p.Peer}); err != nil {
			out.Failure = &governed.Failure{Kind: governed.HostFailure, Message: err.Error(), Told: err.Error()}
		}
		return out
	}
	return o
}

// TestBothErasMeet: a real server of either era, behind the gateway, and a real client of
// every version in front of it.
func TestBothErasMeet(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		t.Run(map[bool]string{false: "server with sessions", true: "server without"}[stateless], func(t *testing.T) {
			server := oracle()
			behind := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: stateless, PropagateRequestCancellation: true}))
			t.Cleanup(func() { behind.CloseClientConnections(); behind.Close() })
			u, err := upstream.New(
				upstream.Config{Name: "oracle", Kind: upstream.HTTP, URL: behind.URL, AllowPrivate: true, Offer: upstream.Offer{Elicitation: true}},
				upstream.Options{Name: "glovebox", Version: "test", Resolve: netguard.SystemResolve, Dial: netguard.SystemDial},
			)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(u.Close)
			surface, err := u.Surface(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			composition := mcpserver.Composition{Sources: []relay.Source{{Name: "oracle", Read: through(u, "resources/read", `{"name":"resources/read"}`)}}}
			for _, listed := range surface.Tools {
				composition.Tools = append(composition.Tools, through(u, "tools/call", string(listed)))
			}
			for _, listed := range surface.Resources {
				composition.Sources[0].Resources = append(composition.Sources[0].Resources, relay.Entry{Key: gjson.GetBytes(listed, "uri").Str, Listed: listed})
			}
			f := newFixture(t, mcpserver.Config{})
			f.server.Arrange(mcpserver.Endpoints{Exposure: mcpserver.Composed, Default: "all"})
			if withheld := f.server.Compose("all", composition); len(withheld) > 0 {
				t.Fatal(withheld)
			}
			progress := make(chan any, 100)
			options := person(func(_ context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
			})
			options.ProgressNotificationHandler = func(_ context.Context, n *mcp.ProgressNotificationClientRequest) { progress <- n.Params.ProgressToken }
			everywhere(t, f, options, func(t *testing.T, version string, client *mcp.ClientSession) {
				before := len(f.records(t))
				params := &mcp.CallToolParams{Name: "ask", Arguments: json.RawMessage(`{}`)}
				params.SetProgressToken("mine")
				result, err := client.CallTool(t.Context(), params)
				if err != nil || textOf(t, result) != "accept Ada" {
					t.Errorf("%+v, %v", result, err)
				}
				select {
				case token := <-progress:
					if token != "mine" {
						t.Errorf("progress of %v", token)
					}
				case <-time.After(enough):
					t.Error("no progress was heard")
				}
				listed := call(t, client, "list", `{}`)
				if structured := listed.StructuredContent != nil; listed.IsError || structured != (version >= "2026") {
					t.Errorf("%+v", listed)
				}
				read, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "test://a"})
				if err != nil || read.Contents[0].Text != "A" {
					t.Errorf("%+v, %v", read, err)
				}
				if n := len(f.records(t)) - before; n != 3 {
					t.Errorf("%d records", n)
				}
			})
		})
	}
}
