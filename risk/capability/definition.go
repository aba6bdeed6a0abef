package capability

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A Definition is the part of a tool that is read: the texts that a model sees.
type Definition struct {
	Name        string
	Title       string
	Description string
	Schema      []byte // the input schema, as it was sent
}

// Parse decodes a definition from an element of a tools/list result. Fields of the
// wrong type count as absent.
func Parse(raw []byte) Definition {
	var fields, hints map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return Definition{}
	}
	d := Definition{Name: text(fields["name"]), Title: text(fields["title"]), Description: text(fields["description"]), Schema: fields["inputSchema"]}
	if json.Unmarshal(fields["annotations"], &hints) == nil {
		if title := text(hints["title"]); title != "" {
			d.Title = strings.TrimPrefix(d.Title+"\n"+title, "\n")
		}
	}
	return d
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// param is one property of an input schema.
type param struct {
	place  string // JSON pointer
	name   string
	words  []string
	texts  []string // title and description
	enum   []string
	isEnum bool
	depth  int // 1 for an argument, more for what is inside of one
}

// maxDepth is how deep a schema is followed. Deeper properties are those of
// documents, not of arguments; encoding/json itself stops at 10,000.
const maxDepth = 24

// parameters lists the properties of the schema at every depth, in the order of
// their names.
func (d Definition) parameters() []param {
	var schema any
	if len(d.Schema) == 0 || json.Unmarshal(d.Schema, &schema) != nil {
		return nil
	}
	w := walk{root: schema, seen: map[string]bool{}}
	w.node("/inputSchema", schema, 0, 0)
	for len(w.refs) > 0 {
		ref := w.refs[0]
		w.refs = w.refs[1:]
		w.node("/inputSchema"+strings.TrimPrefix(ref.to, "#"), w.resolve(ref.to), 0, ref.depth)
	}
	return w.list
}

// walk lists the properties that arguments can have. A definition that the schema
// carries along and nothing refers to is not among them. Each is read once,
// however often it is referred to.
type walk struct {
	root any
	list []param
	refs []ref
	seen map[string]bool
}

type ref struct {
	to    string
	depth int
}

func (w *walk) resolve(pointer string) any {
	node := w.root
	for _, step := range strings.Split(strings.TrimPrefix(pointer, "#/"), "/") {
		fields, _ := node.(map[string]any)
		node = fields[unescape.Replace(step)]
	}
	return node
}

// node reads one schema; nested counts schemas, depth properties.
func (w *walk) node(at string, node any, nested, depth int) {
	if nested > maxDepth {
		return
	}
	switch node := node.(type) {
	case []any:
		for _, each := range node {
			w.node(at, each, nested+1, depth)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(node)) {
			switch key {
			case "properties":
				properties, _ := node[key].(map[string]any)
				for _, name := range slices.Sorted(maps.Keys(properties)) {
					below := at + "/properties/" + escape.Replace(name)
					w.list = append(w.list, property(below, name, properties[name], depth+1))
					w.node(below, properties[name], nested+1, depth+1)
				}
			case "items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties", "then", "else":
				w.node(at+"/"+key, node[key], nested+1, depth)
			case "$ref":
				to, _ := node[key].(string)
				if strings.HasPrefix(to, "#/") && !w.seen[to] {
					w.seen[to] = true
					w.refs = append(w.refs, ref{to, depth})
				}
			}
		}
	}
}

var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)

func property(at, name string, schema any, depth int) param {
	p := param{place: at, name: name, words: Words(name), depth: depth}
	fields, _ := schema.(map[string]any)
	for _, key := range []string{"title", "description"} {
		if text, ok := fields[key].(string); ok {
			p.texts = append(p.texts, text)
		}
	}
	if values, ok := fields["enum"].([]any); ok {
		p.isEnum = true
		for _, v := range values {
			if text, ok := v.(string); ok {
				p.enum = append(p.enum, text)
			}
		}
	}
	if text, ok := fields["const"].(string); ok {
		p.isEnum = true
		p.enum = append(p.enum, text)
	}
	return p
}
