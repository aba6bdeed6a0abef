package mcpserver_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/internal/issuertest"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/oauth"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
)

const resource = "https://tools.example/mcp"

// issuer is an authorization server that issues tokens for the fixture.
type issuer struct{ *issuertest.Issuer }

func newIssuer(t testing.TB) issuer { return issuer{issuertest.Start(t)} }

// token returns a valid token for a subject and scopes, with some claims replaced.
func (i issuer) token(t testing.TB, subject, scopes string, replace map[string]any) string {
	t.Helper()
	return i.Token(t, resource, subject, scopes, replace)
}

func (i issuer) guard(t testing.TB, rules ...oauth.Rule) *oauth.Guard {
	t.Helper()
	g, err := oauth.Open(oauth.Config{Issuer: i.URL, Resource: resource, Scopes: rules})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// endpoint serves the fixture.
func (f *fixture) endpoint(t testing.TB, h mcpserver.HTTP) string {
	t.Helper()
	endpoint := httptest.NewServer(f.server.Handler(h))
	t.Cleanup(endpoint.Close)
	t.Cleanup(func() { f.server.Drain(t.Context()) })
	return endpoint.URL
}

// callAdd makes a call in the newer era.
func callAdd(t testing.TB, url, authorization string) *http.Response {
	t.Helper()
	return ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":1},`+meta+`}}`,
		"Authorization", authorization, "Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/call", "Mcp-Name", "add")
}

// TestCountsAreForTheOperator: a client with an issuer's token cannot read the metrics.
func TestCountsAreForTheOperator(t *testing.T) {
	seen, err := telemetry.Open(t.Context(), telemetry.Config{}, "test", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, mcpserver.Config{Telemetry: seen}, add)
	i := newIssuer(t)
	static, err := mcpserver.NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	url := f.endpoint(t, mcpserver.HTTP{OAuth: i.guard(t, oauth.Rule{Scopes: []string{"tools"}}), Token: static})
	client := "Bearer " + i.token(t, "alice", "", nil)
	callAdd(t, url, client) // lacks a scope
	callAdd(t, url, "Bearer wrong")
	for authorization, want := range map[string]int{client: 403, "Bearer wrong": 401, "Bearer " + secret: 200} {
		r := ask(t, "GET", url+"/metrics", "", "Authorization", authorization, "Accept", "text/plain")
		body, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != want || strings.Contains(string(body), "glovebox_tools") != (want == 200) {
			t.Errorf("%d, want %d: %v", r.StatusCode, want, err)
		}
		for _, counted := range []string{`glovebox_requests_refused_total{reason="scope"} 1`, `glovebox_requests_refused_total{reason="token"}`} {
			if want == 200 && !strings.Contains(string(body), counted) {
				t.Errorf("there is no %s in %s", counted, body)
			}
		}
	}
}

func TestAccessTokens(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	i := newIssuer(t)
	static, err := mcpserver.NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	only := f.endpoint(t, mcpserver.HTTP{OAuth: i.guard(t)})
	both := f.endpoint(t, mcpserver.HTTP{OAuth: i.guard(t), Token: static})
	good := i.token(t, "alice", "", nil)
	const why = `, resource_metadata="https://tools.example/.well-known/oauth-protected-resource/mcp"`
	for _, row := range []struct {
		name, url, authorization string
		want                     int
		challenge                string
	}{
		{"an access token", only, "Bearer " + good, 200, ""},
		{"in the other case", only, "bEARER " + good, 200, ""},
		{"the static token, which is not admitted", only, "Bearer " + secret, 401, `Bearer error="invalid_token", error_description="it is no JWT that is signed as wanted"` + why},
		{"none", only, "", 401, `Bearer ` + why[2:]},
		{"basic", only, "Basic " + good, 401, `Bearer ` + why[2:]},
		{"expired", only, "Bearer " + i.token(t, "alice", "", map[string]any{"exp": 1}), 401, `Bearer error="invalid_token", error_description="it has expired"` + why},
		{"for somebody else", only, "Bearer " + i.token(t, "alice", "", map[string]any{"aud": "https://other.example"}), 401, `Bearer error="invalid_token", error_description="it was not made for this server"` + why},
		{"an access token, with both", both, "Bearer " + good, 200, ""},
		{"the static token, with both", both, "Bearer " + secret, 200, ""},
		{"another static token, with both", both, "Bearer " + secret + "x", 401, `Bearer error="invalid_token", error_description="it is no JWT that is signed as wanted"` + why},
	} {
		r := callAdd(t, row.url, row.authorization)
		if r.StatusCode != row.want || r.Header.Get("WWW-Authenticate") != row.challenge {
			t.Errorf("%s: %s, %s", row.name, r.Status, r.Header.Get("WWW-Authenticate"))
		}
	}
	callers := map[string]bool{}
	for _, r := range f.records(t) {
		callers[r.Caller] = true
	}
	if want := fmt.Sprintf(`oauth:%q "alice" "editor"`, i.URL); !callers[want] || !callers[static.ID()] || len(callers) != 2 {
		t.Errorf("the record has the callers %v", callers)
	}
	for _, path := range []string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"} {
		r := ask(t, "GET", only+path, "", "Authorization", "")
		text, _ := io.ReadAll(r.Body)
		if want := fmt.Sprintf(`{"resource":%q,"authorization_servers":[%q],"bearer_methods_supported":["header"]}`, resource, i.URL); r.StatusCode != 200 || strings.TrimSpace(string(text)) != want {
			t.Errorf("%s: %s %s", path, r.Status, text)
		}
	}
	if r := ask(t, "POST", only+"/mcp", initialize, "Authorization", "Bearer "+good, "Host", "tools.example"); r.StatusCode != 200 {
		t.Errorf("under the name of the resource: %s", r.Status)
	}
	i.Broken.Store(true)
	fresh := f.endpoint(t, mcpserver.HTTP{OAuth: i.guard(t)})
	if r := callAdd(t, fresh, "Bearer "+good); r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
		t.Errorf("an issuer that cannot be asked: %s", r.Status)
	}
}

