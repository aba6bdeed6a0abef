package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

const (
	// maxOpen bounds the requests that are tracked; beyond it the client has to
	// find out itself that they are lost.
	maxOpen = 1024
	// maxKept bounds a request kept for resending, in bytes.
	maxKept = 64 << 10
)

// session is what a relay must know of its messages so that the client can continue
// with another owner: how the session began, which requests are unanswered and
// which of the owner's questions are pending.
type session struct {
	owner int // number of earlier owners; -1 before the first

	begin   []byte // the client's initialize, once it is answered
	beginID string
	version string // of the protocol, chosen by the first owner
	begun   []byte // the notification that ends the handshake

	open  map[string]request
	asked map[string]question
	next  int // orders the requests
}

// request is a request from the client.
type request struct {
	order  int
	id     string // as JSON
	method string
	text   []byte // for resending; nil if it must not be resent
}

// question is a request from the owner: its id there and the id shown to the
// client, both as JSON.
type question struct{ id, shown string }

func newSession() session {
	return session{owner: -1, open: map[string]request{}, asked: map[string]question{}}
}

// each passes every message of a line to look; a line holds one message or, in old
// versions, a batch. The result replaces the message; nil drops it. A line without
// messages stays as it is.
func each(line []byte, look func(m *wire.Message) []byte) []byte {
	body, err := wire.Parse(line)
	if err != nil && json.Valid(line) {
		return ended(line)
	} else if err != nil {
		return line
	}
	if !body.Batch {
		return ended(look(&body.Messages[0]))
	}
	var kept [][]byte
	for i := range body.Messages {
		if text := look(&body.Messages[i]); text != nil {
			kept = append(kept, text)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return ended(slices.Concat([]byte("["), bytes.Join(kept, []byte(",")), []byte("]")))
}

// ended returns a message as a line.
func ended(text []byte) []byte {
	if text == nil {
		return nil
	}
	return append(bytes.TrimRight(text, "\r\n"), '\n')
}

// fromClient processes a line on its way to the owner.
func (s *session) fromClient(line []byte) []byte {
	return each(line, func(m *wire.Message) []byte {
		switch {
		case m.Request():
			if len(s.open) < maxOpen {
				s.next++
				s.open[m.ID.Key()] = request{s.next, string(m.ID.Raw()), m.Method, again(m)}
			}
		case m.Method == "notifications/initialized":
			s.begun = m.Raw
		case m.Method == "notifications/cancelled":
			delete(s.open, m.RequestID.Key())
		case m.Answer && m.ID.Given():
			return s.answer(m)
		}
		return m.Raw
	})
}

// again returns a request if another owner may receive it although this one may
// have worked on it. A tool call may not be resent: what the tool did cannot be
// undone.
func again(m *wire.Message) []byte {
	if m.Method == "tools/call" || len(m.Raw) > maxKept {
		return nil
	}
	return m.Raw
}

// answer restores the owner's id in an answer to its question. It drops an answer
// to a question of an earlier owner: this one may have a question of its own under
// the same id, and a yes to one must not count for the other.
func (s *session) answer(m *wire.Message) []byte {
	key := m.ID.Key()
	q, ok := s.asked[key]
	delete(s.asked, key)
	switch {
	case s.owner == 0:
		return m.Raw
	case !ok:
		return nil
	}
	return m.WithID([]byte(q.id))
}

// fromOwner processes a line on its way to the client.
func (s *session) fromOwner(line []byte) (text []byte, err error) {
	text = each(line, func(m *wire.Message) []byte {
		switch {
		case m.Request():
			return s.ask(m)
		case m.Method == "notifications/cancelled":
			return s.withdraw(m)
		case m.Answer && m.ID.Given():
			key := m.ID.Key()
			r, ok := s.open[key]
			delete(s.open, key)
			version := gjson.GetBytes(m.Result, "protocolVersion").Str
			if ok && r.method == "initialize" && m.Result != nil {
				s.begin, s.beginID, s.version = r.text, key, version
			}
			if !ok && s.owner > 0 && key == s.beginID {
				if version != s.version {
					err = fmt.Errorf("the server that took over speaks version %q of the protocol, not %q", version, s.version)
				}
				return nil
			}
		}
		return m.Raw
	})
	return text, err
}

// ask remembers a question of the owner. From the second owner on it gets an id
// that no other owner uses.
func (s *session) ask(m *wire.Message) []byte {
	id := string(m.ID.Raw())
	q := question{id, id}
	if s.owner > 0 {
		shown, err := json.Marshal(fmt.Sprintf("glovebox-%d-%s", s.owner, id))
		if err != nil {
			panic(err) // a string is always JSON
		}
		q.shown = string(shown)
	}
	if len(s.asked) < maxOpen {
		s.asked[wire.ParseID([]byte(q.shown)).Key()] = q
	}
	return m.WithID([]byte(q.shown))
}

// withdraw tells the client that the owner has withdrawn a question.
func (s *session) withdraw(m *wire.Message) []byte {
	key := m.RequestID.Key()
	for k, q := range s.asked {
		if wire.ParseID([]byte(q.id)).Key() == key {
			delete(s.asked, k)
			return m.WithRequestID([]byte(q.shown))
		}
	}
	return m.Raw
}

// settled reports whether every request has been answered. A request that ends only
// with the session does not count.
func (s *session) settled() bool {
	for _, r := range s.open {
		if r.method != "subscriptions/listen" {
			return false
		}
	}
	return true
}

// lost is the answer to a call that was running when its server was killed.
const lost = `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"the server was stopped while this ran; whether it had an effect is not known"}}` + "\n"

// resume returns what the client and the next owner must receive first. Unsent
// messages count as if the client had not sent them yet.
func (s *session) resume(unsent *piece) (client, owner []byte) {
	if unsent != nil && unsent.whole {
		each(unsent.text, func(m *wire.Message) []byte {
			if !m.Answer {
				delete(s.open, m.ID.Key())
			}
			return nil
		})
	}
	s.owner++
	for _, q := range s.asked {
		client = fmt.Appendf(client, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"the server was stopped"}}`+"\n", q.shown)
	}
	clear(s.asked)
	if s.begin != nil {
		owner = append(owner, ended(s.begin)...)
	}
	if s.begin != nil && s.begun != nil {
		owner = append(owner, ended(s.begun)...)
		client = append(client, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n"...)
	}
	var waiting []request
	for k, r := range s.open {
		if r.text == nil {
			client = fmt.Appendf(client, lost, r.id)
			delete(s.open, k)
			continue
		}
		waiting = append(waiting, r)
	}
	slices.SortFunc(waiting, func(a, b request) int { return a.order - b.order })
	for _, r := range waiting {
		owner = append(owner, ended(r.text)...)
	}
	return client, owner
}
