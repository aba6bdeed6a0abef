package mcpserver

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/paramheader"
)

// withAgreeingHeaders refuses a call whose headers repeat its arguments wrongly, as the
// stateless protocol demands: a proxy before us may have decided by the headers.
func (v *view) withAgreeingHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := r.Body.(*received)
		if !ok || body.Batch || len(body.Messages) != 1 || body.Messages[0].Method != "tools/call" {
			next.ServeHTTP(w, r)
			return
		}
		m := &body.Messages[0]
		if tool := v.find(m.Tool, peerIn(r.Context())); tool != nil {
			if err := paramheader.Check(r.Header, tool.headers, m.Arguments); err != nil {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				answer, _ := json.Marshal(jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: "header mismatch: " + err.Error()}) // cannot fail: strings
				// An error means that the client is gone.
				_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID.Raw(), answer)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
