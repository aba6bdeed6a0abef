package mcpserver_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
)

// cutter is a proxy that breaks the connection of the first call, after so many bytes of
// the answer, or, with primed, of what follows its first event; -1 never does.
type cutter struct {
	net.Listener
	to     string
	after  int
	primed bool

	mu   sync.Mutex
	cut  bool
	said bytes.Buffer // the answer to the first call, as far as it was passed on
}

func cutting(t *testing.T, to string, primed bool, after int) *cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{Listener: l, to: to, after: after, primed: primed}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go c.pass(conn.(*net.TCPConn))
		}
	}()
	return c
}

func (c *cutter) pass(client *net.TCPConn) {
	defer client.Close()
	server, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer server.Close()
	var mu sync.Mutex
	calling := false
	hungUp := make(chan struct{})
	go func() {
		defer close(hungUp)
		defer server.(*net.TCPConn).CloseWrite()
		buffer := make([]byte, 64<<10)
		for {
			n, err := client.Read(buffer)
			if bytes.Contains(buffer[:n], []byte(`"tools/call"`)) {
				c.mu.Lock()
				mu.Lock()
				calling, c.cut = calling || !c.cut, true
				mu.Unlock()
				c.mu.Unlock()
			}
			if _, err := server.Write(buffer[:n]); err != nil {
				return
			}
			if err != nil {
				return
			}
		}
	}()
	buffer, passed := make([]byte, 64<<10), 0
	for {
		n, err := server.Read(buffer)
		mu.Lock()
		ours := calling
		mu.Unlock()
		part := buffer[:n]
		if limit := c.limit(part); ours && limit >= 0 && passed+n > limit {
			part = part[:limit-passed]
		}
		if ours {
			passed += len(part)
			c.mu.Lock()
			c.said.Write(part)
			c.mu.Unlock()
		}
		if _, err := client.Write(part); err != nil {
			return
		}
		if ours && len(part) < n {
			// A reset would take bytes back that the client has not read yet, so how many
			// arrive would be the kernel's choice.
			_ = client.CloseWrite()
			<-hungUp
			return
		}
		if err != nil {
			return
		}
	}
}

// firstEvent ends where the client has the id of the first event.
var firstEvent = regexp.MustCompile(`data: ?\n\n`)

// limit is how many bytes of the answer are passed on; -1 is all of them.
func (c *cutter) limit(next []byte) int {
	if !c.primed || c.after < 0 {
		return c.after
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := firstEvent.FindIndex(append(bytes.Clone(c.said.Bytes()), next...))
	if at == nil {
		return -1
	}
	return at[1] + c.after
}

// TestACallWhoseConnectionBreaks: wherever the connection of a call breaks, the SDK's
// client gets the result from the moment on that it has the id of the first event, and
// the call runs once.
func TestACallWhoseConnectionBreaks(t *testing.T) {
	long := tool("long", "return 'x'.repeat(3000);", "")
	nap := tool("nap", "await new Promise(done => setTimeout(done, 300)); return 'y'.repeat(3000);", "")
	call := func(t *testing.T, sdk, primed bool, after int, name string) (answer string, ran int, err error) {
		f := newFixture(t, mcpserver.Config{}, long, nap)
		token, err := mcpserver.NewToken(secret)
		if err != nil {
			t.Fatal(err)
		}
		addr, stop := f.listen(t, mcpserver.HTTP{Token: token})
		defer stop()
		proxy := cutting(t, addr, primed, after)
		var got string
		if sdk {
			session := f.overHTTP(t, "http://"+proxy.Addr().String(), sessions, nil)
			var result *mcp.CallToolResult
			if result, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(`{}`)}); err == nil {
				got = textOf(t, result)
			}
		} else {
			got, err = byHand(t, "http://"+proxy.Addr().String()+"/mcp", name)
		}
		if err == nil && !strings.Contains(got, strings.Repeat(map[string]string{"long": "x", "nap": "y"}[name], 3000)) {
			t.Errorf("%d: the result is %.100s", after, got)
		}
		for _, r := range f.records(t) {
			if r.Tool == name {
				ran++
			}
		}
		proxy.mu.Lock()
		defer proxy.mu.Unlock()
		return proxy.said.String(), ran, err
	}
	for _, row := range []struct {
		what, name string
		sdk        bool
	}{{"the SDK's client", "long", true}, {"the SDK's client waits", "nap", true}, {"by hand", "long", false}, {"by hand, waiting", "nap", false}} {
		whole, _, err := call(t, row.sdk, false, -1, row.name)
		headers := strings.Index(whole, "\r\n\r\n")
		if err != nil || headers < 0 || !firstEvent.MatchString(whole) {
			t.Fatalf("%v: %.300s", err, whole)
		}
		for _, after := range []int{0, 7, headers - 1, headers + 4, headers + 12} {
			t.Run(fmt.Sprint(row.what, after), func(t *testing.T) {
				t.Parallel()
				// Without an id the client does not wait, and its call may still run.
				if _, ran, err := call(t, row.sdk, false, after, row.name); err == nil || ran > 1 {
					t.Errorf("broken after %d bytes: ran %d times, %v", after, ran, err)
				}
			})
		}
		for _, after := range []int{0, 9, 40, 1500, 3000, 3050} {
			t.Run(fmt.Sprint(row.what, " behind the first event ", after), func(t *testing.T) {
				t.Parallel()
				if said, ran, err := call(t, row.sdk, true, after, row.name); err != nil || ran != 1 {
					t.Errorf("broken %d bytes behind the first event: ran %d times, %v\n%.400s", after, ran, err, said)
				}
			})
		}
	}
}

