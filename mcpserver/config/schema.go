package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/risk"
)

// SchemaID identifies the schema; it is not an address to fetch it from.
const SchemaID = "https://github.com/glovebox-run/glovebox/docs/configuration.schema.json"

// property is one node of a JSON Schema; its members are written in this order.
type property struct {
	Schema      string      `json:"$schema,omitempty"`
	ID          string      `json:"$id,omitempty"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	Type        any         `json:"type,omitempty"` // a word or a list of words
	Enum        []string    `json:"enum,omitempty"`
	Pattern     string      `json:"pattern,omitempty"`
	Minimum     *int64      `json:"minimum,omitempty"`
	Maximum     int64       `json:"maximum,omitempty"`
	Items       *property   `json:"items,omitempty"`
	Properties  *properties `json:"properties,omitempty"`
	Names       *property   `json:"propertyNames,omitempty"`
	Additional  any         `json:"additionalProperties,omitempty"`
	Default     any         `json:"default,omitempty"`
}

// properties keep their order, unlike a map.
type properties struct {
	names  []string
	byName map[string]*property
}

func (p *properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range p.names {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(p.byName[name])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Schema returns the JSON Schema (2020-12) of the file.
func Schema() []byte {
	root := &property{
		Schema: "https://json-schema.org/draft/2020-12/schema", ID: SchemaID, Title: "Glovebox configuration",
		Description: "What an operator decides. Flags and environment variables count over it.",
		// A file with nothing but comments is null.
		Type: []string{"object", "null"}, Properties: &properties{byName: map[string]*property{}}, Additional: false,
	}
	c := Default()
	for _, k := range Keys {
		steps := strings.Split(k.Path, ".")
		group := root
		for i, step := range steps[:len(steps)-1] {
			group = group.child(step, func() *property {
				return &property{
					Description: groupDoc(strings.Join(steps[:i+1], ".")), Type: []string{"object", "null"},
					Properties: &properties{byName: map[string]*property{}}, Additional: false,
				}
			})
		}
		group.child(steps[len(steps)-1], func() *property { return k.property(&c) })
	}
	for _, s := range sections() {
		one := &property{Type: []string{"object", "null"}, Properties: &properties{byName: map[string]*property{}}, Additional: false}
		for _, k := range s.settings {
			at, word := one, k.Path
			if group, below, nested := strings.Cut(k.Path, "."); nested {
				word = below
				at = one.child(group, func() *property {
					return &property{Type: []string{"object", "null"}, Properties: &properties{byName: map[string]*property{}}, Additional: false}
				})
			}
			at.child(word, func() *property { return k.describe(s.field(k.Path)) })
		}
		in, word := root, s.name
		if group, below := s.group(); group != "" {
			in, word = root.Properties.byName[group], below
		}
		in.child(word, func() *property {
			return &property{Description: s.doc, Type: []string{"object", "null"}, Names: &property{Pattern: memberName.String()}, Additional: one}
		})
	}
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err) // only texts and numbers; every test would catch it
	}
	return append(text, '\n')
}

func (p *property) child(name string, make func() *property) *property {
	if p.Properties.byName[name] == nil {
		p.Properties.names = append(p.Properties.names, name)
		p.Properties.byName[name] = make()
	}
	return p.Properties.byName[name]
}

func groupDoc(name string) string {
	for _, g := range Groups {
		if g.Name == name {
			return g.Doc
		}
	}
	return ""
}

// Patterns of texts with a meaning beyond their type.
const (
	sizePattern     = `^[0-9]+(\.[0-9]+)? ?([kKMGTPE]i?)?[bB]?$`
	durationPattern = `^([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$|^0$`
)

// property returns the schema of one value.
func (k Key) property(c *Config) *property { return k.describe(k.field(c)) }

// describe is property for a field.
func (k Key) describe(field any) *property {
	p := &property{Description: k.Doc, Type: "string", Default: plain(field)}
	switch field.(type) {
	case *bool:
		p.Type = "boolean"
	case *int, *uint64:
		p.Type, p.Minimum, p.Maximum = "integer", &k.Min, k.Max
	case *float64:
		p.Type = "number"
	case *Size:
		p.Type, p.Pattern, p.Minimum = []string{"string", "integer"}, sizePattern, &k.Min
	case *time.Duration:
		p.Pattern = durationPattern
	case *risk.Level:
		p.Enum = []string{noLevel, "L0", "L1", "L2", "L3", "L4", "L5"}
	case *catalog.NetworkMode, *slog.Level, *string:
		p.Enum = k.Choices
	case *[]string, *[]Path:
		p.Type, p.Items = "array", &property{Type: "string"}
	case *map[string]risk.Treatment:
		p.Type, p.Additional = "object", &property{Type: "string", Enum: k.Choices}
	case *map[string]string:
		p.Type, p.Additional = "object", &property{Type: "string", Enum: k.Choices}
	}
	return p
}

// plain returns a default as JSON has it; nil if it is empty.
func plain(field any) any {
	c := struct{ text string }{}
	switch f := field.(type) {
	case *bool:
		return *f
	case *int:
		return *f
	case *uint64:
		return *f
	case *float64:
		return *f
	case *[]string:
		return append([]string{}, *f...)
	case *[]Path:
		return append([]Path{}, *f...)
	case *map[string]risk.Treatment, *map[string]string:
		return map[string]string{}
	case *string:
		c.text = *f
	case *Path:
		c.text = string(*f)
	default:
		return Key{field: func(*Config) any { return field }}.Show(nil)
	}
	if c.text == "" {
		return nil
	}
	return c.text
}
