package dcr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver/probe"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/glovebox-run/glovebox/risk/score"
)

const (
	clientSecret = "s3cret-of-the-registered-client"
	accessToken  = "t0ken-of-the-registered-client"
	manageToken  = "m4nage-of-the-registered-client"
)

// guarded is a real MCP server behind an authorization server of its own.
type guarded struct {
	*httptest.Server
	grants    string
	status    int    // of the registration
	token     string // what the token endpoint answers
	endpoint  string // of tokens; empty for its own
	forgotten bool
	form      string
}

func newGuarded(t *testing.T) *guarded {
	g := &guarded{grants: `["authorization_code","client_credentials"]`, status: http.StatusCreated, token: `{"access_token":"` + accessToken + `","token_type":"Bearer","expires_in":60}`}
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	// It echoes the token that it was called with.
	mcp.AddTool(s, &mcp.Tool{Name: "list_notes", Description: "Lists notes of " + accessToken + "."}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		t.Error("a tool was called")
		return nil, nil, nil
	})
	open := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+accessToken {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		open.ServeHTTP(w, r)
	})
	say := func(text func() string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, text())
		}
	}
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", say(func() string {
		return fmt.Sprintf(`{"resource":"%s/mcp","authorization_servers":["%[1]s"]}`, g.URL)
	}))
	mux.HandleFunc("/.well-known/oauth-authorization-server", say(func() string {
		endpoint := g.endpoint
		if endpoint == "" {
			endpoint = g.URL + "/token"
		}
		return fmt.Sprintf(`{"issuer":"%s","registration_endpoint":"%[1]s/register","token_endpoint":"%s","grant_types_supported":%s}`, g.URL, endpoint, g.grants)
	}))
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(g.status)
		fmt.Fprintf(w, `{"client_id":"c/1","client_secret":%q,"registration_client_uri":"%s/client","registration_access_token":%q}`, clientSecret, g.URL, manageToken)
	})
	mux.HandleFunc("DELETE /client", func(w http.ResponseWriter, r *http.Request) {
		g.forgotten = r.Header.Get("Authorization") == "Bearer "+manageToken
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		if id != "c%2F1" || secret != clientSecret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		g.form = r.FormValue("grant_type") + " " + r.FormValue("resource")
		fmt.Fprint(w, g.token)
	})
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	return g
}

func options(t *testing.T) probe.Options {
	engine, err := egress.NewEngine(rules.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	return probe.Options{Name: "glovebox", Version: "1", Resolve: netguard.SystemResolve, Dial: netguard.SystemDial, AllowPrivate: true, Sanitiser: egress.New(engine, egress.DefaultPolicy()), Now: time.Now}
}

func TestTokenForOneScan(t *testing.T) {
	g, o := newGuarded(t), options(t)
	seen, err := probe.New(o).HTTP(t.Context(), g.URL+"/mcp", score.HTTP)
	if err != nil || seen.Hello != nil || seen.Auth == nil {
		t.Fatal(err, seen.Failures)
	}
	token, err := Get(t.Context(), o, &seen)
	if err != nil {
		t.Fatal(err)
	}
	if g.form != "client_credentials "+g.URL+"/mcp" {
		t.Errorf("asked for %s", g.form)
	}
	o.Header, o.Depth, o.Secrets = token.Header, score.DCR, func() []string { return token.Secrets }
	seen, err = probe.New(o).HTTP(t.Context(), g.URL+"/mcp", score.HTTP)
	if err != nil || seen.Hello == nil || len(seen.Tools.Items) != 1 || seen.Depth != score.DCR {
		t.Fatal(err, seen.Failures)
	}
	if r := score.Evaluate(seen, score.Refined, score.Background{}); r.Tier != score.Authenticated {
		t.Error("the tier is ", r.Tier)
	}
	kept, err := json.Marshal(seen)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{clientSecret, accessToken, manageToken} {
		if strings.Contains(string(kept), secret) {
			t.Errorf("%s is kept", secret)
		}
	}
	token.Forget(t.Context())
	if !g.forgotten {
		t.Error("the registration stays")
	}
}

func TestNoToken(t *testing.T) {
	for name, spoil := range map[string]func(*guarded){
		"no client credentials":  func(g *guarded) { g.grants = `["authorization_code"]` },
		"registration refused":   func(g *guarded) { g.status = http.StatusForbidden },
		"no token":               func(g *guarded) { g.token = `{}` },
		"no bearer token":        func(g *guarded) { g.token = `{"access_token":"x","token_type":"DPoP"}` },
		"a token of two lines":   func(g *guarded) { g.token = `{"access_token":"x\r\ny","token_type":"Bearer"}` },
		"no JSON":                func(g *guarded) { g.token = `<html>` },
		"a secret over http":     func(g *guarded) { g.endpoint = "http://id.example.com/token" },
		"a private other host":   func(g *guarded) { g.endpoint = "https://10.0.0.1/token" },
		"no address":             func(g *guarded) { g.endpoint = "token" },
		"a password in the host": func(g *guarded) { g.endpoint = "https://a:b@id.example.com/token" },
	} {
		g, o := newGuarded(t), options(t)
		spoil(g)
		seen, err := probe.New(o).HTTP(t.Context(), g.URL+"/mcp", score.HTTP)
		if err != nil {
			t.Fatal(err)
		}
		token, err := Get(t.Context(), o, &seen)
		if err == nil || token != nil {
			t.Errorf("%s: %v", name, token)
		}
		if offered := g.grants != `["authorization_code"]`; offered == errors.Is(err, ErrNotOffered) {
			t.Errorf("%s: %v", name, err)
		}
		if registered := g.status == http.StatusCreated && !errors.Is(err, ErrNotOffered); registered != g.forgotten {
			t.Errorf("%s: the registration was taken back: %v", name, g.forgotten)
		}
	}
}
