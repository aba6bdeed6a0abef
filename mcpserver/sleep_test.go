package mcpserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

// send sends one request of a session, with a method of HTTP and headers, and returns what
// comes back: status, kind and body.
func send(t *testing.T, method, url, session, message string, headers ...string) (said, opened string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(message))
	if err != nil {
		t.Error(err)
		return "", ""
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + secret}}
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return "", ""
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return fmt.Sprintf("%d %s %s", answer.StatusCode, answer.Header.Get("Content-Type"), body), answer.Header.Get("Mcp-Session-Id")
}

const initializing = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// begun opens a session.
func begun(t *testing.T, url string) (session string) {
	t.Helper()
	_, session = send(t, "POST", url, "", initializing)
	if session == "" {
		t.Fatal("no session was opened")
	}
	send(t, "POST", url, session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return session
}

// until waits for a state.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for patience := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(patience) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// TestASessionThatSleptIsTheSame: it answers as one that never slept, asleep before every
// request; also what is wrong.
func TestASessionThatSleptIsTheSame(t *testing.T) {
	type step struct {
		method, message string
		headers         []string
	}
	request := func(text string) string { return `{"jsonrpc":"2.0","id":"r",` + text + `}` }
	steps := []step{
		{message: request(`"method":"ping"`)},
		{message: request(`"method":"tools/list"`)},
		{message: request(`"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}`)},
		{message: request(`"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},"_meta":{"progressToken":1}}`)}, // the SDK's
		{message: request(`"method":"tools/call","params":{"name":"add","arguments":{"a":"x"}}`)},
		{message: request(`"method":"tools/call","params":{"name":"none","arguments":{}}`)},
		{message: request(`"method":"prompts/list"`)},
		{message: request(`"method":"resources/read","params":{"uri":"x:y"}`)},
		{message: request(`"method":"resources/subscribe","params":{"uri":"x:y"}`)},
		{message: request(`"method":"tasks/get","params":{"taskId":"x"}`)},
		{message: request(`"method":"no/such"`)},
		{message: request(`"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)},
		{message: `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{message: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`},
		{message: `{"jsonrpc":"2.0","id":9,"result":{}}`},
		{message: `[` + request(`"method":"ping"`) + `]`},
		{message: `[` + request(`"method":"ping"`) + `]`, headers: []string{"Mcp-Protocol-Version", "2025-03-26"}},
		{message: request(`"method":"ping"`), headers: []string{"Mcp-Protocol-Version", "2025-06-18"}},
		{message: request(`"method":"ping"`), headers: []string{"Mcp-Protocol-Version", "1999-01-01"}},
		{message: request(`"method":"ping"`), headers: []string{"Accept", "application/json"}},
		{message: request(`"method":"ping"`), headers: []string{"Content-Type", "text/plain"}},
		{message: request(`"method":"ping"`), headers: []string{"Last-Event-ID", "x_1"}},
		{message: `{"jsonrpc":`},
		{message: ``},
		{method: "GET", headers: []string{"Accept", "application/json"}},
		{method: "GET", headers: []string{"Last-Event-ID", "nonsense"}},
		{method: "GET", headers: []string{"Last-Event-ID", "own_1"}},
		{method: "PUT"},
		{message: request(`"method":"logging/setLevel","params":{"level":"loud"}`)},
		{message: request(`"method":"ping"`)},
		{method: "DELETE"},
		{message: request(`"method":"ping"`)},
		{method: "DELETE"},
	}
	ids := regexp.MustCompile(`id: \S+`)
	play := func(t *testing.T, asleep bool) (said []string) {
		f := newFixture(t, mcpserver.Config{}, add)
		h := mcpserver.HTTP{SleepAfter: time.Hour}
		if asleep {
			h.SleepAfter = time.Nanosecond
		}
		url := f.httpThat(t, h).URL + "/mcp"
		session := begun(t, url)
		for _, s := range steps {
			if s.method == "" {
				s.method = "POST"
			}
			if asleep {
				until(t, "asleep", func() bool { open, asleep := f.server.Sessions(); return open == asleep })
			}
			text, _ := send(t, s.method, url, session, s.message, s.headers...)
			said = append(said, fmt.Sprintf("%s %v %s\n  %s", s.method, s.headers, s.message, ids.ReplaceAllString(text, "id: {id}")))
		}
		return said
	}
	want, got := play(t, false), play(t, true)
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("awake  %s\nasleep %s", want[i], got[i])
		}
	}
}

// TestASleeperHearsWhatChanged: a client that opens a stream after the tools have changed
// is told, and from then on it is told at once.
func TestASleeperHearsWhatChanged(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	url := f.drowsy(t).URL + "/mcp"
	session := begun(t, url)
	until(t, "asleep", func() bool { _, asleep := f.server.Sessions(); return asleep == 1 })
	f.offer(t, add, list)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
	r.Header = http.Header{"Accept": {"text/event-stream"}, "Authorization": {"Bearer " + secret}, "Mcp-Session-Id": {session}}
	stream, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	lines := bufio.NewScanner(stream.Body)
	hear := func() {
		t.Helper()
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "data: ") && strings.Contains(lines.Text(), `"notifications/tools/list_changed"`) {
				return
			}
		}
		t.Fatal("the stream ended:", lines.Err())
	}
	defer time.AfterFunc(time.Minute, cancel).Stop()
	hear()
	f.offer(t, add)
	hear()
	if _, asleep := f.server.Sessions(); asleep != 0 {
		t.Error("a session with a stream sleeps")
	}
}

// TestRequestsMeetSleepers: requests of many kinds arrive while their session falls
// asleep, and each is answered; then the sessions are ended from all sides at once.
func TestRequestsMeetSleepers(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Rate: -1}}, add)
	url := f.drowsy(t).URL + "/mcp"
	var all sync.WaitGroup
	for range 4 {
		session := begun(t, url)
		for range 3 {
			all.Go(func() {
				for i := range 40 {
					message, want := fmt.Sprintf(`{"jsonrpc":"2.0","id":"%p","method":"ping"}`, &i), `"result":{}`
					switch i % 4 {
					case 1:
						message, want = fmt.Sprintf(`{"jsonrpc":"2.0","id":"%p","method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}`, &i), `{"sum":3}`
					case 2:
						message, want = fmt.Sprintf(`{"jsonrpc":"2.0","id":"%p","method":"tools/list"}`, &i), `"name":"add"`
					case 3:
						message, want = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}`, "202 "
					}
					if said, _ := send(t, "POST", url, session, message); !strings.Contains(said, want) {
						t.Errorf("%s: %s", message, said)
					}
				}
			})
		}
	}
	all.Wait()
	until(t, "all asleep", func() bool { open, asleep := f.server.Sessions(); return open == 4 && asleep == 4 })
	for range 3 {
		all.Go(f.server.EndSessions)
	}
	all.Wait()
	until(t, "all ended", func() bool { open, _ := f.server.Sessions(); return open == 0 })
}

// TestAFloodOfSessionsSleeps: one principal opens more than it may; those that were idle
// longest are gone, as they would be if they were awake, and nobody else has them.
func TestAFloodOfSessionsSleeps(t *testing.T) {
	const most = 5
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Rate: -1, Sessions: most}}, add)
	url := f.drowsy(t).URL + "/mcp"
	var opened []string
	for range 4 * most {
		opened = append(opened, begun(t, url))
		until(t, "asleep", func() bool { open, asleep := f.server.Sessions(); return open == asleep })
	}
	if open, _ := f.server.Sessions(); open != most {
		t.Errorf("%d sessions are open, want %d", open, most)
	}
	for i, session := range opened {
		said, _ := send(t, "POST", url, session, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if gone := strings.HasPrefix(said, "404 "); gone != (i < len(opened)-most) {
			t.Errorf("session %d of %d: %s", i, len(opened), said)
		}
	}
	if said, _ := send(t, "POST", url, opened[len(opened)-1], `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Authorization", "Bearer "+strings.Repeat("x", len(secret))); !strings.HasPrefix(said, "401 ") {
		t.Error("with a wrong token:", said)
	}
}
