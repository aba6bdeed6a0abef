package mcp

// A Driver is one reason why an axis has points.
type Driver struct {
	Points int    `json:"points"`
	Why    string `json:"why"`
}

// An Axis is one part of a score. Points is the sum of the drivers' points, kept
// between 0 and Max; a Max of 0 means that the axis has no upper limit.
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
	Short string `json:"short"` // short enough for a chip
	Level Level  `json:"level"`
	Why   string `json:"why"`
}

// Tripped reports whether the floor was met.
func (f Floor) Tripped() bool { return f.ID != "" }

// Score is the result of an assessment. [ServerRisk] and [ToolRisk] wrap it in two
// types, so that neither is mistaken for the other.
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

// Chip returns the level as a user interface shows it, such as "L5 - Critical
// (no-auth-write)".
func (s Score) Chip() string {
	chip := s.Level.String() + " - " + s.Label
	if s.Floor.Tripped() {
		chip += " (" + s.Floor.Short + ")"
	}
	return chip
}
