package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/exposure/internal/kept"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/event"
	"github.com/glovebox-run/glovebox/risk/fingerprint"
)

const (
	pinsName  = "glovebox-pins"  // a sheet for each server
	formsName = "glovebox-forms" // definitions by server and fingerprint
	// A value is below the message limit of a cluster, 1 MiB.
	maxValue = 900 << 10
	// MaxPins is how many tools of one server fit into a sheet, with their history.
	MaxPins = 500
	// maxPinsTotal and maxForms bound the buckets, which the store sets aside: some
	// hundred thousand pins, and the definitions of as many tools of usual size.
	maxPinsTotal, maxForms = 64 << 20, 256 << 20
	version                = 1
)

// sheet holds the pins of one server. They are one value, so none can be lost alone.
type sheet struct {
	Pins map[string]*Pin `json:"pins"` // by tool
}

// form is one definition as it came over the wire.
type form struct {
	Raw []byte `json:"raw"`
}

// Ledger keeps the pins. It is safe for concurrent use, by several processes of a
// cluster.
type Ledger struct {
	sheets *kept.Bucket[sheet]
	forms  *kept.Bucket[form]
	now    func() time.Time

	mu   sync.Mutex
	told func() // called after a change
}

// Open opens the ledger of a store and follows it until ctx ends. now is its clock.
func Open(ctx context.Context, s *store.Store, now func() time.Time) (*Ledger, error) {
	pins, err := s.Bucket(ctx, store.BucketConfig{Name: pinsName, MaxValue: maxValue, MaxBytes: maxPinsTotal})
	if err != nil {
		return nil, err
	}
	forms, err := s.Bucket(ctx, store.BucketConfig{Name: formsName, MaxValue: maxValue, MaxBytes: maxForms})
	if err != nil {
		return nil, err
	}
	l := &Ledger{sheets: kept.Of[sheet](pins, "the pins of a server", version), forms: kept.Of[form](forms, "a pinned definition", version), now: now}
	return l, l.sheets.Follow(ctx, func(string) { l.tell() })
}

// Watch has changed called after each change, also of other processes, instead of an
// earlier function. It must not wait.
func (l *Ledger) Watch(changed func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = changed
}

func (l *Ledger) tell() {
	l.mu.Lock()
	told := l.told
	l.mu.Unlock()
	if told != nil {
		told()
	}
}

// Pins are the pins at one moment. Nobody changes them. The zero value has none.
type Pins struct {
	sheets  map[string]sheet
	damaged map[string]error
}

// Pins returns what the ledger says now.
func (l *Ledger) Pins() Pins {
	var p Pins
	p.sheets, p.damaged = l.sheets.Now()
	return p
}

// Of returns the pin of a tool; nil if there is none.
func (p Pins) Of(server, tool string) *Pin { return p.sheets[server].Pins[tool] }

// State returns how the pin of a tool is that its server lists.
func (p Pins) State(server, tool string) State {
	pin := p.Of(server, tool)
	if pin == nil && len(p.sheets[server].Pins) >= MaxPins {
		return NoRoom
	}
	return pin.State()
}

// Known reports whether there is a sheet of pins of a server.
func (p Pins) Known(server string) bool {
	_, known := p.sheets[server]
	return known || p.damaged[server] != nil
}

// Damage returns why the pins of a server cannot be read, or nil. While it is not nil,
// none of its tools is pinned.
func (p Pins) Damage(server string) error { return p.damaged[server] }

// All returns the pins of a server, or of every server if it is empty, sorted by
// server and tool.
func (p Pins) All(server string) []*Pin {
	var all []*Pin
	for _, name := range slices.Sorted(maps.Keys(p.sheets)) {
		if server != "" && name != server {
			continue
		}
		pins := p.sheets[name].Pins
		for _, tool := range slices.Sorted(maps.Keys(pins)) {
			all = append(all, pins[tool])
		}
	}
	return all
}

// Accepted returns nil if a definition is the accepted one of a tool in all of the
// cluster, by what was decided longer than [store.Staleness] ago and by everything that
// is known here. The error is ErrNotAccepted, or one of the store.
func (l *Ledger) Accepted(ctx context.Context, server, tool, hash string) error {
	if err := l.sheets.Fresh(ctx); err != nil {
		return err
	}
	s, _ := l.sheets.One(server)
	if pin := s.Pins[tool]; pin.State() != Active || pin.Seen.Hash != hash {
		return ErrNotAccepted
	}
	return nil
}

// ErrNotAccepted means that a definition is not, or no longer, the accepted one.
var ErrNotAccepted = errors.New("this definition is not the accepted one")

