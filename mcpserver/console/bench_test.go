package console_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// named is a tool that only has a name.
type named struct {
	governed.Tool
	about governed.About
}

func (n *named) About() *governed.About { return &n.about }

// BenchmarkPages measures the first byte of each page with 10,000 tools, 200 servers,
// 200 open questions and a million records, beside that of an empty console. The bars are
// 100 ms and 150 KB.
func BenchmarkPages(b *testing.B) {
	const tools, servers, questions, records = 10_000, 200, 200, 1_000_000
	full := staged(b)
	for i := range tools {
		full.Tools = append(full.Tools, &named{about: governed.About{Name: fmt.Sprintf("tool_%05d", i), Source: "library", Level: risk.L2}})
		call := full.Seen.Upstream(telemetry.Upstream{Alias: fmt.Sprintf("tool_%05d", i), Final: mcp.L2}).Begin("x", telemetry.Origin{})
		call.Ended(&governed.Result{})
		call.End()
	}
	// The tools of the servers are listed for real: 50 of each.
	descriptions := make([]string, tools/servers)
	for i := range descriptions {
		descriptions[i] = fmt.Sprintf("Reads the note number %d and returns its text, its author and when it was written.", i)
	}
	_, at := offering(b, descriptions...)
	for i := range servers {
		name := fmt.Sprintf("server-%03d", i)
		full.added(name, at, exposure.Enabled)
		if _, err := full.Gateway.Test(b.Context(), name); err != nil {
			b.Fatal(err)
		}
	}
	for i := range questions {
		full.asked(fmt.Sprint("caller", i/8), fmt.Sprintf("tool_%05d", i), risk.L4, fmt.Sprintf(`{"n":%d}`, i), "Reason: it is asked")
	}
	for i := range records {
		r := audit.Record{Tool: fmt.Sprintf("tool_%05d", i%tools), Caller: "caller", RiskLevel: "L2", Outcome: audit.OK, Parameters: []byte(`{"n":1}`)}
		if i%1000 == 0 {
			r.Outcome = audit.Refused
		}
		full.recorded(r)
	}
	// A server that was started again: its console has seen nothing yet.
	again := staged(b, func(o *console.Options) { *o = full.options })
	began := time.Now()
	again.signedIn("local:ada", "manage").get("now")
	b.Logf("link, sign-in and the first page take %v", time.Since(began))
	empty := staged(b)
	for name, s := range map[string]*stage{"empty": empty, "full": again} {
		for _, path := range []string{
			"now", "inbox", "sessions", "record", "record?outcome=REFUSED&tool=tool_00000", "record?caller=nobody", "record?before=5000", "record?text=nowhere", "record/NOSUCHID",
			"tools", "tools?q=tool_0999", "tools?page=200", "tools/library~tool_05000", "tools/library~tool_05000/try",
			"servers", "servers?text=server-1&state=review", "servers/server-007", "servers/server-007/review", "servers/server-007/expose", "servers/add", "servers/catalog", "servers/import", "compositions",
		} {
			b.Run(name+"/"+path, func(b *testing.B) {
				who := s.signedIn("local:ada", "manage")
				size := 0
				var slowest time.Duration
				for b.Loop() {
					began := time.Now()
					p := who.get(path)
					slowest = max(slowest, time.Since(began))
					if size = len(p.body); p.status != http.StatusOK && p.status != http.StatusNotFound {
						b.Fatal(p.status)
					}
				}
				b.ReportMetric(float64(size)/1024, "KB")
				b.ReportMetric(float64(slowest.Milliseconds()), "slowest-ms")
			})
		}
	}
}
