package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/glovebox-run/glovebox/risk"
)

const (
	// maxText bounds a file in bytes. One with every setting and its explanation
	// takes eight thousand.
	maxText = 64 << 10
	// maxEntries bounds the lines and commas outside of comments: the parser's time
	// grows with the square of their number, 0.1 s at this limit.
	maxEntries = 2000
	// maxNesting bounds open brackets, and columns of indentation. The settings
	// themselves are three deep.
	maxNesting = 200
	// maxProblems bounds the list: nobody reads that many.
	maxProblems = 200
)

// reading is the state of parsing one text.
type reading struct {
	source   string // as problems name it
	in       place
	config   *Config
	at       map[string]position // of the keys present
	problems Problems
}

type position struct{ line, column int }

func positionOf(n ast.Node) position {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return position{1, 1}
	}
	p := n.GetToken().Position
	return position{p.Line, p.Column}
}

func (r *reading) add(code Code, key string, at position, message, fix string) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, Problem{Code: code, Source: r.source, Key: key, Line: at.line, Column: at.column, Message: message, Fix: fix})
	}
}

// parse reads the text of a file into the config.
func (r *reading) parse(text []byte) {
	body, ok := r.document(text)
	if ok && body != nil {
		r.group("", body)
	}
}

// document returns the one value of a YAML text, nil if it is empty.
func (r *reading) document(text []byte) (body ast.Node, ok bool) {
	start := position{1, 1}
	if len(text) > maxText {
		r.add(Unreadable, "", start, fmt.Sprintf("more than %d bytes", maxText), "keep the configuration alone in the file")
		return nil, false
	}
	if at := bytes.IndexByte(text, 0); at >= 0 {
		r.add(Syntax, "", position{1 + bytes.Count(text[:at], []byte("\n")), 1}, "there is a NUL in it", "this is no text file; name another one")
		return nil, false
	}
	if line, why := excess(text); why != "" {
		r.add(Unwanted, "", position{line, 1}, why, "no setting needs that; take it out")
		return nil, false
	}
	file, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	var located interface {
		GetToken() *token.Token
		GetMessage() string
	}
	switch {
	case errors.As(err, &located) && located.GetToken() != nil && located.GetToken().Position != nil:
		p := located.GetToken().Position
		r.add(Syntax, "", position{max(1, p.Line), max(1, p.Column)}, "no YAML: "+located.GetMessage(), "correct the line, or the one above it")
		return nil, false
	case err != nil:
		r.add(Syntax, "", start, "no YAML: "+err.Error(), "correct the file")
		return nil, false
	}
	for _, d := range file.Docs {
		if d.Body == nil || r.unwanted("", d.Body) {
			continue
		}
		if body != nil {
			r.add(Unwanted, "", positionOf(d.Body), "a second document", "keep one; what follows --- is not read")
			return nil, false
		}
		body = d.Body
	}
	if _, comments := body.(*ast.CommentGroupNode); comments {
		return nil, true
	}
	return body, true
}

// excess finds the line where a text becomes larger or more deeply nested than any
// real file: the parser takes time and stack for each entry and level.
func excess(text []byte) (line int, why string) {
	open, entries := 0, 0
	for row := range bytes.Lines(text) {
		line++
		blank := len(row) - len(bytes.TrimLeft(row, " -?:\t"))
		if content := bytes.TrimSpace(row); len(content) > 0 && content[0] != '#' {
			entries++
			for _, c := range row {
				switch c {
				case '[', '{':
					open++
				case ']', '}':
					open = max(0, open-1)
				case ',':
					entries++
				}
			}
		}
		if open > maxNesting || blank > maxNesting {
			return line, fmt.Sprintf("nested more than %d deep", maxNesting)
		}
		if entries > maxEntries {
			return line, fmt.Sprintf("more than %d lines and list items", maxEntries)
		}
	}
	return 0, ""
}

