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
	// maxOpen bounds the requests that are kept in mind; of more than that the
	// client has to find out itself that they are lost.
	maxOpen = 1024
	// maxKept bounds a request that is kept to be sent again, in bytes.
	maxKept = 64 << 10
)

// session is what a relay has to know of the messages it carries so that the
// client can go on with another owner: how the session began, which requests are
// unanswered and which questions of the owner are open.
type session struct {
	owner int // how many there were before this one; -1 before the first

	begin   []byte // the client's initialize, once it was answered
	beginID string
	version string // of the protocol, as the first owner chose it
	begun   []byte // the notification that ends the handshake

	open  map[string]request
	asked map[string]question
	next  int // orders the requests
}

// request is one of the client.
type request struct {
	order  int
	id     string // as JSON
	method string
	text   []byte // to be sent again; nil when it must not be
}

// question is a request of the owner: its id as the owner has it, and as the client
// has seen it, both as JSON.
type question struct{ id, shown string }

func newSession() session {
	return session{owner: -1, open: map[string]request{}, asked: map[string]question{}}
}

// each looks at every message of a line, which is one or, in old versions, a batch.
// What comes back replaces it; nil leaves it out. A line that holds no messages stays
// as it is.
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

// ended is a message as a line.
func ended(text []byte) []byte {
	if text == nil {
		return nil
	}
	return append(bytes.TrimRight(text, "\r\n"), '\n')
}

// fromClient looks at a line on its way to the owner.
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

// again returns a request if it may be sent to another owner although this one may
// have worked on it. What a tool did cannot be undone, so a call of one may not.
func again(m *wire.Message) []byte {
	if m.Method == "tools/call" || len(m.Raw) > maxKept {
		return nil
	}
	return m.Raw
}

// answer gives the answer to a question of the owner the id that it had there. An
// answer to a question of an earlier owner is left out: this one may have a
// question of its own under the same id, and a yes to the one must not count for
// the other.
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

// fromOwner looks at a line on its way to the client.
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
// that no other owner gives.
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

// withdraw tells the client of a question that the owner has no longer.
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

// settled reports whether every request has its answer. One that only ends with
// the session has none.
func (s *session) settled() bool {
	for _, r := range s.open {
		if r.method != "subscriptions/listen" {
			return false
		}
	}
	return true
}

// lost is what a client gets for a call that ran when its server was killed.
const lost = `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"the server was stopped while this ran; whether it had an effect is not known"}}` + "\n"

// resume returns what the client and the next owner have to be told before
// anything else. What was not sent counts as if the client had yet to say it.
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
