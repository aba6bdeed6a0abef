package process

import (
	"fmt"
	"strings"
)

// Measure is one promise about a server: what keeps it, or why it is not kept.
type Measure struct {
	Name    string `json:"name"`
	How     string `json:"how,omitempty"`
	Missing string `json:"missing,omitempty"`
}

// Names of measures.
const (
	Ending     = "ending"     // every process it started ends with it
	Privileges = "privileges" // no program it executes gains any
	Memory     = "memory"
	CPU        = "cpu"
	OpenFiles  = "open-files"
	Processes  = "processes"
	FileAccess = "files"               // only files that are its own or granted
	Sockets    = "sockets"             // no local sockets of others
	Neighbours = "processes-of-others" // neither signals to them nor a look at them
	Network    = "network"             // none
)

func (m Measure) String() string {
	if m.Missing != "" {
		return m.Name + " is not enforced: " + m.Missing
	}
	return m.Name + ": " + m.How
}

// Unenforced is the error for a Config that requires what this machine cannot keep.
type Unenforced struct{ Missing []Measure }

func (u *Unenforced) Error() string {
	var all []string
	for _, m := range u.Missing {
		all = append(all, m.String())
	}
	return fmt.Sprintf("the configuration requires what cannot be enforced here: %s; take away the requirement to start it all the same", strings.Join(all, "; "))
}

func missing(all []Measure) []Measure {
	var not []Measure
	for _, m := range all {
		if m.Missing != "" {
			not = append(not, m)
		}
	}
	return not
}