// group reads the members of a mapping for the keys below prefix.
func (r *reading) group(prefix string, n ast.Node) {
	members, ok := membersOf(n)
	if !ok {
		name := strings.TrimSuffix(prefix, ".")
		switch _, scalarText, _ := scalarOf(n); {
		case isNull(n):
		case r.unwanted(name, n):
		case name == "token" && scalarText:
			r.add(SecretText, name, positionOf(n), "the token itself does not belong into this file", "write it into a file of mode 0600 and name that under token.file, and choose a new token")
		case name == "":
			r.add(WrongType, name, positionOf(n), "is not a group of settings", "write lines such as listen: 127.0.0.1:8282")
		default:
			r.add(WrongType, name, positionOf(n), "is a group of settings", "write them below it, indented, such as "+firstBelow(prefix))
		}
		return
	}
	seen := map[string]position{}
	for _, m := range members {
		name, ok := r.name(prefix, m)
		if !ok {
			continue
		}
		at, path := positionOf(m.Key), prefix+name
		if first, again := seen[name]; again {
			r.add(Duplicate, path, at, fmt.Sprintf("is there twice, first in line %d", first.line), "keep one")
			continue
		}
		seen[name] = at
		i := slices.IndexFunc(sections(), func(s section) bool { return s.name == path })
		if k, found := Find(path); i >= 0 {
			r.section(sections()[i], m.Value)
		} else if found {
			r.at[path] = positionOf(m.Value)
			r.value(k, m.Value)
		} else if firstBelow(path+".") != "" {
			r.group(path+".", m.Value)
		} else {
			r.unknown(prefix, name, at)
		}
	}
}

