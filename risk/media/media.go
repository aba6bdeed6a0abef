// Package media finds pictures, sound and other binary content in objects of the Model
// Context Protocol, so that what reads text does not take them for it: in base64, every
// few hundred kilobytes of a picture look like somebody's password.
package media

import (
	"bytes"
	"encoding/base64"
	"iter"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Cut is an object without its binary content.
type Cut struct {
	// Text is the object with an empty string in each place. It is the object itself if
	// there is nothing binary in it.
	Text   []byte
	pieces []piece
}

// piece is one string that was cut out, by its number among the places of the object.
type piece struct {
	place int
	raw   string // with its quotation marks
	end   int    // behind the empty string, in Text
}

// minCut is the length in bytes from which a string is worth cutting out. The shortest
// token that anything looks for fits into less.
const minCut = 1 << 10

// From cuts binary content out of a JSON object.
func From(raw []byte) Cut {
	if !bytes.Contains(raw, []byte(`"data"`)) && !bytes.Contains(raw, []byte(`"blob"`)) {
		return Cut{Text: raw}
	}
	c := Cut{}
	done := 0
	for i, place := range places(raw) {
		if len(place.Raw) < minCut || !binary(place.Str) {
			continue
		}
		c.Text = append(c.Text, raw[done:place.Index]...)
		c.Text = append(c.Text, `""`...)
		done = place.Index + len(place.Raw)
		c.pieces = append(c.pieces, piece{i, place.Raw, len(c.Text)})
	}
	if c.pieces == nil {
		return Cut{Text: raw}
	}
	c.Text = append(c.Text, raw[done:]...)
	return c
}

// Restore puts the content back into a text that has the same places, such as a cleaned
// one. It reports false if the places are not the same.
func (c *Cut) Restore(text []byte) ([]byte, bool) {
	if c.pieces == nil {
		return text, true
	}
	all := places(text)
	var out []byte
	done := 0
	for _, p := range c.pieces {
		if p.place >= len(all) || all[p.place].Raw != `""` {
			return nil, false
		}
		out = append(out, text[done:all[p.place].Index]...)
		out = append(out, p.raw...)
		done = all[p.place].Index + len(`""`)
	}
	return append(out, text[done:]...), true
}

// Pieces yields what was cut out, as JSON strings.
func (c *Cut) Pieces() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range c.pieces {
			if !yield(p.raw) {
				return
			}
		}
	}
}

// Offset returns where a byte of Text was in the object.
func (c *Cut) Offset(at int) int {
	moved := at
	for _, p := range c.pieces {
		if at >= p.end {
			moved += len(p.raw) - len(`""`)
		}
	}
	return moved
}

// places returns the strings of an object that may hold binary content, in the order of
// the text: content blocks of results and of messages, and the contents of resources.
func places(raw []byte) []gjson.Result {
	var all []gjson.Result
	block := func(b gjson.Result) {
		b.ForEach(func(key, value gjson.Result) bool {
			switch {
			case key.Str == "data" || key.Str == "blob":
				if value.Type == gjson.String {
					all = append(all, value)
				}
			case key.Str == "resource" && value.IsObject():
				value.ForEach(func(key, value gjson.Result) bool {
					if key.Str == "blob" && value.Type == gjson.String {
						all = append(all, value)
					}
					return true
				})
			}
			return true
		})
	}
	blocks := func(list gjson.Result) {
		if list.IsObject() {
			block(list)
			return
		}
		list.ForEach(func(_, b gjson.Result) bool { block(b); return true })
	}
	gjson.ParseBytes(raw).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "content", "contents":
			blocks(value)
		case "messages":
			value.ForEach(func(_, message gjson.Result) bool {
				message.ForEach(func(key, value gjson.Result) bool {
					if key.Str == "content" {
						blocks(value)
					}
					return true
				})
				return true
			})
		}
		return true
	})
	return all
}

// binary reports whether a text is base64 of something that is no text: a tenth of its
// bytes or more stand for no character. Compressed pictures and sound have four tenths;
// a text with a few stray bytes stays a text.
func binary(text string) bool {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return false
	}
	odd := 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size <= 1 || r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			odd++
		}
		i += size
	}
	return odd*10 >= len(data)
}
