package parse

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/glovebox-run/glovebox/budget"
)

// aliasRoom is how many nodes a document may come to, beyond one for each of
// its bytes, when its aliases are followed.
const aliasRoom = 20_000

// parseYAML writes one document as JSON. Scalars follow YAML 1.2's core schema;
// a tag never builds anything: !!str, !!int and the like choose among the plain
// types, any other is refused. Keys become strings.
func parseYAML(account *budget.Account, text []byte) ([]byte, error) {
	if isJSON(text) {
		return text, nil
	}
	if err := account.Hold(len(text)); err != nil { // for the copy without directives
		return nil, err
	}
	text, err := withoutDirectives(text)
	if err != nil {
		return nil, err
	}
	d := yaml.NewDecoder(admitYAML(account, text))
	var document yaml.Node
	switch err := d.Decode(&document); {
	case errors.Is(err, io.EOF):
		return []byte("null"), nil // comments alone
	case account.Err() != nil:
		return nil, account.Err()
	case err != nil:
		return nil, yamlError(text, err)
	}
	var next yaml.Node
	if err := d.Decode(&next); err == nil {
		return nil, malformed(helperYAML, next.Line, next.Column, "a second document; only one is parsed")
	} else if !errors.Is(err, io.EOF) {
		return nil, yamlError(text, err)
	}
	w := yamlWriter{account: account, out: budget.NewBuilder(account), left: len(text) + aliasRoom, room: yamlGrowth*len(text) + yamlRoom}
	if err := w.node(&document, 0); err != nil {
		return nil, err
	}
	return w.out.Bytes()
}

// What the library needs for a byte, and for a place that may become a node: 12 ns
// a byte; 800 ns and 450 bytes of memory a place in block style, 1,100 bytes in
// flow style, whose tokens it keeps until the outermost bracket closes.
const (
	yamlPerByte           = 100
	yamlPerPlace          = 6_400
	yamlBytesPerPlace     = 450
	yamlFlowBytesPerPlace = 1_100
)

var yamlPlaces = [256]bool{'-': true, ':': true, ',': true, '[': true, '{': true, '?': true, '#': true}

func admitYAML(account *budget.Account, text []byte) *admission {
	a := &admission{account: account, text: text, perByte: yamlPerByte, perPlace: yamlPerPlace, bytesPerPlace: yamlBytesPerPlace}
	a.weigh = func(piece []byte) int {
		// Quotes and comments are the library's to tell from brackets, so the first
		// one counts to the end.
		if bytes.ContainsAny(piece, "[{") {
			a.bytesPerPlace = yamlFlowBytesPerPlace
		}
		return count(piece, &yamlPlaces)
	}
	return a
}

// yamlGrowth is how many times as long as the document its JSON may be when
// aliases repeat what is long; escapes make it six times as long.
const (
	yamlGrowth = 8
	yamlRoom   = 128 << 10 // bytes besides
)

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

// maxTags is how many %TAG directives a document may have. The library compares
// each with all before, which for 16 MiB of them takes hours.
const maxTags = 64

// withoutDirectives makes comments of the directives before the document, but for
// %TAG: the library refuses %YAML 1.2 and those it does not know, which YAML 1.2
// says to pass over.
func withoutDirectives(text []byte) ([]byte, error) {
	at := len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	copied := false
	line := 1
	for tags := 0; at < len(text) && bytes.IndexByte([]byte("%# \t\r\n"), text[at]) >= 0; line++ {
		if bytes.HasPrefix(text[at:], []byte("%TAG")) {
			if tags++; tags > maxTags {
				return nil, malformed(helperYAML, line, 1, "more than %d %%TAG directives", maxTags)
			}
		} else if text[at] == '%' {
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
	if copied && !bytes.HasPrefix(text[at:], []byte("---")) {
		return nil, malformed(helperYAML, line, 1, "a document after a directive begins with ---")
	}
	return text, nil
}

// yamlError takes the place out of the library's error.
func yamlError(text []byte, err error) error {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return malformed(helperYAML, 0, 0, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	line, column := e.Mark.Line, e.Mark.Column
	switch {
	case line == 0: // the library's reader does not know where it is
		line, column = place(text, bytes.IndexFunc(text, unreadable))
	case line > bytes.Count(text, []byte("\n"))+1: // at the end
		line, column = place(text, len(text))
	}
	return malformed(helperYAML, line, column, "%s", e.Message)
}

// unreadable reports the characters that no YAML text may have.
func unreadable(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff
}

// place is the line and column of a byte, both from 1, or zeros for none.
func place(text []byte, at int) (line, column int) {
	if at < 0 {
		return 0, 0
	}
	before := text[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

type yamlWriter struct {
	account *budget.Account
	out     *budget.Builder
	left    int // nodes
	room    int // bytes
}

// visit charges for a node, each time that one is come to.
func (w *yamlWriter) visit(n *yaml.Node) error {
	if err := w.account.Charge(yamlVisit); err != nil {
		return err
	}
	if err := w.out.Err(); err != nil {
		return err
	}
	if w.left--; w.left < 0 || w.out.Len() > w.room {
		return malformed(helperYAML, n.Line, n.Column, "aliases expand the document beyond what is parsed")
	}
	return nil
}

// yamlVisit is the fuel for a node: telling numbers from strings takes a
// microsecond.
const yamlVisit = 6_000

func (w *yamlWriter) node(n *yaml.Node, depth int) error {
	fail := func(format string, args ...any) error {
		return malformed(helperYAML, n.Line, n.Column, format, args...)
	}
	if err := w.visit(n); err != nil {
		return err
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
		w.out.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				w.out.WriteByte(',')
			}
			if err := w.node(item, depth+1); err != nil {
				return err
			}
		}
		w.out.WriteByte(']')
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
	w.out.Write(value)
	return nil
}

// mapping writes a mapping with its merges (<<) below its own keys.
func (w *yamlWriter) mapping(n *yaml.Node, depth int) error {
	w.out.WriteByte('{')
	written := map[string]bool{}
	if err := w.members(n, depth, written, false); err != nil {
		return err
	}
	w.account.Drop(len(written) * writtenSize)
	w.out.WriteByte('}')
	return nil
}

// writtenSize is the memory of an entry in the set of written keys, in bytes.
const writtenSize = 64

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
			if !merged {
				return fail(key, "the key %q stands twice", key.Value)
			}
			// Overridden, but it has been looked at, as often as there are merges.
			if err := w.visit(key); err != nil {
				return err
			}
			continue
		}
		if len(written) > 0 {
			w.out.WriteByte(',')
		}
		if err := w.account.Hold(writtenSize); err != nil {
			return err
		}
		written[key.Value] = true
		w.out.WriteJSONString(key.Value)
		w.out.WriteByte(':')
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
	if err := w.visit(n); err != nil {
		return err
	}
	if depth > maxDepth {
		return malformed(helperYAML, n.Line, n.Column, "nodes are nested more than %d deep", maxDepth)
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
