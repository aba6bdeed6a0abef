package risk

import (
	"fmt"

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
}

// DefaultLevelPolicy lets every level run and asks from L4, which is where a tool
// changes something or reaches anything, even if its author would not ask.
func DefaultLevelPolicy() LevelPolicy { return LevelPolicy{Ceiling: L5, Unasked: L3} }

// Judge returns the verdict for a call of a tool with that level, whose author
// asks for mode, and the reason in one sentence.
func (p LevelPolicy) Judge(level Level, mode catalog.ApprovalMode) (Verdict, string) {
	switch {
	case !level.Within(p.Ceiling):
		return Deny, fmt.Sprintf("the operator's policy does not run tools of level %s", level)
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

// String writes the policy in one line; two policies that judge alike have one
// text.
func (p LevelPolicy) String() string {
	return fmt.Sprintf("ceiling=%s unasked=%s trusted=%s", p.Ceiling, p.Unasked, p.Trusted)
}
