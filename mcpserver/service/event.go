package service

import (
	"fmt"
	"strings"

	"github.com/glovebox-run/glovebox/risk/poison/glyph"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// Event is something the operator should know. String returns a line for people, or
// several for an error with several lines. This file defines all event types.
type Event interface {
	fmt.Stringer
	event()
}

type (
	// Withheld is a tool hidden from clients. Name is empty if it could not be
	// read. It is reported once, and again if the tool was served in between.
	Withheld struct{ Name, Reason string }

	// Serving is a withheld tool that clients see from now on.
	Serving struct{ Name string }

	// Untested is a spec that a start did not give its Local Pass, and why.
	Untested struct {
		Name string
		Err  error
	}

	// Applied reports a new configuration: what changed, and which keys need a
	// restart.
	Applied struct{ Changed, Restart []string }

	// Kept reports why a configuration was not applied. The previous one stays in
	// effect.
	Kept struct{ Err error }

	// Stale reports why specs could not be read again. The previous ones are still
	// served.
	Stale struct{ Err error }

	// PassesUnread reports why none of the operator's own specs counts as tested.
	PassesUnread struct{ Err error }

	// SpecsUnwatched reports why changes of the specs will not be noticed.
	SpecsUnwatched struct{ Err error }

	// ConfigurationUnwatched reports why changes of the configuration will not be
	// noticed.
	ConfigurationUnwatched struct{ Err error }

	// UnknownTool is a name in policy.tools that no tool has. A misspelt name would
	// silently refuse nothing.
	UnknownTool struct{ Name string }

	// MemoryShort reports by how much the limits exceed the available memory.
	MemoryShort struct{ Err error }

	// RuleUnused is a rule in the operator's file that cannot be used here.
	RuleUnused struct{ File, ID, Reason string }

	// Unavailable reports that nothing can be recorded: what happened to the files of
	// the record or of the state.
	Unavailable struct{ Err error }

	// Available reports that this is over.
	Available struct{}

	// Archived reports that full files of the record were moved to the archive, or
	// deleted.
	Archived struct{ audit.Archived }

	// ArchiveFailed reports why full files of the record stay where they are.
	ArchiveFailed struct{ Err error }

	// UpstreamLost reports why another server's tools cannot be listed or called. What
	// it listed before stays offered.
	UpstreamLost struct {
		Name string
		Err  error
	}

	// UpstreamBack is a lost server that answers again.
	UpstreamBack struct{ Name string }

	// Differs reports that another process serves this client, and which of its
	// settings differ from those given here.
	Differs struct {
		PID      int
		Settings []string
	}

	// Succeeded reports that the process serving this client is gone, why, and
	// which one serves it now; PID is 0 for this process.
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

func (e Untested) String() string {
	return fmt.Sprintf("%s has no Local Pass: %s", e.Name, oneLine(e.Err.Error()))
}

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

func (e Unavailable) String() string {
	return fmt.Sprintf("calls are refused, as nothing can be recorded: %s", oneLine(e.Err.Error()))
}

func (e Available) String() string { return "calls are recorded again" }

func (e Archived) String() string {
	what := "archived"
	if e.From == 0 {
		what = "deleted"
	}
	return fmt.Sprintf("the record up to call %d is %s", e.Records, what)
}

func (e ArchiveFailed) String() string { return fmt.Sprintf("files of the record stay: %v", e.Err) }

func (e UpstreamLost) String() string {
	return fmt.Sprintf("upstream %s does not answer: %s; glovebox upstream test %[1]s tries it again", e.Name, oneLine(e.Err.Error()))
}

func (e UpstreamBack) String() string { return "upstream " + e.Name + " answers again" }

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
func (Untested) event()               {}
func (Applied) event()                {}
func (Kept) event()                   {}
func (Stale) event()                  {}
func (PassesUnread) event()           {}
func (SpecsUnwatched) event()         {}
func (ConfigurationUnwatched) event() {}
func (UnknownTool) event()            {}
func (MemoryShort) event()            {}
func (RuleUnused) event()             {}
func (Unavailable) event()            {}
func (Available) event()              {}
func (Archived) event()               {}
func (ArchiveFailed) event()          {}
func (UpstreamLost) event()           {}
func (UpstreamBack) event()           {}
func (Differs) event()                {}
func (Succeeded) event()              {}

// oneLine keeps text from others from controlling a terminal.
func oneLine(s string) string { return glyph.Visible(strings.Join(strings.Fields(s), " ")) }
