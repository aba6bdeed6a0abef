package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Hint is one annotation of a tool. Absent differs from false: a server that omits a
// hint has promised nothing.
type Hint uint8

const (
	Absent Hint = iota
	False
	True
)

// HintOf turns an optional boolean into a hint.
func HintOf(b *bool) Hint {
	switch {
	case b == nil:
		return Absent
	case *b:
		return True
	}
	return False
}

// Annotations are the four hints of an MCP tool that say how it behaves.
type Annotations struct{ ReadOnly, Destructive, Idempotent, OpenWorld Hint }

// SideEffect is how far the consequences of a tool reach.
type SideEffect uint8

const (
	EffectUnknown SideEffect = iota
	EffectLocal
	EffectRemoteWrite
	EffectRemoteAdmin
)

var sideEffectNames = [...]string{"unknown", "local", "remote_write", "remote_admin"}

// String returns the name in lower case, such as "remote_write".
func (e SideEffect) String() string { return nameOf(sideEffectNames[:], uint8(e)) }

// ParseSideEffect reads what String writes, in any case; "local_only" is local.
func ParseSideEffect(s string) (SideEffect, error) {
	if strings.EqualFold(s, "local_only") {
		return EffectLocal, nil
	}
	i, err := parseName("side effect", sideEffectNames[:], s)
	return SideEffect(i), err
}

// MarshalText writes the name as String does.
func (e SideEffect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads what ParseSideEffect reads.
func (e *SideEffect) UnmarshalText(text []byte) (err error) {
	*e, err = ParseSideEffect(string(text))
	return err
}

// Tool holds the facts that a tool is scored on. The zero value is a tool about
// which nothing is known: every gap counts.
type Tool struct {
	Name        string
	Title       string
	Description string
	// Schema is the input schema as it was sent. It may be missing even if HasSchema
	// is set, when only facts about it are known.
	Schema      json.RawMessage
	Annotations Annotations
	HasSchema   bool
	// Coverage is the share of schema properties with a description, 0 to 1.
	Coverage float64
	// CuratorGaps counts the checklist points that no curator filled in: side
	// effect, data flow, reversibility.
	CuratorGaps   int
	SendsUserData bool
	SideEffect    SideEffect
	// TrustedServer is set when a catalog entry with any trust signal covers the
	// server. Its curation stands in for the documentation of single tools.
	TrustedServer bool
}

// ToolRisk says how risky it is to publish a tool.
type ToolRisk struct{ Score }

// maxDocPenalty is the most points that missing documentation costs a tool.
const maxDocPenalty = 3

// shortDescription is the length in characters below which a description says too
// little.
const shortDescription = 30

// ScoreTool rates a tool. In the default profile the level is that of the worst
// thing it can do (see capabilityLevels); in the reference it is a sum of points
// that three floors override.
func ScoreTool(p Profile, t Tool) ToolRisk {
	if p != Reference {
		return scoreCapability(t)
	}
	return ToolRisk{newScore(p, toolFloor(t), newAxis("base", 0, baseDrivers(t)...), newAxis("doc", maxDocPenalty, toolDocDrivers(p, t)...))}
}

func baseDrivers(t Tool) []Driver {
	var drivers []Driver
	add := func(points int, met bool, why string) {
		if met {
			drivers = append(drivers, Driver{points, why})
		}
	}
	a := t.Annotations
	add(1, a.ReadOnly != True, "not known to be read-only")
	add(2, a.Destructive == True, "declared destructive")
	add(1, a.OpenWorld == True, "declared to reach an open world")
	add(1, t.SideEffect == EffectRemoteWrite, "changes something remote")
	add(2, t.SideEffect == EffectRemoteAdmin, "administers or executes something remote")
	add(1, t.SendsUserData, "sends user data out")
	add(-1, a.Idempotent == True, "repeating it changes nothing more")
	if drivers == nil {
		drivers = []Driver{{0, "read-only"}}
	}
	return drivers
}

func toolDocDrivers(p Profile, t Tool) []Driver {
	if t.TrustedServer {
		return []Driver{{0, "waived: the catalog's curation stands in for it"}}
	}
	var drivers []Driver
	add := func(points int, why string) { drivers = append(drivers, Driver{points, why}) }
	switch {
	case isBlank(p, t.Description):
		add(2, "no description")
	case descriptionLength(p, t.Description) < shortDescription:
		add(1, fmt.Sprintf("the description has fewer than %d characters", shortDescription))
	case isBoilerplate(t.Name, t.Description):
		add(1, "the description only repeats the name")
	}
	if !t.HasSchema {
		add(2, "no input schema")
	}
	if !(t.Coverage >= 0.5) { // also when it is not a number
		add(1, "fewer than half of the parameters are described")
	}
	if t.Annotations == (Annotations{}) {
		add(1, "no annotations")
	}
	if gaps := min(max(t.CuratorGaps, 0), 3); gaps > 0 {
		add(gaps, fmt.Sprintf("%d of 3 points of the curator's checklist are open", gaps))
	}
	if drivers == nil {
		add(0, "documented")
	}
	return drivers
}

// isBlank reports whether a text shows nothing. The reference checks only white
// space; ours also checks for characters without a shape.
func isBlank(p Profile, s string) bool {
	if p == Reference {
		return strings.TrimSpace(s) == ""
	}
	return descriptionLength(p, s) == 0
}

// descriptionLength counts all UTF-16 units, as the reference does, or in ours the
// visible characters: padding is not documentation.
func descriptionLength(p Profile, s string) int {
	n := 0
	if p == Reference {
		for _, r := range s {
			n += utf16.RuneLen(r)
		}
		return n
	}
	space := true // runs of white space count once
	for _, r := range s {
		if unicode.IsSpace(r) {
			if !space {
				n++
			}
			space = true
		} else if unicode.IsGraphic(r) && !unicode.Is(unicode.Mn, r) {
			n++
			space = false
		}
	}
	return n
}

var boilerplate = regexp.MustCompile(`(?i)^(returns?|gets?|does|performs)\s+`)

// isBoilerplate reports whether a description starts with an empty verb and otherwise
// only repeats the name.
func isBoilerplate(name, description string) bool {
	description = strings.TrimSpace(description)
	if !boilerplate.MatchString(description) {
		return false
	}
	name = strings.ReplaceAll(strings.ToLower(name), "_", " ")
	return strings.TrimSpace(name) == "" || strings.Contains(strings.ToLower(description), name)
}

// Names of the tool floors.
const (
	FloorIrreversibleVerb = "irreversible_verb_in_tool_name"
	FloorDestructive      = "destructive_and_non_idempotent"
	FloorUndocumented     = "description_missing_and_annotations_missing"
)

func toolFloor(t Tool) Floor {
	if verb := irreversibleVerb(Reference, t.Name, t.TrustedServer); verb != "" {
		return verbFloor(verb)
	}
	if t.Annotations.Destructive == True && t.Annotations.Idempotent != True {
		return Floor{FloorDestructive, "destructive", L5, "declared destructive, and repeating it does more damage"}
	}
	if isBlank(Reference, t.Description) && t.Annotations == (Annotations{}) {
		return Floor{FloorUndocumented, "undocumented", L4, "neither a description nor annotations"}
	}
	return Floor{}
}

func verbFloor(verb string) Floor {
	return Floor{FloorIrreversibleVerb, "irreversible-verb", L5, fmt.Sprintf("the name says that something is destroyed (%s)", verb)}
}
