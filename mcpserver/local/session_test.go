package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
)

const (
	begin  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}` + "\n"
	agreed = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}` + "\n"
	begun  = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
)

// conversation passes messages in and checks what comes out at the other end.
type conversation struct {
	t *testing.T
	s session
}

func converse(t *testing.T) *conversation {
	c := &conversation{t, newSession()}
	c.next("", "")
	return c
}

// next continues with another owner.
func (c *conversation) next(toClient, toOwner string) {
	c.t.Helper()
	client, owner := c.s.resume(nil)
	c.want("resume: to the client", string(client), toClient)
	c.want("resume: to the owner", string(owner), toOwner)
}

func (c *conversation) client(line, want string) {
	c.t.Helper()
	c.want("from the client", string(c.s.fromClient([]byte(line))), want)
}

func (c *conversation) owner(line, want string) {
	c.t.Helper()
	text, err := c.s.fromOwner([]byte(line))
	if err != nil {
		c.t.Error(err)
	}
	c.want("from the owner", string(text), want)
}

// same passes messages that must come out unchanged.
func (c *conversation) same(who func(line, want string), lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		who(line, line)
	}
}

func (c *conversation) want(what, got, want string) {
	c.t.Helper()
	if got != want {
		c.t.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
	}
}

func line(format string, args ...any) string { return fmt.Sprintf(format, args...) + "\n" }

const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"

func TestWhatANextOwnerIsTold(t *testing.T) {
	c := converse(t)
	list := line(`{"jsonrpc":"2.0","id":"a\"b","method":"tools/list"}`)
	listen := line(`{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":{}}`)
	c.same(c.client, begin)
	c.same(c.owner, agreed)
	c.same(c.client, begun, list, listen,
		line(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`),
		line(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}`),
		line(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}`),
		line(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`))
	c.same(c.owner, line(`{"jsonrpc":"2.0","id":3,"result":{}}`))
	if c.s.settled() {
		t.Error("two requests have no answer")
	}
	c.next(changed+fmt.Sprintf(lost, "1"), begin+begun+list+listen)
	// The handshake is between the relay and the owner; the client gets the rest.
	c.owner(agreed, "")
	c.same(c.owner, line(`{"jsonrpc":"2.0","id":"a\"b","result":{"tools":[]}}`))
	if !c.s.settled() {
		t.Errorf("%v has no answer", c.s.open)
	}
	// The client may reuse an id.
	c.same(c.client, line(`{"jsonrpc":"2.0","id":0,"method":"ping"}`))
	c.same(c.owner, line(`{"jsonrpc":"2.0","id":0,"result":{}}`))
	c.next(changed, begin+begun+listen)
}

func TestAHandshakeThatWasCutOff(t *testing.T) {
	c := converse(t)
	c.same(c.client, begin)
	c.next("", begin)
	c.same(c.owner, agreed) // the client has not seen it yet
	c.same(c.client, begun)
	c.next(changed, begin+begun)
	if _, err := c.s.fromOwner([]byte(strings.Replace(agreed, "2025-11-25", "2024-11-05", 1))); err == nil {
		t.Error("another version of the protocol was accepted in the middle of a session")
	}
}

