package mcp

// Profile chooses between the published rules and ours.
type Profile uint8

const (
	Default   Profile = iota // known mistakes of the reference are corrected
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
