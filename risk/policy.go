package risk

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog"
)

// LevelPolicy judges a call by the level of its tool and by the approval mode that
// the tool's author chose. The zero policy refuses every call.
type LevelPolicy struct {
	// Ceiling is the highest level that may run at all; tools above it, and
	// unrated ones, are refused.
	Ceiling Level
	// Unasked is the highest level at which an author can waive approval. Above it
	// a person is always asked.
	Unasked Level
	// Trusted is the highest level that runs without approval even though the
	// author requires it. Only an operator sets it; Unrated trusts nothing.
	Trusted Level
	// Tools are exceptions. A key is [source/]name[@hash]: a name alone, a name from one
	// source, or one version of it, with the hash in hexadecimal. Trusting a name alone
	// trusts the operator's own specs, [Library]: another source cannot gain that trust
	// by reusing the name. If several rows match a tool, the strictest applies.
	Tools map[string]Treatment
}

// Library is the source of the operator's own specs: the bundled ones and those in
// folders.
const Library = "library"

// ToolRef names one version of one tool of one source.
type ToolRef struct {
	Source, Name string
	Hash         ToolHash
}

func (r ToolRef) String() string {
	return r.Source + "/" + r.Name + "@" + hex.EncodeToString(r.Hash[:])
}

// Treatment is an operator's rule for one tool. With the zero value, the tool's
// level and author decide.
type Treatment uint8

const (
	AsUsual   Treatment = iota
	Trust               // never ask; tools above the ceiling stay refused
	AskAlways           // ask before each call, whatever the level
	Refuse              // never run
)

var treatmentWords = [...]string{"", "trust", "ask", "refuse"}

// Treatments returns the words for the treatments, strictest first.
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

// DefaultLevelPolicy lets every level run. From L4, where a tool changes something
// or reaches anything, it asks even if the author waived approval.
func DefaultLevelPolicy() LevelPolicy { return LevelPolicy{Ceiling: L5, Unasked: L3} }

// Judge returns the verdict for a call of a tool with that level and the author's
// approval mode, and the reason in one sentence.
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

// treatment returns the strictest treatment among the rows that match the tool.
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

// String writes the policy in one line; policies that judge alike have the same
// text.
func (p LevelPolicy) String() string {
	// Made for every call that is judged, so without fmt.
	text := "ceiling=" + p.Ceiling.String() + " unasked=" + p.Unasked.String() + " trusted=" + p.Trusted.String()
	if len(p.Tools) == 0 {
		return text
	}
	for _, name := range slices.Sorted(maps.Keys(p.Tools)) {
		if t := p.Tools[name]; t != AsUsual {
			text += fmt.Sprintf(" %q=%s", name, t)
		}
	}
	return text
}