// TestTwoAuthorizationHeaders: we cannot know which one a proxy in front has
// checked.
func TestTwoAuthorizationHeaders(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	url := f.http(t).URL
	r, err := http.NewRequestWithContext(t.Context(), "POST", url+"/mcp", strings.NewReader(initialize))
	if err != nil {
		t.Fatal(err)
	}
	r.Header["Authorization"] = []string{"Bearer " + secret, "Bearer " + secret}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusBadRequest {
		t.Error(response.Status)
	}
}

// TestScopes: a call without a scope is refused with the challenge that lets a client
// ask for it, in both eras and over the old transport; every tool is listed.
func TestScopes(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add, list)
	i := newIssuer(t)
	url := f.endpoint(t, mcpserver.HTTP{OAuth: i.guard(t, oauth.Rule{Scopes: []string{"tools"}}, oauth.Rule{Tool: "a*", Scopes: []string{"sums"}}), SSE: true})
	want := `Bearer error="insufficient_scope", error_description="the tool needs the scope sums", scope="sums tools", resource_metadata="https://tools.example/.well-known/oauth-protected-resource/mcp"`
	little, much := i.token(t, "alice", "tools openid", nil), i.token(t, "alice", "sums tools", nil)

	if r := callAdd(t, url, "Bearer "+little); r.StatusCode != http.StatusForbidden || r.Header.Get("WWW-Authenticate") != want {
		t.Errorf("%s %s", r.Status, r.Header.Get("WWW-Authenticate"))
	}
	if r := callAdd(t, url, "Bearer "+much); r.StatusCode != 200 {
		t.Error(r.Status)
	}
	// With sessions: the token may change, its subject may not.
	as := func(token string) []string { return []string{"Authorization", "Bearer " + token} }
	id := ask(t, "POST", url+"/mcp", initialize, as(little)...).Header.Get("Mcp-Session-Id")
	in := func(token, body string) *http.Response {
		return ask(t, "POST", url+"/mcp", body, append(as(token), "Mcp-Session-Id", id)...)
	}
	callBody := `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":1}}}`
	for name, row := range map[string]struct {
		token, body string
		want        int
	}{
		"too little":                      {little, callBody, 403},
		"a batch with one too many":       {little, `[{"jsonrpc":"2.0","id":4,"method":"ping"},` + callBody + `]`, 403},
		"a further token of the subject":  {much, callBody, 200},
		"another subject":                 {i.token(t, "bob", "sums tools", nil), callBody, 403},
		"the subject by another client":   {i.token(t, "alice", "sums tools", map[string]any{"client_id": "other"}), callBody, 403},
		"another tool":                    {little, strings.Replace(callBody, "add", "list", 1), 200},
		"a tool that is not there":        {little, strings.Replace(callBody, "add", "absent", 1), 200},
		"what is no call":                 {little, `{"jsonrpc":"2.0","id":6,"method":"tools/list"}`, 200},
		"a token without any of its own":  {i.token(t, "alice", "", nil), strings.Replace(callBody, "add", "list", 1), 403},
		"a call that says so differently": {little, strings.Replace(callBody, "tools/call", `tools\/\u0063all`, 1), 403},
	} {
		if r := in(row.token, row.body); r.StatusCode != row.want {
			t.Errorf("%s: %s", name, r.Status)
		}
	}
	// Duplicate members could mislead the first check.
	for _, twice := range []string{`"method":"ping","method"`, `"\u006dethod":"ping","method"`} {
		if r := in(little, strings.Replace(callBody, `"method"`, twice, 1)); r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", twice, r.Status)
		}
	}

	client := connect(t, stateless, &mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: bearer(little)}}, nil)
	tools, err := client.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 2 {
		t.Errorf("%d tools are listed, %v", len(tools.Tools), err)
	}
}

// TestStreamEndsWithItsToken: a listening client sends no further token.
func TestStreamEndsWithItsToken(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	i := newIssuer(t)
	url := f.endpoint(t, mcpserver.HTTP{OAuth: i.guard(t), SSE: true}) + "/"
	short := "Bearer " + i.token(t, "alice", "", map[string]any{"exp": time.Now().Unix() + 1})
	id := ask(t, "POST", url+"mcp", initialize, "Authorization", short).Header.Get("Mcp-Session-Id")
	for name, r := range map[string]*http.Response{
		"sessions":      ask(t, "GET", url+"mcp", "", "Authorization", short, "Mcp-Session-Id", id),
		"2024-11-05":    ask(t, "GET", url+"sse", "", "Authorization", short),
		"subscriptions": ask(t, "POST", url+"mcp", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+meta+`}}`, "Authorization", short, "Mcp-Protocol-Version", stateless, "Mcp-Method", "subscriptions/listen"),
	} {
		if r.StatusCode != 200 {
			t.Errorf("%s: %s", name, r.Status)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			io.Copy(io.Discard, r.Body)
		}()
		select {
		case <-ended:
		case <-time.After(enough):
			t.Errorf("%s: the stream outlives its token", name)
		}
	}
}

func TestOpenAndIssuerExclude(t *testing.T) {
	h := mcpserver.HTTP{Open: true, OAuth: newIssuer(t).guard(t)}
	if err := h.Check("127.0.0.1:1"); err == nil {
		t.Error("an open server that asks an issuer")
	}
}
