//go:build unix

package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/admission"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// BenchmarkLarge reports the processor time of a tool that returns its argument of 1 MiB,
// with audit and sanitiser on: through the pipeline, and served over HTTP without and with
// a session, where client and server share the process. x-guest is against JSON.parse and
// JSON.stringify of the same text inside the guest: the bar is 1.5.
func BenchmarkLarge(b *testing.B) {
	prose := strings.Repeat("The deployment of the service went well; see the notes below. ", 1<<20/62)
	var rows []map[string]any
	for n := range 1 << 20 / 100 {
		rows = append(rows, map[string]any{"id": n, "name": fmt.Sprintf("Customer %05d", n), "city": "Berlin", "amount": float64(n) / 4, "updated": "2026-01-02 10:00:00"})
	}
	for name, value := range map[string]any{"prose": prose, "rows": rows} {
		text, err := json.Marshal(value)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) { large(b, text) })
	}
}

func large(b *testing.B, value []byte) {
	const params = `"params":[{"name":"x","type":"%s","required":false}]`
	kind := "STRING"
	if value[0] == '[' {
		kind = "ARRAY"
	}
	spec := tool("echo", "return x", fmt.Sprintf(params, kind))
	f := newFixtureWith(b, audit.Options{}, mcpserver.Config{Limits: admission.Limits{Rate: 1e9}}, spec)
	url := f.endpoint(b, mcpserver.HTTP{Open: true}) + "/mcp"
	arguments := []byte(`{"x":` + string(value) + `}`)
	message := func(meta string) []byte {
		return []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":` + string(arguments) + meta + `}}`)
	}
	send := func(body []byte, headers map[string]string) (session string, length int64) {
		r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		for name, value := range headers {
			r.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		defer response.Body.Close()
		if length, err = io.Copy(io.Discard, response.Body); err != nil {
			b.Fatal(err)
		}
		return response.Header.Get("Mcp-Session-Id"), length
	}
	post := func(body []byte, headers map[string]string) func() {
		return func() {
			if _, n := send(body, headers); n < int64(len(value)) {
				b.Fatalf("%d bytes came back", n)
			}
		}
	}
	modern := post(message(","+meta), map[string]string{"Mcp-Protocol-Version": stateless, "Mcp-Method": "tools/call", "Mcp-Name": "echo"})
	session, _ := send([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`), nil)
	inSession := map[string]string{"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": session}
	send([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), inSession)
	older := post(message(""), inSession)
	log, err := audit.Open(filepath.Join(b.TempDir(), "audit.jsonl"), audit.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	calls := governed.New(governed.Config{Audit: log, Terms: governed.Terms{Judge: governed.ByLevel{Policy: risk.DefaultLevelPolicy()}, Sanitiser: f.rt.Sanitiser()}})
	echo, problems := f.rt.Load([]byte(spec))
	if problems.Err() != nil {
		b.Fatal(problems)
	}
	piped := func() {
		if out := calls.Do(b.Context(), governed.Request{Tool: echo, Arguments: arguments}); len(out.Value) != len(value) {
			b.Fatal(len(out.Value), out.Failure)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		b.Fatal(err)
	}
	engine, err := jsengine.Open(b.Context(), jsengine.Config{CacheDir: filepath.Join(cache, "glovebox-test")})
	if err != nil {
		b.Fatal(err)
	}
	defer engine.Close()
	image, err := engine.Image(b.Context(), jsengine.Program{File: "guest.js", Body: "for (let n = 0; n < times; n++) JSON.stringify(JSON.parse(x))", Names: []string{"x", "times"}})
	if err != nil {
		b.Fatal(err)
	}
	quoted, err := json.Marshal(string(value))
	if err != nil {
		b.Fatal(err)
	}
	guest := func(times int) func() {
		return func() {
			again := []byte(fmt.Sprintf(`{"x":%s,"times":%d}`, quoted, times))
			if out := image.Call(b.Context(), jsengine.Call{Arguments: again}); out.Failure != nil {
				b.Fatal(out.Failure)
			}
		}
	}
	contenders := []struct {
		name string
		call func()
	}{{"served", modern}, {"session", older}, {"pipeline", piped}, {"none", guest(0)}, {"four", guest(4)}}
	spent := map[string]float64{}
	rounds := 0
	for b.Loop() {
		for _, c := range contenders {
			began := processTime(b)
			c.call()
			spent[c.name] += processTime(b) - began
		}
		rounds++
	}
	inGuest := (spent["four"] - spent["none"]) / 4
	b.ReportMetric(inGuest/float64(rounds), "ms-guest")
	for _, name := range []string{"served", "session", "pipeline"} {
		b.ReportMetric(spent[name]/float64(rounds), "ms-"+name)
		b.ReportMetric(spent[name]/inGuest, "x-guest-"+name)
	}
}

// processTime is the processor time of this process, in ms.
func processTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}
