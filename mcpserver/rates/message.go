package rates

import (
	"encoding/json"
	"iter"
	"time"
)

const (
	// toAll is where servers tell all others; subjectOf is where one is told.
	toAll = "glovebox.rates.all"
	// maxName bounds the name of a server in bytes, maxPart what one message says.
	maxName, maxPart = 64, 64 << 10
	// perEntry is what a principal takes in a message beside its name.
	perEntry = 32
)

func subjectOf(name string) string { return "glovebox.rates.to." + name }

// message is what one server tells others.
type message struct {
	From string `json:"from"`
	// Number counts the messages to all, so that one that is lost is missed.
	Number uint64 `json:"number,omitempty"`
	// Spent is how many messages of each principal were admitted since it was last said.
	Spent map[string]int `json:"spent,omitempty"`
	// Owed is what each principal owes by what the sender knows. It answers Begins; the
	// last part says Known.
	Owed   map[string]time.Duration `json:"owed,omitempty"`
	Known  bool                     `json:"known,omitempty"`
	Begins bool                     `json:"begins,omitempty"`
	Leaves bool                     `json:"leaves,omitempty"`
}

// parts cuts what is said of many principals into messages.
func parts[V any](all map[string]V) iter.Seq[map[string]V] {
	return func(yield func(map[string]V) bool) {
		part, size := map[string]V{}, 0
		for name, v := range all {
			if size += len(name) + perEntry; size > maxPart && len(part) > 0 {
				if !yield(part) {
					return
				}
				part, size = map[string]V{}, len(name)+perEntry
			}
			part[name] = v
		}
		if len(part) > 0 {
			yield(part)
		}
	}
}

// tell sends a message. One that is not sent is missed by its number, or by the silence.
func (g *Group) tell(subject string, m message) {
	m.From = g.name
	g.mu.Lock()
	defer g.mu.Unlock() // so that the numbers are sent in order
	if subject == toAll {
		g.number++
		m.Number = g.number
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // cannot fail: strings and numbers
	}
	if err := g.line.Tell(subject, text); err != nil {
		g.log.Debug("rate.not_told", "cause", err)
	}
}

// heard takes in what another server, or anybody else who may write to the cluster, says.
func (g *Group) heard(_ string, text []byte, _ func([]byte)) {
	var m message
	if json.Unmarshal(text, &m) != nil || m.From == g.name {
		return
	}
	g.mu.Lock()
	if m.Leaves {
		delete(g.peers, m.From)
		g.mu.Unlock()
		return
	}
	p, gate := g.peer(m.From), g.gate
	if p == nil || gate == nil {
		g.mu.Unlock()
		return
	}
	if m.Number != 0 {
		// After a message that was lost it is not known what was admitted: it counts as
		// heard when the next one follows.
		if m.Number == p.number+1 || p.number == 0 {
			p.heard = time.Now()
		}
		p.number = m.Number
	}
	if m.Known {
		p.heard = time.Now()
		g.answers++
	}
	g.mu.Unlock()
	for who, n := range m.Spent {
		gate.Charge(who, n)
	}
	for who, debt := range m.Owed {
		gate.Owe(who, debt)
	}
	switch {
	case m.Begins:
		g.answer(m.From, gate.Debts)
	case m.Known:
		select {
		case g.news <- struct{}{}:
		default:
		}
	}
}

// answer tells a server that begins what is owed.
func (g *Group) answer(name string, debts func(func(string, time.Duration))) {
	owed := map[string]time.Duration{}
	debts(func(who string, debt time.Duration) { owed[who] = debt })
	for part := range parts(owed) {
		g.tell(subjectOf(name), message{Owed: part})
	}
	g.tell(subjectOf(name), message{Known: true})
}
