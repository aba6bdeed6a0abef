package mcp

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/glovebox-run/glovebox/risk/capability"
)

// capabilityLevels is the level of each capability class, regardless of the server
// and the annotations. A tool without evidence has the level L2: a class below that
// counts neither against a tool nor in its favour.
var capabilityLevels = map[capability.Class]Level{
	capability.Unknown:    L1,
	capability.Compute:    L1,
	capability.Read:       L1,
	capability.SearchWeb:  L2,
	capability.ReadFile:   L1,
	capability.Fetch:      L3,
	capability.Query:      L3,
	capability.Change:     L3,
	capability.WriteFile:  L3,
	capability.Send:       L3,
	capability.Operate:    L3,
	capability.Actuate:    L3,
	capability.ReadSecret: L4,
	capability.Grant:      L4,
	capability.RunSQL:     L4,
	capability.Pay:        L4,
	capability.Delete:     L4,
	capability.RunCode:    L4,
	capability.RunShell:   L5,
	capability.Destroy:    L5,
}

// CapabilityLevel returns the level of a class.
func CapabilityLevel(c capability.Class) Level { return capabilityLevels[c] }

// scoreCapability rates a tool by the worst of what its text says, what its schema
// can carry and what is known about it. Evidence only raises the level: it is the
// maximum over all evidence, plus one if an untrusted server declares the tool
// destructive. Documentation gaps raise the score, which orders tools of one level,
// but not the level: otherwise a text that closes a gap would lower it.
//
// Annotations of a trusted server change the level in one case: readOnlyHint lowers
// a tool without evidence of danger to L1. In MCP a missing destructiveHint means
// the same as a true one, so neither counts.
func scoreCapability(t Tool) ToolRisk {
	reading := capability.Of(capability.Definition{Name: t.Name, Title: t.Title, Description: t.Description, Schema: t.Schema})
	able := newAxis("capability", 0, capabilityDrivers(t, reading)...)
	declared := newAxis("declared", 1, declaredDriver(t))
	doc := newAxis("doc", maxDocPenalty, toolDocDrivers(Default, t)...)

	var floor Floor
	if verb := irreversibleVerb(Default, t.Name, t.TrustedServer); verb != "" {
		floor = verbFloor(verb)
	}
	s := newScore(Default, floor, able, declared)
	s.Axes = append(s.Axes, doc)
	s.Points += doc.Points
	return ToolRisk{s}
}

// capabilityDrivers lists the evidence that raises a level. The worst comes first
// and carries all the points: points are not summed.
func capabilityDrivers(t Tool, reading capability.Reading) []Driver {
	base, why := L2, "nothing says that it does harm, and nobody vouches that it does none"
	if t.TrustedServer && t.Annotations.ReadOnly == True {
		base, why = L1, "read-only by the word of a server that somebody vouches for"
	}
	var drivers []Driver
	add := func(l Level, met bool, why string) {
		if met && l > base {
			drivers = append(drivers, Driver{levelPoints(l), why})
		}
	}
	for _, c := range reading.Classes() {
		add(capabilityLevels[c], true, because(reading, c))
	}
	add(L3, t.SideEffect == EffectRemoteWrite, "changes something remote")
	add(L4, t.SideEffect == EffectRemoteAdmin, "administers or executes something remote")
	add(L3, t.SendsUserData, "sends user data out")
	add(L3, t.CuratorGaps > 0 && !t.TrustedServer, "points of the curator's checklist are open")
	slices.SortStableFunc(drivers, func(a, b Driver) int { return b.Points - a.Points })
	for i := range drivers {
		if i > 0 {
			drivers[i].Points = 0
		}
	}
	if drivers == nil {
		if c := reading.Worst(); c != capability.Unknown {
			why = because(reading, c) + "; " + why
		}
		drivers = []Driver{{levelPoints(base), why}}
	}
	return drivers
}

func because(reading capability.Reading, c capability.Class) string {
	e := reading.Why(c)
	return fmt.Sprintf("%s: %q in %s (%s %s)", c.Row().Summary, shortened(e.Words), printable(shortened(e.Place)), c.Row().ID, e.Rule)
}

// maxQuoted is the most bytes of server-supplied text that a reason quotes.
const maxQuoted = 160

func shortened(s string) string {
	if len(s) > maxQuoted {
		return s[:maxQuoted] + "..."
	}
	return s
}

// printable quotes a text unless it is all printable ASCII: a parameter name must
// not disturb a terminal.
func printable(s string) string {
	if quoted := strconv.QuoteToASCII(s); quoted[1:len(quoted)-1] != s {
		return quoted
	}
	return s
}

func declaredDriver(t Tool) Driver {
	switch {
	case t.TrustedServer:
		return Driver{0, "a vouched server's hints raise nothing"}
	case t.Annotations.Destructive == True:
		return Driver{1, "declared destructive"}
	case t.Annotations.ReadOnly == True:
		return Driver{0, "read-only by the word of a server that nobody vouches for"}
	}
	return Driver{0, "nothing is declared that would raise it"}
}

// levelPoints returns the number of points whose band is the level.
func levelPoints(l Level) int { return max(0, int(l)-int(L1)) }
