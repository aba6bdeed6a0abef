package risk

import "fmt"

// Level is a step on the scale L0 (verified) to L5 (critical). The zero value
// is Unrated, which no ceiling admits: what has not been scored is not safe.
type Level uint8

const (
	Unrated Level = iota
	L0
	L1
	L2
	L3
	L4
	L5
)

var levelLabels = [...]string{"Unrated", "Verified", "Safe", "Low", "Moderate", "High", "Critical"}

// Label returns the level's word for people, such as "Moderate".
func (l Level) Label() string {
	if int(l) < len(levelLabels) {
		return levelLabels[l]
	}
	return levelLabels[Unrated]
}

// String returns "L0" to "L5", or "unrated".
func (l Level) String() string {
	if l < L0 || l > L5 {
		return "unrated"
	}
	return fmt.Sprintf("L%d", l-L0)
}

// ParseLevel reads what String writes, "unrated" excepted.
func ParseLevel(s string) (Level, error) {
	for l := L0; l <= L5; l++ {
		if s == l.String() {
			return l, nil
		}
	}
	return Unrated, fmt.Errorf("level %q: want L0, L1, L2, L3, L4 or L5", s)
}

// MarshalText writes the level as String does.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads "L0" to "L5" and "unrated".
func (l *Level) UnmarshalText(text []byte) error {
	if string(text) == Unrated.String() {
		*l = Unrated
		return nil
	}
	parsed, err := ParseLevel(string(text))
	*l = parsed
	return err
}

// Within reports whether l was rated and is at most ceiling. An unrated ceiling
// admits nothing.
func (l Level) Within(ceiling Level) bool {
	return l >= L0 && l <= L5 && ceiling <= L5 && l <= ceiling
}

// Max returns the worse of two levels; an unrated one is worse than any other.
func Max(a, b Level) Level {
	if a < L0 || b < L0 || a > L5 || b > L5 {
		return Unrated
	}
	return max(a, b)
}
