package service

import (
	"fmt"
	"strings"

	"github.com/glovebox-run/glovebox/risk/poison/glyph"
)

// Event is something that the operator should know. String is a line for people, or
// several where an error has several. The types of this file are all there are.
type Event interface {
	fmt.Stringer
	event()
}

type (
	// Withheld is a tool that clients do not see. Name is empty when it could not be
	// read. It is told once, and again after it was well in between.
	Withheld struct{ Name, Reason string }

	// Serving is a tool that clients see from now on although it was withheld.
	Serving struct{ Name string }

	// Applied says that a configuration was taken over: what changed, and which keys
	// wait for a restart.
	Applied struct{ Changed, Restart []string }

	// Kept says why a configuration was not taken over. What counted before still
	// does.
	Kept struct{ Err error }

	// Stale says why specs could not be read again. Those that were read before are
	// still served.
	Stale struct{ Err error }

	// PassesUnread says why no spec of the operator's own counts as tested.
	PassesUnread struct{ Err error }

	// SpecsUnwatched says why changes of the specs will not be noticed.
	SpecsUnwatched struct{ Err error }

	// ConfigurationUnwatched says why changes of the configuration will not be
	// noticed.
	ConfigurationUnwatched struct{ Err error }

	// UnknownTool is a name in policy.tools that no tool has. A misspelt one would
	// refuse nothing in silence.
	UnknownTool struct{ Name string }

	// MemoryShort says by how much the limits exceed the memory there is.
	MemoryShort struct{ Err error }

	// RuleUnused is a rule of the operator's file that cannot be used here.
	RuleUnused struct{ File, ID, Reason string }

	// Differs says that another process serves this client, and which settings it has
	// otherwise than they were given here.
	Differs struct {
		PID      int
		Settings []string
	}

	// Succeeded says that the process that served this client is gone, why, and which
	// one serves it now; PID is 0 for this one.
	Succeeded struct {
		Lost error
		PID  int
	}
)

func (e Withheld) String() string {
	if e.Name == "" {
		return "withheld " + e.Reason
	}
	return "withheld " + e.Name + ": " + e.Reason
}

func (e Serving) String() string { return "serving " + e.Name }

func (e Applied) String() string {
	said := "the configuration was read again"
	if len(e.Changed) > 0 {
		said += "; changed: " + strings.Join(e.Changed, ", ")
	}
	if len(e.Restart) > 0 {
		said += "; needs a restart: " + strings.Join(e.Restart, ", ")
	}
	return said
}

func (e Kept) String() string {
	return fmt.Sprintf("the configuration was not changed, what was read before stays:\n%v", e.Err)
}

func (e Stale) String() string { return fmt.Sprintf("%v; what was read before stays", e.Err) }

func (e PassesUnread) String() string { return e.Err.Error() }

func (e SpecsUnwatched) String() string { return fmt.Sprintf("specs are not watched: %v", e.Err) }

func (e ConfigurationUnwatched) String() string { return e.Err.Error() }

func (e UnknownTool) String() string {
	return fmt.Sprintf("policy.tools speaks of %q, and no tool here has that name", e.Name)
}

func (e MemoryShort) String() string { return fmt.Sprintf("memory may run out: %v", e.Err) }

func (e RuleUnused) String() string {
	return fmt.Sprintf("%s: rule %s is not used: %s", e.File, e.ID, e.Reason)
}

func (e Differs) String() string {
	return fmt.Sprintf("process %d serves from this state folder already, and serves this client too, but with other flags than these: %s", e.PID, strings.Join(e.Settings, ", "))
}

func (e Succeeded) String() string {
	if e.PID == 0 {
		return fmt.Sprintf("%v; this process takes its place", e.Lost)
	}
	return fmt.Sprintf("%v; process %d takes its place", e.Lost, e.PID)
}

func (Withheld) event()               {}
func (Serving) event()                {}
func (Applied) event()                {}
func (Kept) event()                   {}
func (Stale) event()                  {}
func (PassesUnread) event()           {}
func (SpecsUnwatched) event()         {}
func (ConfigurationUnwatched) event() {}
func (UnknownTool) event()            {}
func (MemoryShort) event()            {}
func (RuleUnused) event()             {}
func (Differs) event()                {}
func (Succeeded) event()              {}

// oneLine keeps what other people wrote from drawing on a terminal.
func oneLine(s string) string { return glyph.Visible(strings.Join(strings.Fields(s), " ")) }
