package egress

import (
	"fmt"

	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

// Action is what to do with a finding. The zero value redacts.
type Action uint8

const (
	Redact Action = iota // replace it with a placeholder
	Report               // leave it and report it
	Block                // block the whole message
	Ignore               // leave it and do not report it
)

var actionNames = [...]string{"redact", "report", "block", "ignore"}

// String returns "redact", "report", "block" or "ignore".
func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return actionNames[Block]
}

// ParseAction reads what String writes.
func ParseAction(s string) (Action, error) {
	for i, name := range actionNames {
		if s == name {
			return Action(i), nil
		}
	}
	return Redact, fmt.Errorf("action %q: want redact, report, block or ignore", s)
}

// Policy says what to do with findings. The zero value redacts everything;
// [DefaultPolicy] is what operators want.
type Policy struct {
	Classes map[rules.Class]Action
	Rules   map[string]Action // by rule ID; overrides the class
	Tools   map[string]Policy // by tool name; unset entries fall back to this policy
	// MaxBytes is the largest message that passes; 0 sets no limit. A longer text is
	// searched in windows.
	MaxBytes int
}

// DefaultPolicy redacts credentials and reports personal data, paths and stack
// frames.
func DefaultPolicy() Policy {
	return Policy{Classes: map[rules.Class]Action{
		rules.Credential: Redact,
		rules.Personal:   Report,
		rules.Internal:   Report,
	}}
}

// Place says what kind of message a text is. Paths and stack frames are redacted in
// errors even where they are otherwise only reported.
type Place struct {
	Tool  string
	Error bool
}

// action decides about one find.
func (p *Policy) action(at Place, r *rules.Rule, class rules.Class) Action {
	if tool, ok := p.Tools[at.Tool]; ok {
		if a, ok := tool.Rules[r.ID]; ok {
			return a
		}
		if a, ok := tool.Classes[class]; ok {
			return a
		}
	}
	if a, ok := p.Rules[r.ID]; ok {
		return a
	}
	a := p.Classes[class]
	if a == Report && at.Error && class == rules.Internal {
		return Redact
	}
	return a
}

// wants reports whether the policy acts on findings of a class.
func (p *Policy) wants(class rules.Class) bool {
	return p.Classes[class] != Ignore || len(p.Tools) > 0 || len(p.Rules) > 0
}

// exceeds reports whether a message is longer than what may pass.
func (p *Policy) exceeds(size int) bool { return p.MaxBytes > 0 && size > p.MaxBytes }

// blocks reports whether any message may be blocked.
func (p *Policy) blocks() bool {
	if p.MaxBytes > 0 || p.blocksFindings() {
		return true
	}
	for _, tool := range p.Tools {
		if tool.blocks() {
			return true
		}
	}
	return false
}

// blocksFindings reports whether a finding may block its message.
func (p *Policy) blocksFindings() bool {
	for _, a := range p.Classes {
		if a == Block {
			return true
		}
	}
	for _, a := range p.Rules {
		if a == Block {
			return true
		}
	}
	for _, tool := range p.Tools {
		if tool.blocksFindings() {
			return true
		}
	}
	return false
}
