package labels_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// gateway is a server between scripted clients and real MCP servers over HTTP.
type gateway struct {
	t      *testing.T
	server *mcpserver.Server
	desk   *approve.Desk
	log    *audit.Log
	path   string
	ran    atomic.Int32 // calls that reached a server
	now    func() time.Time
}

// remote is a tool of another server. Its calls go over the network.
type remote struct {
	g      *gateway
	about  governed.About
	listed json.RawMessage
	to     *upstream.Upstream
}

func (r *remote) About() *governed.About                                     { return &r.about }
func (r *remote) Listed() json.RawMessage                                    { return r.listed }
func (r *remote) Check(arguments []byte) (json.RawMessage, catalog.Problems) { return arguments, nil }
func (r *remote) Run(ctx context.Context, p *governed.Permit) (out governed.Output) {
	if err := p.Check(r.about.Hash); err != nil {
		out.Failure = &governed.Failure{Kind: governed.NotCleared, Cause: err}
		return out
	}
	r.g.ran.Add(1)
	params, err := json.Marshal(map[string]any{"name": r.about.Name, "arguments": p.Arguments})
	if err == nil {
		out.Value, err = r.to.Call(ctx, upstream.Request{Method: "tools/call", Params: params})
	}
	if err != nil {
		out.Failure = &governed.Failure{Kind: governed.HostFailure, Message: err.Error(), Cause: err}
	}
	return out
}

// tool is what one tool of a test's server answers.
type tool struct {
	server, name, about string
	schema              string // of the arguments: names, separated by blanks
	output              string // schema of the result; empty for none
	answer              func(arguments gjson.Result) *mcp.CallToolResult
}

func says(text string) func(gjson.Result) *mcp.CallToolResult {
	return func(gjson.Result) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
}

// options of a gateway; the zero value enforces, in memory, without a file.
type options struct {
	keeper labels.Keeper
	mode   live.Mode
	file   string
	state  string // folder of the desk
	now    func() time.Time
	judge  governed.Judge // instead of one of labels
}

func newGateway(t *testing.T, o options, tools ...tool) *gateway {
	t.Helper()
	if o.keeper == nil {
		o.keeper = labels.NewMemory()
	}
	if o.mode == live.Off {
		o.mode = live.Enforce
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.state == "" {
		o.state = t.TempDir()
	}
	var file *live.File
	if o.file != "" {
		var err error
		if file, err = live.ParseFile([]byte(o.file)); err != nil {
			t.Fatal(err)
		}
	}
	g := &gateway{t: t, path: filepath.Join(t.TempDir(), "audit.jsonl"), now: o.now}
	var err error
	if g.log, err = audit.Open(g.path, audit.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.log.Close() })
	s, err := store.Open(t.Context(), o.state, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if g.desk, err = approve.OpenDesk(t.Context(), s, approve.Settings{Wait: 10 * time.Millisecond}, time.Now); err != nil {
		t.Fatal(err)
	}
	engine, err := egress.NewEngine(rules.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	var judge governed.Judge = labels.New(governed.ByLevel{Policy: risk.LevelPolicy{Ceiling: risk.L5, Trusted: risk.L5}},
		labels.NewSessions(o.keeper, o.now), labels.Settings{Mode: o.mode, File: file, Now: o.now})
	if o.judge != nil {
		judge = o.judge
	}
	g.server = mcpserver.New(mcpserver.Config{Desk: g.desk, Calls: governed.Config{
		Terms: governed.Terms{Judge: judge, Sanitiser: egress.New(engine, egress.DefaultPolicy())}, Audit: g.log,
	}})
	g.publish(tools)
	t.Cleanup(func() { g.server.Drain(context.Background()) })
	return g
}

// publish starts the servers of the tools and offers what they list.
func (g *gateway) publish(tools []tool) {
	g.t.Helper()
	servers := map[string]*mcp.Server{}
	for _, tl := range tools {
		s := servers[tl.server]
		if s == nil {
			s = mcp.NewServer(&mcp.Implementation{Name: tl.server, Version: "1"}, nil)
			servers[tl.server] = s
		}
		properties := map[string]any{}
		for _, name := range strings.Fields(tl.schema) {
			properties[name] = map[string]any{"type": "string"}
		}
		listed := &mcp.Tool{Name: tl.name, Description: tl.about, InputSchema: map[string]any{"type": "object", "properties": properties}}
		if tl.output != "" {
			listed.OutputSchema = json.RawMessage(tl.output)
		}
		s.AddTool(listed, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return tl.answer(gjson.ParseBytes(r.Params.Arguments)), nil
		})
	}
	for name, s := range servers {
		web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*httpRequest) *mcp.Server { return s }, nil))
		g.t.Cleanup(web.Close)
		to, err := upstream.New(upstream.Config{Name: name, Kind: "http", URL: web.URL, AllowPrivate: true}, upstream.Options{
			Name: "test", Version: "1",
			Resolve: netguard.SystemResolve, Dial: netguard.SystemDial,
		})
		if err != nil {
			g.t.Fatal(err)
		}
		g.t.Cleanup(to.Close)
		surface, err := to.Surface(g.t.Context())
		if err != nil {
			g.t.Fatal(err)
		}
		var offered []governed.Tool
		for _, raw := range surface.Tools {
			called := gjson.GetBytes(raw, "name").String()
			offered = append(offered, &remote{g: g, to: to, listed: raw, about: governed.About{
				Source: name, Name: called, Hash: risk.ToolHash(risk.HashArguments(raw)), Level: risk.L3, ID: name + "/" + called,
			}})
		}
		if withheld := g.server.Publish(name, offered); len(withheld) > 0 {
			g.t.Fatal(withheld)
		}
	}
}

