package telemetry_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// parsed parses metrics as Prometheus does.
func parsed(t testing.TB, text string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// series formats the series of a family as name{label="value"} = value; for a
// histogram the value is its count.
func series(family *dto.MetricFamily) []string {
	var all []string
	for _, m := range family.GetMetric() {
		var labels []string
		for _, l := range m.GetLabel() {
			labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
		}
		value := m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		all = append(all, fmt.Sprintf("%s{%s} = %g", family.GetName(), strings.Join(labels, ","), value))
	}
	slices.Sort(all)
	return all
}

// TestCountsOfEveryOutcome compares the metrics with the calls made.
func TestCountsOfEveryOutcome(t *testing.T) {
	f := everyOutcome(t)
	text := f.metrics(t)
	families := parsed(t, text)
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	var got []string
	for _, name := range slices.Sorted(maps.Keys(families)) {
		if strings.HasPrefix(name, "glovebox_") || strings.HasPrefix(name, "mcp_") || strings.HasPrefix(name, "sandbox_") {
			got = append(got, series(families[name])...)
		}
	}
	for _, want := range []string{
		// The first five ran twice: once before, to compile.
		`glovebox_calls_total{outcome="ok",tool="ok"} = 2`,
		`glovebox_calls_total{outcome="error",tool="throws"} = 2`,
		`glovebox_calls_total{outcome="refused",tool="guarded"} = 2`,
		`glovebox_calls_total{outcome="limit",tool="computes"} = 2`,
		`glovebox_calls_total{outcome="blocked",tool="leaks"} = 2`,
		`glovebox_calls_total{outcome="timeout",tool="sleeps"} = 1`,
		`glovebox_calls_total{outcome="invalid",tool="wants"} = 1`,
		`glovebox_calls_total{outcome="denied",tool="wipes"} = 1`,
		`glovebox_calls_total{outcome="ok",tool="writes"} = 2`,
		`glovebox_calls_total{outcome="declined",tool="writes"} = 1`,
		`glovebox_calls_total{outcome="unapproved",tool="writes"} = 1`,
		`glovebox_calls_total{outcome="asked",tool="writes"} = 1`,
		`glovebox_calls_total{outcome="unavailable",tool="unset"} = 1`,
		`glovebox_calls_total{outcome="internal",tool="breaks"} = 1`,
		`glovebox_calls_total{outcome="throttled",tool="search"} = 1`,
		`glovebox_call_duration_seconds{class="ok",tool="writes"} = 2`,
		`glovebox_call_duration_seconds{class="asked",tool="writes"} = 1`,
		`glovebox_call_duration_seconds{class="refused",tool="writes"} = 2`,
		`glovebox_call_duration_seconds{class="failed",tool="throws"} = 2`,
		`glovebox_approvals_asked_total{} = 4`,
		`glovebox_approvals_answered_total{outcome="approved",side="server"} = 2`,
		`glovebox_approvals_answered_total{outcome="cancelled",side="server"} = 1`,
		`glovebox_approvals_answered_total{outcome="declined",side="server"} = 1`,
		`glovebox_approval_wait_seconds{} = 4`,
		`glovebox_outputs_blocked_total{} = 2`,
		`glovebox_redactions_total{rule="github-token"} = 2`,
		`glovebox_guard_blocked_total{category="fs",reason="path-escapes-base"} = 2`,
		`glovebox_tools{} = 11`,
		`glovebox_calls_running{} = 0`,
		`glovebox_calls_waiting{} = 0`,
		`glovebox_spans_total{result="sent"} = 21`,
		// A question has no record of its own, nor has a call that never reached the
		// pipeline. Calls refused earlier wait for no slot: bad arguments, a denial,
		// a no and no answer.
		`glovebox_audit_append_seconds{} = 19`,
		`glovebox_queue_wait_seconds{} = 15`,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if t.Failed() {
		t.Logf("there is\n%s", strings.Join(got, "\n"))
	}
	if families["go_goroutines"] == nil || families["process_open_fds"] == nil || families["target_info"] == nil {
		t.Error("the basics of the process are missing")
	}
	fuel := 0.0
	for _, m := range families["glovebox_fuel_total"].GetMetric() {
		fuel += m.GetCounter().GetValue()
	}
	if fuel < 1000 {
		t.Errorf("fuel is %v", fuel)
	}
}

// TestWhoSeesTheCounts: clients with the token, and everybody if the operator
// allows it.
func TestWhoSeesTheCounts(t *testing.T) {
	f := newFixture(t, setup{specs: []string{tool("one", "return 1;", "")}})
	off := newFixture(t, setup{off: true})
	for _, row := range []struct {
		name   string
		f      *fixture
		open   bool
		header http.Header
		want   int
	}{
		{"with the token", f, false, http.Header{"Authorization": {"Bearer a-token"}}, 200},
		{"without", f, false, nil, 401},
		{"with another", f, false, http.Header{"Authorization": {"Bearer b"}}, 401},
		{"opened", f, true, nil, 200},
		{"opened, from a page of another site", f, true, http.Header{"Origin": {"http://evil.example"}}, 403},
		{"no telemetry", off, true, nil, 404},
	} {
		endpoint := row.f.endpoint(t, mcpserver.HTTP{OpenMetrics: row.open})
		client := &http.Client{Transport: with(row.header)}
		response, err := client.Get(endpoint.URL + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != row.want || strings.Contains(string(body), "glovebox_") != (row.want == 200) {
			t.Errorf("%s: %d, %v", row.name, response.StatusCode, err)
		}
		if row.want == 200 && parsed(t, string(body))["glovebox_tools"] == nil {
			t.Errorf("%s: %s", row.name, body)
		}
	}
}

// TestClientsMakeNoSeries: whatever a client sends, no series are added.
func TestClientsMakeNoSeries(t *testing.T) {
	f := newFixture(t, setup{specs: []string{tool("one", "return 1;", "")}})
	endpoint := f.endpoint(t, mcpserver.HTTP{})
	visit := func(n int) {
		headers := http.Header{"Authorization": {"Bearer a-token"}, "User-Agent": {fmt.Sprint("agent-", n)}}
		transport := &sdk.StreamableClientTransport{Endpoint: endpoint.URL + "/mcp", HTTPClient: &http.Client{Transport: with(headers)}}
		for _, version := range []string{sessions, stateless} {
			client := connected(t, version, "", transport)
			call(t, client, "one", map[string]any{"traceparent": ofMeta, fmt.Sprint("key-", n): n})
			call(t, client, fmt.Sprint("tool-", n), nil)
		}
	}
	count := func() (n int) {
		for name, family := range parsed(t, f.metrics(t)) {
			if !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "process_") {
				n += len(series(family))
			}
		}
		return n
	}
	visit(0)
	before := count()
	for n := range 20 {
		visit(n)
	}
	if after := count(); after != before || before < 10 {
		t.Errorf("%d series before, %d after", before, after)
	}
}

// TestNamesAreBounded: a folder of specs may change any number of times.
func TestNamesAreBounded(t *testing.T) {
	log := &sink{}
	seen := opened(t, telemetry.Config{LogFormat: "json"}, log, nil)
	const more = 100
	for n := range telemetry.MaxLabels + more {
		c := seen.Upstream(telemetry.Upstream{Alias: fmt.Sprint("tool-", n), Final: mcp.L1}).Begin("AAAAAAAA", telemetry.Origin{})
		c.Ended(&governed.Result{Output: governed.Output{Failure: &governed.Failure{Kind: governed.Throttled}}})
		c.End()
	}
	f := fixture{seen: seen}
	calls := series(parsed(t, f.metrics(t))["glovebox_calls_total"])
	if len(calls) != 4*(telemetry.MaxLabels+1) || // with the three that are there from the start
		!slices.Contains(calls, fmt.Sprintf(`glovebox_calls_total{outcome="throttled",tool="other"} = %d`, more)) {
		t.Errorf("%d series", len(calls))
	}
	if lines := strings.Count(log.String(), "\n"); lines != telemetry.MaxLabels+more {
		t.Errorf("%d lines", lines)
	}
}
