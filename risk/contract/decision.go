package contract

import "fmt"

// Decision is the answer to one proposed tool call. The zero value holds the
// call: it has not been reviewed yet.
type Decision uint8

const (
	Hold              Decision = iota // evidence is missing, or a person has to review the call
	Allow                             // inside scope and policy
	AllowConfirmed                    // needs an approval and already has one
	DenyContradiction                 // the hints contradict the request or each other
	DenySession                       // private data, untrusted content and a way out in one session
	DenyScope                         // outside the workflow or the tool's access modes
	KillSession                       // a kill signal: the whole session must stop
	decisionCount
)

var decisionNames = [decisionCount]string{
	Hold:              "hold_for_tool_risk_review",
	Allow:             "allow_tool_call",
	AllowConfirmed:    "allow_with_confirmation",
	DenyContradiction: "deny_annotation_contradiction",
	DenySession:       "deny_session_exfiltration_path",
	DenyScope:         "deny_scope_drift",
	KillSession:       "kill_session_on_tool_risk_signal",
}

// String returns the contract's name of the decision.
func (d Decision) String() string {
	if d < decisionCount {
		return decisionNames[d]
	}
	return decisionNames[Hold]
}

// Allowed reports whether the call may run. AllowConfirmed does not ask anybody: the
// approval was part of the request.
func (d Decision) Allowed() bool { return d == Allow || d == AllowConfirmed }

// ParseDecision reads what String writes.
func ParseDecision(s string) (Decision, error) {
	for d := range decisionCount {
		if s == decisionNames[d] {
			return d, nil
		}
	}
	return Hold, fmt.Errorf("decision %q: want one of %q", s, decisionNames)
}

// MarshalText writes the decision as String does.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Tier is a step on the contract's own scale; it is not a [risk.Level].
type Tier uint8

const (
	TierUnknown Tier = iota
	Tier0            // context only
	Tier1            // reads untrusted content
	Tier2            // reads private data
	Tier3            // changes state
	Tier4            // destructive, or carries private or untrusted content out
	tierCount
)

var tierNames = [tierCount]string{
	TierUnknown: "unknown",
	Tier0:       "tier_0_context_only",
	Tier1:       "tier_1_read_untrusted",
	Tier2:       "tier_2_private_context",
	Tier3:       "tier_3_state_changing",
	Tier4:       "tier_4_destructive_or_exfiltration",
}

// tierDefaults holds the decision that a report recommends for a tier when nothing
// else is known. No decision depends on it.
var tierDefaults = [tierCount]Decision{
	Tier0: Allow,
	Tier1: AllowConfirmed,
	Tier2: Hold,
	Tier3: AllowConfirmed,
	Tier4: Hold,
}

// String returns the tier's id.
func (t Tier) String() string {
	if t < tierCount {
		return tierNames[t]
	}
	return tierNames[TierUnknown]
}

// MarshalText writes the tier as String does.
func (t Tier) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

func parseTier(s string) (Tier, bool) {
	for t := Tier0; t < tierCount; t++ {
		if s == tierNames[t] {
			return t, true
		}
	}
	return TierUnknown, false
}

// The access modes the contract knows. A request may name any other text; it
// then lies outside every tool's modes.
const (
	modeRead     = "read"
	modeBranch   = "write_branch"
	modeTicket   = "write_ticket"
	modeApproval = "approval_required"
)

// writes reports whether a call in this mode changes state, which a request
// counts as a way out of the session too.
func writes(mode string) bool {
	return mode == modeBranch || mode == modeTicket || mode == modeApproval
}
