package editors

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonc is JSON with comments and a comma allowed after the last member.
type jsonc struct{}

// maxBrackets bounds the nesting of a file: the parser has no limit of its own and
// takes about 1 KB of stack for each level, of which Go gives 1 GB.
const maxBrackets = 200_000

// document is a parsed file. Its offsets refer to text.
type document struct {
	text    []byte // without the byte order mark, with an extra line end
	mark    []byte
	root    hujson.Value
	servers *hujson.Value // an object; nil if there is none
}

const byteOrderMark = "\xef\xbb\xbf"

func parse(text []byte, key string) (d document, err error) {
	plain := bytes.TrimPrefix(text, []byte(byteOrderMark))
	d.mark = text[:len(text)-len(plain)]
	d.text = slices.Concat(plain, []byte("\n")) // the parser wants one after a comment
	if bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) > maxBrackets {
		return d, errors.New("it has too many brackets for a configuration")
	}
	if d.root, err = hujson.Parse(d.text); err != nil {
		return d, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	o, ok := d.root.Value.(*hujson.Object)
	if !ok {
		return d, errors.New("it is no JSON object")
	}
	if at := find(o, key); at >= 0 {
		d.servers = &o.Members[at].Value
		if _, ok := d.servers.Value.(*hujson.Object); !ok {
			return d, fmt.Errorf("%q is not an object", key)
		}
	}
	return d, nil
}

// pack returns the file with its changes.
func (d document) pack() []byte {
	return slices.Concat(d.mark, bytes.TrimSuffix(d.root.Pack(), []byte("\n")))
}

// find returns the index of the last member with that name, the one in effect; -1
// if there is none.
func find(o *hujson.Object, name string) int {
	for i, m := range slices.Backward(o.Members) {
		if m.Name.Value.(hujson.Literal).String() == name {
			return i
		}
	}
	return -1
}

func (jsonc) entry(text []byte, key, name string) (string, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return "", nil
	}
	d, err := parse(text, key)
	if err != nil || d.servers == nil {
		return "", err
	}
	o := d.servers.Value.(*hujson.Object)
	at := find(o, name)
	if at < 0 {
		return "", nil
	}
	entry := o.Members[at].Value.Clone()
	entry.Minimize()
	return entry.String(), nil
}

func (jsonc) set(text []byte, key, name string, entry []byte) ([]byte, error) {
	if s := string(bytes.TrimSpace(text)); s == "" || s == "{}" {
		text = []byte("{\n}\n")
	}
	d, err := parse(text, key)
	if err != nil {
		return nil, err
	}
	style := d.style()
	if d.servers == nil {
		err = style.insert(d.text, d.root, key, slices.Concat([]byte("{"), hujson.String(name), []byte(":"), entry, []byte("}")))
		return d.pack(), err
	}
	o := d.servers.Value.(*hujson.Object)
	if at := find(o, name); at >= 0 {
		m := &o.Members[at]
		m.Value.Value, err = style.value(entry, indentAt(d.text, m.Name.StartOffset))
	} else {
		err = style.insert(d.text, *d.servers, name, entry)
	}
	if err != nil {
		return nil, err
	}
	return d.pack(), nil
}

func (jsonc) remove(text []byte, key, name string) ([]byte, error) {
	d, err := parse(text, key)
	if err != nil {
		return nil, err
	}
	o := d.servers.Value.(*hujson.Object)
	at := find(o, name)
	gone := o.Members[at]
	o.Members = slices.Delete(o.Members, at, at+1)
	said := trimRight(gone.Name.BeforeExtra) // a comment before it stays
	switch {
	case at < len(o.Members):
		next := &o.Members[at].Name
		next.BeforeExtra = slices.Concat(said, next.BeforeExtra)
	case at > 0:
		last := &o.Members[at-1].Value
		o.AfterExtra = slices.Concat(said, o.AfterExtra)
		if gone.Value.AfterExtra == nil { // no comma after the last member
			o.AfterExtra = slices.Concat(last.AfterExtra, o.AfterExtra)
			last.AfterExtra = nil
		} else if last.AfterExtra == nil {
			last.AfterExtra = hujson.Extra{}
		}
	default:
		if o.AfterExtra = slices.Concat(said, o.AfterExtra); len(trimRight(o.AfterExtra)) == 0 {
			o.AfterExtra = nil
		}
	}
	return d.pack(), nil
}

// trimRight removes white space from the end of the text between values.
func trimRight(extra hujson.Extra) hujson.Extra { return bytes.TrimRight(extra, " \t\r\n") }
