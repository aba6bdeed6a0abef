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
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
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
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{}
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
	var got collector.ExportTraceServiceRequest
	if err := errors.Join(err, proto.Unmarshal(text, &got)); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.raw.Write(text)
	r.headers, r.paths = append(r.headers, req.Header), append(r.paths, req.URL.Path)
	for _, resource := range got.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
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

// TestSpansOnTheWire: an independent decoder reads what is sent, configured by flag
// and by the standard variables.
func TestSpansOnTheWire(t *testing.T) {
	for name, configure := range map[string]func(t *testing.T, url string) telemetry.Config{
		"by configuration": func(_ *testing.T, url string) telemetry.Config { return telemetry.Config{Endpoint: url} },
		"by a whole URL":   func(_ *testing.T, url string) telemetry.Config { return telemetry.Config{Endpoint: url + "/v1/traces"} },
		"by environment": func(t *testing.T, url string) telemetry.Config {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=7")
			t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
			return telemetry.Config{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			to := newReceiver(t)
			f := newFixture(t, setup{telemetry: sending(t, configure(t, to.URL), io.Discard), specs: []string{tool("one", "return 1;", "")}})
			call(t, f.client(t, stateless, ""), "one", nil)
			if err := f.seen.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			to.mu.Lock()
			defer to.mu.Unlock()
			if len(to.spans) != 1 || to.spans[0].Name != "tools/call one" || to.spans[0].Kind != otlp.Span_SPAN_KIND_SERVER || to.spans[0].EndTimeUnixNano <= to.spans[0].StartTimeUnixNano {
				t.Fatalf("%v", to.spans)
			}
			if to.paths[0] != "/v1/traces" || name == "by environment" && (to.headers[0].Get("X-Tenant") != "7" || to.headers[0].Get("Content-Encoding") != "gzip") {
				t.Errorf("sent to %s with %v", to.paths[0], to.headers[0])
			}
		})
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
	for where, seen := range map[string]string{"spans": to.raw.String(), "lines": log.String(), "metrics": f.metrics(t)} {
		for _, form := range append(forms, foreign) {
			if at := strings.Index(strings.ToLower(seen), strings.ToLower(form)); at >= 0 {
				t.Errorf("%s have %s: %q", where, form, seen[max(0, at-100):min(len(seen), at+100)])
			}
		}
		if !strings.Contains(seen, "***") {
			t.Errorf("%s have no place in which the secret was masked", where)
		}
	}
	if n := len(to.spans); n < 30 {
		t.Errorf("only %d spans were looked at", n)
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
