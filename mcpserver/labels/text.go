package labels

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/risk/egress/projection"
	"github.com/glovebox-run/glovebox/risk/live"
)

// Bounds of one result. Of a longer one the rest counts as forgotten.
const (
	maxResult = 512 << 10 // bytes of text
	piece     = 64 << 10  // bytes of one text that is kept
	overlap   = 256       // bytes that two pieces share, so that nothing hides on their border
	maxIDs    = 32        // identifiers that a result gives back
)

// textOf returns what a caller reads of a JSON value: its strings and numbers, one to a
// line, with the names of members. Strings that are JSON are read as they are, and so is
// a block of text: no model sees the names around it, and a name before the first word
// makes another sentence of it. For the same reason isError is left out.
func textOf(value []byte) string {
	v := gjson.ParseBytes(value)
	if v.Type == gjson.String {
		return v.String()
	}
	var b strings.Builder
	writeText(&b, "", v)
	return b.String()
}

func writeText(b *strings.Builder, name string, v gjson.Result) {
	if block := v.Get("text"); v.Get("type").String() == "text" && block.Type == gjson.String {
		b.WriteString(block.String() + "\n")
		v.ForEach(func(key, inner gjson.Result) bool {
			if key.String() != "type" && key.String() != "text" {
				writeText(b, key.String(), inner)
			}
			return b.Len() <= maxResult
		})
		return
	}
	if v.IsObject() || v.IsArray() {
		v.ForEach(func(key, inner gjson.Result) bool {
			if key.String() != "isError" || inner.Type == gjson.String {
				writeText(b, key.String(), inner)
			}
			return b.Len() <= maxResult
		})
		return
	}
	if name != "" {
		b.WriteString(name + ": ")
	}
	b.WriteString(v.String() + "\n")
}

// pieces cuts a text that is longer than one that is kept. whole is false if something is
// left out.
func pieces(t live.Text) (list []live.Text, whole bool) {
	if len(t.Words) > maxResult {
		t.Words = t.Words[:maxResult]
	} else {
		whole = true
	}
	for words := t.Words; ; words = words[piece-overlap:] {
		cut := t
		cut.Words = words[:min(len(words), piece)]
		list = append(list, cut)
		if len(words) <= piece {
			return list, whole
		}
	}
}

// identifying are members whose values name something that a server keeps.
var identifying = map[string]bool{"id": true, "uri": true, "url": true, "path": true, "name": true, "key": true, "slug": true, "title": true, "filename": true}

// identifiers returns the values of a result that name things.
func identifiers(value []byte) []string {
	var list []string
	var walk func(v gjson.Result)
	walk = func(v gjson.Result) {
		v.ForEach(func(key, inner gjson.Result) bool {
			switch {
			case len(list) >= maxIDs:
				return false
			case inner.IsObject() || inner.IsArray():
				walk(inner)
			case identifying[strings.ToLower(strings.Trim(key.String(), "_"))]:
				list = append(list, inner.String())
			case key.String() == "text" && gjson.Valid(inner.String()):
				walk(gjson.Parse(inner.String())) // a content block that holds JSON
			}
			return true
		})
	}
	walk(gjson.ParseBytes(value))
	return list
}

// bounded reports whether a result of another server matches an output schema in which a
// stranger's text has no room, and says nothing beside it.
func bounded(definition, result []byte) bool {
	schema := gjson.GetBytes(definition, "outputSchema").Raw
	structured := gjson.GetBytes(result, "structuredContent").Raw
	if schema == "" || structured == "" || !live.Bounded([]byte(schema)) {
		return false
	}
	parsed, err := projection.Parse([]byte(schema))
	if err != nil {
		return false
	}
	if _, err := parsed.Project([]byte(structured), projection.Strict); err != nil {
		return false
	}
	same := true
	gjson.GetBytes(result, "content").ForEach(func(_, block gjson.Result) bool {
		same = block.Get("type").String() == "text" && sameJSON(block.Get("text").String(), structured)
		return same
	})
	return same
}

// sameJSON compares two texts without their blanks.
func sameJSON(a, b string) bool {
	return gjson.Valid(a) && gjson.Get(a, "@ugly").Raw == gjson.Get(b, "@ugly").Raw
}
