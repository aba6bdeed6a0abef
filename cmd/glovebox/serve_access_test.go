package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/internal/issuertest"
)

// served is a process that serves over HTTP.
type served struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string // without the path
	stderr *lockedBuffer
	ended  chan struct{}
	err    error // once it has ended
}

var addressLine = regexp.MustCompile(`tools? at (https?://\S+)/mcp\b`)

// serve starts a process and waits until it says where it listens.
func (m *machine) serve(t *testing.T, args ...string) *served {
	t.Helper()
	return m.serveIn(t, func(*exec.Cmd) {}, args...)
}

// serveIn is serve with a command that was changed before it starts.
func (m *machine) serveIn(t *testing.T, change func(*exec.Cmd), args ...string) *served {
	t.Helper()
	s := m.tryServe(t, change, args...)
	if s.url == "" {
		t.Fatalf("it does not serve: %s", s.stderr)
	}
	return s
}

// tryServe starts a process and returns when it says where it listens or ends, which leaves
// the address empty.
func (m *machine) tryServe(t *testing.T, change func(*exec.Cmd), args ...string) *served {
	t.Helper()
	s := &served{t: t, cmd: m.command(append([]string{"serve", "--listen", "127.0.0.1:0", "--folder", m.specs}, args...)...), stderr: &lockedBuffer{}, ended: make(chan struct{})}
	s.cmd.Stderr = s.stderr
	change(s.cmd)
	if slices.Contains(args, "--oauth-issuer") {
		s.cmd.Env = slices.DeleteFunc(s.cmd.Env, func(v string) bool { return strings.HasPrefix(v, "GLOVEBOX_TOKEN=") })
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		s.err = s.cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() { s.cmd.Process.Kill() })
	for started := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if found := addressLine.FindStringSubmatch(s.stderr.String()); found != nil {
			s.url = found[1]
			return s
		}
		select {
		case <-s.ended:
			return s
		default:
		}
		if time.Since(started) > patience {
			return s
		}
	}
}

// says waits until standard error matches.
func (s *served) says(t *testing.T, pattern string) {
	t.Helper()
	want := regexp.MustCompile(pattern)
	for started := time.Now(); !want.MatchString(s.stderr.String()); time.Sleep(5 * time.Millisecond) {
		if time.Since(started) > patience {
			t.Fatalf("no %s in: %s", pattern, s.stderr)
		}
	}
}

// terminate tells the process to stop and waits until it has.
func (s *served) terminate() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-s.ended:
		if s.err != nil {
			s.t.Errorf("%v: %s", s.err, s.stderr)
		}
	case <-time.After(patience):
		s.t.Errorf("it does not end: %s", s.stderr)
	}
}

// post sends one message of the newer era.
func (s *served) post(token, tool, arguments string) *http.Response {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}}}`, tool, arguments)
	r, err := http.NewRequest("POST", s.url+"/mcp", strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token,
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return &http.Response{Status: err.Error(), Body: io.NopCloser(bytes.NewReader(nil))}
	}
	s.t.Cleanup(func() { response.Body.Close() })
	return response
}

// counts are what /metrics says.
func (s *served) counts() string {
	r, err := http.NewRequest("GET", s.url+"/metrics", nil)
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer t")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return string(text)
}

// TestServeWithAnIssuer: a real process, an issuer that signs, and what a client
// sees of both.
func TestServeWithAnIssuer(t *testing.T) {
	t.Parallel()
	issuer := issuertest.Start(t)
	m := newMachine(t)
	s := m.serve(t, "--oauth-issuer", issuer.URL, "--oauth-scope", "tidy=clean", "--oauth-scope", "*=use", "--sse", "--trusted", "L5")
	token := func(subject, scope string) string { return issuer.Token(t, s.url+"/mcp", subject, scope, nil) }
	metadata := `resource_metadata="` + s.url + `/.well-known/oauth-protected-resource/mcp"`
	for _, row := range []struct {
		name, token, tool string
		want              int
		challenge         string
	}{
		{"alice", token("alice", "use"), "add", 200, ""},
		{"bob", token("bob", "use clean"), "tidy", 200, ""},
		{"alice, without the scope", token("alice", "use"), "tidy", 403, `Bearer error="insufficient_scope", error_description="the tool needs the scope clean", scope="clean use", ` + metadata},
		{"the static token", "t", "add", 401, `Bearer error="invalid_token", error_description="it is no JWT that is signed as wanted", scope="use", ` + metadata},
	} {
		r := s.post(row.token, row.tool, `{"a":1}`)
		if r.StatusCode != row.want || r.Header.Get("WWW-Authenticate") != row.challenge {
			t.Errorf("%s: %s %s", row.name, r.Status, r.Header.Get("WWW-Authenticate"))
		}
	}
	r, err := http.Get(s.url + "/.well-known/oauth-protected-resource/mcp")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(r.Body)
	r.Body.Close()
	if want := fmt.Sprintf(`{"resource":"%s/mcp","authorization_servers":[%q],"scopes_supported":["clean","use"],"bearer_methods_supported":["header"]}`, s.url, issuer.URL); strings.TrimSpace(string(text)) != want {
		t.Errorf("%s", text)
	}
	if !strings.Contains(s.stderr.String(), "access tokens of "+issuer.URL+" are admitted; made for "+s.url+"/mcp") {
		t.Errorf("it says %s", s.stderr)
	}
	if _, err := os.Stat(filepath.Join(m.state, "glovebox", "token")); err == nil {
		t.Error("it made a token that admits nobody")
	}
	if own, err := os.ReadDir(filepath.Join(m.state, "glovebox", "workspaces")); err != nil || len(own) != 2 {
		t.Errorf("workspaces %v, %v", own, err)
	}
	s.terminate()

	both := m.command("serve", "--listen", "127.0.0.1:0", "--oauth-issuer", issuer.URL)
	if out, err := both.CombinedOutput(); both.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(out), "say --oauth-with-token to admit both") {
		t.Errorf("%v %s", err, out)
	}
}

// TestTerminationIsGraceful: a running call gets its answer, and slow or idle
// clients do not delay the exit.
func TestTerminationIsGraceful(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	s := m.serve(t, "--drain", "10m", "--sse")
	addr := strings.TrimPrefix(s.url, "http://")
	for _, text := range []string{
		"",                   // says nothing
		"POST /mcp HTTP/1.1", // not even its headers
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\nContent-Length: 1000\r\n\r\n{", // half a body
		"GET /sse HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\r\n",                           // a stream
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",                                                  // idle afterwards
	} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(text, "GET") { // it has begun
			if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.post("t", "slow", `{"ms":1}`) // compiled
	answered := make(chan string)
	go func() {
		r := s.post("t", "slow", `{"ms":1500}`)
		text, _ := io.ReadAll(r.Body)
		answered <- r.Status + string(text)
	}()
	for started := time.Now(); !regexp.MustCompile(`(?m)^glovebox_calls_running(\{[^}]*\})? 1$`).MatchString(s.counts()); time.Sleep(5 * time.Millisecond) {
		if time.Since(started) > patience {
			t.Fatalf("the call does not run: %s", s.counts())
		}
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := <-answered; !strings.Contains(got, `{\"slept\":1500}`) {
		t.Errorf("the call was answered with %s", got)
	}
	select {
	case <-s.ended:
	case <-time.After(patience): // well before the ten minutes of the drain
		t.Fatal("it does not end")
	}
	if s.err != nil {
		t.Errorf("%v: %s", s.err, s.stderr)
	}
}
