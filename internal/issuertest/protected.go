package issuertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Protect serves an MCP server to those who have a token of the issuer for it (RFC 9728),
// until the test ends, and returns its address. It offers one scope.
func (a *Authorization) Protect(t testing.TB, server http.Handler, scope string) (address string) {
	const metadata = "/.well-known/oauth-protected-resource/mcp"
	var far *httptest.Server
	far = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == metadata {
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(map[string]any{"resource": far.URL + "/mcp", "authorization_servers": []string{a.URL}, "scopes_supported": []string{scope}})
			return
		}
		if _, ok := a.Grants(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), far.URL+"/mcp"); !ok {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer resource_metadata=%q", far.URL+metadata))
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { far.CloseClientConnections(); far.Close() })
	return far.URL + "/mcp"
}