// client connects somebody who cannot be asked.
func (g *gateway) client(principal string) *client { return g.clientOf(principal, nil) }

func (g *gateway) clientOf(principal string, o *mcp.ClientOptions) *client {
	g.t.Helper()
	here, there := net.Pipe()
	go g.server.ServeStdio(context.Background(), principal, there, there)
	c := mcp.NewClient(&mcp.Implementation{Name: "scripted", Version: "1"}, o)
	session, err := c.Connect(g.t.Context(), &mcp.IOTransport{Reader: here, Writer: here}, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { session.Close() })
	return &client{g, session}
}

type client struct {
	g       *gateway
	session *mcp.ClientSession
}

// answer is what came of a call.
type answer struct {
	text    string
	ran     bool
	verdict string // of the engine, from the record
	flow    labels.Flow
	record  audit.Record
}

// call makes one call. arguments are pairs of name and value.
func (c *client) call(name string, arguments ...string) answer {
	t := c.g.t
	t.Helper()
	values := map[string]any{}
	for i := 0; i < len(arguments); i += 2 {
		values[arguments[i]] = arguments[i+1]
	}
	before := c.g.ran.Load()
	result, err := c.session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: values})
	if err != nil {
		t.Fatal(err)
	}
	a := answer{ran: c.g.ran.Load() > before}
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			a.text += text.Text
		}
	}
	if err := audit.Read(c.g.path, audit.Filter{}, func(e audit.Entry) error { a.record = e.Record; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(a.record.Flow, &a.flow); err != nil {
		t.Fatalf("the record has no flow: %v", err)
	}
	a.verdict = a.flow.Verdict
	return a
}

// fired reports whether a rule did.
func (a *answer) fired(rule string) bool {
	for _, f := range a.flow.Fired {
		if f.Rule == rule {
			return true
		}
	}
	return false
}

// wants checks a verdict and whether the call reached its server.
func (a answer) wants(t *testing.T, what, verdict string, ran bool) {
	t.Helper()
	if a.verdict != verdict || a.ran != ran {
		t.Errorf("%s: %s (ran %v), want %s (ran %v): %s %s", what, a.verdict, a.ran, verdict, ran, a.text, a.record.Flow)
	}
}
