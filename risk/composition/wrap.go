package composition

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// Wrap returns the definition with which a member is re-published: the upstream
// definition with the alias as its name and the override, if any, as its
// description. Every other field is passed on as the server sent it; of duplicate
// keys only the last is kept, so that no reader sees a name other than ours.
func Wrap(m Member, upstream []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	if !utf8.Valid(upstream) || json.Unmarshal(upstream, &fields) != nil || fields == nil {
		return nil, errors.New("not a tool definition: want a JSON object in UTF-8")
	}
	fields["name"] = quoted(m.Alias)
	if strings.TrimSpace(m.Override) != "" {
		fields["description"] = quoted(m.Override)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // the server's texts stay as they are
	if err := enc.Encode(fields); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func quoted(s string) json.RawMessage {
	text, _ := json.Marshal(s) // a string always has a JSON form
	return text
}
