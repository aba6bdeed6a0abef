package contract

import (
	"encoding/hex"
	"math/bits"
	"strings"
)

// Answer is a decision with its reasons. The zero value holds the call.
type Answer struct {
	Decision Decision

	contract *Contract
	call     call
	step     int    // the step that decided
	fired    uint32 // one bit for each row of rules
}

// Reasons returns the codes of the rules that decided, in the published order.
// Rules of later steps that fired as well are in the report.
func (a Answer) Reasons() []string {
	var codes []string
	for i := range rules {
		if a.fired&(1<<i) != 0 && rules[i].step == a.step {
			codes = append(codes, a.code(i))
		}
	}
	return codes
}

// code is the rule's id; the free-text kill signal is part of its own.
func (a Answer) code(i int) string {
	if i == 0 {
		return rules[i].id + a.call.request.RuntimeKillSignal
	}
	return rules[i].id
}

// Tool returns the tool row the request was judged by, or nil.
func (a Answer) Tool() *Tool { return a.call.tool }

// Workflow returns the workflow row the request was judged by, or nil.
func (a Answer) Workflow() *Workflow { return a.call.workflow }

// Hints returns the effective hints.
func (a Answer) Hints() Hints { return a.call.hints }

// Report is an answer in a form that can be archived. It includes the digests of the
// request and the contract, so that the decision can be reproduced.
type Report struct {
	Mode             string      `json:"mode"`
	Decision         Decision    `json:"decision"`
	Allowed          bool        `json:"allowed"`
	Reasons          []string    `json:"reasons"`     // codes of the rules that decided
	Explanation      string      `json:"explanation"` // the same as sentences
	Fired            []Fired     `json:"fired"`       // every rule that fired
	RiskTier         *string     `json:"risk_tier"`
	MatchedNamespace *string     `json:"matched_namespace"`
	MatchedWorkflow  *string     `json:"matched_workflow"`
	EffectiveHints   Hints       `json:"effective_hints"`
	HintSources      HintSources `json:"hint_sources"`
	Request          *Request    `json:"request,omitempty"` // as it was understood
	RequestDigest    string      `json:"request_digest"`    // sha256: of the request as compact sorted JSON
	ContractDigest   string      `json:"contract_digest"`   // sha256: of the contract's bytes
	ContractDate     string      `json:"contract_generated_at,omitempty"`
	ContractFailures int         `json:"contract_failures"` // the generator's complaints about its own inputs
}

// Fired is one rule that fired.
type Fired struct {
	Reason      string   `json:"reason"`
	Decision    Decision `json:"decision"` // the rule's own decision
	Decisive    bool     `json:"decisive"`
	Explanation string   `json:"explanation"`
}

// Report returns the answer as a report.
func (a Answer) Report() Report {
	if a.contract == nil { // the zero answer
		return Report{Mode: compat, Decision: Hold}
	}
	r := a.call.request
	report := Report{
		Mode:             compat,
		Decision:         a.Decision,
		Allowed:          a.Decision.Allowed(),
		Reasons:          a.Reasons(),
		EffectiveHints:   a.call.hints,
		HintSources:      r.hints.sources("defaults"),
		Request:          r,
		RequestDigest:    digestText(r.Digest),
		ContractDigest:   a.contract.digest,
		ContractDate:     a.contract.GeneratedAt,
		ContractFailures: a.contract.Failures,
	}
	if tool := a.call.tool; tool != nil {
		tier := tool.Tier.String()
		report.MatchedNamespace, report.RiskTier = &tool.Namespace, &tier
		report.HintSources = r.hints.sources("profile")
	}
	if workflow := a.call.workflow; workflow != nil {
		report.MatchedWorkflow = &workflow.ID
	}
	var sentences []string
	report.Fired = make([]Fired, 0, bits.OnesCount32(a.fired))
	for i := range rules {
		if a.fired&(1<<i) == 0 {
			continue
		}
		f := Fired{Reason: a.code(i), Decision: rules[i].decision, Decisive: rules[i].step == a.step, Explanation: rules[i].explain(a.call)}
		report.Fired = append(report.Fired, f)
		if f.Decisive {
			sentences = append(sentences, f.Explanation)
		}
	}
	report.Explanation = strings.Join(sentences, " ")
	return report
}

// compat is the mode of this engine: exactly the published evaluator.
const compat = "compat"

func digestText(sum [32]byte) string { return "sha256:" + hex.EncodeToString(sum[:]) }