// byHand makes a call as a client that knows nothing but the protocol: it comes back with
// the last id that it has read.
func byHand(t *testing.T, url, name string) (string, error) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	session := ""
	ask := func(method, body, last string) (text string, whole bool, err error) {
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {"Bearer " + secret}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {sessions}}
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		if last != "" {
			r.Header.Set("Last-Event-ID", last)
		}
		response, err := client.Do(r)
		if err != nil {
			return "", false, err
		}
		defer response.Body.Close()
		session = cmp.Or(session, response.Header.Get("Mcp-Session-Id"))
		all, err := io.ReadAll(response.Body)
		return string(all), err == nil, nil
	}
	for _, body := range []string{initialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`} {
		if _, whole, err := ask("POST", body, ""); err != nil || !whole {
			t.Fatal(err)
		}
	}
	text, _, err := ask("POST", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"`+name+`","arguments":{}}}`, "")
	if err != nil {
		return "", err
	}
	event := regexp.MustCompile(`(?m)^id: (.*)\n(?:event: .*\n)?data: ?(.*)\n\n`)
	last := ""
	for range 3 {
		for _, e := range event.FindAllStringSubmatch(text, -1) {
			if last = e[1]; strings.Contains(e[2], `"result"`) {
				return e[2], nil
			}
		}
		if last == "" {
			return "", errors.New("there is no id to come back with")
		}
		if text, _, err = ask("GET", "", last); err != nil {
			return "", err
		}
	}
	return "", errors.New("there is no result")
}

// TestOnlyTheOwnerComesBack: the rest of an answer is for the session it was said in, by
// the principal whose session it is; what is not kept is no reason to begin a session anew.
func TestOnlyTheOwnerComesBack(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	token, err := mcpserver.NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	addr, stop := f.listen(t, mcpserver.HTTP{Token: token, Named: func(_ context.Context, text string) (mcpserver.Holder, bool, error) {
		return mcpserver.Holder{Principal: "named:other"}, text == "another-token", nil
	}})
	defer stop()
	ask := func(method, bearer, body string, headers ...string) (*http.Response, string) {
		r, err := http.NewRequestWithContext(context.Background(), method, "http://"+addr+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {"Bearer " + bearer}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {sessions}}
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response, string(text)
	}
	begin := func() string {
		r, _ := ask("POST", secret, initialize)
		id := r.Header.Get("Mcp-Session-Id")
		ask("POST", secret, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", id)
		return id
	}
	mine, elsewhere := begin(), begin()
	_, said := ask("POST", secret, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":20,"b":22}}}`, "Mcp-Session-Id", mine)
	id := regexp.MustCompile(`(?m)^id: (.*)$`).FindStringSubmatch(said)[1]
	name, _, _ := strings.Cut(id, "_")
	for _, row := range []struct {
		what, bearer, session, last string
		status                      int
	}{
		{"the owner", secret, mine, id, 200},
		{"the owner again", secret, mine, id, 200},
		{"another principal", "another-token", mine, id, 404},
		{"another session", secret, elsewhere, id, 400},
		{"no session", secret, "none", id, 404},
		{"a number that is not there", secret, mine, name + "_9", 400},
		{"nonsense", secret, mine, "own \xff_\xfe", 400},
	} {
		r, text := ask("GET", row.bearer, "", "Mcp-Session-Id", row.session, "Last-Event-ID", row.last)
		if has := strings.Contains(text, `"sum":42`); has != (row.status == 200) || r.StatusCode != row.status && !(row.status == 404 && r.StatusCode == 403) {
			t.Errorf("%s: %d %s", row.what, r.StatusCode, text)
		}
	}
	if ran := len(f.records(t)); ran != 1 {
		t.Errorf("it ran %d times", ran)
	}
}
