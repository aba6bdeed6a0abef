package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
)

// asServer in the environment makes the test's own program a server on standard streams.
const asServer = "GLOVEBOX_TEST_UPSTREAM"

func TestMain(m *testing.M) {
	processes = process.Main()
	switch os.Getenv(asServer) {
	case "":
		os.Exit(m.Run())
	case "sdk":
		if err := sdkServer(make(chan string, 100)).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "sdk http", "sdk http stateless":
		serveSDKOnHTTP(os.Getenv(asServer) == "sdk http stateless")
	default:
		misbehaveOnStdio(os.Getenv(asServer))
	}
}

// sdkServer has something of everything. It is the oracle for how a server behaves. told
// hears what the clients of a server in the same process cannot see.
func sdkServer(told chan<- string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "oracle", Version: "1"}, &mcp.ServerOptions{
		Instructions: "be kind",
		PageSize:     2,
		Logger:       nil,
		SubscribeHandler: func(context.Context, *mcp.SubscribeRequest) error {
			return nil
		},
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	type text struct {
		Text string `json:"text"`
	}
	say := func(format string, args ...any) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in text) (*mcp.CallToolResult, any, error) {
		return say("%s", in.Text), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "progress"}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		for i := range 3 {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1)})
		}
		return say("done"), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "log"}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		//lint:ignore SA1019 servers log in this way until the feature is removed
		err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "error", Data: "ouch"})
		return say("logged"), nil, err
	})
	mcp.AddTool(s, &mcp.Tool{Name: "ask"}, func(_ context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		if len(r.Params.InputResponses) == 0 {
			return &mcp.CallToolResult{RequestState: "state", InputRequests: mcp.InputRequestMap{"who": &mcp.ElicitParams{Mode: "form", Message: "who?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}}}}, nil, nil
		}
		answer := r.Params.InputResponses["who"].(*mcp.ElicitResult)
		return say("%s %v %s", answer.Action, answer.Content["name"], r.Params.RequestState), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		told <- "waiting"
		select {
		case <-ctx.Done():
			told <- "cancelled"
		case <-time.After(patience):
		}
		return say("waited"), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "touch"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		return say("touched"), nil, s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "test://a"})
	})
	mcp.AddTool(s, &mcp.Tool{Name: "break off"}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		r.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: time.Millisecond})
		return say("taken up"), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "grow"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		mcp.AddTool(s, &mcp.Tool{Name: "grown"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return say("more"), nil, nil
		})
		return say("grew"), nil, nil
	})
	s.AddTool(&mcp.Tool{Name: "header", InputSchema: map[string]any{"type": "object", "properties": map[string]any{"region": map[string]any{"type": "string", "x-mcp-header": "Region"}}}},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return say("%s", r.Extra.Header.Get("Mcp-Param-Region")), nil
		})
	s.AddResource(&mcp.Resource{URI: "test://a", Name: "a"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://a", Text: "A"}}}, nil
	})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://{x}", Name: "x"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, mcp.ResourceNotFoundError("test://x")
	})
	s.AddPrompt(&mcp.Prompt{Name: "hello"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi"}}}}, nil
	})
	return s
}

// ways are how the SDK's server can be reached, and what era each ends in.
var ways = []struct {
	name, era, want string
}{
	{"stdio", "auto", "modern"},
	{"stdio", "legacy", "legacy"},
	{"http", "auto", "legacy"}, // the stateful handler speaks only the older era
	{"http-json", "legacy", "legacy"},
	{"http-stateless", "auto", "modern"},
	{"http-stateless", "modern", "modern"},
	{"sse", "auto", ""}, // what it ends in is the SDK's choice
	{"sse", "legacy", "legacy"},
}

// configOf starts a server and says how it is reached.
func configOf(t testing.TB, way, era string, told chan<- string) upstream.Config {
	t.Helper()
	c := upstream.Config{Name: way, Era: era, Offer: upstream.Offer{Elicitation: true, Sampling: true, Roots: true}}
	var handler http.Handler
	server := sdkServer(told)
	get := func(*http.Request) *mcp.Server { return server }
	switch way {
	case "stdio":
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		c.Kind, c.Command, c.Env = upstream.Stdio, []string{self}, map[string]string{asServer: "sdk"}
		return c
	case "http":
		handler = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)})
	case "http-json":
		handler = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{JSONResponse: true})
	case "http-stateless":
		handler = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	case "sse":
		handler = mcp.NewSSEHandler(get, nil)
	}
	served := httptest.NewServer(handler)
	t.Cleanup(func() {
		served.CloseClientConnections()
		served.Close()
	})
	c.Kind, c.URL, c.AllowPrivate = upstream.HTTP, served.URL, true
	if way == "sse" {
		c.Kind = upstream.SSE
	}
	return c
}

// processes is what the test's program starts processes with.
var processes process.Supervisor

func options() upstream.Options {
	return upstream.Options{Processes: processes, Name: "glovebox", Version: "test", Resolve: netguard.SystemResolve, Dial: netguard.SystemDial}
}

func open(t testing.TB, c upstream.Config, o upstream.Options) *upstream.Upstream {
	t.Helper()
	u, err := upstream.New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(u.Close)
	return u
}

// What a server lists is kept and shown to the person who reviews it, so a server that
// puts the operator's token into its texts shows nobody the token.
func TestListedSecretsAreMasked(t *testing.T) {
	const token = "tok-4711-\"quoted\""
	leaky := mcp.NewServer(&mcp.Implementation{Name: "leaky", Version: token}, &mcp.ServerOptions{Instructions: "use " + token})
	leaky.AddTool(&mcp.Tool{Name: "t", Description: "called as " + token, InputSchema: map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string", "default": token}}}}, nil)
	leaky.AddPrompt(&mcp.Prompt{Name: "p", Description: token}, nil)
	leaky.AddResource(&mcp.Resource{Name: "r", URI: "file:///r", Description: token}, nil)
	leaky.AddResourceTemplate(&mcp.ResourceTemplate{Name: "u", URITemplate: "file:///{u}", Description: token}, nil)
	served := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return leaky }, nil))
	t.Cleanup(served.Close) // after the client has let go of its stream

	o := options()
	o.Lookup = func(name string) (string, bool) { return token, name == "TOKEN" }
	u := open(t, upstream.Config{Name: "leaky", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true, Headers: map[string]string{"Authorization": "Bearer ${TOKEN}"}}, o)
	s, err := u.Surface(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tools) != 1 || len(s.Prompts) != 1 || len(s.Resources) != 1 || len(s.Templates) != 1 || strings.Count(string(text), "***") != 7 || strings.Contains(string(text), "4711") {
		t.Errorf("%s", text)
	}
}
