package live

import (
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/live/order"
	"github.com/glovebox-run/glovebox/risk/live/overlap"
)

// Call is a call that somebody wants to make.
type Call struct {
	ID, Server, Tool string
	Profile          *Profile
	Arguments        []Argument
	Unread           bool  // there is more than Arguments holds
	Drift            Drift // the tool is not the one that was reviewed
	PrivateNetwork   bool  // an argument names an address in a private network
	// Secrets are the names of the arguments that hold what looks like a secret.
	Secrets []string
}

// unaddressed reports whether a call could go to somebody, goes to nobody, and can be taken
// back: an appointment without guests. That is known only of a tool whose recipients the
// operator has listed.
func (c *Call) unaddressed() bool {
	p := c.Profile
	return p.Basis == Reviewed && p.Sink == capability.External && p.Reversible && p.addressed() &&
		!slices.ContainsFunc(c.Arguments, func(a Argument) bool { return p.role(a.Name) == Destination })
}

// Evidence is a place in what the session met that has to do with a call.
type Evidence struct {
	Argument string `json:"argument,omitempty"`
	Source   string `json:"source"`
	Call     string `json:"call,omitempty"`
	Passage  string `json:"passage,omitempty"`
	// Label is that of the text.
	Label Label `json:"label"`
}

// same reports whether two pieces of evidence look the same to a reader.
func (e *Evidence) same(other *Evidence) bool {
	return e.Source == other.Source && e.Call == other.Call && e.Passage == other.Passage
}

// facts are everything that rules look at.
type facts struct {
	call    *Call
	profile *Profile
	label   Label // of the session
	killed  []Kill
	forgot  bool

	// Influence: where an argument stood before.
	destination *Evidence // a destination that untrusted text named and nothing trusted did
	payload     *Evidence // another argument, likewise
	payloadLong bool      // a payload shares a run of characters with untrusted text
	private     *Evidence // private data in an argument
	ownData     bool      // and it does not come from the text that named the destination
	secret      *Evidence // text of a secret origin in an argument
	known       bool      // where it goes can be traced, and no untrusted text alone named it

	// Order: an untrusted text asks for this deed.
	order    *Evidence
	strength order.Strength
	scanned  bool // a scanner called the text with the order or the value an attack
	near     bool // the order and such a value are one passage
	direct   bool // the order is no mere direction, "To pay the bill, ..."
	answer   bool // the call says something, and to those who wrote what was read
}

// maxAbout is how far behind a request, in bytes, a value may stand and be part of it: a
// paragraph.
const maxAbout = 600

// examiner gathers the evidence for one call.
type examiner struct {
	*facts
	s          *Session
	found      []overlap.Match
	value      overlap.Value // room for one that is looked for, and for its words
	words      []string
	influenced []overlap.Place // values that only untrusted text has named
	named      map[uint16]bool // texts that named the destination
	traced     bool            // a destination is long enough to be traced
	others     bool            // strangers named a destination that is not one who wrote
}

// examine gathers the evidence for one call.
func (s *Session) examine(c *Call) *facts {
	x := examiner{s: s, facts: &facts{call: c, profile: c.Profile, label: s.label, killed: s.killed, forgot: s.Forgot()}}
	if s.index.Len() == 0 {
		return x.facts
	}
	var data []Argument
	for _, a := range c.Arguments {
		if c.Profile.role(a.Name) == Destination {
			x.towards(a)
		} else {
			data = append(data, a)
		}
	}
	x.known = x.traced && x.destination == nil
	x.answer = x.destination != nil && !x.others && x.profile.deed.Says()
	for _, a := range data {
		x.carries(a)
	}
	x.hear()
	return x.facts
}

// look finds where a value stood before, and whether something trusted was among it.
func (x *examiner) look(v overlap.Value) (trusted bool) {
	x.found = x.s.index.Find(x.found[:0], v)
	for _, m := range x.found {
		if m.Whole && !x.s.texts[m.Text].Label.Untrusted {
			trusted = true
		}
	}
	return trusted
}

// towards looks at a destination.
func (x *examiner) towards(a Argument) {
	v := overlap.NewValue(a.Value)
	if v.Short() || folder(a.Value) {
		return
	}
	x.traced = true
	host, rest := address(a.Value)
	// Pages of a host that the caller named are the caller's business, whoever wrote the
	// link to them.
	trusted := host != "" && x.look(overlap.NewValue(host))
	named := x.found
	x.found = nil
	trusted = x.look(v) || trusted
	whole := len(x.found) > 0
	if !whole {
		x.found = named
	}
	x.stranger(a, trusted, &x.destination)
	if whole {
		return // a link that was read as it is carries nothing out
	}
	for _, piece := range rest {
		x.look(overlap.NewValue(piece))
		x.leaks(Argument{a.Name, piece})
	}
}

