package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/glovebox-run/glovebox/risk/capability"
)

// A ToolContext is what is known about a tool besides its definition.
type ToolContext struct {
	TrustedServer bool       `json:"trusted_server"`
	SendsUserData bool       `json:"sends_user_data"`
	SideEffect    SideEffect `json:"side_effect"`
	CuratorGaps   int        `json:"curator_gaps"`
}

// ReadTool reads one element of a tools/list result as it came over the wire:
// decoded SDK types cannot tell an absent annotation from a false one. Fields of
// the wrong type count as absent, except that a destructiveHint or openWorldHint
// that is neither true nor false counts as true.
//
// The reference sees neither annotations nor schema on the way to a composition;
// its profile leaves both out.
func ReadTool(p Profile, raw []byte, ctx ToolContext) (Tool, error) {
	fields, err := object(raw)
	if err != nil {
		return Tool{}, fmt.Errorf("not a tool definition: %w", err)
	}
	t := Tool{
		Name:          text(fields["name"]),
		Description:   text(fields["description"]),
		Coverage:      Coverage(nil),
		TrustedServer: ctx.TrustedServer,
		SendsUserData: ctx.SendsUserData,
		SideEffect:    ctx.SideEffect,
		CuratorGaps:   ctx.CuratorGaps,
	}
	if t.Name == "" {
		return Tool{}, fmt.Errorf("not a tool definition: /name is not a text")
	}
	if p == Reference {
		return t, nil
	}
	schema := fields["inputSchema"]
	d := capability.Parse(raw)
	t.Title, t.Schema = d.Title, d.Schema
	t.HasSchema = isObject(schema)
	t.Coverage = Coverage(schema)
	var hints map[string]json.RawMessage
	if json.Unmarshal(fields["annotations"], &hints) == nil {
		t.Annotations = Annotations{
			ReadOnly:    readHint(hints["readOnlyHint"], Absent),
			Destructive: readHint(hints["destructiveHint"], True),
			Idempotent:  readHint(hints["idempotentHint"], Absent),
			OpenWorld:   readHint(hints["openWorldHint"], True),
		}
	}
	return t, nil
}

// object reads a JSON object without decoding its fields.
func object(raw []byte) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(raw, &fields)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) || err == nil && fields == nil {
		return nil, errors.New("want a JSON object")
	}
	return fields, err
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

func readHint(raw json.RawMessage, odd Hint) Hint {
	switch string(raw) {
	case "", "null":
		return Absent
	case "true":
		return True
	case "false":
		return False
	}
	return odd
}

// Coverage returns the share of an input schema's properties that have a non-blank
// description. A schema without properties has full coverage.
func Coverage(schema []byte) float64 {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil || len(s.Properties) == 0 {
		return 1
	}
	described := 0
	for _, raw := range s.Properties {
		var property map[string]json.RawMessage
		if json.Unmarshal(raw, &property) == nil && strings.TrimSpace(text(property["description"])) != "" {
			described++
		}
	}
	return float64(described) / float64(len(s.Properties))
}

// FactorsEffect reads a side effect from the risk factors of a catalog's tool
// descriptor. A missing, null or invalid descriptor yields unknown.
func FactorsEffect(factors []byte) SideEffect {
	var f map[string]json.RawMessage
	if json.Unmarshal(factors, &f) != nil || f == nil {
		return EffectUnknown // null, or not an object: nothing says that it is local
	}
	odd := false
	set := func(name string) bool {
		hint := readHint(f[name], Absent)
		odd = odd || len(f[name]) > 0 && hint == Absent
		return hint == True
	}
	exec, irreversible, write := set("exec"), set("irreversible"), set("write")
	switch {
	case exec || irreversible:
		return EffectRemoteAdmin
	case write:
		return EffectRemoteWrite
	case odd: // a factor that is neither true nor false
		return EffectUnknown
	}
	return EffectLocal
}
