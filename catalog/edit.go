package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/glovebox-run/glovebox/catalog/internal/source"
)

// With returns the spec with one top-level field set. Every other byte of the
// document stays, unknown fields and spacing included; a new field goes to the
// end, indented like the last one. The problems are those of the new document.
func (s *Spec) With(field string, value any) (*Spec, Problems) {
	root, _ := source.Open(s.text)
	encoded := encode(value)
	var lastName, last source.Value
	for name, v := range root.Members() {
		if key, _ := name.Text(); key == field {
			return Parse(splice(s.text, v.Start(), v.End(), encoded))
		}
		lastName, last = name, v
	}
	// A spec has required fields, so there is a last field.
	// Only whitespace stands between the name and the comma or brace before it.
	lead := s.text[:lastName.Start()]
	indent := lead[bytes.LastIndexAny(lead, "{,")+1:]
	member := fmt.Appendf(nil, ",%s%s: %s", indent, encode(field), encoded)
	return Parse(splice(s.text, last.End(), last.End(), member))
}

func splice(text []byte, from, to int, insert json.RawMessage) []byte {
	out := make([]byte, 0, len(text)+len(insert))
	out = append(out, text[:from]...)
	out = append(out, insert...)
	return append(out, text[to:]...)
}