// stranger notes an argument that untrusted text named and nothing trusted did.
func (x *examiner) stranger(a Argument, trusted bool, note **Evidence) {
	named, wrote := false, false
	for _, m := range x.found {
		t := &x.s.texts[m.Text]
		if !t.Label.Untrusted || trusted {
			continue
		}
		x.influenced = append(x.influenced, m.Place)
		x.scanned = x.scanned || t.Order
		if note == &x.destination {
			if x.named == nil {
				x.named = map[uint16]bool{}
			}
			x.named[m.Text] = true
			named, wrote = true, wrote || author(t.Words, m.At)
		} else if !m.Whole {
			x.payloadLong = true
		}
		if *note == nil {
			*note = x.s.evidence(a.Name, m.Place)
		}
	}
	x.others = x.others || named && !wrote
}

// carries looks at an argument that is no destination.
func (x *examiner) carries(a Argument) {
	if x.value = x.value.Of(a.Value); x.value.Telling() {
		trusted := x.look(x.value)
		x.stranger(a, trusted, &x.payload)
		x.leaks(a)
	}
	x.words = overlap.Distinct(x.words[:0], a.Value)
	for _, word := range x.words {
		x.value = x.value.Of(word)
		trusted := x.look(x.value)
		x.stranger(Argument{a.Name, word}, trusted, &x.payload)
		x.leaks(Argument{a.Name, word})
	}
}

// leaks notes private and secret data among what was found last.
func (x *examiner) leaks(a Argument) {
	for _, m := range x.found {
		t := &x.s.texts[m.Text]
		if t.Caller {
			continue
		}
		if t.Hidden && x.secret == nil && !x.returns(a, t) {
			x.secret = x.s.evidence(a.Name, m.Place)
		}
		if !t.Label.Private {
			continue
		}
		if own := !x.named[m.Text]; x.private == nil || own && !x.ownData {
			x.private, x.ownData = x.s.evidence(a.Name, m.Place), own
		}
	}
}

// returns reports whether a secret goes back to the server that gave it, in the argument
// that is there for it: what a login returned is used.
func (x *examiner) returns(a Argument, t *Text) bool {
	return x.profile.role(a.Name) == Credential && slices.Equal(t.Label.Origins, []string{x.call.Server})
}

// address takes a URL apart: its host, and the pieces of its path and query that can
// carry data. Both are empty for a text that is none.
func address(value string) (host string, pieces []string) {
	_, rest, ok := strings.Cut(value, "://")
	if !ok {
		rest = value
	}
	host, path, more := strings.Cut(rest, "/")
	if h, query, ok := strings.Cut(host, "?"); ok {
		host, path, more = h, query+"/"+path, true
	}
	if !ok && !more || strings.ContainsAny(host, " @") || !strings.Contains(host, ".") {
		return "", nil
	}
	for _, piece := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("/?&=#;", r) }) {
		if plain := overlap.Decoded(piece); plain != "" {
			piece = plain
		}
		if len(piece) >= minPiece {
			pieces = append(pieces, piece)
		}
	}
	return host, pieces
}

// minPiece is how long a piece of an address is, in bytes, that may be data. Shorter ones
// are words such as "search" and "user", which stand in every text.
const minPiece = 8

// hear looks for a request of an untrusted text for the deed of the call.
func (x *examiner) hear() {
	if len(x.s.requests) == 0 {
		return
	}
	values, actions := make([]string, 0, len(x.call.Arguments)), []string(nil)
	for _, a := range x.call.Arguments {
		if len(a.Value) > maxAbout {
			continue
		}
		values = append(values, a.Value)
		if x.profile.role(a.Name) == Selector { // whom or what a call is about is no action
			actions = append(actions, a.Value)
		}
	}
	best, bestAt := request{}, false
	for _, verb := range x.profile.deed.Verbs(actions) {
		list := x.s.requests[verb]
		if list == nil {
			continue
		}
		for _, r := range *list {
			t := &x.s.texts[r.text]
			if t.Words == "" {
				continue
			}
			strength := x.profile.deed.Asks(t.Words, r.request(verb), values)
			near := false
			for _, p := range x.influenced {
				near = near || p.Text == r.text && p.At >= r.start && p.At < min(r.field, r.at+maxAbout)
			}
			x.direct = x.direct || !r.aim && (strength >= order.Plain || near && strength >= order.Verb)
			if strength > x.strength || strength == x.strength && near && !x.near {
				x.strength, x.near = strength, near
				best, bestAt = r, true
			}
		}
	}
	if bestAt && x.strength > order.Silent {
		x.scanned = x.scanned || x.s.texts[best.text].Order
		x.order = x.s.evidence("", overlap.Place{Text: best.text, At: best.at})
	}
}

// evidence makes a place into something that can be shown.
func (s *Session) evidence(argument string, p overlap.Place) *Evidence {
	t := &s.texts[p.Text]
	e := &Evidence{Argument: argument, Source: t.Source, Call: t.Call, Label: t.Label}
	if at := int(p.At); at < len(t.Words) {
		start := max(0, at-maxShown/4)
		words := strings.Fields(strings.ToValidUTF8(t.Words[start:min(len(t.Words), start+maxShown)], ""))
		e.Passage = strings.Join(words, " ")
	}
	return e
}
