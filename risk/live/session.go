package live

import (
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/live/order"
	"github.com/glovebox-run/glovebox/risk/live/overlap"
)

// Bounds of one session. Together with the index they keep it below 2 MB.
const (
	maxTexts    = 4096      // texts that are told apart
	maxKept     = 256 << 10 // bytes of text that stay to be shown and searched for requests; of older ones the marks stay
	maxRequests = 8192      // requests of untrusted texts, 20 bytes each
	maxShown    = 280       // bytes of a passage that a person is shown
)

// Session is what a principal has met, as far as flows are concerned. Its label only gets
// worse; an operator who releases it starts a new one. The zero Session is a fresh one.
// It is not safe for concurrent use.
type Session struct {
	label    Label
	killed   []Kill
	texts    []Text
	index    overlap.Index
	requests map[string]*[]request // by verb
	asked    int                   // how many requests there are
	kept     int                   // bytes
	// forgot says that something was left out for want of room. What is not found is
	// then not known to be absent.
	forgot bool
	leaves []Leave
	marks  []overlap.Mark // room for those of one text
}

// Text is one thing that a session met.
type Text struct {
	Source string `json:"source"` // server/tool, or Caller
	Call   string `json:"call,omitempty"`
	Label  Label  `json:"label"`
	// Words is the text itself; of a trusted text only Marks are kept.
	Words string `json:"words,omitempty"`
	// Marks are those of the text, if they are known without its words.
	Marks []overlap.Mark `json:"-"`
	// Caller says that the values are those of a person, or derive from trusted data.
	Caller bool `json:"caller,omitempty"`
	// Order says that a scanner found text that tries to direct its reader.
	Order bool `json:"order,omitempty"`
	// Hidden says that the marks are those of secrets that the caller was not shown.
	Hidden bool `json:"hidden,omitempty"`
}

// Read finds the marks of the text, if nobody has yet. Whoever keeps a trusted text and
// meets it saves half of the work.
func (t *Text) Read() {
	if t.Marks == nil && !t.Label.Untrusted {
		t.Marks = overlap.Marks(nil, t.Words)
	}
}

// request is an [order.Request] in 20 bytes; its verb is the key it is found by.
type request struct {
	at, start, end, field uint32
	text                  uint16
	aim                   bool
}

func (r request) request(verb string) order.Request {
	return order.Request{Verb: verb, At: int(r.at), Start: int(r.start), End: int(r.end), Field: int(r.field), Aim: r.aim}
}

// Kill is why nothing runs any more until an operator releases the session.
type Kill struct {
	Signal Signal `json:"signal"`
	Call   string `json:"call,omitempty"`
}

// Label returns the label of everything that the session met.
func (s *Session) Label() Label { return s.label }

// Killed returns why the session was killed, first reason first; none if it was not.
func (s *Session) Killed() []Kill { return s.killed }

// Texts returns how many texts the session met.
func (s *Session) Texts() int { return len(s.texts) }

// Leaves returns what a person allowed for the rest of a task.
func (s *Session) Leaves() []Leave { return s.leaves }

// Forgot reports whether the session met more than is remembered of it.
func (s *Session) Forgot() bool { return s.forgot || s.index.Full() }

// Kill latches a signal.
func (s *Session) Kill(signal Signal, call string) {
	if !slices.ContainsFunc(s.killed, func(k Kill) bool { return k.Signal == signal }) {
		s.killed = append(s.killed, Kill{signal, call})
	}
}

// Taint makes the session worse without a text: what a host saw but did not show, or a
// past that is no longer remembered.
func (s *Session) Taint(l Label, forgot bool) {
	s.label = s.label.Join(l)
	s.forgot = s.forgot || forgot
}

// Meet remembers a text. It reports whether there was room for it; the label counts
// either way.
func (s *Session) Meet(t Text) bool {
	s.label = s.label.Join(t.Label)
	if len(s.texts) >= maxTexts || s.index.Full() {
		s.forgot = true
		return false
	}
	number := uint16(len(s.texts))
	if t.Marks == nil {
		t.Marks = overlap.Marks(s.marks[:0], t.Words)
		s.marks = t.Marks
	}
	s.index.Add(number, t.Marks)
	t.Marks = nil
	if t.Label.Untrusted {
		s.listen(number, t.Words)
	} else {
		// Trusted text is never shown and never searched for requests, and private data
		// should not lie about in the clear.
		t.Words = ""
	}
	s.kept += len(t.Words)
	s.texts = append(s.texts, t)
	s.makeRoom()
	return true
}

// listen remembers what a text asks for.
func (s *Session) listen(number uint16, text string) {
	if s.requests == nil {
		s.requests = map[string]*[]request{}
	}
	for _, r := range order.Read(text) {
		if s.asked >= maxRequests {
			s.forgot = true
			return
		}
		s.asked++
		list := s.requests[r.Verb]
		if list == nil {
			list = new([]request)
			s.requests[strings.Clone(r.Verb)] = list // the key must not keep all of its text in memory
		}
		*list = append(*list, request{uint32(r.At), uint32(r.Start), uint32(r.End), uint32(r.Field), number, r.Aim})
	}
}

// makeRoom drops the words of the oldest texts. Their marks stay, and since nobody can
// tell any more what they asked for, that counts as forgotten.
func (s *Session) makeRoom() {
	for i := 0; s.kept > maxKept && i < len(s.texts); i++ {
		if t := &s.texts[i]; t.Words != "" {
			s.kept -= len(t.Words)
			t.Words = ""
			s.forgot = true
		}
	}
}