// Observe takes in the tools that a server lists now, all of them. lost says that there
// were pins of this server before: if they are gone, no policy trusts its tools.
func (l *Ledger) Observe(ctx context.Context, server string, tools []Sighting, policy Policy, before bool) ([]event.Event, error) {
	if l.settled(server, tools) {
		return nil, nil
	}
	var events []event.Event
	var stale []string
	fresh := map[string][]byte{}
	err := l.sheets.Change(ctx, server, func(s *sheet, there bool) error {
		events, stale = nil, nil
		clear(fresh)
		policy := policy
		policy.TrustFirst = policy.TrustFirst && (there || !before)
		was := s.hashes()
		if s.Pins == nil {
			s.Pins = map[string]*Pin{}
		}
		changed := s.prune(tools)
		for _, t := range tools {
			pin := s.Pins[t.Tool]
			if pin == nil {
				if len(s.Pins) >= MaxPins {
					continue // without a pin it is not offered
				}
				s.Pins[t.Tool] = first(server, t, policy, l.now())
				fresh[t.Ours.Hash], changed = t.Raw, true
				continue
			}
			before := pin.Record
			outcome := pin.see(t, policy, func(accepted string) bool { return l.cosmetic(ctx, server, accepted, t.Raw) }, l.now())
			if outcome != fingerprint.Unchanged {
				events = append(events, event.OfCheck(before, pin.Record, outcome)...)
				fresh[t.Ours.Hash], changed = t.Raw, true
			}
		}
		if !changed && there {
			return kept.ErrUnchanged
		}
		now := s.hashes()
		for hash := range was {
			if !now[hash] {
				stale = append(stale, hash)
			}
		}
		// The definitions are there before any pin names them.
		for hash, raw := range fresh {
			if err := l.keep(ctx, server, hash, raw); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the tools of %q cannot be pinned: %w", server, err)
	}
	for _, hash := range stale {
		l.forms.Delete(ctx, formKey(server, hash)) // what stays behind only takes room
	}
	l.tell()
	return events, nil
}

// settled reports whether the ledger says exactly this already.
func (l *Ledger) settled(server string, tools []Sighting) bool {
	p := l.Pins()
	if !p.Known(server) || p.Damage(server) != nil {
		return false
	}
	s := p.sheets[server]
	waiting := 0
	for _, pin := range s.Pins {
		if pin.State() == New {
			waiting++
		}
	}
	for _, t := range tools {
		pin := s.Pins[t.Tool]
		switch {
		case pin == nil && len(s.Pins) < MaxPins, pin != nil && pin.Seen != t.Ours:
			return false
		case pin != nil && pin.State() == New:
			waiting--
		}
	}
	return waiting == 0
}

// prune drops the pins of tools that nobody ever accepted and that are no longer
// listed: a server that invents names on every call must not fill the ledger.
func (s *sheet) prune(tools []Sighting) (changed bool) {
	listed := map[string]bool{}
	for _, t := range tools {
		listed[t.Tool] = true
	}
	for tool, pin := range s.Pins {
		if pin.State() == New && !listed[tool] {
			delete(s.Pins, tool)
			changed = true
		}
	}
	return changed
}

// hashes returns the definitions that the pins name.
func (s *sheet) hashes() map[string]bool {
	all := map[string]bool{}
	for _, pin := range s.Pins {
		all[pin.Seen.Hash] = true
		if pin.Accepted.Hash != "" {
			all[pin.Accepted.Hash] = true
		}
	}
	return all
}

func formKey(server, hash string) string { return server + "." + hash }

func (l *Ledger) keep(ctx context.Context, server, hash string, raw []byte) error {
	return l.forms.Change(ctx, formKey(server, hash), func(f *form, there bool) error {
		if there {
			return kept.ErrUnchanged
		}
		f.Raw = raw
		return nil
	})
}

// ErrNoForm means that the ledger has the fingerprint and not the definition.
var ErrNoForm = errors.New("the ledger does not have the definition, only its fingerprint")

// Form returns a pinned definition as it came over the wire.
func (l *Ledger) Form(ctx context.Context, server, hash string) ([]byte, error) {
	f, err := l.forms.Get(ctx, formKey(server, hash))
	if errors.Is(err, store.NotFound) {
		return nil, ErrNoForm
	}
	if err != nil {
		return nil, err
	}
	if seen, err := fingerprint.Of(f.Raw); err != nil || seen.Hash != hash {
		return nil, errors.New("the pinned definition is damaged: it has another fingerprint")
	}
	return f.Raw, nil
}

// Kept returns the definitions seen last by server, each list sorted by tool, for a
// start before any server was asked.
func (l *Ledger) Kept(ctx context.Context) (map[string][]json.RawMessage, error) {
	forms, err := l.forms.Load(ctx)
	if err != nil {
		return nil, err
	}
	kept := map[string][]json.RawMessage{}
	for _, pin := range l.Pins().All("") {
		raw := forms[formKey(pin.Server, pin.Seen.Hash)].Raw
		if seen, err := fingerprint.Of(raw); err == nil && seen == pin.Seen {
			kept[pin.Server] = append(kept[pin.Server], raw)
		}
	}
	return kept, nil
}
