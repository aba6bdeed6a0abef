package mcpserver_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime/admission"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// BenchmarkServedOverHTTP compares, in both eras, a tool that does nothing, served by us
// over HTTP with the audit on, with an SDK server whose handler does nothing. The client
// is a bare POST, and they take turns in one run. KB are garbage a call, of the client,
// too, which is the same for both.
func BenchmarkServedOverHTTP(b *testing.B) {
	f := newFixtureWith(b, audit.Options{}, mcpserver.Config{Limits: admission.Limits{Rate: 1e9}}, tool("nothing", "", ""))
	ours := f.endpoint(b, mcpserver.HTTP{Open: true}) + "/mcp"
	bare := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "1"}, nil)
	bare.AddTool(&mcp.Tool{Name: "nothing", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "undefined"}}}, nil
		})
	for name, modern := range map[string]bool{"sessions": false, "stateless": true} {
		theirs := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return bare }, &mcp.StreamableHTTPOptions{Stateless: modern}))
		b.Cleanup(theirs.Close)
		b.Run(name, func(b *testing.B) {
			compare(b, map[string]func(){"ours": caller(b, ours, modern, "nothing"), "sdk": caller(b, theirs.URL, modern, "nothing")})
		})
	}
}

// compare lets contenders take turns, and reports the median time and the garbage of
// each. Counting garbage stops the world, so it has calls of its own.
func compare(b *testing.B, contenders map[string]func()) {
	times := map[string][]float64{}
	for b.Loop() {
		for name, call := range contenders {
			started := time.Now()
			call()
			times[name] = append(times[name], microseconds(started))
		}
	}
	const counted = 100
	for name, call := range contenders {
		slices.Sort(times[name])
		b.ReportMetric(times[name][len(times[name])/2], "p50-"+name+"-us")
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		for range counted {
			call()
		}
		goruntime.ReadMemStats(&after)
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/counted/1000, name+"-KB")
	}
}

// caller returns a function that calls a tool without arguments.
func caller(b *testing.B, url string, modern bool, tool string) func() {
	session := ""
	post := func(body string) {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		switch {
		case modern:
			r.Header.Set("Mcp-Protocol-Version", stateless)
			r.Header.Set("Mcp-Method", "tools/call")
			r.Header.Set("Mcp-Name", tool)
		case session != "":
			r.Header.Set("Mcp-Session-Id", session)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode >= 300 || strings.Contains(string(text), `"error"`) || strings.Contains(string(text), `"isError":true`) {
			b.Fatal(response.Status, string(text), err)
		}
		if id := response.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
	if modern {
		call = strings.Replace(call, `"arguments":{}`, `"arguments":{},`+meta, 1)
	} else {
		post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
		post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return func() { post(call) }
}
