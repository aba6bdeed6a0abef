package main

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// replica is one of several servers of a cluster, with a machine of its own.
type replica struct {
	*machine
	*served
}

// replicas starts servers on machines of their own, which share a cluster.
func replicas(t *testing.T, url string, n int, args ...string) (all []replica) {
	t.Helper()
	for range n {
		m := newMachine(t)
		all = append(all, replica{m, m.serve(t, append([]string{"--nats", url, "--ceiling", "L5", "--unasked", "L5"}, args...)...)})
	}
	return all
}

// does runs a verb on the machine, which must succeed, and returns what it says.
func (r replica) does(args ...string) string {
	r.t.Helper()
	return runs(r.t, r.machine, args...)
}

// becomes runs a verb until what it says holds a text: what another server changed is
// here a moment later.
func (r replica) becomes(want string, args ...string) {
	r.t.Helper()
	for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		out, _ := r.command(args...).CombinedOutput()
		if strings.Contains(string(out), want) {
			return
		}
		if time.Since(started) > patience {
			r.t.Fatalf("glovebox %s never says %q:\n%s", strings.Join(args, " "), want, out)
		}
	}
}

// called calls a tool over HTTP and returns the status and the answer.
func (r replica) called(token, tool, arguments string) (int, gjson.Result) {
	r.t.Helper()
	answer := r.post(token, tool, arguments)
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer.StatusCode, gjson.ParseBytes(text)
}

// answers calls a tool until its answer holds a text.
func (r replica) answers(token, tool, arguments, want string) {
	r.t.Helper()
	for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		status, answer := r.called(token, tool, arguments)
		if strings.Contains(answer.Raw, want) {
			return
		}
		if time.Since(started) > patience {
			r.t.Fatalf("%s never answers %q: %d %s", tool, want, status, answer.Raw)
		}
	}
}

// TestThreeServersAreOneGateway: what an operator does at one server of a cluster holds at
// all of them, and what a client met at one is known at the others.
func TestThreeServersAreOneGateway(t *testing.T) {
	cluster := natstest.Three(t)
	changed := filepath.Join(t.TempDir(), "changed")
	t.Setenv("UPSTREAM_CHANGED", changed)
	all := replicas(t, natstest.URL(cluster...), 3, "--nats-replicas", "3", "--session", "enforce")
	a, b, c := all[0], all[1], all[2]

	// A server is registered here, reviewed there and exposed by the third.
	a.does("upstream", "add", "notes", "--pass-env", "UPSTREAM_CHANGED", "--", "upstream-server")
	b.becomes("notes", "upstream", "list")
	b.becomes("2 tools", "upstream", "test", "notes")
	b.does("pin", "approve", "notes", "--yes")
	c.becomes("next: glovebox", "expose", "notes", "--all")
	for _, r := range all {
		r.answers("t", "read_note", `{"id":7}`, "note 7: buy milk")
	}

	// What is revoked at one is gone at the others.
	b.does("pin", "revoke", "notes", "write_note", "--note", "not here")
	for _, r := range all {
		r.becomes("revoked", "pin", "list", "notes")
		r.answers("t", "write_note", `{"id":7}`, "unknown tool")
	}

	// A named token is good everywhere, until it is revoked anywhere.
	token := gjson.Get(a.does("token", "create", "ada", "--json"), "token").Str
	for _, r := range all {
		r.answers(token, "read_note", `{"id":1}`, "note 1: buy milk")
	}
	c.does("token", "revoke", "ada")
	for _, r := range all {
		for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			if status, _ := r.called(token, "read_note", `{"id":1}`); status == 401 {
				break
			} else if time.Since(started) > patience {
				t.Fatalf("a revoked token still gets %d", status)
			}
		}
	}

	// What the client met at one server, all know: an operator resets it at another.
	var session struct {
		Principal string
		Label     struct{ Origins []string }
	}
	for line := range strings.Lines(a.does("session", "list", "--json")) {
		if strings.Contains(line, `"principal":"token:`) {
			decode(t, line, &session)
		}
	}
	if !slices.Contains(session.Label.Origins, "notes") {
		t.Errorf("the session of the client is %+v", session)
	}
	b.does("session", "reset", session.Principal)
	c.becomes("It has read no private data", "session", "show", session.Principal)
}

