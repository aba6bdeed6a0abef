package mcp

import "github.com/glovebox-run/glovebox/risk"

// Level is a step on the MCP rubric: how risky it is to connect to a server or
// to publish its tool. It shares the scale of [risk.Level], which says how far a
// sandboxed tool widens its sandbox, but the two are scored by different rules
// and must not be compared, so they are two types. The zero value is Unrated,
// which no cap admits.
type Level risk.Level

// The steps of the scale. L0 is never computed from a score: it belongs to the
// built-in server and to a composition without members.
const (
	Unrated = Level(risk.Unrated)
	L0      = Level(risk.L0)
	L1      = Level(risk.L1)
	L2      = Level(risk.L2)
	L3      = Level(risk.L3)
	L4      = Level(risk.L4)
	L5      = Level(risk.L5)
)

// Label returns the level's word for people, such as "Moderate".
func (l Level) Label() string { return risk.Level(l).Label() }

// String returns "L0" to "L5", or "unrated".
func (l Level) String() string { return risk.Level(l).String() }

// MarshalText writes the level as String does.
func (l Level) MarshalText() ([]byte, error) { return risk.Level(l).MarshalText() }

// UnmarshalText reads "L0" to "L5" and "unrated".
func (l *Level) UnmarshalText(text []byte) error { return (*risk.Level)(l).UnmarshalText(text) }

// Within reports whether l was rated and is at most cap.
func (l Level) Within(cap Level) bool { return risk.Level(l).Within(risk.Level(cap)) }

// Worse returns the worse of two levels; an unrated one is worse than any other.
func Worse(a, b Level) Level { return Level(risk.Max(risk.Level(a), risk.Level(b))) }

// Band returns the level of a sum of axis points.
func Band(score int) Level {
	switch {
	case score <= 0:
		return L1
	case score >= 4:
		return L5
	}
	return L1 + Level(score)
}
