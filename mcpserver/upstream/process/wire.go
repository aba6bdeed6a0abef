package process

import (
	"path/filepath"
	"strconv"
	"time"
)

// The supervisor is told what to do over one pipe and reports over another, both as a stream
// of JSON values.

// order is one message of the gateway. The first has Start.
type order struct {
	Start *start `json:"start,omitempty"`
	// Kill ends everything now; without it and Start, the server is asked to end first.
	Kill bool `json:"kill,omitempty"`
	// Reason is what the exit says of a Kill.
	Reason string `json:"reason,omitempty"`
	// Until is a later end of the time in which the server may run; see [Config.Until].
	Until time.Duration `json:"until,omitempty"`
}

// start is everything the supervisor and the launched process need to know.
type start struct {
	Name    string   `json:"name"`
	Program string   `json:"program"`
	Args    []string `json:"args"`
	Env     []string `json:"env"`
	Dir     string   `json:"dir"`
	// Temp is a private folder, removed at the end: the server's temporary folder and
	// the mount point of its root are in it.
	Temp    string     `json:"temp"`
	Sandbox Sandbox    `json:"sandbox"`
	Require bool       `json:"require,omitempty"`
	Read    []string   `json:"read,omitempty"`
	Write   []string   `json:"write,omitempty"`
	Limits  Limits     `json:"limits"`
	Own     namespaces `json:"own"`
	// Until is when the supervisor kills the server unless it is told a later time; 0 is
	// never.
	Until time.Duration `json:"until,omitempty"`
	// View is set by the supervisor when the server sees a file system of its own.
	View bool `json:"view,omitempty"`
	// Measures are those that the supervisor has taken.
	Measures []Measure `json:"measures,omitempty"`
}

func (s start) tmp() string { return filepath.Join(s.Temp, "tmp") }

// namespaces are those that the supervisor was started in.
type namespaces struct {
	User  bool `json:"user,omitempty"`
	PID   bool `json:"pid,omitempty"`
	Mount bool `json:"mount,omitempty"` // IPC too
	Net   bool `json:"net,omitempty"`
	// Refused is why there are fewer than wanted.
	Refused string `json:"refused,omitempty"`
}

// report is one message of the supervisor: Measures once when the server runs, Exit when
// everything has ended, Error if it could not be started.
type report struct {
	Measures []Measure `json:"measures,omitempty"`
	Exit     *Exit     `json:"exit,omitempty"`
	Error    string    `json:"error,omitempty"`
	// Unenforced says that Measures are why it was not started.
	Unenforced bool `json:"unenforced,omitempty"`
}

// Exit says how a server ended.
type Exit struct {
	Code   int    `json:"code"`             // its exit status; -1 if a signal ended it
	Signal string `json:"signal,omitempty"` // the signal that ended it
	// Reason is set when we ended it: a limit that the whole server passed, or the closing.
	Reason string `json:"reason,omitempty"`
}

func (e Exit) String() string {
	switch {
	case e.Reason != "":
		return "ended: " + e.Reason
	case e.Signal != "":
		return "ended by signal: " + e.Signal
	}
	return "exited with status " + strconv.Itoa(e.Code)
}
