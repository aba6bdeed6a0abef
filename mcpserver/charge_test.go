package mcpserver_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

// TestCharge compares the charge for a message with everything allocated for it, which
// is never less than its peak use. The tool does not exist: a call's own allocations
// are charged to the call.
func TestCharge(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Rate: -1}}, add)
	token, err := mcpserver.NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	handler := f.server.Handler(mcpserver.HTTP{Token: token})
	call := func(extra, arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"absent",` + meta[:len(meta)-1] + extra + `},"arguments":` + arguments + `}}`
	}
	text := strings.Repeat("x", 4<<20-2000)
	var fixed uint64 // that every message allocates, of which a part is live at one moment
	for _, c := range []struct{ name, body string }{
		{"small", call("", `{"a":1}`)},
		{"a long text", call("", `{"a":"`+text+`"}`)},
		{"brackets", call("", `[`+strings.Repeat("[],", 1<<20)+`1]`)},
		{"members", call("", `{`+strings.Repeat(`"a":1,`, 1<<19)+`"b":2}`)},
		{"a long envelope", call(`,"x":"`+text[:60_000]+`"`, `{"a":1}`)},
		{"a wide envelope", call(`,"x":[`+strings.Repeat("[],", 20_000)+`1]`, `{"a":1}`)},
		{"members of _meta", call(strings.Repeat(`,"a":{}`, 8_000), `{"a":1}`)},
		{"names of _meta", call(names(6_000), `{"a":1}`)},
		{"both", call(`,"x":"`+text[:60_000]+`"`, `{"a":"`+text[:4<<20-70_000]+`"}`)},
	} {
		name, body := c.name, c.body
		var allocated uint64
		for range 5 {
			r := httptest.NewRequestWithContext(t.Context(), "POST", "http://localhost/mcp", io.NopCloser(strings.NewReader(body)))
			r.ContentLength = int64(len(body))
			r.Header = http.Header{"Authorization": {"Bearer " + secret}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {stateless}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"absent"}}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			runtime.ReadMemStats(&after)
			if w.Code == http.StatusTooManyRequests || !strings.Contains(w.Body.String(), "absent") {
				t.Fatalf("%s: %d %.200s", name, w.Code, w.Body)
			}
			if took := after.TotalAlloc - before.TotalAlloc; allocated == 0 || took < allocated {
				allocated = took
			}
		}
		if fixed == 0 {
			fixed = allocated
			continue
		}
		charged := uint64(mcpserver.Charge(t, body))
		t.Logf("%s: %d bytes, %d allocated, %d charged", name, len(body), allocated, charged)
		if allocated > overhead*(charged+fixed) {
			t.Errorf("%s: %d bytes allocate %d and are counted as %d", name, len(body), allocated, charged)
		}
	}
}

// names are many members.
func names(n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, `,"%d":1`, i)
	}
	return all.String()
}
