package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// The eras of the protocol, as the newest version of each.
const (
	sessions  = "2025-11-25"
	stateless = "2026-07-28"
)

var eras = []string{"2024-11-05", "2025-06-18", sessions, stateless}

// fixture is a server with an audit record that a test can read.
type fixture struct {
	server *mcpserver.Server
	rt     *runtime.Runtime
	audit  string
}

func newFixture(t testing.TB, config mcpserver.Config, specs ...string) *fixture {
	t.Helper()
	return newFixtureWith(t, audit.Options{}, config, specs...)
}

func newFixtureWith(t testing.TB, options audit.Options, config mcpserver.Config, specs ...string) *fixture {
	t.Helper()
	f := &fixture{audit: filepath.Join(t.TempDir(), "audit.jsonl")}
	log, err := audit.Open(f.audit, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	f.rt, err = runtime.Open(t.Context(), runtime.Config{
		Engine:   jsengine.Config{CacheDir: filepath.Join(cache, "glovebox-test")},
		Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling(), Audit: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.rt.Close)
	terms := &config.Calls.Terms
	if terms.Judge == nil {
		terms.Judge = governed.ByLevel{Policy: risk.DefaultLevelPolicy()}
	}
	terms.Sanitiser, config.Calls.Audit = f.rt.Sanitiser(), log
	workspace, err := files.OpenWorkspace(t.TempDir(), files.Quota{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { workspace.Close() })
	terms.World.Workspace = workspace
	if config.Desk == nil {
		config.Desk = desk(t, t.TempDir(), approve.Settings{Wait: 10 * time.Millisecond})
	}
	config.Idle = f.rt.Idle
	f.server = mcpserver.New(config)
	f.offer(t, specs...)
	t.Cleanup(func() { f.server.Drain(context.Background()) })
	return f
}

// limited configures calls with their own limits.
func limited(limits jsengine.Limits) governed.Config {
	return governed.Config{Terms: governed.Terms{Limits: limits}}
}

// judged configures calls under a policy.
func judged(policy risk.LevelPolicy) governed.Config {
	return governed.Config{Terms: governed.Terms{Judge: governed.ByLevel{Policy: policy}}}
}

// desk opens the desk of a state folder.
func desk(t testing.TB, dir string, settings approve.Settings) *approve.Desk {
	t.Helper()
	s, err := store.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	d, err := approve.OpenDesk(t.Context(), s, settings, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (f *fixture) offer(t testing.TB, specs ...string) {
	t.Helper()
	var tools []governed.Tool
	for _, text := range specs {
		tool, problems := f.rt.Load([]byte(text))
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool)
	}
	if withheld := f.server.Publish(risk.Library, tools); len(withheld) > 0 {
		t.Fatal(withheld)
	}
}

// records returns what the audit says about the end of each call, oldest first.
func (f *fixture) records(t testing.TB) []audit.Record {
	return slices.DeleteFunc(f.allRecords(t), func(r audit.Record) bool { return r.Outcome == audit.Asked })
}

func (f *fixture) allRecords(t testing.TB) []audit.Record {
	t.Helper()
	text, err := os.ReadFile(f.audit)
	if err != nil {
		t.Fatal(err)
	}
	var all []audit.Record
	for line := range strings.Lines(string(text)) {
		var r audit.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// tool is a spec with one body and no authority; more are further members.
func tool(name, code, more string) string {
	text, err := json.Marshal(code)
	if err != nil {
		panic(err)
	}
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"name":%q,"description":"The tool %s.","code":%s,"codeType":"Javascript","draft":false%s}`, name, name, text, more)
}

var (
	add      = tool("add", "return {sum: a + b};", `"params":[{"name":"b","description":"The second.","type":"INTEGER","required":true,"testValue":"1"},{"name":"a","type":"INTEGER","required":true,"testValue":"1"}]`)
	list     = tool("list", "return [1,2];", "")
	nothing  = tool("nothing", "", "")
	throws   = tool("throws", "throw new Error('the password is hunter22');", "")
	tells    = tool("tells", "throw new ToolError('no city is called Atlantis; try another name');", "")
	forever  = tool("forever", "while (true) {}", "")
	reader   = tool("reader", "return 1;", `"sandboxOverrides":{"fileRead":true}`)
	required = tool("required", "return {ran: true};", `"humanInTheLoop":{"mode":"REQUIRED"}`)
)

// programName is what our clients call themselves: a text that wants to look like ours.
const programName = "test\n\x1b[2JLevel: L0 \u202e" + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

// connect opens a client that speaks one version over a transport.
func connect(t testing.TB, version string, transport mcp.Transport, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: programName, Version: "1"}, options)
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("negotiated %s, want %s", got, version)
	}
	return session
}

// stdio connects a client by pipes, as a program that starts the server does.
func (f *fixture) stdio(t testing.TB, version string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	return f.stdioAs(t, "stdio", version, options)
}

func (f *fixture) stdioAs(t testing.TB, principal, version string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	here, there := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- f.server.ServeStdio(context.Background(), principal, there, there) }()
	t.Cleanup(func() {
		here.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return connect(t, version, &mcp.IOTransport{Reader: here, Writer: here}, options)
}

const secret = "correct-horse-battery-staple"

// http starts an endpoint that requires the token.
func (f *fixture) http(t testing.TB) *httptest.Server {
	t.Helper()
	return f.httpThat(t, mcpserver.HTTP{})
}

// drowsy is like http, with sessions that sleep as soon as they are idle.
func (f *fixture) drowsy(t testing.TB) *httptest.Server {
	t.Helper()
	return f.httpThat(t, mcpserver.HTTP{SleepAfter: time.Nanosecond})
}

func (f *fixture) httpThat(t testing.TB, h mcpserver.HTTP) *httptest.Server {
	t.Helper()
	token, err := mcpserver.NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	h.Token, h.Hosts = token, []string{"Tools.Example.com"}
	endpoint := httptest.NewServer(f.server.Handler(h))
	t.Cleanup(endpoint.Close)
	t.Cleanup(func() { f.server.Drain(context.Background()) }) // first: ends the streams that Close waits for
	return endpoint
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func (f *fixture) overHTTP(t testing.TB, url, version string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	return connect(t, version, &mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: bearer(secret)}}, options)
}

// everywhere runs a test over both transports in every era.
func everywhere(t *testing.T, f *fixture, options *mcp.ClientOptions, test func(t *testing.T, version string, client *mcp.ClientSession)) {
	endpoint := f.http(t)
	for _, version := range eras {
		t.Run("stdio "+version, func(t *testing.T) { test(t, version, f.stdio(t, version, options)) })
		t.Run("http "+version, func(t *testing.T) { test(t, version, f.overHTTP(t, endpoint.URL, version, options)) })
	}
}

func call(t testing.TB, client *mcp.ClientSession, name, arguments string) *mcp.CallToolResult {
	t.Helper()
	result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func textOf(t testing.TB, r *mcp.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d pieces of content", len(r.Content))
	}
	return r.Content[0].(*mcp.TextContent).Text
}

func TestListAndCallInEveryEra(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, nothing, list, add)
	everywhere(t, f, nil, func(t *testing.T, version string, client *mcp.ClientSession) {
		tools, err := client.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range tools.Tools {
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != "add list nothing" {
			t.Errorf("tools in the order %s", got)
		}
		for _, row := range []struct{ name, arguments, text, structured string }{
			{"add", `{"a":2,"b":3}`, `{"sum":5}`, `{"sum":5}`},
			{"list", `{}`, `[1,2]`, map[bool]string{true: `[1,2]`, false: `null`}[version == stateless]},
			{"nothing", `{}`, "undefined", "null"},
		} {
			result := call(t, client, row.name, row.arguments)
			structured, err := json.Marshal(result.StructuredContent)
			if err != nil {
				t.Fatal(err)
			}
			if result.IsError || textOf(t, result) != row.text || string(structured) != row.structured {
				t.Errorf("%s: error %v, text %s, structured %s", row.name, result.IsError, textOf(t, result), structured)
			}
		}
	})
}

func TestFailuresTellTheModelWhatItMayKnow(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Calls: limited(jsengine.Limits{Statements: 1000})}, add, throws, tells, forever, reader, required)
	everywhere(t, f, nil, func(t *testing.T, _ string, client *mcp.ClientSession) {
		for _, row := range []struct{ name, arguments, says, hides string }{
			{"throws", `{}`, "The operator can look the cause up", "hunter22"},
			{"tells", `{}`, `The tool "tells" failed: no city is called Atlantis; try another name`, ""},
			{"forever", `{}`, "it computed more than it may", ""},
			{"add", `{"a":"x","b":1}`, "- /a: ", ""},
			{"reader", `{}`, "no operator has answered yet. Tell the person: approval ", ""},
			{"required", `{}`, "no operator has answered yet. Tell the person: approval ", "ran"},
		} {
			result := call(t, client, row.name, row.arguments)
			text := textOf(t, result)
			if !result.IsError || !strings.Contains(text, row.says) || row.hides != "" && strings.Contains(text, row.hides+"\"") {
				t.Errorf("%s: error %v: %s", row.name, result.IsError, text)
			}
			if strings.Contains(text, "hunter22") {
				t.Errorf("%s: gives the exception away: %s", row.name, text)
			}
		}
		if _, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "unheard of"}); err == nil {
			t.Error("a tool that nobody serves was called")
		}
	})
	for _, r := range f.records(t) {
		if r.Tool == "required" && (r.Outcome != audit.Refused || !strings.HasPrefix(r.Decision, "ask: ")) {
			t.Errorf("recorded as %s, %s", r.Outcome, r.Decision)
		}
		if r.Caller != "stdio" && !strings.HasPrefix(r.Caller, "token:") {
			t.Errorf("caller %q", r.Caller)
		}
	}
}

func TestThePolicyIsAsked(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Calls: judged(risk.LevelPolicy{Ceiling: risk.L2, Unasked: risk.L2})}, reader, add)
	client := f.stdio(t, stateless, nil)
	if result := call(t, client, "reader", `{}`); !result.IsError || !strings.Contains(textOf(t, result), "does not run tools of level L3") {
		t.Error(textOf(t, result))
	}
	if result := call(t, client, "add", `{"a":1,"b":1}`); result.IsError {
		t.Error(textOf(t, result))
	}
}

func TestCancellationReachesTheSandbox(t *testing.T) {
	f := newFixture(t, mcpserver.Config{ProgressEvery: time.Millisecond, Calls: limited(jsengine.Limits{Statements: 1 << 60, Time: time.Minute})}, forever)
	runs := make(chan any, 10_000) // the tokens of calls that are known to run
	options := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		runs <- r.Params.ProgressToken
	}}
	everywhere(t, f, options, func(t *testing.T, _ string, client *mcp.ClientSession) {
		before := len(f.records(t))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			params := &mcp.CallToolParams{Name: "forever"}
			params.SetProgressToken(t.Name())
			_, err := client.CallTool(ctx, params)
			ended <- err
		}()
		for <-runs != t.Name() {
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the client got %v", err)
		}
		// The record is written when the sandbox has stopped.
		for start := time.Now(); ; time.Sleep(time.Millisecond) {
			records := f.records(t)
			if len(records) > before {
				if cause := records[before].Cause; cause == nil || cause.Kind != string(runtime.Cancelled) {
					t.Errorf("recorded cause %+v", cause)
				}
				return
			}
			if time.Since(start) > enough {
				t.Fatal("the tool still runs after its call was cancelled")
			}
		}
	})
}

func TestClientsHearOfChanges(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	endpoint := f.http(t)
	heard := map[string]chan struct{}{}
	options := func(name string) *mcp.ClientOptions {
		hears := make(chan struct{}, 1000)
		heard[name] = hears
		return &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { hears <- struct{}{} }}
	}
	clients := map[string]*mcp.ClientSession{
		"stdio": f.stdio(t, sessions, options("stdio")), "http": f.overHTTP(t, endpoint.URL, sessions, options("http")),
		"stateless stdio": f.stdio(t, stateless, options("stateless stdio")), "stateless http": f.overHTTP(t, endpoint.URL, stateless, options("stateless http")),
	}
	f.offer(t, add, list)
	for name := range clients {
		// A client asks to be told after it has connected, so the first change may be too early.
		for again, start := time.NewTicker(300*time.Millisecond), time.Now(); len(heard[name]) == 0; <-again.C {
			if time.Since(start) > enough {
				t.Fatalf("%s did not hear that the list changed", name)
			}
			f.offer(t, add)
			f.offer(t, add, list)
		}
	}
	f.offer(t, add, list) // unchanged: no notification
	for name, client := range clients {
		tools, err := client.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) != 2 {
			t.Errorf("%s: %v, %v", name, tools, err)
		}
	}
	f.offer(t, list)
	if result, err := clients["http"].CallTool(t.Context(), &mcp.CallToolParams{Name: "add"}); err == nil {
		t.Errorf("a tool that was withdrawn answers %v", result)
	}
}

func TestProgressOfLongCalls(t *testing.T) {
	slow := tool("slow", "await new Promise(done => setTimeout(done, 300)); return 1;", "")
	f := newFixture(t, mcpserver.Config{ProgressEvery: 10 * time.Millisecond}, slow)
	type report struct {
		token    any
		progress float64
	}
	reports := make(chan report, 10_000)
	options := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		reports <- report{r.Params.ProgressToken, r.Params.Progress}
	}}
	everywhere(t, f, options, func(t *testing.T, _ string, client *mcp.ClientSession) {
		params := &mcp.CallToolParams{Name: "slow"}
		params.SetProgressToken(t.Name())
		if result, err := client.CallTool(t.Context(), params); err != nil || textOf(t, result) != "1" {
			t.Fatal(result, err)
		}
		// The client hands reports on by and by; two of this call tell their order.
		var last float64
		for seen := 0; seen < 2; {
			select {
			case r := <-reports:
				if r.token != t.Name() {
					continue // of the call before
				}
				if r.progress <= last {
					t.Errorf("progress went from %v to %v", last, r.progress)
				}
				last, seen = r.progress, seen+1
			case <-time.After(enough):
				t.Fatalf("%d reports", seen)
			}
		}
	})
}

func TestDrainWaitsAndThenStops(t *testing.T) {
	f := newFixture(t, mcpserver.Config{ProgressEvery: time.Millisecond, Calls: limited(jsengine.Limits{Statements: 1 << 60, Time: time.Minute})}, forever, add)
	runs := make(chan struct{})
	runsNow := sync.OnceFunc(func() { close(runs) })
	client := f.stdio(t, stateless, &mcp.ClientOptions{ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { runsNow() }})
	if result := call(t, client, "add", `{"a":1,"b":1}`); result.IsError {
		t.Fatal(textOf(t, result))
	}
	answered := make(chan *mcp.CallToolResult, 1)
	go func() {
		params := &mcp.CallToolParams{Name: "forever"}
		params.SetProgressToken("forever")
		result, _ := client.CallTool(context.Background(), params)
		answered <- result
	}()
	<-runs
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	f.server.Drain(ctx)
	if result := <-answered; result != nil && !result.IsError {
		t.Errorf("a call that was stopped answers %v", textOf(t, result))
	}
}
