package riskcontract

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/risk/contract"
	"github.com/glovebox-run/glovebox/risk/contract/pyjson"
)

var showSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{` +
	`"namespace":{"type":"string","description":"only this namespace"},` +
	`"workflow_id":{"type":"string","description":"only this workflow"}}}`)

// documentMembers are the members of a request document that are not command-line
// arguments. Their values are checked here: the contract itself treats a value of
// the wrong type as absent, and a null hint as false.
var documentMembers = map[string]func(pyjson.Value) error{
	"annotations":           checkAnnotations,
	"human_approval_record": checkObject,
	"changed_paths":         func(pyjson.Value) error { return nil }, // decides nothing
}

var hints = []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}

// parse reads a request: the arguments of glovebox decide, in snake_case, and the
// members of a request document.
func parse(arguments []byte) (contract.Request, error) {
	all, err := object(arguments)
	if err != nil {
		return contract.Request{}, err
	}
	document, named := pyjson.Value{Kind: pyjson.Object}, pyjson.Value{Kind: pyjson.Object}
	for i, name := range all.Names {
		check := documentMembers[name]
		if check == nil {
			named.Set(name, all.Items[i])
			continue
		}
		if err := check(all.Items[i]); err != nil {
			return contract.Request{}, fmt.Errorf("%w: %s: %w", contract.ErrInvalidRequest, name, err)
		}
		document.Set(name, all.Items[i])
	}
	return contract.ParseArguments(document.AppendCompact(nil), named.AppendCompact(nil))
}

func object(arguments []byte) (pyjson.Value, error) {
	v, err := pyjson.Parse(arguments)
	if err != nil {
		return v, fmt.Errorf("%w: %w", contract.ErrInvalidRequest, err)
	}
	if v.Kind != pyjson.Object {
		return v, fmt.Errorf("%w: want a JSON object", contract.ErrInvalidRequest)
	}
	return v, nil
}

func checkObject(v pyjson.Value) error {
	if v.Kind != pyjson.Object {
		return errors.New("want an object")
	}
	return nil
}

func checkAnnotations(v pyjson.Value) error {
	if v.Kind != pyjson.Object {
		return errors.New("want an object")
	}
	for i, name := range v.Names {
		if slices.Contains(hints, name) && v.Items[i].Kind != pyjson.Bool {
			return fmt.Errorf("%s: want true or false", name)
		}
	}
	return nil
}

func text(v pyjson.Value) (string, error) {
	if v.Kind != pyjson.Text {
		return "", errors.New("want a text")
	}
	return v.Text, nil
}

// evaluateSchema describes what parse reads.
func evaluateSchema() json.RawMessage {
	type schema struct {
		Type        string            `json:"type,omitempty"`
		Description string            `json:"description,omitempty"`
		Properties  map[string]schema `json:"properties,omitempty"`
		Items       *schema           `json:"items,omitempty"`
		Additional  *bool             `json:"additionalProperties,omitempty"`
	}
	types := map[contract.ArgumentKind]string{contract.TextArgument: "string", contract.HintArgument: "boolean", contract.SwitchArgument: "boolean"}
	properties := map[string]schema{
		"annotations":           {Type: "object", Description: "the tool's hints as it announces them", Properties: map[string]schema{}},
		"human_approval_record": {Type: "object", Description: "an approval that was given: id, approval_id or ticket_id, and decision"},
		"changed_paths":         {Type: "array", Description: "accepted; decides nothing", Items: &schema{Type: "string"}},
	}
	for _, hint := range hints {
		properties["annotations"].Properties[hint] = schema{Type: "boolean"}
	}
	for _, a := range contract.Arguments() {
		properties[a.Name] = schema{Type: types[a.Kind], Description: a.Usage}
	}
	text, err := json.Marshal(schema{Type: "object", Properties: properties, Additional: new(bool)})
	if err != nil {
		panic(err) // cannot fail: strings and numbers
	}
	return text
}
