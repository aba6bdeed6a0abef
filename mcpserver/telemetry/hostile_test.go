package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// TestHostileClientsDoNotFloodTheLog: whatever clients send, as often as they like,
// there is no line of level error, and of each warning a few.
func TestHostileClientsDoNotFloodTheLog(t *testing.T) {
	log := &sink{}
	seen := opened(t, telemetry.Config{LogFormat: "json", LogLevel: slog.LevelWarn}, log, nil)
	f := newFixture(t, setup{telemetry: seen, policy: risk.LevelPolicy{Ceiling: risk.L5}, specs: []string{
		tool("throws", "throw new Error('no');", ""), tool("asks", "return 1;", `"humanInTheLoop":{"mode":"REQUIRED"},"sandboxOverrides":{"fileWrite":true}`),
	}})
	endpoint := f.endpoint(t, mcpserver.HTTP{Ready: func() error { return errors.New("the record is gone") }})
	post := func(token, body string, headers ...string) {
		request, err := http.NewRequestWithContext(t.Context(), "POST", endpoint.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return // it hung up, as it may
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
		response.Body.Close()
	}
	call := func(name, more string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`, name, more)
	}
	for n := range 60 {
		post("wrong", "{}")
		for _, body := range []string{
			"", "{", "[]", strings.Repeat("[", 5000), `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`,
			"\xff\xfe", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","result":{},"id":7}`,
		} {
			post("a-token", body)
			post("a-token", body, "Mcp-Protocol-Version", stateless, "Mcp-Session-Id", "none")
		}
		for _, c := range [][2]string{
			{"throws", ""}, {"none", ""}, {"asks", ""}, {"asks", `,"requestState":"forged","inputResponses":{"approval":{"action":"accept","content":{}}}`},
			{"asks", fmt.Sprintf(`,"arguments":{"n":%d}`, n)},
		} {
			post("a-token", call(c[0], c[1]), "Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/call", "Mcp-Name", c[0])
		}
		if response, err := http.Get(endpoint.URL + "/readyz"); err == nil {
			response.Body.Close()
		}
		gone, cancel := context.WithTimeout(t.Context(), time.Duration(n)*time.Millisecond/10)
		request, _ := http.NewRequestWithContext(gone, "POST", endpoint.URL+"/mcp", strings.NewReader(call("throws", "")))
		request.Header.Set("Authorization", "Bearer a-token")
		if response, err := http.DefaultClient.Do(request); err == nil {
			response.Body.Close()
		}
		cancel()
	}
	// Idle sessions, with and without a stream, while the tools change.
	for range 10 {
		post("a-token", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"idle","version":"1"}}}`)
	}
	broken := mcp.NewClient(&mcp.Implementation{Name: "broken", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return nil, errors.New("I do not feel like it")
		},
	})
	session, err := broken.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint.URL + "/mcp", HTTPClient: &http.Client{Transport: with{"Authorization": {"Bearer a-token"}}}}, &mcp.ClientSessionOptions{ProtocolVersion: sessions})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for n := range 50 {
		f.server.Publish("elsewhere", []governed.Tool(nil))
		_, _ = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "asks", Arguments: map[string]int{"n": n}})
	}
	events := map[string]int{}
	for _, line := range log.lines(t) {
		if line["level"] == "ERROR" {
			t.Errorf("a client caused %v", line)
		}
		events[line["msg"].(string)]++
	}
	for _, event := range []string{"approval.not_asked", "approval.rejected", "server.not_ready"} {
		if events[event] == 0 {
			t.Errorf("%s was not caused", event)
		}
	}
	for event, n := range events {
		if n > 10 {
			t.Errorf("%s was written %d times", event, n)
		}
	}
}
