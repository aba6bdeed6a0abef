package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
)

// NetworkMode says which hosts a tool may reach. The zero value reaches none.
type NetworkMode uint8

const (
	NetworkBlocked   NetworkMode = iota // no fetch at all
	NetworkAllowlist                    // the listed hosts, public addresses only
	NetworkStrict                       // any public host
	NetworkOpen                         // any host, private networks included
)

var networkModeNames = [...]string{"blocked", "allowlist", "strict", "open"}

// String returns the mode's name in a document.
func (m NetworkMode) String() string {
	if int(m) < len(networkModeNames) {
		return networkModeNames[m]
	}
	return fmt.Sprintf("NetworkMode(%d)", uint8(m))
}

// ParseNetworkMode reads a mode as a document spells it. Spelling is exact:
// "OPEN" is not a mode.
func ParseNetworkMode(s string) (NetworkMode, bool) {
	for i, name := range networkModeNames {
		if s == name {
			return NetworkMode(i), true
		}
	}
	return NetworkBlocked, false
}

// Posture is the authority a tool asks for, resolved from its document against the
// operator's baseline and ceiling. The zero value asks for nothing.
//
// Outside this package exactly two functions read it: the one that scores it
// and the one that grants it, so what was scored is what is granted.
type Posture struct {
	Network NetworkMode
	// Hosts are the names reachable in allowlist mode; empty in every other
	// mode. "*.x" covers x and its subdomains, "*" any public host.
	Hosts     []string
	FileRead  bool
	FileWrite bool
	// Destructive allows moving and deleting files; it has no effect without
	// FileWrite.
	Destructive bool
	// FSBase confines file access to one directory; empty means the workspace.
	FSBase string

	// AddedAllowClasses and RemovedDenyClasses are Java class patterns that the
	// document adds to the baseline's allow list or takes off its deny list.
	// Nothing here reaches a Java class; they count towards the level.
	AddedAllowClasses  []string
	RemovedDenyClasses []string
}

// String describes the request in one line.
func (p Posture) String() string {
	said := []string{"network " + p.Network.String()}
	if len(p.Hosts) > 0 {
		said[0] += " (" + strings.Join(p.Hosts, ", ") + ")"
	}
	var files []string
	for _, f := range []struct {
		granted bool
		word    string
	}{{p.FileRead, "read"}, {p.FileWrite, "write"}, {p.FileWrite && p.Destructive, "move and delete"}} {
		if f.granted {
			files = append(files, f.word)
		}
	}
	if files == nil {
		files = []string{"none"}
	}
	said = append(said, "files "+strings.Join(files, ", "))
	if p.FSBase != "" {
		said = append(said, "confined to "+p.FSBase)
	}
	if n := len(p.AddedAllowClasses) + len(p.RemovedDenyClasses); n > 0 {
		said = append(said, fmt.Sprintf("Java class rules loosened: %d", n))
	}
	return strings.Join(said, "; ")
}

// MarshalJSON writes the posture for readers and scripts.
func (p Posture) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		NetworkMode        string   `json:"networkMode"`
		Hosts              []string `json:"hosts,omitempty"`
		FileRead           bool     `json:"fileRead"`
		FileWrite          bool     `json:"fileWrite"`
		Destructive        bool     `json:"destructive"`
		FSBasePath         string   `json:"fsBasePath,omitempty"`
		AddedAllowClasses  []string `json:"addedAllowClasses,omitempty"`
		RemovedDenyClasses []string `json:"removedDenyClasses,omitempty"`
	}{p.Network.String(), p.Hosts, p.FileRead, p.FileWrite, p.Destructive, p.FSBase, p.AddedAllowClasses, p.RemovedDenyClasses})
}
