package risk

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog"
)

// LevelPolicy judges a call by the level of its tool and by what the tool's
// author asks for. The zero policy refuses every call.
type LevelPolicy struct {
	// Ceiling is the highest level that may run at all; tools above it, and
	// unrated ones, are refused.
	Ceiling Level
	// Unasked is the highest level at which an author's wish not to ask counts.
	// Above it a person is asked whatever the author says.
	Unasked Level
	// Trusted is the highest level that runs without asking although the author
	// wants a person asked. Only an operator sets it; Unrated trusts nothing.
	Trusted Level
	// Tools are exceptions. A key is [source/]name[@hash]: a name alone, a name of one
	// source, or one version of it, with the hash in hexadecimal. Trust in a name alone
	// is trust in the operator's own specs, [Library]: another source cannot take a
	// name and have it. Of the rows that fit a tool the strictest counts.
	Tools map[string]Treatment
}

// Library is the source of the specs that the operator has: bundled ones and those
// in folders.
const Library = "library"

// ToolRef names one version of one tool of one source.
type ToolRef struct {
	Source, Name string
	Hash         ToolHash
}

func (r ToolRef) String() string {
	return r.Source + "/" + r.Name + "@" + hex.EncodeToString(r.Hash[:])
}

// Treatment is what an operator says about one tool. The zero value leaves it to
// its level and its author.
type Treatment uint8

const (
	AsUsual   Treatment = iota
	Trust               // never ask; what is above the ceiling stays refused
	AskAlways           // ask before each call, whatever the level
	Refuse              // never run
)

var treatmentWords = [...]string{"", "trust", "ask", "refuse"}

// Treatments are the words for what can be said about a tool, the strictest first.
func Treatments() []string { return []string{"refuse", "ask", "trust"} }

// String returns the word for t; empty for AsUsual.
func (t Treatment) String() string {
	if int(t) < len(treatmentWords) {
		return treatmentWords[t]
	}
	return fmt.Sprintf("Treatment(%d)", uint8(t))
}

// ParseTreatment reads one of [Treatments].
func ParseTreatment(word string) (Treatment, error) {
	for t := Trust; t <= Refuse; t++ {
		if word == t.String() {
			return t, nil
		}
	}
	return AsUsual, fmt.Errorf("%q: want %s", word, strings.Join(Treatments(), ", "))
}

// DefaultLevelPolicy lets every level run and asks from L4, which is where a tool
// changes something or reaches anything, even if its author would not ask.
func DefaultLevelPolicy() LevelPolicy { return LevelPolicy{Ceiling: L5, Unasked: L3} }

// Judge returns the verdict for a call of a tool of that level, whose author asks
// for mode, and the reason in one sentence.
func (p LevelPolicy) Judge(tool ToolRef, level Level, mode catalog.ApprovalMode) (Verdict, string) {
	named := p.treatment(tool)
	switch {
	case !level.Within(p.Ceiling):
		return Deny, fmt.Sprintf("the operator's policy does not run tools of level %s", level)
	case named > AskAlways:
		return Deny, "the operator's policy does not run this tool"
	case named == AskAlways:
		return Ask, "the operator's policy asks a person before each call of this tool"
	case named == Trust:
		return Allow, "the operator's policy runs this tool without asking"
	case level.Within(p.Trusted):
		return Allow, fmt.Sprintf("the operator's policy runs level %s without asking", level)
	case !level.Within(p.Unasked):
		return Ask, fmt.Sprintf("tools of level %s ask a person before each call", level)
	case mode == catalog.ApprovalDisabled:
		return Allow, "the tool's author does not ask, and its level allows that"
	case mode == catalog.ApprovalUnset && level == L0:
		return Allow, "a tool of level L0 reaches nothing outside of the box"
	}
	return Ask, "the tool asks a person before each call"
}

// treatment is what the rows say about a tool.
func (p LevelPolicy) treatment(tool ToolRef) Treatment {
	if len(p.Tools) == 0 {
		return AsUsual
	}
	name, full := tool.Name, tool.String()
	version := full[strings.LastIndexByte(full, '@'):]
	strictest := AsUsual
	for _, key := range []string{name, name + version, tool.Source + "/" + name, full} {
		t := p.Tools[key]
		if t == Trust && key == name && tool.Source != Library {
			continue
		}
		strictest = max(strictest, t)
	}
	return strictest
}

// String writes the policy in one line; two policies that judge alike have one
// text.
func (p LevelPolicy) String() string {
	text := fmt.Sprintf("ceiling=%s unasked=%s trusted=%s", p.Ceiling, p.Unasked, p.Trusted)
	for _, name := range slices.Sorted(maps.Keys(p.Tools)) {
		if t := p.Tools[name]; t != AsUsual {
			text += fmt.Sprintf(" %q=%s", name, t)
		}
	}
	return text
}
