package riskcontract

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/risk/contract"
)

// Tool is one of the tools.
type Tool struct {
	Name, Title, Description string
	Schema                   json.RawMessage // of the arguments
	answer                   func(c *contract.Contract, arguments []byte) (any, error)
}

// Tools returns both.
func Tools() []Tool {
	return []Tool{
		{
			Name: "tool_risk_contract", Title: "Tool risk contract",
			Description: "Shows the tool risk contract: for each registered namespace its access modes, risk tier, risk factors and suggested hints, and for each workflow the namespaces it may use. Changes nothing.",
			Schema:      showSchema, answer: show,
		},
		{
			Name: "evaluate_tool_risk_decision", Title: "Evaluate a tool risk decision",
			Description: "Decides by the tool risk contract whether a proposed tool call may run, and says why. The call may run only if allowed is true. Runs nothing.",
			Schema:      evaluateSchema(), answer: evaluate,
		},
	}
}

// Denied is the answer to a call that cannot be read.
type Denied struct {
	Available bool   `json:"available"` // false
	Decision  string `json:"decision"`  // deny
	Allowed   bool   `json:"allowed"`   // false
	Error     string `json:"error"`
	Message   string `json:"message"`
}

// Answer answers a call with these arguments, as JSON. failed says that it is a
// [Denied].
func (t Tool) Answer(c *contract.Contract, arguments []byte) (text json.RawMessage, failed bool) {
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	answer, err := t.answer(c, arguments)
	if err == nil {
		if text, err = json.Marshal(answer); err == nil {
			return text, false
		}
	}
	return Failure("invalid_request", err.Error()), true
}

// Failure is a [Denied] as JSON.
func Failure(code, message string) json.RawMessage {
	text, err := json.Marshal(Denied{Decision: "deny", Error: code, Message: message})
	if err != nil {
		panic(err) // four plain values
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
	Failures  int                 `json:"contract_failures"` // complaints of its generator
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
