package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/contract"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

const (
	sessions  = "2025-11-25"
	stateless = "2026-07-28"
)

// sink is a standard error that a test can read while others write.
type sink struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// lines returns the JSON lines so far.
func (s *sink) lines(t testing.TB) (all []map[string]any) {
	t.Helper()
	decode := json.NewDecoder(bytes.NewReader([]byte(s.String())))
	for decode.More() {
		var line map[string]any
		if err := decode.Decode(&line); err != nil {
			t.Fatal(err)
		}
		all = append(all, line)
	}
	return all
}

// setup configures a fixture. The zero value observes into memory.
type setup struct {
	telemetry *telemetry.Telemetry // nil: spans are kept in memory
	off       bool
	policy    risk.LevelPolicy
	limits    jsengine.Limits
	lookup    catalog.Lookup
	world     host.World
	lend      func(string, *host.World) (func(), error)
	block     bool // results with credentials
	contract  *contract.Contract
	specs     []string
}

type fixture struct {
	server *mcpserver.Server
	seen   *telemetry.Telemetry
	spans  *tracetest.InMemoryExporter
	log    *sink
}

func newFixture(t testing.TB, s setup) *fixture {
	t.Helper()
	f := &fixture{seen: s.telemetry, spans: tracetest.NewInMemoryExporter(), log: &sink{}}
	if f.seen == nil && !s.off {
		f.seen = opened(t, telemetry.Config{LogFormat: "json", LogLevel: slog.LevelDebug}, f.log, f.spans)
	}
	log, err := audit.Open(filepath.Join(t.TempDir(), "audit.jsonl"), audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	config := runtime.Config{
		Engine:   jsengine.Config{CacheDir: filepath.Join(cache, "glovebox-test")},
		Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling(), Audit: log, Lookup: s.lookup,
	}
	if s.block {
		engine, err := egress.NewEngine(rules.Builtin())
		if err != nil {
			t.Fatal(err)
		}
		policy := egress.DefaultPolicy()
		policy.Classes[rules.Credential] = egress.Block
		config.Sanitiser = egress.New(engine, policy)
	}
	rt, err := runtime.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rt.Close)
	if s.world.Workspace, err = files.OpenWorkspace(t.TempDir(), files.Quota{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.world.Workspace.Close() })
	if s.policy.Ceiling == risk.Unrated {
		s.policy = risk.DefaultLevelPolicy()
	}
	state, err := store.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(state.Close)
	desk, err := approve.OpenDesk(t.Context(), state, approve.Settings{Wait: time.Millisecond}, time.Now) // there is no operator
	if err != nil {
		t.Fatal(err)
	}
	f.server = mcpserver.New(mcpserver.Config{
		Version: "test", Telemetry: f.seen, Logger: f.seen.Logger(), Contract: s.contract,
		Desk:  desk,
		Calls: governed.Config{Terms: governed.Terms{Judge: observing(s.policy), World: s.world, Limits: s.limits, Sanitiser: rt.Sanitiser()}, Audit: config.Audit, Lend: s.lend},
		Idle:  rt.Idle,
	})
	t.Cleanup(func() { f.server.Drain(context.Background()) })
	var tools []governed.Tool
	var secrets []string
	for _, text := range s.specs {
		tool, problems := rt.Load([]byte(text))
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		tools, secrets = append(tools, tool), append(secrets, tool.Secrets()...)
	}
	f.seen.Learn(rt.Sanitiser(), secrets)
	if withheld := f.server.Publish(risk.Library, tools); len(withheld) > 0 {
		t.Fatal(withheld)
	}
	return f
}

// opened starts telemetry and closes it before the test ends.
// observing judges by the policy, and notes what sessions would have said.
func observing(p risk.LevelPolicy) governed.Judge {
	return labels.New(governed.ByLevel{Policy: p}, labels.NewSessions(labels.NewMemory(), time.Now), labels.Settings{Mode: live.Observe, Now: time.Now})
}

func opened(t testing.TB, config telemetry.Config, log *sink, exporter sdktrace.SpanExporter) *telemetry.Telemetry {
	t.Helper()
	seen, err := telemetry.OpenWith(context.Background(), config, "test", log, exporter)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := seen.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return seen
}

// tool returns a spec; more holds further members.
func tool(name, code, more string) string {
	text, err := json.Marshal(code)
	if err != nil {
		panic(err)
	}
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"name":%q,"description":"The tool.","code":%s,"codeType":"Javascript","draft":false%s}`, name, text, more)
}

// client connects over pipes; answer is the person's reply, empty if no person is
// there.
func (f *fixture) client(t testing.TB, version, answer string) *mcp.ClientSession {
	t.Helper()
	here, there := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- f.server.ServeStdio(context.Background(), "stdio", there, there) }()
	t.Cleanup(func() {
		here.Close()
		<-done
	})
	return connected(t, version, answer, &mcp.IOTransport{Reader: here, Writer: here})
}

func connected(t testing.TB, version, answer string, over mcp.Transport) *mcp.ClientSession {
	t.Helper()
	options := &mcp.ClientOptions{}
	if answer != "" {
		options.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: answer, Content: map[string]any{}}, nil
		}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(t.Context(), over, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// endpoint serves over HTTP; the token is "a-token".
func (f *fixture) endpoint(t testing.TB, h mcpserver.HTTP) *httptest.Server {
	t.Helper()
	token, err := mcpserver.NewToken("a-token")
	if err != nil {
		t.Fatal(err)
	}
	h.Token = token
	endpoint := httptest.NewServer(f.server.Handler(h))
	t.Cleanup(endpoint.Close)
	t.Cleanup(func() { f.server.Drain(context.Background()) }) // ends the streams that Close waits for
	return endpoint
}

// with sends headers with each request.
type with http.Header

func (w with) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range w {
		r.Header[name] = values
	}
	return http.DefaultTransport.RoundTrip(r)
}

func call(t testing.TB, client *mcp.ClientSession, name string, meta mcp.Meta) {
	t.Helper()
	// Errors here are protocol errors; tests read the outcome elsewhere.
	_, _ = client.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(`{}`), Meta: meta})
}

// metrics fetches the metrics.
func (f *fixture) metrics(t testing.TB) string {
	t.Helper()
	recorder := httptest.NewRecorder()
	f.seen.Metrics().ServeHTTP(recorder, httptest.NewRequest("GET", "/metrics", nil))
	if recorder.Code != 200 {
		t.Fatalf("%d: %s", recorder.Code, recorder.Body)
	}
	return recorder.Body.String()
}
