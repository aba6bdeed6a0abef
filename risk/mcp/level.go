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

// Profile chooses between the published rules and ours.
type Profile uint8

const (
	Default   Profile = iota // what the facts about the reference call wrong is put right
	Reference                // exactly the published behaviour
)

var profileNames = [...]string{"default", "reference"}

// String returns "default" or "reference".
func (p Profile) String() string {
	if int(p) < len(profileNames) {
		return profileNames[p]
	}
	return profileNames[Default]
}

// ParseProfile reads what String writes.
func ParseProfile(s string) (Profile, bool) {
	for i, name := range profileNames {
		if s == name {
			return Profile(i), true
		}
	}
	return Default, false
}

// MarshalText writes the profile as String does.
func (p Profile) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// A Driver is one reason for the points of an axis.
type Driver struct {
	Points int    `json:"points"`
	Why    string `json:"why"`
}

// An Axis is one part of a score. Points is the sum of the drivers' points, kept
// between 0 and Max; a Max of 0 means that the axis has no upper end.
type Axis struct {
	Name    string   `json:"name"`
	Points  int      `json:"points"`
	Max     int      `json:"max,omitempty"`
	Drivers []Driver `json:"drivers"`
}

func newAxis(name string, highest int, drivers ...Driver) Axis {
	a := Axis{Name: name, Max: highest, Drivers: drivers}
	for _, d := range drivers {
		a.Points += d.Points
	}
	a.Points = max(0, a.Points)
	if highest > 0 {
		a.Points = min(highest, a.Points)
	}
	return a
}

// A Floor is a condition that decides the level whatever the axes add up to. The
// zero value means that none was met.
type Floor struct {
	ID    string `json:"id"`    // stable name, as the rubric publishes it
	Short string `json:"short"` // what fits on a chip
	Level Level  `json:"level"`
	Why   string `json:"why"`
}

// Tripped reports whether the floor was met.
func (f Floor) Tripped() bool { return f.ID != "" }

// Score is what an assessment comes to. [ServerRisk] and [ToolRisk] are two
// types around it, so that one is never taken for the other.
type Score struct {
	Level   Level   `json:"level"`
	Label   string  `json:"label"`
	Points  int     `json:"score"`
	Axes    []Axis  `json:"axes,omitempty"`
	Floor   Floor   `json:"floor,omitzero"`
	Profile Profile `json:"profile"`
}

func newScore(p Profile, floor Floor, axes ...Axis) Score {
	s := Score{Axes: axes, Floor: floor, Profile: p}
	for _, a := range axes {
		s.Points += a.Points
	}
	s.Level = Band(s.Points)
	if floor.Tripped() {
		if p == Reference {
			s.Level = floor.Level // which may be lower than the band
		} else {
			s.Level = Worse(s.Level, floor.Level)
		}
	}
	s.Label = s.Level.Label()
	return s
}

// Axis returns the axis of that name, or a zero one.
func (s Score) Axis(name string) Axis {
	for _, a := range s.Axes {
		if a.Name == name {
			return a
		}
	}
	return Axis{}
}

// Rated returns the level, which is what a cap is compared with.
func (s Score) Rated() Level { return s.Level }

// Chip returns the level as a surface shows it, such as "L5 - Critical
// (no-auth-write)".
func (s Score) Chip() string {
	chip := s.Level.String() + " - " + s.Label
	if s.Floor.Tripped() {
		chip += " (" + s.Floor.Short + ")"
	}
	return chip
}
