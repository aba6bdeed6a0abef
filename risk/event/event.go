// Package event defines the events that the risk engine reports to an audit trail:
// one type for each kind, each with a severity and a key that identifies repeats.
// The package decides nothing and writes nothing.
//
// [Seen] tells a first event from a repeated one, so that a log stays readable
// while a counter still counts every event.
package event

import (
	"strings"

	"github.com/glovebox-run/glovebox/risk/fingerprint"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/risk/poison"
)

// Severity says how loudly an event is reported.
type Severity uint8

const (
	Info Severity = iota
	Warn
)

// String returns "info" or "warn".
func (s Severity) String() string {
	if s == Info {
		return "info"
	}
	return "warn"
}

// MarshalText writes the severity as String does.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Event is one of the types below.
type Event interface {
	// Type is the stable name, as counters and logs use it.
	Type() string
	Severity() Severity
	// Key is equal for events that tell a reader the same thing.
	Key() string
}

// key joins fields with a separator that no field can forge.
func key(e Event, fields ...string) string {
	for i, f := range fields {
		fields[i] = strings.NewReplacer("%", "%25", "\x00", "%00").Replace(f)
	}
	return e.Type() + "\x00" + strings.Join(fields, "\x00")
}

// ServerRiskComputed reports the level of a server.
type ServerRiskComputed struct {
	Server string    `json:"server"`
	Level  mcp.Level `json:"level"`
	Score  int       `json:"score"`
}

// Type returns the event's stable name.
func (ServerRiskComputed) Type() string { return "server-risk-computed" }

// Severity returns Info.
func (ServerRiskComputed) Severity() Severity { return Info }

// Key holds server and level.
func (e ServerRiskComputed) Key() string { return key(e, e.Server, e.Level.String()) }

// ToolPublishRiskComputed reports the level of a tool.
type ToolPublishRiskComputed struct {
	Server string    `json:"server"`
	Tool   string    `json:"tool"`
	Level  mcp.Level `json:"level"`
	Score  int       `json:"score"`
}

// Type returns the event's stable name.
func (ToolPublishRiskComputed) Type() string { return "tool-publish-risk-computed" }

// Severity returns Info.
func (ToolPublishRiskComputed) Severity() Severity { return Info }

// Key holds server, tool and level.
func (e ToolPublishRiskComputed) Key() string { return key(e, e.Server, e.Tool, e.Level.String()) }

// Layers of a floor.
const (
	LayerAuth    = "auth"    // a server's floor
	LayerPublish = "publish" // a tool's floor
)

// FloorOverrideTriggered reports that a floor decided a level.
type FloorOverrideTriggered struct {
	Layer   string    `json:"layer"`
	Trigger string    `json:"trigger"`
	Server  string    `json:"server"`
	Tool    string    `json:"tool,omitempty"`
	Level   mcp.Level `json:"level"`
}

// Type returns the event's stable name.
func (FloorOverrideTriggered) Type() string { return "floor-override-triggered" }

// Severity returns Warn.
func (FloorOverrideTriggered) Severity() Severity { return Warn }

// Key holds layer, trigger, server, tool and level.
func (e FloorOverrideTriggered) Key() string {
	return key(e, e.Layer, e.Trigger, e.Server, e.Tool, e.Level.String())
}

// PoisoningHit reports that a tool's text reads like an attack.
type PoisoningHit struct {
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Pattern string `json:"pattern"`
	Text    string `json:"text"`
}

// Type returns the event's stable name.
func (PoisoningHit) Type() string { return "poisoning-hit" }

// Severity returns Warn.
func (PoisoningHit) Severity() Severity { return Warn }

// Key holds server, tool, pattern and text.
func (e PoisoningHit) Key() string { return key(e, e.Server, e.Tool, e.Pattern, e.Text) }

// HashLedgerMismatch reports that a tool is not the one that was accepted.
type HashLedgerMismatch struct {
	Server   string `json:"server"`
	Tool     string `json:"tool"`
	Accepted string `json:"accepted"`
	Seen     string `json:"seen"`
}

