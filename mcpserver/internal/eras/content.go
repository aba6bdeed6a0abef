package eras

import (
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// since is the version in which a kind of content came. Clients of earlier versions
// refuse a whole result for one block of a kind that they do not know.
var since = map[string]string{"audio": "2025-03-26", "resource_link": "2025-06-18"}

// newest is the last version in since; clients of it know every kind.
const newest = "2025-06-18"

// blocks returns a list of content blocks of which the client knows every kind.
func (c Client) blocks(list []byte) []byte {
	if c.Version >= newest {
		return list
	}
	out := []byte("[")
	for _, block := range gjson.ParseBytes(list).Array() {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, c.block(block)...)
	}
	return append(out, ']')
}

// messages does the same for the messages of a prompt, which have one block each.
func (c Client) messages(list []byte) []byte {
	if c.Version >= newest {
		return list
	}
	out := []byte("[")
	for _, message := range gjson.ParseBytes(list).Array() {
		if len(out) > 1 {
			out = append(out, ',')
		}
		said := message.Raw
		if content := message.Get("content"); content.IsObject() {
			if told := c.block(content); told != content.Raw {
				said, _ = sjson.SetRaw(said, "content", told) // cannot fail: the path is one name
			}
		}
		out = append(out, said...)
	}
	return append(out, ']')
}

// block returns a block, or a text that says what it is.
func (c Client) block(block gjson.Result) string {
	kind := block.Get("type").String()
	if came, newer := since[kind]; !newer || c.Version >= came {
		return block.Raw
	}
	if kind == "audio" {
		return text(fmt.Sprintf("[audio, %s, which version %s of the protocol cannot carry]", block.Get("mimeType").String(), c.Version))
	}
	link := block.Get("uri").String()
	for _, more := range []string{"name", "description"} {
		if said := block.Get(more).String(); said != "" {
			link += "\n" + said
		}
	}
	return text(link)
}

// text returns a text block.
func text(said string) string {
	block, err := json.Marshal(map[string]string{"type": "text", "text": said})
	if err != nil {
		panic(err) // cannot fail: strings
	}
	return string(block)
}
