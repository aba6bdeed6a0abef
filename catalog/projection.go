package catalog

import (
	"bytes"
	"encoding/json"
)

// ToolEntry is the part of a spec that a model may see: an entry of MCP
// tools/list.
type ToolEntry struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// Entry returns the part of the spec that goes on the wire.
func (s *Spec) Entry() ToolEntry {
	return ToolEntry{Name: s.name, Description: s.description, InputSchema: s.InputSchema()}
}

// InputSchema converts the parameters to JSON Schema. The properties keep
// parameter order, which a Go map would lose and which small models follow.
func (s *Spec) InputSchema() json.RawMessage {
	type property struct {
		Type        string `json:"type"`
		Description string `json:"description,omitempty"`
	}
	var properties bytes.Buffer
	required := []string{}
	for i, p := range s.params {
		if i > 0 {
			properties.WriteByte(',')
		}
		properties.Write(encode(p.Name))
		properties.WriteByte(':')
		properties.Write(encode(property{p.Type.JSONSchema(), p.Description}))
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return encode(struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required,omitempty"`
	}{"object", json.RawMessage("{" + properties.String() + "}"), required})
}

// encode writes JSON without the HTML escapes that encoding/json adds: a model
// reads this text.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // strings, and JSON made just above
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
