package telemetry_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace"
	collectedlogs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	collectedmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlplogs "go.opentelemetry.io/proto/otlp/logs/v1"
	otlpmetrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
)

// receiver is an OTLP receiver over HTTP.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	raw     bytes.Buffer // as received, decompressed
	headers []http.Header
	paths   []string
	spans   []*otlp.Span
	metrics map[string]*otlpmetrics.Metric // as last received
	lines   []*otlplogs.LogRecord
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{metrics: map[string]*otlpmetrics.Metric{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body := io.Reader(req.Body)
	if req.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = unpacked
	}
	text, err := io.ReadAll(body)
	spans, metrics, lines := &collector.ExportTraceServiceRequest{}, &collectedmetrics.ExportMetricsServiceRequest{}, &collectedlogs.ExportLogsServiceRequest{}
	into := map[string]proto.Message{"/v1/traces": spans, "/v1/metrics": metrics, "/v1/logs": lines}[req.URL.Path]
	if into == nil {
		http.NotFound(w, req)
		return
	}
	if err := errors.Join(err, proto.Unmarshal(text, into)); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.raw.Write(text)
	r.headers, r.paths = append(r.headers, req.Header), append(r.paths, req.URL.Path)
	for _, resource := range spans.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
	for _, resource := range metrics.ResourceMetrics {
		for _, scope := range resource.ScopeMetrics {
			for _, m := range scope.Metrics {
				r.metrics[m.Name] = m
			}
		}
	}
	for _, resource := range lines.ResourceLogs {
		for _, scope := range resource.ScopeLogs {
			r.lines = append(r.lines, scope.LogRecords...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// sending opens telemetry that sends to an endpoint.
func sending(t testing.TB, config telemetry.Config, log io.Writer) *telemetry.Telemetry {
	t.Helper()
	seen, err := telemetry.Open(t.Context(), config, "test", log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = seen.Close(context.Background()) })
	return seen
}

const (
	ofMeta   = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	ofHeader = "00-11111111111111111111111111111111-2222222222222222-01"
)

// TestOnTheWire: an independent decoder reads what is sent of a call over stdio,
// configured by flag and by the standard variables.
func TestOnTheWire(t *testing.T) {
	all := []string{"/v1/logs", "/v1/metrics", "/v1/traces"}
	for _, row := range []struct {
		name      string
		configure func(t *testing.T, url string) telemetry.Config
		want      []string
		tenant    string
	}{
		{"by configuration", func(_ *testing.T, url string) telemetry.Config { return telemetry.Config{Endpoint: url} }, all, ""},
		{"with a slash", func(_ *testing.T, url string) telemetry.Config { return telemetry.Config{Endpoint: url + "/"} }, all, ""},
		{"by a whole URL", func(_ *testing.T, url string) telemetry.Config { return telemetry.Config{Endpoint: url + "/v1/traces"} }, []string{"/v1/traces"}, ""},
		{"by environment", func(t *testing.T, url string) telemetry.Config {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=7")
			t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
			return telemetry.Config{}
		}, all, "7"},
		{"one of them by environment", func(t *testing.T, url string) telemetry.Config {
			t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", url+"/v1/metrics")
			return telemetry.Config{}
		}, []string{"/v1/metrics"}, ""},
		{"all but one", func(t *testing.T, url string) telemetry.Config {
			t.Setenv("OTEL_LOGS_EXPORTER", "none")
			return telemetry.Config{Endpoint: url}
		}, []string{"/v1/metrics", "/v1/traces"}, ""},
		{"turned off", func(t *testing.T, url string) telemetry.Config {
			t.Setenv("OTEL_SDK_DISABLED", "true")
			return telemetry.Config{Endpoint: url}
		}, nil, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			to := newReceiver(t)
			f := newFixture(t, setup{telemetry: sending(t, row.configure(t, to.URL), io.Discard), specs: []string{tool("one", "return 1;", "")}})
			call(t, f.client(t, stateless, ""), "one", nil)
			if err := f.seen.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			to.mu.Lock()
			defer to.mu.Unlock()
			if got := slices.Compact(slices.Sorted(slices.Values(to.paths))); !slices.Equal(got, row.want) {
				t.Fatalf("sent to %q, want %q", got, row.want)
			}
			if slices.Contains(row.want, "/v1/traces") && (len(to.spans) != 1 || to.spans[0].Name != "tools/call one" || to.spans[0].Kind != otlp.Span_SPAN_KIND_SERVER || to.spans[0].EndTimeUnixNano <= to.spans[0].StartTimeUnixNano) {
				t.Errorf("%v", to.spans)
			}
			if slices.Contains(row.want, "/v1/metrics") {
				took := to.metrics["glovebox.call.duration"].GetHistogram()
				if took == nil || to.metrics["glovebox.call.duration"].Unit != "s" || took.DataPoints[0].Count != 1 || to.metrics["glovebox.build.info"].GetGauge() == nil {
					t.Errorf("%v", to.metrics)
				}
			}
			if slices.Contains(row.want, "/v1/logs") {
				if i := slices.IndexFunc(to.lines, func(l *otlplogs.LogRecord) bool { return l.EventName == "mcp.tool.done" }); i < 0 ||
					to.lines[i].Body.GetStringValue() != "mcp.tool.done" || to.lines[i].SeverityNumber != otlplogs.SeverityNumber_SEVERITY_NUMBER_INFO ||
					!slices.ContainsFunc(to.lines[i].Attributes, func(a *common.KeyValue) bool { return a.Key == "tool" && a.Value.GetStringValue() == "one" }) {
					t.Errorf("%v", to.lines)
				}
			}
			for _, h := range to.headers {
				if h.Get("X-Tenant") != row.tenant || (h.Get("Content-Encoding") == "gzip") != (row.tenant != "") {
					t.Errorf("sent with %v", h)
				}
			}
		})
	}
}

// TestExemplars: the buckets of a slow call lead to its trace, in the format that has
// them.
func TestExemplars(t *testing.T) {
	f := newFixture(t, setup{specs: []string{tool("one", "return 1;", "")}})
	call(t, f.client(t, stateless, ""), "one", mcp.Meta{"traceparent": ofMeta})
	request := httptest.NewRequest("GET", "/metrics", nil)
	request.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	recorder := httptest.NewRecorder()
	f.seen.Metrics().ServeHTTP(recorder, request)
	if !regexp.MustCompile(`glovebox_call_duration_seconds_bucket\{[^}]*\} 1.* # \{[^}]*trace_id="` + ofMeta[3:35] + `"`).MatchString(recorder.Body.String()) {
		t.Errorf("%s", recorder.Body)
	}
}

// TestTheSpanOfTheClient: _meta names the parent span of a call; the HTTP request
// around it, if it names another, becomes a link.
func TestTheSpanOfTheClient(t *testing.T) {
	f := newFixture(t, setup{specs: []string{tool("one", "return 1;", "")}})
	endpoint := f.endpoint(t, mcpserver.HTTP{})
	for _, row := range []struct {
		name, meta, header, trace, parent, link string
		sampled                                 bool
	}{
		{"nothing", "", "", "", "0000000000000000", "", true},
		{"_meta", ofMeta, "", ofMeta[3:35], ofMeta[36:52], "", true},
		{"a header", "", ofHeader, ofHeader[3:35], ofHeader[36:52], "", true},
		{"both", ofMeta, ofHeader, ofMeta[3:35], ofMeta[36:52], ofHeader[36:52], true},
		{"one that does not want to be seen", strings.TrimSuffix(ofMeta, "01") + "00", "", "", "", "", false},
		{"nonsense", "00-xyz", "", "", "0000000000000000", "", true},
		{"nonsense and a header", "00-xyz", ofHeader, ofHeader[3:35], ofHeader[36:52], "", true},
	} {
		headers := http.Header{"Authorization": {"Bearer a-token"}, "Tracestate": {"vendor=telltale"}, "Baggage": {"user=telltale"}}
		if row.header != "" {
			headers["Traceparent"] = []string{row.header}
		}
		meta := mcp.Meta{"tracestate": "vendor=telltale", "baggage": "user=telltale"}
		if row.meta != "" {
			meta["traceparent"] = row.meta
		}
		for _, version := range []string{sessions, stateless} {
			f.spans.Reset()
			client := connected(t, version, "", &mcp.StreamableClientTransport{Endpoint: endpoint.URL + "/mcp", HTTPClient: &http.Client{Transport: with(headers)}})
			call(t, client, "one", meta)
			if err := f.seen.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			spans := f.spans.GetSpans()
			if len(spans) != map[bool]int{true: 1}[row.sampled] {
				t.Fatalf("%s, %s: %d spans", row.name, version, len(spans))
			}
			for _, s := range spans {
				link := ""
				for _, l := range s.Links {
					link += l.SpanContext.SpanID().String()
				}
				if row.trace != "" && s.SpanContext.TraceID().String() != row.trace || s.Parent.SpanID().String() != row.parent || link != row.link {
					t.Errorf("%s, %s: trace %s, parent %s, links %s", row.name, version, s.SpanContext.TraceID(), s.Parent.SpanID(), link)
				}
				if strings.Contains(fmt.Sprintf("%+v", s), "telltale") {
					t.Errorf("%s, %s: what a client chose is in %+v", row.name, version, s)
				}
			}
		}
	}
}

// text is a Stringer and bad an error: their text does not show in the value
// itself.
type (
	text string
	bad  struct{ why string }
)

func (s text) String() string { return string(s) }
func (e bad) Error() string   { return e.why }

// TestNoSecretAnywhere puts a secret wherever texts can come from and looks for it
// in everything observed, in each form that can be read back.
func TestNoSecretAnywhere(t *testing.T) {
	const secret = "Zq7-unlikely-Secret-93"
	forms := []string{secret, hex.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(secret)), strings.ReplaceAll(secret, "-", "%2D")}
	to, log := newReceiver(t), &sink{}
	defect := false
	f := newFixture(t, setup{
		telemetry: sending(t, telemetry.Config{Endpoint: to.URL, LogFormat: "json", LogLevel: slog.LevelDebug}, log),
		lookup:    func(name string) (string, bool) { return secret, name == "KEY" },
		lend: func(principal string, _ *host.World) (func(), error) {
			if defect {
				panic(fmt.Sprintf("nothing to lend to %q, which is %s", principal, secret))
			}
			return nil, nil
		},
		world: host.World{
			Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
				return nil, fmt.Errorf("no such host %s with %s", name, secret)
			},
			Dial: func(context.Context, string, netip.AddrPort) (net.Conn, error) { return nil, errors.New(secret) },
		},
		specs: []string{
			tool("named-"+secret, "return k;", `"staticVariables":[{"k":"${KEY}"}]`),
			tool("throws", "console.log(k); throw new Error('with ' + k + ' and ' + btoa(k));", `"staticVariables":[{"k":"${KEY}"}]`),
			tool("fetches", "await fetch('https://' + k + '.example/' + k);", `"staticVariables":[{"k":"${KEY}"}],"humanInTheLoop":{"mode":"DISABLED"},"sandboxOverrides":{"networkMode":"strict"}`),
			tool("reads", "return safety.fs.readText('/' + k);", `"staticVariables":[{"k":"${KEY}"}],"humanInTheLoop":{"mode":"DISABLED"},"sandboxOverrides":{"fileRead":true,"fsBasePath":"of-`+secret+`"}`),
			tool("asks", "return k;", `"staticVariables":[{"k":"${KEY}"}],"humanInTheLoop":{"mode":"REQUIRED","promptTemplate":"`+secret+`"}`),
		},
	})
	endpoint := f.endpoint(t, mcpserver.HTTP{})
	headers := http.Header{"Authorization": {"Bearer a-token"}, "Tracestate": {"v=" + secret}, "Baggage": {"v=" + secret}, "User-Agent": {secret}}
	transport := &mcp.StreamableClientTransport{Endpoint: endpoint.URL + "/mcp", HTTPClient: &http.Client{Transport: with(headers)}}
	names := []string{"named-" + secret, "throws", "fetches", "reads", "asks", "unknown-" + secret}
	for _, version := range []string{sessions, stateless} {
		for _, answer := range []string{"", "accept", secret} {
			client := connected(t, version, answer, transport)
			for _, name := range names {
				_, _ = client.CallTool(t.Context(), &mcp.CallToolParams{
					Name: name, Arguments: map[string]any{secret: forms}, Meta: mcp.Meta{"traceparent": ofMeta, "tracestate": "v=" + secret, "progressToken": secret, "x": secret},
				})
			}
		}
	}
	defect = true
	call(t, f.client(t, sessions, ""), "throws", nil)

	lines := f.seen.Logger()
	for _, s := range forms {
		lines.Info("message "+s, "text", s, "error", fmt.Errorf("wrapped: %w", bad{s}), "stringer", text(s), "bytes", []byte(s), "struct", bad{s}, "list", []string{s}, "map", map[string]any{"a": s})
		lines.With("before", s).WithGroup("group").Warn("grouped", slog.Group("inner", "text", s), "value", slog.AnyValue(bad{s}))
	}
	if ids := strings.Count(log.String(), "session_id"); ids > 0 {
		t.Errorf("%d lines with the id of a session", ids)
	}
	// What looks like a secret is masked even if nobody granted it.
	foreign := "ghp_" + strings.Repeat("x7Kq2Lm9", 5)[:36]
	lines.Info("found " + foreign)

	if err := f.seen.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	to.mu.Lock()
	defer to.mu.Unlock()
	for where, seen := range map[string]string{"what is sent": to.raw.String(), "lines": log.String(), "metrics": f.metrics(t)} {
		for _, form := range append(forms, foreign) {
			if at := strings.Index(strings.ToLower(seen), strings.ToLower(form)); at >= 0 {
				t.Errorf("%s have %s: %q", where, form, seen[max(0, at-100):min(len(seen), at+100)])
			}
		}
		if !strings.Contains(seen, "***") {
			t.Errorf("%s have no place in which the secret was masked", where)
		}
	}
	if n := len(to.spans); n < 30 || len(to.lines) < 30 || len(to.metrics) < 15 {
		t.Errorf("only %d spans, %d lines and %d metrics were looked at", n, len(to.lines), len(to.metrics))
	}
	if !slices.ContainsFunc(log.lines(t), func(l map[string]any) bool { return l["msg"] == "call.defect" && l["cid"] != "" }) {
		t.Error("the defect has no line")
	}
}

// FuzzTraceparent: whatever a client sends, a call has a valid parent spelled out
// in it, or none, and only numbers get through.
func FuzzTraceparent(f *testing.F) {
	for _, meta := range []string{"", ofMeta, ofHeader, strings.ToUpper(ofMeta), ofMeta + "-more", "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", "ff" + ofMeta[2:], "\x00", "00-\u0664bf9"} {
		f.Add(meta, ofHeader)
		f.Add(ofHeader, meta)
	}
	f.Fuzz(func(t *testing.T, meta, header string) {
		parent, links := telemetry.Parent(telemetry.Origin{Meta: map[string]any{"traceparent": meta}, Header: http.Header{"Traceparent": {header}}})
		for _, seen := range append(links, trace.Link{SpanContext: parent}) {
			s := seen.SpanContext
			if s.IsValid() && !strings.Contains(meta+" "+header, s.TraceID().String()+"-"+s.SpanID().String()) {
				t.Errorf("%q and %q: %s", meta, header, s.TraceID())
			}
			if s.TraceState().Len() > 0 || len(seen.Attributes) > 0 {
				t.Errorf("%q and %q: %v", meta, header, seen)
			}
		}
	})
}