// Type returns the event's stable name.
func (HashLedgerMismatch) Type() string { return "hash-ledger-mismatch" }

// Severity returns Warn.
func (HashLedgerMismatch) Severity() Severity { return Warn }

// Key holds server, tool and both hashes.
func (e HashLedgerMismatch) Key() string { return key(e, e.Server, e.Tool, e.Accepted, e.Seen) }

// HashLedgerRecanonicalized reports that a record was re-based on another form.
type HashLedgerRecanonicalized struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	From   string `json:"from"` // profile names
	To     string `json:"to"`
}

// Type returns the event's stable name.
func (HashLedgerRecanonicalized) Type() string { return "hash-ledger-recanonicalized" }

// Severity returns Info.
func (HashLedgerRecanonicalized) Severity() Severity { return Info }

// Key holds server, tool and both profiles.
func (e HashLedgerRecanonicalized) Key() string { return key(e, e.Server, e.Tool, e.From, e.To) }

// Phases of a composition's life.
const (
	Created      = "CREATED"
	Updated      = "UPDATED"
	Deleted      = "DELETED"
	Enabled      = "ENABLED"
	Disabled     = "DISABLED"
	AutoDisabled = "AUTO_DISABLED"
)

// CompositionLifecycle reports what happened to a composition.
type CompositionLifecycle struct {
	Composition string `json:"composition"`
	Phase       string `json:"phase"`
	// Revision tells two updates of one composition apart.
	Revision string `json:"revision,omitempty"`
}

// Type returns the event's stable name.
func (CompositionLifecycle) Type() string { return "composition-lifecycle" }

// Severity returns Info.
func (CompositionLifecycle) Severity() Severity { return Info }

// Key holds composition, phase and revision.
func (e CompositionLifecycle) Key() string { return key(e, e.Composition, e.Phase, e.Revision) }

// maxSeen is the number of keys that a Seen remembers. A server that renames its
// tools on every call must not fill memory; beyond the limit, every event counts as
// new again.
const maxSeen = 10_000

// Seen remembers which events were reported. The zero value has seen none. It is
// not safe for concurrent use.
type Seen struct{ keys map[string]bool }

// First reports whether no event with this key was passed before.
func (s *Seen) First(e Event) bool {
	k := e.Key()
	if s.keys[k] {
		return false
	}
	if s.keys == nil || len(s.keys) >= maxSeen {
		s.keys = map[string]bool{}
	}
	s.keys[k] = true
	return true
}

// OfServer returns the events for a server's score.
func OfServer(server string, r mcp.ServerRisk) []Event {
	events := []Event{ServerRiskComputed{server, r.Level, r.Points}}
	if r.Floor.Tripped() {
		events = append(events, FloorOverrideTriggered{LayerAuth, r.Floor.ID, server, "", r.Level})
	}
	return events
}

// OfTool returns the events for a tool's score.
func OfTool(server, tool string, r mcp.ToolRisk) []Event {
	events := []Event{ToolPublishRiskComputed{server, tool, r.Level, r.Points}}
	if r.Floor.Tripped() {
		events = append(events, FloorOverrideTriggered{LayerPublish, r.Floor.ID, server, tool, r.Level})
	}
	return events
}

// OfScan returns the events of a poisoning scan: one for every finding that the
// default policy acts on.
func OfScan(server, tool string, r poison.Report) []Event {
	var events []Event
	for _, f := range r.Findings {
		if f.Confidence >= poison.Medium {
			events = append(events, PoisoningHit{server, tool, f.Rule, f.Text})
		}
	}
	return events
}

// OfCheck returns the events of a ledger check that changed the record from before
// to after.
func OfCheck(before, after fingerprint.Record, o fingerprint.Outcome) []Event {
	switch o {
	case fingerprint.Mismatch:
		return []Event{HashLedgerMismatch{after.Server, after.Tool, after.Accepted.Hash, after.Seen.Hash}}
	case fingerprint.Recanonicalized:
		return []Event{HashLedgerRecanonicalized{after.Server, after.Tool, before.Seen.Profile, after.Seen.Profile}}
	}
	return nil
}
