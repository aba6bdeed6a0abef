package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidwall/gjson"
)

// jsonc is JSON in which people write comments and a comma after the last member.
type jsonc struct{}

// object is an object in a text: where its braces are and its members.
type object struct {
	open, shut int // of the braces
	members    []member
}

type member struct {
	key        string
	start, end int // from the key's quotation mark to behind the value
	value      gjson.Result
}

func (j jsonc) entry(text []byte, key, name string) (string, error) {
	_, servers, err := j.find(text, key)
	if err != nil || servers == nil {
		return "", err
	}
	if at := servers.find(name); at >= 0 {
		var entry bytes.Buffer
		err := json.Compact(&entry, []byte(servers.members[at].value.Raw))
		return entry.String(), err
	}
	return "", nil
}

func (j jsonc) set(text []byte, key, name string, entry []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 || string(bytes.TrimSpace(text)) == "{}" {
		text = []byte("{\n}\n")
	}
	root, servers, err := j.find(text, key)
	if err != nil {
		return nil, err
	}
	style := styleOf(text, root)
	if servers == nil {
		quoted := fmt.Appendf(nil, "{%s:%s}", quote(name), entry)
		return style.insert(text, root, key, quoted)
	}
	if at := servers.find(name); at >= 0 {
		m := servers.members[at]
		from := m.end - len(m.value.Raw)
		value, err := style.print(entry, indentAt(text, m.start))
		return bytes.Join([][]byte{text[:from], value, text[m.end:]}, nil), err
	}
	return style.insert(text, *servers, name, entry)
}

func (j jsonc) remove(text []byte, key, name string) ([]byte, error) {
	_, servers, err := j.find(text, key)
	if err != nil {
		return nil, err
	}
	at := servers.find(name)
	m := servers.members[at]
	from, to := len(bytes.TrimRight(text[:m.start], " \t\r\n")), m.end
	if comma := commaAfter(text, m.end, servers.shut); comma >= 0 {
		to = comma + 1
	} else if at > 0 {
		// The last one: the comma before it goes, and what is said between stays.
		comma := bytes.LastIndexByte(blank(text[:m.start]), ',')
		return bytes.Join([][]byte{text[:comma], text[comma+1 : from], text[to:]}, nil), nil
	}
	if rest := text[to:servers.shut]; from == servers.open+1 && len(bytes.TrimSpace(rest)) == 0 {
		to = servers.shut
	}
	return bytes.Join([][]byte{text[:from], text[to:]}, nil), nil
}

// find returns the object of the file and that of the servers, nil if there is
// none.
func (jsonc) find(text []byte, key string) (root object, servers *object, err error) {
	bare := blank(text)
	if len(bytes.TrimSpace(bare)) == 0 && len(bytes.TrimSpace(text)) == 0 {
		return object{}, nil, nil
	}
	if !json.Valid(bare) {
		return object{}, nil, syntaxError(text, bare)
	}
	all := gjson.ParseBytes(bare)
	if !all.IsObject() {
		return object{}, nil, errors.New("it is no JSON object")
	}
	root = members(bare, nextByte(bare, 0, len(bare)))
	at := root.find(key)
	if at < 0 {
		return root, nil, nil
	}
	m := root.members[at]
	if !m.value.IsObject() {
		return object{}, nil, fmt.Errorf("%q is not an object", key)
	}
	// To its own end: gjson would go on with what follows it.
	inner := members(bare[:m.end], m.end-len(m.value.Raw))
	return root, &inner, nil
}

// members reads the object whose brace is there and which is the last of the text,
// JSON without comments.
func members(bare []byte, open int) object {
	o := object{open: open}
	end := open + 1
	gjson.ParseBytes(bare[open:]).ForEach(func(key, value gjson.Result) bool {
		start := open + key.Index
		end = open + value.Index + len(value.Raw)
		o.members = append(o.members, member{key.Str, start, end, value})
		return true
	})
	o.shut = end + bytes.IndexByte(bare[end:], '}')
	return o
}

// find returns the last member of that name, which is the one that counts; -1 if
// there is none.
func (o object) find(key string) int {
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].key == key {
			return i
		}
	}
	return -1
}

// blank returns the text with spaces where comments, commas before a closing
// bracket and a byte order mark are, so that everything keeps its place.
func blank(text []byte) []byte {
	b := bytes.Clone(text)
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		copy(b, "   ")
	}
	space := func(from, to int) {
		for i := from; i < to; i++ {
			if b[i] != '\n' && b[i] != '\r' {
				b[i] = ' '
			}
		}
	}
	comma := -1       // the last comma, if nothing came after it
	before := byte(0) // what came before here, white space and comments aside
	for i := 0; i < len(b); i++ {
		if c := b[i]; c == ',' && bytes.IndexByte([]byte("{[,"), before) >= 0 {
			return b // no JSON either
		}
		switch rest := b[i:]; {
		case b[i] == '"':
			comma = -1
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			before = '"'
		case bytes.HasPrefix(rest, []byte("//")):
			to := bytes.IndexByte(rest, '\n')
			if to < 0 {
				to = len(rest)
			}
			space(i, i+to)
			i += to - 1
		case bytes.HasPrefix(rest, []byte("/*")):
			to := bytes.Index(rest[2:], []byte("*/"))
			if to < 0 {
				return b // no JSON, then
			}
			space(i, i+2+to+2)
			i += 2 + to + 1
		case b[i] == ',':
			comma, before = i, ','
		case b[i] == '}' || b[i] == ']':
			if comma >= 0 {
				b[comma] = ' '
			}
			comma, before = -1, '}'
		case bytes.IndexByte([]byte(" \t\r\n"), b[i]) < 0:
			comma, before = -1, b[i]
		}
	}
	return b
}

// nextByte returns where the next byte is that is not white, or the limit.
func nextByte(text []byte, from, limit int) int {
	for ; from < limit && bytes.IndexByte([]byte(" \t\r\n"), text[from]) >= 0; from++ {
	}
	return from
}

// syntaxError says where a text stops being JSON.
func syntaxError(text, bare []byte) error {
	var value any
	err := json.Unmarshal(bare, &value)
	if at := (*json.SyntaxError)(nil); errors.As(err, &at) {
		before := text[:min(int(at.Offset), len(text))]
		line := bytes.Count(before, []byte("\n"))
		return fmt.Errorf("line %d: %w", line+1, err)
	}
	return err
}

func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string has no error
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
