// Package paramheader checks and writes the HTTP headers in which clients of the stateless
// protocol repeat arguments, so that a proxy on the way can route by them.
//
//	Of      the arguments of a tool that a header carries, by its schema
//	Check   headers and arguments of one call agree
//	Set     the headers of a call that is made
//
// A schema marks such an argument with x-mcp-header. The SDK checks the tools that are
// registered with it; ours are not, and it sees no large arguments. See mcpserver.
package paramheader

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Binding is an argument that a header carries.
type Binding struct {
	path   []string // of property names
	header string
}

// maxBindings bounds the headers of one tool. A client's request has at most 64 KiB of
// headers, and the schema is somebody else's.
const maxBindings = 64

// maxDepth bounds how deep an argument may be marked.
const maxDepth = 16

// Of returns the bindings of an input schema, in its order. Marks that are not
// well-formed bind nothing: clients drop such a tool.
func Of(schema json.RawMessage) []Binding {
	if !strings.Contains(string(schema), "x-mcp-header") {
		return nil
	}
	var found []Binding
	collect(gjson.ParseBytes(schema), nil, &found)
	return found
}

func collect(schema gjson.Result, path []string, found *[]Binding) {
	if len(path) == maxDepth {
		return
	}
	schema.Get("properties").ForEach(func(name, property gjson.Result) bool {
		here := append(path[:len(path):len(path)], name.String())
		if mark := property.Get("x-mcp-header"); mark.Type == gjson.String && isToken(mark.String()) {
			*found = append(*found, Binding{here, "Mcp-Param-" + mark.String()})
		}
		collect(property, here, found)
		return len(*found) < maxBindings
	})
}

// isToken reports whether text can stand in the name of a header (RFC 9110, 5.6.2).
func isToken(text string) bool {
	for _, c := range text {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.ContainsRune("!#$%&'*+-.^_`|~", c)) {
			return false
		}
	}
	return text != ""
}

// Check returns why the headers contradict the arguments, a JSON object or nothing.
func Check(header http.Header, bindings []Binding, arguments []byte) error {
	if len(bindings) == 0 {
		return nil
	}
	all := gjson.ParseBytes(arguments)
	for _, b := range bindings {
		sent, given := header.Get(b.header), argument(all, b.path)
		switch {
		case !given.Exists() || given.Type == gjson.Null:
			if sent != "" {
				return fmt.Errorf("there is a header %s, but no argument %q", b.header, strings.Join(b.path, "."))
			}
		case sent == "":
			return fmt.Errorf("there is no header %s for the argument %q", b.header, strings.Join(b.path, "."))
		case !agree(sent, given):
			return fmt.Errorf("the header %s is not the argument %q", b.header, strings.Join(b.path, "."))
		}
	}
	return nil
}

// argument looks a path up. Of a repeated name the last counts, as for most readers.
func argument(value gjson.Result, path []string) gjson.Result {
	for _, name := range path {
		var found gjson.Result
		if value.IsObject() {
			value.ForEach(func(key, member gjson.Result) bool {
				if key.String() == name {
					found = member
				}
				return true
			})
		}
		value = found
	}
	return value
}

// agree reports whether a header is the text of an argument: a string, a boolean, or
// an integer of which every reader has the same digits.
func agree(header string, given gjson.Result) bool {
	text, ok := plain(header)
	switch {
	case !ok:
		return false
	case given.Type == gjson.String:
		return text == given.String()
	case given.IsBool():
		return text == given.Raw
	case given.Type == gjson.Number:
		sent, err := strconv.ParseFloat(text, 64)
		return err == nil && whole(sent) && whole(given.Num) && sent == given.Num
	}
	return false
}

// whole reports whether f is an integer below 2^53.
func whole(f float64) bool { return f == math.Trunc(f) && math.Abs(f) < 1<<53 }

// plain decodes a header's value; what does not fit into one is sent in base64.
func plain(value string) (string, bool) {
	code, ok := strings.CutPrefix(value, before)
	if ok {
		code, ok = strings.CutSuffix(code, after)
	}
	if !ok {
		return value, true
	}
	text, err := base64.StdEncoding.DecodeString(code)
	return string(text), err == nil
}
