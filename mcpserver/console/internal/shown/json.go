package shown

import (
	"bytes"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

const (
	// maxLeaves bounds the values of one JSON text that are shown.
	maxLeaves = 200
	// maxDepth bounds how deep members are followed; deeper values are one text.
	maxDepth = 6
)

// leaf is one value of a JSON text and where it is.
type leaf struct{ path, pointer, value, raw string }

// JSON returns the members of a JSON value as rows of name and value. If before is
// another value, what differs from it is marked, and what it had and now is gone is
// listed.
func JSON(value, before []byte) template.HTML {
	if !gjson.ValidBytes(value) {
		return Lines(string(value), Block)
	}
	now, whole := leaves(value)
	var was []leaf
	compared := len(before) > 0 && gjson.ValidBytes(before)
	if compared {
		was, _ = leaves(before)
	}
	find := func(in []leaf, path string) (leaf, bool) {
		i := slices.IndexFunc(in, func(l leaf) bool { return l.path == path })
		if i < 0 {
			return leaf{}, false
		}
		return in[i], true
	}
	var b strings.Builder
	ink := NewInk(4 * Block)
	b.WriteString(`<dl class="json">`)
	row := func(class, path, note string, value template.HTML) {
		b.WriteString(`<div class="` + class + `"><dt>`)
		b.WriteString(string(ink.Text(path, Line)))
		b.WriteString(`</dt><dd>` + string(value))
		if note != "" {
			b.WriteString(` <span class="note">` + note + `</span>`)
		}
		b.WriteString(`</dd></div>`)
	}
	for _, l := range now {
		class, note := "same", ""
		if compared {
			switch old, had := find(was, l.path); {
			case !had:
				class, note = "new", "new"
			case old.raw != l.raw:
				class, note = "changed", "was "+string(ink.Text(old.value, Line))
			}
		}
		row(class, l.path, note, ink.Lines(l.value, Block/4))
	}
	for _, l := range was {
		if _, still := find(now, l.path); !still {
			row("gone", l.path, "gone; was", ink.Text(l.value, Line))
		}
	}
	if len(now) == 0 && len(was) == 0 {
		b.WriteString(`<div class="same"><dt>` + "no arguments" + `</dt><dd></dd></div>`)
	}
	b.WriteString(`</dl>`)
	if !whole {
		b.WriteString(`<p class="cut">Only the first ` + strconv.Itoa(maxLeaves) + ` values are shown, of ` + Size(len(value)) + `.</p>`)
	}
	return template.HTML(b.String()) // every text above went through Ink
}

// escape writes a step of a JSON pointer (RFC 6901).
var escape = strings.NewReplacer("~", "~0", "/", "~1")

// leaves flattens a value: each member that is no object or array, with its path.
func leaves(value []byte) (all []leaf, whole bool) {
	whole = true
	var walk func(path, pointer string, v gjson.Result, depth int)
	walk = func(path, pointer string, v gjson.Result, depth int) {
		if len(all) >= maxLeaves {
			whole = false
			return
		}
		nested := v.IsObject() || v.IsArray()
		empty := nested && len(bytes.TrimSpace([]byte(v.Raw))) <= 2
		if !nested || empty || depth >= maxDepth {
			text := v.Raw
			if v.Type == gjson.String {
				text = v.Str
			}
			all = append(all, leaf{path, pointer, text, v.Raw})
			return
		}
		n := 0
		v.ForEach(func(key, inner gjson.Result) bool {
			name := key.String()
			step := escape.Replace(name)
			if v.IsArray() {
				step = strconv.Itoa(n)
				name = "[" + strconv.Itoa(n) + "]"
			} else if path != "" {
				name = "." + name
			}
			n++
			walk(path+name, pointer+"/"+step, inner, depth+1)
			return whole
		})
	}
	root := gjson.ParseBytes(value)
	if root.IsObject() && len(root.Map()) == 0 {
		return nil, true
	}
	walk("", "", root, 0)
	return all, whole
}
