package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
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

// key makes ids comparable that are written differently.
func key(id gjson.Result) string {
	if id.Type == gjson.Number {
		return strconv.FormatFloat(id.Num, 'g', -1, 64)
	}
	return id.Type.String() + id.Str
}

// each looks at every message of a line, which is one or, in old versions, an
// array of them. What comes back replaces it; nil leaves it out. A line that is no
// JSON stays as it is.
func each(line []byte, look func(m gjson.Result) []byte) []byte {
	if !json.Valid(line) { // which bounds the depth; gjson would follow it
		return line
	}
	all := gjson.ParseBytes(line)
	if !all.IsArray() {
		return ended(look(all))
	}
	var kept [][]byte
	for _, m := range all.Array() {
		if text := look(m); text != nil {
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
	return each(line, func(m gjson.Result) []byte {
		id, method := m.Get("id"), m.Get("method")
		switch {
		case method.Exists() && id.Exists():
			if len(s.open) < maxOpen {
				s.next++
				s.open[key(id)] = request{s.next, id.Raw, method.Str, again(method.Str, m.Raw)}
			}
		case method.Str == "notifications/initialized":
			s.begun = []byte(m.Raw)
		case method.Str == "notifications/cancelled":
			delete(s.open, key(m.Get("params.requestId")))
		case id.Exists() && !method.Exists():
			return s.answer(m, id)
		}
		return []byte(m.Raw)
	})
}

// again returns a request if it may be sent to another owner although this one may
// have worked on it. What a tool did cannot be undone, so a call of one may not.
func again(method, raw string) []byte {
	if method == "tools/call" || len(raw) > maxKept {
		return nil
	}
	return []byte(raw)
}

// answer gives the answer to a question of the owner the id that it had there. An
// answer to a question of an earlier owner is left out: this one may have a
// question of its own under the same id, and a yes to the one must not count for
// the other.
func (s *session) answer(m, id gjson.Result) []byte {
	q, ok := s.asked[key(id)]
	delete(s.asked, key(id))
	switch {
	case s.owner == 0:
		return []byte(m.Raw)
	case !ok:
		return nil
	}
	return with(m, "id", q.id)
}

// fromOwner looks at a line on its way to the client.
func (s *session) fromOwner(line []byte) (text []byte, err error) {
	text = each(line, func(m gjson.Result) []byte {
		id, method := m.Get("id"), m.Get("method")
		switch {
		case method.Exists() && id.Exists():
			return s.ask(m, id)
		case method.Str == "notifications/cancelled":
			return s.withdraw(m)
		case id.Exists() && !method.Exists():
			r, ok := s.open[key(id)]
			delete(s.open, key(id))
			if ok && r.method == "initialize" && m.Get("result").Exists() {
				s.begin, s.beginID, s.version = r.text, key(id), m.Get("result.protocolVersion").Str
			}
			if !ok && s.owner > 0 && key(id) == s.beginID {
				if version := m.Get("result.protocolVersion").Str; version != s.version {
					err = fmt.Errorf("the server that took over speaks version %q of the protocol, not %q", version, s.version)
				}
				return nil
			}
		}
		return []byte(m.Raw)
	})
	return text, err
}

// ask remembers a question of the owner. From the second owner on it gets an id
// that no other owner gives.
func (s *session) ask(m, id gjson.Result) []byte {
	q := question{id.Raw, id.Raw}
	if s.owner > 0 {
		shown, err := json.Marshal(fmt.Sprintf("glovebox-%d-%s", s.owner, id.Raw))
		if err != nil {
			panic(err) // a string is always JSON
		}
		q.shown = string(shown)
	}
	if len(s.asked) < maxOpen {
		s.asked[key(gjson.Parse(q.shown))] = q
	}
	return with(m, "id", q.shown)
}

// withdraw tells the client of a question that the owner has no longer.
func (s *session) withdraw(m gjson.Result) []byte {
	id := m.Get("params.requestId").Raw
	for k, q := range s.asked {
		if q.id == id {
			delete(s.asked, k)
			return with(m, "params.requestId", q.shown)
		}
	}
	return []byte(m.Raw)
}

func with(m gjson.Result, path, raw string) []byte {
	text, err := sjson.SetRaw(m.Raw, path, raw)
	if err != nil {
		return []byte(m.Raw) // the path is ours and the message an object, so it does not happen
	}
	return []byte(text)
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
		each(unsent.text, func(m gjson.Result) []byte {
			if m.Get("method").Exists() {
				delete(s.open, key(m.Get("id")))
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