// membersOf returns the members of a mapping.
func membersOf(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// name returns the key of a member, if it is plain text.
func (r *reading) name(prefix string, m *ast.MappingValueNode) (string, bool) {
	if r.unwanted(strings.TrimSuffix(prefix, "."), m.Key) {
		return "", false
	}
	key, ok := m.Key.(*ast.StringNode)
	if !ok {
		r.add(WrongType, strings.TrimSuffix(prefix, "."), positionOf(m.Key), "the name of a setting is text", "put it in quotation marks if it is meant")
		return "", false
	}
	return key.Value, true
}

// unwanted refuses the YAML features that this file does not have.
func (r *reading) unwanted(path string, n ast.Node) bool {
	const quote = "write the value itself, in quotation marks if it begins with that character"
	switch n.(type) {
	case *ast.AnchorNode:
		r.add(Unwanted, path, positionOf(n), "anchors (&) are not read here", quote)
	case *ast.AliasNode:
		r.add(Unwanted, path, positionOf(n), "aliases (*) are not read here", quote)
	case *ast.TagNode:
		r.add(Unwanted, path, positionOf(n), "tags (!) are not read here", quote)
	case *ast.MergeKeyNode:
		r.add(Unwanted, path, positionOf(n), "merge keys (<<) are not read here", "write the settings out")
	case *ast.MappingKeyNode, *ast.DirectiveNode:
		r.add(Unwanted, path, positionOf(n), "this spelling of YAML is not read here", "write lines such as listen: 127.0.0.1:8282")
	default:
		return false
	}
	return true
}

func (r *reading) unknown(prefix, name string, at position) {
	if prefix == "token." {
		r.add(SecretText, prefix+name, at, "there is no such setting, and the token itself does not belong into this file", "name the file it is in under token.file, or the variable under token.env")
		return
	}
	var here, elsewhere []string
	for _, k := range Keys {
		if rest, below := strings.CutPrefix(k.Path, prefix); below {
			first, _, _ := strings.Cut(rest, ".")
			here = append(here, first)
		}
		if strings.HasSuffix(k.Path, "."+name) {
			elsewhere = append(elsewhere, k.Path)
		}
	}
	for _, s := range sections() {
		if group, word := s.group(); group == strings.TrimSuffix(prefix, ".") {
			here = append(here, word)
		}
	}
	guess := meant(name, here)
	if guess == "" && len(elsewhere) > 0 {
		guess = "; did you mean " + elsewhere[0] + "?"
	}
	r.add(Unknown, prefix+name, at, "there is no such setting"+guess, "see glovebox config schema, or take it out")
}

// firstBelow returns the first key whose path begins with prefix.
func firstBelow(prefix string) string {
	for _, k := range Keys {
		if strings.HasPrefix(k.Path, prefix) {
			return k.Path
		}
	}
	return ""
}

func isNull(n ast.Node) bool {
	_, null := n.(*ast.NullNode)
	return n == nil || null
}

// scalarOf reads a scalar; null does not count as one.
func scalarOf(n ast.Node) (s scalar, ok bool, why string) {
	switch n := n.(type) {
	case *ast.StringNode:
		return scalar{n.Value, aWord}, true, ""
	case *ast.LiteralNode:
		return scalar{n.Value.Value, aWord}, true, ""
	case *ast.BoolNode:
		return scalar{fmt.Sprint(n.Value), aSwitch}, true, ""
	case *ast.IntegerNode:
		return scalar{fmt.Sprint(n.Value), aNumber}, true, ""
	case *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return scalar{n.GetToken().Value, aNumber}, true, ""
	case *ast.SequenceNode:
		return s, false, "is a list"
	}
	return s, false, "is a group"
}

// value reads the value of a key.
func (r *reading) value(k Key, n ast.Node) {
	if isNull(n) {
		r.add(BadValue, k.Path, positionOf(n), "has no value", "give one, or leave the key out for the default "+k.Show(defaults()))
		return
	}
	if r.unwanted(k.Path, n) {
		return
	}
	r.into(k, k.field(r.config), n)
}

// into reads the value of a key into a field.
func (r *reading) into(k Key, field any, n ast.Node) {
	if isNull(n) {
		r.add(BadValue, k.Path, positionOf(n), "has no value", "give one, or leave the key out for the default")
		return
	}
	if r.unwanted(k.Path, n) {
		return
	}
	switch field := field.(type) {
	case *[]string:
		*field = readList[string](r, k, n)
	case *[]Path:
		*field = readList[Path](r, k, n)
	case *map[string]risk.Treatment:
		*field = r.treatments(k, n)
	case *map[string]string:
		*field = r.pairs(k, n)
	default:
		r.scalar(k, field, n)
	}
}

func (r *reading) scalar(k Key, field any, n ast.Node) {
	if r.unwanted(k.Path, n) {
		return
	}
	s, ok, why := scalarOf(n)
	if !ok {
		fix := "write one value"
		if k.field != nil {
			fix += ", such as " + k.Show(defaults())
		}
		r.add(WrongType, k.Path, positionOf(n), why, fix)
		return
	}
	if err := k.assign(field, s, r.in); err != nil {
		f := flawOf(err)
		r.add(f.code, k.Path, positionOf(n), f.message, f.fix)
	}
}

// readList reads each item as a scalar of the key.
func readList[T string | Path](r *reading, k Key, n ast.Node) []T {
	sequence, ok := n.(*ast.SequenceNode)
	if !ok {
		r.add(WrongType, k.Path, positionOf(n), "is no list", "write it as a list: [first, second], or one line with a hyphen for each")
		return nil
	}
	list := make([]T, 0, len(sequence.Values))
	for _, item := range sequence.Values {
		var one T
		if isNull(item) {
			r.add(BadValue, k.Path, positionOf(item), "an item has no value", "give one, or take the item out")
			continue
		}
		r.scalar(k, &one, item)
		list = append(list, one)
	}
	return list
}

func (r *reading) treatments(k Key, n ast.Node) map[string]risk.Treatment {
	members, ok := membersOf(n)
	if !ok {
		r.add(WrongType, k.Path, positionOf(n), "is no group of names", "write one line for each tool, such as deleteFile: ask")
		return nil
	}
	said := map[string]risk.Treatment{}
	for _, m := range members {
		name, ok := r.name(k.Path+".", m)
		if !ok {
			continue
		}
		path := k.Path + "." + name
		if _, again := said[name]; again {
			r.add(Duplicate, path, positionOf(m.Key), "is there twice", "keep one")
			continue
		}
		said[name] = risk.Refuse // until the word is parsed
		var word string
		r.scalar(Key{Path: path, Choices: k.Choices, field: k.field}, &word, m.Value)
		if t, err := risk.ParseTreatment(word); err == nil {
			said[name] = t
		}
	}
	return said
}

func defaults() *Config {
	c := Default()
	return &c
}