// balanced is the address of a balancer that sends each request to the next server.
func balanced(t *testing.T, all []replica) string {
	t.Helper()
	var turn atomic.Uint32
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1, // streams
		Rewrite: func(r *httputil.ProxyRequest) {
			target, err := url.Parse(all[int(turn.Add(1))%len(all)].url)
			if err != nil {
				panic(err)
			}
			r.SetURL(target)
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

type withToken struct{}

func (withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer t")
	return http.DefaultTransport.RoundTrip(r)
}

// TestABalancerNeedsNoStickiness: a client of each era behind a balancer that sends every
// request to the next server, with streams, and questions in the middle of calls.
func TestABalancerNeedsNoStickiness(t *testing.T) {
	t.Parallel()
	cluster := natstest.One(t, nil)
	all := replicas(t, cluster.ClientURL(), 3, "--unasked", "L0")
	address := balanced(t, all)
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		var asked, progressed atomic.Int32
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked.Add(1)
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}, nil
			},
			ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progressed.Add(1) },
		})
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: withToken{}}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		for n := range 12 {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "add", Arguments: map[string]any{"a": n}})
			if err != nil || result.IsError {
				t.Fatalf("%s: call %d: %+v, %v", version, n, result, err)
			}
		}
		for range 4 {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "tidy", Arguments: map[string]any{}})
			if err != nil || result.IsError {
				t.Fatalf("%s: a call that a person approves: %+v, %v", version, result, err)
			}
		}
		if asked.Load() != 4 {
			t.Errorf("%s: a person was asked %d times", version, asked.Load())
		}
		if version != "2025-11-25" {
			session.Close()
			continue
		}
		// The owner of the session dies: the client is told so at once.
		owner := slices.IndexFunc(all, func(r replica) bool { return strings.Contains(r.counts(), "\nglovebox_sessions 1\n") })
		if owner < 0 {
			t.Fatal("nobody has the session")
		}
		all[owner].cmd.Process.Kill()
		<-all[owner].ended
		rest := slices.Delete(slices.Clone(all), owner, owner+1)
		answer := rest[0].within(session.ID())
		if answer.StatusCode != http.StatusNotFound {
			t.Errorf("a session whose server is gone: %s", answer.Status)
		}
		session.Close()
		address = balanced(t, rest)
	}
}

// within sends a ping in a session and returns the answer.
func (r replica) within(session string) *http.Response {
	r.t.Helper()
	q, err := http.NewRequest("POST", r.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		r.t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer t", "Mcp-Session-Id": session, "Mcp-Protocol-Version": "2025-11-25",
	} {
		q.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	answer.Body.Close()
	return answer
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// TestSpecsArePublishedToAllServers: signed specs are served everywhere, replaced at once,
// kept by a server that comes later and one that comes back, and gone when they are
// withdrawn. A server that does not know the key serves nothing of it, and does not test it
// either.
func TestSpecsArePublishedToAllServers(t *testing.T) {
	t.Parallel()
	cluster := natstest.One(t, nil)
	author := newMachine(t)
	dir := t.TempDir()
	write := func(name, code string) {
		t.Helper()
		put(t, filepath.Join(dir, name+".json"), `{"name": "`+name+`", "description": "Says a word.", "code": "return '`+code+`';", "codeType": "Javascript", "draft": false}`)
		if out, err := author.command("test", "--sign", filepath.Join(dir, name+".json")).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	publish := func(args ...string) (string, error) {
		out, err := author.command(append([]string{"publish", "--nats", cluster.ClientURL()}, args...)...).CombinedOutput()
		return string(out), err
	}
	put(t, filepath.Join(dir, "first.json"), `{"name": "first", "description": "Says a word.", "code": "return 'one';", "codeType": "Javascript", "draft": false}`)
	if out, err := publish(dir); err == nil || !strings.Contains(out, "glovebox test --sign") {
		t.Fatalf("a spec without a pass: %v, %s", err, out)
	}
	write("first", "one")
	key := regexp.MustCompile(`specs.pass_keys: (\S+)`).FindStringSubmatch(runs(t, author, "test", "--sign", filepath.Join(dir, "first.json")))
	if key == nil {
		t.Fatal("the key is not said")
	}
	all := replicas(t, cluster.ClientURL(), 2, "--pass-key", key[1])
	stranger := replicas(t, cluster.ClientURL(), 1, "--test")[0]
	if out, err := publish(dir); err != nil || !strings.Contains(out, "1 spec published by ") {
		t.Fatalf("%v, %s", err, out)
	}
	for _, r := range all {
		r.answers("t", "first", `{}`, `one`)
	}
	write("second", "two")
	write("first", "three")
	if out, err := publish(dir); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	all = append(all, replicas(t, cluster.ClientURL(), 1, "--pass-key", key[1])...)
	for _, r := range all {
		r.answers("t", "first", `{}`, `three`)
		r.answers("t", "second", `{}`, `two`)
	}
	stranger.terminate() // what was published is there when it comes back, and --test tests at the start
	stranger.served = stranger.serve(t, "--nats", cluster.ClientURL(), "--ceiling", "L5", "--unasked", "L5", "--test")
	stranger.answers("t", "add", `{"a":41}`, `42`)
	if _, answer := stranger.called("t", "first", `{}`); !strings.Contains(answer.Raw, "unknown tool") {
		t.Errorf("a server that does not know the key answers %s", answer.Raw)
	}
	if out, err := publish("--show", "--json"); err != nil || !gjson.Get(out, `files.second\.json`).Exists() {
		t.Errorf("%v, %s", err, out)
	}
	if out, err := publish("--withdraw"); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	for _, r := range all {
		r.answers("t", "second", `{}`, "unknown tool")
	}
	if out, err := publish("--show"); err == nil || !strings.Contains(out, "nothing is published") {
		t.Errorf("%v, %s", err, out)
	}
}

// runs runs a verb that succeeds and returns what it says.
func runs(t *testing.T, m *machine, args ...string) string {
	t.Helper()
	out, err := m.command(args...).CombinedOutput()
	if err != nil {
		t.Fatalf("glovebox %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
