package riskcontract

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/contract"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Source is the source of the tools in [governed.Published].
const Source = "contract"

// Tool is one of the two tools. It implements [governed.Tool].
type Tool struct {
	Title, Description string
	Schema             json.RawMessage // of the arguments
	contract           *contract.Contract
	answer             func(c *contract.Contract, arguments []byte) (any, error)
	about              governed.About
}

// Tools returns both tools for a contract.
func Tools(c *contract.Contract) []governed.Tool {
	all := []*Tool{
		{
			Title: "Tool risk contract", about: governed.About{Name: "tool_risk_contract"},
			Description: "Shows the tool risk contract: for each registered namespace its access modes, risk tier, risk factors and suggested hints, and for each workflow the namespaces it may use. Changes nothing.",
			Schema:      showSchema, answer: show,
		},
		{
			Title: "Evaluate a tool risk decision", about: governed.About{Name: "evaluate_tool_risk_decision"},
			Description: "Decides by the tool risk contract whether a proposed tool call may run, and says why. The call may run only if allowed is true. Runs nothing.",
			Schema:      evaluateSchema(), answer: evaluate,
		},
	}
	tools := make([]governed.Tool, len(all))
	for i, t := range all {
		t.contract = c
		t.about.Source, t.about.Level, t.about.Standing = Source, risk.L0, fmt.Sprintf("contract %x", c.Digest)
		t.about.Approval.Mode = catalog.ApprovalDisabled // runs no tool code and changes nothing
		t.about.Hash = sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%x", t.about.Name, t.Description, t.Schema, c.Digest))
		tools[i] = t
	}
	return tools
}

// About implements [governed.Tool].
func (t *Tool) About() *governed.About { return &t.about }

// Check implements [governed.Tool]. Run reports invalid arguments when it reads
// them.
func (t *Tool) Check(arguments []byte) (json.RawMessage, catalog.Problems) {
	if len(arguments) == 0 {
		return json.RawMessage("{}"), nil
	}
	return arguments, nil
}

// Run implements [governed.Tool].
func (t *Tool) Run(_ context.Context, permit *governed.Permit) (out governed.Output) {
	if err := permit.Check(t.about.Hash); err != nil {
		out.Failure = &governed.Failure{Kind: governed.NotCleared, Message: "the call was not cleared", Cause: err}
		return out
	}
	answer, err := t.answer(t.contract, permit.Arguments)
	if err == nil {
		out.Value, err = json.Marshal(answer)
	}
	if err != nil {
		out.Failure = &governed.Failure{Kind: governed.InvalidArguments, Message: err.Error()}
	}
	return out
}

// Denied is the answer to a call that got no decision, whatever the reason.
type Denied struct {
	Available bool   `json:"available"` // false
	Decision  string `json:"decision"`  // deny
	Allowed   bool   `json:"allowed"`   // false
	Error     string `json:"error"`
	Message   string `json:"message"`
}

// Failure returns a [Denied] as JSON.
func Failure(f *governed.Failure, reference string) json.RawMessage {
	d := Denied{Decision: "deny", Error: "refused", Message: f.Message}
	switch f.Kind {
	case governed.InvalidArguments:
		d.Error = "invalid_request"
	case governed.Internal:
		d.Error, d.Message = "internal", fmt.Sprintf("internal error (reference %s)", reference)
	}
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // cannot fail: plain values
	}
	return text
}

// decided is an answer of the contract.
type decided struct {
	Available bool `json:"available"`
	contract.Report
}

func evaluate(c *contract.Contract, arguments []byte) (any, error) {
	r, err := parse(arguments)
	if err != nil {
		return nil, err
	}
	answer := c.Decide(&r)
	return decided{true, answer.Report()}, nil
}

type shown struct {
	Available bool                `json:"available"`
	Digest    string              `json:"contract_digest"`
	Date      string              `json:"contract_generated_at,omitempty"`
	Failures  int                 `json:"contract_failures"` // failures its generator reported
	Tools     []contract.Tool     `json:"tools"`
	Workflows []contract.Workflow `json:"workflows"`
}

func show(c *contract.Contract, arguments []byte) (any, error) {
	var of struct{ Namespace, Workflow string }
	members, err := object(arguments)
	if err != nil {
		return nil, err
	}
	for i, name := range members.Names {
		field := map[string]*string{"namespace": &of.Namespace, "workflow_id": &of.Workflow}[name]
		if field == nil {
			return nil, fmt.Errorf("%w: %s: no such argument", contract.ErrInvalidRequest, name)
		}
		if *field, err = text(members.Items[i]); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", contract.ErrInvalidRequest, name, err)
		}
	}
	answer := shown{Available: true, Digest: fmt.Sprintf("sha256:%x", c.Digest), Date: c.GeneratedAt, Failures: c.Failures}
	answer.Tools = slices.DeleteFunc(c.Tools(), func(t contract.Tool) bool { return of.Namespace != "" && t.Namespace != of.Namespace })
	answer.Workflows = slices.DeleteFunc(c.Workflows(), func(w contract.Workflow) bool { return of.Workflow != "" && w.ID != of.Workflow })
	return answer, nil
}
