package parse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// aliasRoom is how many nodes a document may come to, beyond one for each of
// its bytes, when its aliases are followed.
const aliasRoom = 100_000

// parseYAML writes one document as JSON. Scalars follow YAML 1.2's core schema;
// a tag never builds anything: !!str, !!int and the like choose among the plain
// types, any other is refused. Keys become strings.
func parseYAML(text []byte) ([]byte, error) {
	if isJSON(text) {
		return text, nil
	}
	text = withoutDirectives(text)
	d := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	switch err := d.Decode(&document); {
	case errors.Is(err, io.EOF):
		return []byte("null"), nil // comments alone
	case err != nil:
		return nil, yamlError(err)
	}
	var next yaml.Node
	if err := d.Decode(&next); err == nil {
		return nil, malformed(helperYAML, next.Line, next.Column, "a second document; only one is parsed")
	} else if !errors.Is(err, io.EOF) {
		return nil, yamlError(err)
	}
	w := yamlWriter{left: len(text) + aliasRoom}
	err := w.node(&document, 0)
	return w.out, err
}

// isJSON reports a JSON object or array, which is YAML as it stands. The library
// does not know all escapes of JSON's strings.
func isJSON(text []byte) bool {
	trimmed := bytes.TrimLeft(text, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[' {
		return false
	}
	depth := 0
	inString := false
	for i := 0; i < len(trimmed); i++ {
		switch c := trimmed[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return false
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return json.Valid(text)
}

// withoutDirectives makes comments of the directives before the document, but for
// %TAG: the library refuses %YAML 1.2 and those it does not know, which YAML 1.2
// says to pass over.
func withoutDirectives(text []byte) []byte {
	at := len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	copied := false
	for at < len(text) && bytes.IndexByte([]byte("%# \t\r\n"), text[at]) >= 0 {
		if text[at] == '%' && !bytes.HasPrefix(text[at:], []byte("%TAG")) {
			if !copied {
				text, copied = bytes.Clone(text), true
			}
			text[at] = '#'
		}
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
	}
	return text
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// yamlError takes the line out of the library's text.
func yamlError(err error) error {
	text := err.Error()
	line := 0
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	return malformed(helperYAML, line, 0, "%s", text)
}

type yamlWriter struct {
	out  []byte
	left int // nodes
}

func (w *yamlWriter) node(n *yaml.Node, depth int) error {
	fail := func(format string, args ...any) error {
		return malformed(helperYAML, n.Line, n.Column, format, args...)
	}
	if w.left--; w.left < 0 || len(w.out) > 4*maxInput {
		return fail("aliases expand the document beyond what is parsed")
	}
	if depth > maxDepth {
		return fail("nodes are nested more than %d deep", maxDepth)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return w.node(n.Content[0], depth)
	case yaml.AliasNode:
		return w.node(n.Alias, depth+1) // a cycle ends at the depth
	case yaml.SequenceNode:
		if tag := n.ShortTag(); tag != "!!seq" {
			return fail("the tag %s is not accepted", tag)
		}
		w.out = append(w.out, '[')
		for i, item := range n.Content {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			if err := w.node(item, depth+1); err != nil {
				return err
			}
		}
		w.out = append(w.out, ']')
		return nil
	case yaml.MappingNode:
		if tag := n.ShortTag(); tag != "!!map" {
			return fail("the tag %s is not accepted", tag)
		}
		return w.mapping(n, depth)
	}
	value, err := scalar(n)
	if err != nil {
		return fail("%v", err)
	}
	w.out = append(w.out, value...)
	return nil
}

// mapping writes a mapping with its merges (<<) below its own keys.
func (w *yamlWriter) mapping(n *yaml.Node, depth int) error {
	w.out = append(w.out, '{')
	written := map[string]bool{}
	if err := w.members(n, depth, written, false); err != nil {
		return err
	}
	w.out = append(w.out, '}')
	return nil
}

// members writes the keys that are not written yet. In a merged mapping a key
// that is there already is overridden, in the mapping itself it is an error.
func (w *yamlWriter) members(n *yaml.Node, depth int, written map[string]bool, merged bool) error {
	fail := func(n *yaml.Node, format string, args ...any) error {
		return malformed(helperYAML, n.Line, n.Column, format, args...)
	}
	if depth > maxDepth {
		return fail(n, "nodes are nested more than %d deep", maxDepth)
	}
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return fail(key, "a key that is a collection has no place in an object")
		}
		if key.ShortTag() == "!!merge" {
			merges = append(merges, value)
			continue
		}
		if written[key.Value] {
			if merged {
				continue
			}
			return fail(key, "the key %q stands twice", key.Value)
		}
		if len(written) > 0 {
			w.out = append(w.out, ',')
		}
		written[key.Value] = true
		w.out = append(appendString(w.out, key.Value), ':')
		if err := w.node(value, depth+1); err != nil {
			return err
		}
	}
	for _, m := range merges {
		if err := w.merge(m, depth+1, written); err != nil {
			return err
		}
	}
	return nil
}

func (w *yamlWriter) merge(n *yaml.Node, depth int, written map[string]bool) error {
	if w.left--; w.left < 0 || depth > maxDepth {
		return malformed(helperYAML, n.Line, n.Column, "merges expand the document beyond what is parsed")
	}
	switch n.Kind {
	case yaml.AliasNode:
		return w.merge(n.Alias, depth+1, written)
	case yaml.MappingNode:
		return w.members(n, depth, written, true)
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if err := w.merge(item, depth+1, written); err != nil {
				return err
			}
		}
		return nil
	}
	return malformed(helperYAML, n.Line, n.Column, "<< wants a mapping or a list of mappings")
}

// scalar is the JSON of a scalar by its tag, given or resolved.
func scalar(n *yaml.Node) ([]byte, error) {
	switch tag := n.ShortTag(); tag {
	case "!!str", "!!timestamp", "!": // a date stays as it is written
		return appendString(nil, n.Value), nil
	case "!!null":
		return []byte("null"), nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return nil, fmt.Errorf("%q is no boolean", n.Value)
		}
		return strconv.AppendBool(nil, b), nil
	case "!!int":
		return integer(n)
	case "!!float":
		var f float64
		if err := n.Decode(&f); err != nil {
			return nil, fmt.Errorf("%q is no number", n.Value)
		}
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, fmt.Errorf("%s has no place in JSON; quote it", n.Value)
		}
		return json.Marshal(f)
	case "!!binary":
		return appendString(nil, strings.Join(strings.Fields(n.Value), "")), nil // base64, as it is written
	default:
		return nil, fmt.Errorf("the tag %s is not accepted", tag)
	}
}

func integer(n *yaml.Node) ([]byte, error) {
	var i int64
	if n.Decode(&i) == nil {
		return strconv.AppendInt(nil, i, 10), nil
	}
	var u uint64
	if n.Decode(&u) == nil {
		return strconv.AppendUint(nil, u, 10), nil
	}
	var f float64
	if err := n.Decode(&f); err != nil {
		return nil, fmt.Errorf("%q is no number", n.Value)
	}
	return json.Marshal(f)
}