func TestQuestionsOfOwnersStayApart(t *testing.T) {
	c := converse(t)
	ask := func(id string) string {
		return line(`{"jsonrpc":"2.0","id":%s,"method":"elicitation/create","params":{}}`, id)
	}
	yes := func(id string) string { return line(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept"}}`, id) }
	gone := func(id, why string) string {
		return line(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":%q}}`, id, why)
	}
	c.same(c.owner, ask("1"), ask(`"x"`))
	c.same(c.client, yes("1"))
	c.next(gone(`"x"`, "the server was stopped"), "")

	c.owner(ask("1"), ask(`"glovebox-1-1"`))
	c.owner(ask(`"x"`), ask(`"glovebox-1-\"x\""`))
	c.client(yes("1"), "")   // for the first owner
	c.client(yes(`"x"`), "") // likewise
	c.client(yes(`"glovebox-1-\"x\""`), yes(`"x"`))
	c.client(yes(`"glovebox-1-\"x\""`), "") // only once
	c.owner(gone("1", "timeout"), gone(`"glovebox-1-1"`, "timeout"))
	c.client(yes(`"glovebox-1-1"`), "")
	c.owner(ask("2"), ask(`"glovebox-1-2"`))
	c.next(gone(`"glovebox-1-2"`, "the server was stopped"), "")
	c.owner(ask("2"), ask(`"glovebox-2-2"`))
	c.client(`[{"jsonrpc":"2.0","id":"glovebox-1-2","result":{}}, {"jsonrpc":"2.0","id":"glovebox-2-2","result":{}}]`, `[{"jsonrpc":"2.0","id":2,"result":{}}]`+"\n")
}

// TestWhatIsKeptIsBounded: a client that is never answered has a bounded cost.
func TestWhatIsKeptIsBounded(t *testing.T) {
	s := newSession()
	s.resume(nil)
	for id := range maxOpen + 100 {
		s.fromClient([]byte(line(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id)))
		if _, err := s.fromOwner([]byte(line(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.open) != maxOpen || len(s.asked) != maxOpen {
		t.Errorf("%d requests and %d questions are kept", len(s.open), len(s.asked))
	}
	s = newSession()
	s.resume(nil)
	s.fromClient([]byte(line(`{"jsonrpc":"2.0","id":1,"method":"ping","params":%q}`, strings.Repeat("x", maxKept))))
	if client, owner := s.resume(nil); string(client) != fmt.Sprintf(lost, "1") || len(owner) > 0 {
		t.Errorf("%s %s", client, owner)
	}
}

// TestDepthCostsNoStack: recursing into a line of brackets would take hundreds of
// megabytes of stack.
func TestDepthCostsNoStack(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(16 << 20))
	s := newSession()
	s.resume(nil)
	for _, deep := range []string{
		strings.Repeat("[", maxFromClient), strings.Repeat(`{"id":`, maxFromClient/6),
		strings.Repeat("[", maxFromClient/2) + strings.Repeat("]", maxFromClient/2), strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000),
	} {
		if out := s.fromClient([]byte(deep)); strings.TrimSpace(string(out)) != deep {
			t.Errorf("%d bytes became %d", len(deep), len(out))
		}
	}
}

// FuzzSession: whatever either side sends, while owners come and go, nothing is
// made up, and JSON stays one message per line.
func FuzzSession(f *testing.F) {
	for _, text := range []string{begin + agreed + begun, "[" + strings.TrimSpace(begin) + "," + strings.TrimSpace(begun) + "]\n", `{"id":{"a":1},"method":[]}`, `{"id":1e999,"method":"ping"}` + "\n" + `{"id":1e999}`, "\x00\xff\n[]\n[[]]\n5"} {
		f.Add(text, uint(0b1011))
	}
	f.Fuzz(func(t *testing.T, text string, choices uint) {
		s := newSession()
		for i, l := range strings.SplitAfter(text, "\n") {
			if l == "" {
				continue
			}
			if choices>>(i%16)&1 == 0 {
				for _, told := range resumed(&s) {
					for l := range bytes.Lines(told) {
						if !json.Valid(l) {
							t.Errorf("resume says %q", l)
						}
					}
				}
			}
			var out []byte
			if choices>>(16+i%16)&1 == 0 {
				out = s.fromClient([]byte(l))
			} else {
				out, _ = s.fromOwner([]byte(l))
			}
			if json.Valid([]byte(l)) && len(out) > 0 && (!json.Valid(out) || bytes.IndexByte(out, '\n') != len(out)-1) {
				t.Errorf("%q became %q", l, out)
			}
			if !json.Valid([]byte(l)) && string(out) != l {
				t.Errorf("%q became %q", l, out)
			}
		}
	})
}

func resumed(s *session) [][]byte {
	client, owner := s.resume(nil)
	return [][]byte{client, owner}
}
