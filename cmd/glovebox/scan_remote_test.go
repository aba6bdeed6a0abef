package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// walled starts a real MCP server behind an authorization server that registers clients,
// and a registry of npm that knows a later version of it. It sets WALLED_URL, TOKEN and
// REGISTRY. Each word ends with a count that walled checks:
//
//	walled          starts both
//	walled asked N  the registry was asked N times
//	walled left N   N registrations were not taken back
func walled(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 2 && !neg {
		want, err := strconv.ParseInt(args[1], 10, 64)
		ts.Check(err)
		w := ts.Value(walledKey{}).(*walledServer)
		got := map[string]*atomic.Int64{"asked": &w.asked, "left": &w.left}[args[0]].Load()
		if got != want {
			ts.Fatalf("%s %d, want %d", args[0], got, want)
		}
		return
	}
	if neg || len(args) > 0 {
		ts.Fatalf("usage: walled [asked N | left N]")
	}
	w := ts.Value(walledKey{}).(*walledServer)
	const token, secret, manage = "t0ken-of-this-scan", "s3cret-of-this-scan", "m4nage-of-this-scan"
	server := mcp.NewServer(&mcp.Implementation{Name: "Context7", Version: "4.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "list_notes", Description: "Lists notes of " + token + "."}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		panic("a scanner called a tool")
	})
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	mux := http.NewServeMux()
	far := httptest.NewServer(mux)
	ts.Defer(far.Close)
	say := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, text)
		}
	}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", say(fmt.Sprintf(`{"resource":"%s/mcp","authorization_servers":["%[1]s"]}`, far.URL)))
	mux.HandleFunc("/.well-known/oauth-authorization-server", say(fmt.Sprintf(`{"issuer":"%s","registration_endpoint":"%[1]s/register","token_endpoint":"%[1]s/token","grant_types_supported":["client_credentials"]}`, far.URL)))
	mux.HandleFunc("POST /register", func(rw http.ResponseWriter, _ *http.Request) {
		w.left.Add(1)
		rw.WriteHeader(http.StatusCreated)
		fmt.Fprintf(rw, `{"client_id":"c","client_secret":%q,"registration_client_uri":"%s/client","registration_access_token":%q}`, secret, far.URL, manage)
	})
	mux.HandleFunc("DELETE /client", func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+manage {
			w.left.Add(-1)
		}
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		if _, given, _ := r.BasicAuth(); given != secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		say(fmt.Sprintf(`{"access_token":%q,"token_type":"Bearer"}`, token))(w, r)
	})
	npm := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.asked.Add(1)
		say(`{"name":"@upstash/context7-mcp","version":"4.1.1"}`)(rw, r)
	}))
	ts.Defer(npm.Close)
	ts.Setenv("WALLED_URL", far.URL+"/mcp")
	ts.Setenv("TOKEN", token)
	ts.Setenv("REGISTRY", "npm="+npm.URL)
}

// walledKey is where a script keeps its walledServer.
type walledKey struct{}

type walledServer struct{ asked, left atomic.Int64 }
