package host

import (
	"fmt"
	"strings"
)

// shape makes texts of any size that are costly for their size, in one of the
// ways in which texts are.
type shape struct {
	name               string
	head, unit, middle string // unit and more are repeated as often as the size allows
	more, tail         string
}

// of returns a text of about n bytes. A %d in a unit counts.
func (s shape) of(n int) string {
	var b strings.Builder
	b.WriteString(s.head)
	half := n
	if s.more != "" {
		half = n / 2
	}
	fill := func(unit string, to int) {
		for i := 0; unit != "" && b.Len() < to; i++ {
			if strings.Contains(unit, "%d") {
				fmt.Fprintf(&b, unit, i)
			} else {
				b.WriteString(unit)
			}
		}
	}
	fill(s.unit, half)
	b.WriteString(s.middle)
	fill(s.more, n)
	b.WriteString(s.tail)
	return b.String()
}

// shapes are the languages of all arguments, each repeated, nested, shared,
// widened, deepened and cut into many small parts. Every operation gets all of
// them, whatever it was made for.
var shapes = []shape{
	// Plain texts: letters, what is escaped in JSON and HTML, what is long in UTF-8,
	// what joins the character before, digits.
	{name: "letters", unit: "a"},
	{name: "words", unit: "word "},
	{name: "controls", unit: "\x01"},
	{name: "quotes", unit: `"\`},
	{name: "wide", unit: "世"},
	{name: "pairs", unit: "\U0001f600"},
	{name: "marks", head: "a", unit: "\u0301\u0327"},
	{name: "digits", unit: "9"},
	{name: "lines", unit: "\n"},
	{name: "short lines", unit: "x\n"},
	{name: "long lines", unit: strings.Repeat("x", 500) + "\n"},
	{name: "spaces", unit: " ", tail: "x"},
	{name: "closers", unit: ".)"},
	{name: "numbers", unit: "%d "},
	{name: "base64", unit: "QUFB"},
	{name: "invalid", unit: "\xff"},

	// Tables.
	{name: "commas", unit: ","},
	{name: "commas, records", unit: ",", middle: "\n", more: "x\n"},
	{name: "names, records", unit: "n%d,", middle: "\n", more: "1\n"},
	{name: "one name, records", unit: "n", middle: "\n", more: "1\n"},
	{name: "quoted", head: `"`, unit: `""`, tail: `"`},

	// YAML.
	{name: "sequence", unit: "- 1\n"},
	{name: "mapping", unit: "k%d: 1\n"},
	{name: "flow", head: "- [", unit: "1,", tail: "]"},
	{name: "flow mapping", head: "- {", unit: "k%d: 1,", tail: "}"},
	{name: "deep sequence", unit: "- "},
	{name: "deep flow", head: "- ", unit: "["},
	{name: "explicit keys", unit: "? "},
	{name: "aliases", head: "a: &a \"", unit: "x", middle: "\"\nb: [", more: "*a,", tail: "]"},
	{name: "merges", head: "a: &a\n", unit: "  k%d: 1\n", middle: "b:\n  <<: [", more: "*a,", tail: "]"},
	{name: "laughs", head: "a0: &a0 [x,x]\n", unit: "a: &a [*a0,*a0,*a0]\n", tail: "z: [*a,*a]"},
	{name: "anchors", unit: "- &a%d 1\n"},
	{name: "comments", head: "a: 1\n", unit: "# x\n"},
	{name: "directives", unit: "%%TAG ! tag:x,%d:\n", tail: "--- a"},
	{name: "block text", head: "a: |\n", unit: "  x\n"},

	// XML and HTML.
	{name: "elements", head: "<a>", unit: "<b/>", tail: "</a>"},
	{name: "deep elements", unit: "<a>"},
	{name: "attributes", head: "<a", unit: " b%d=\"\"", tail: "/>"},
	{name: "entities", head: "<a>", unit: "&lt;", tail: "</a>"},
	{name: "cdata", head: "<a>", unit: "<![CDATA[x]]>", tail: "</a>"},
	{name: "comment", head: "<a>", unit: "<!---->", tail: "</a>"},
	{name: "paragraphs", unit: "<p>"},
	{name: "formatting, paragraphs", unit: "<b a=%d>", more: "<p>"},
	{name: "formatting, closed paragraphs", head: strings.Repeat("<p><b>", 3) + "<b a=1><b a=2><b a=3><i a=1><i a=2>", unit: "<p>x</p>"},
	{name: "formatting with attributes", head: "<b", unit: " a%d", middle: ">", more: "<p>x"},
	{name: "misnested", unit: "<b a=%d><div></b>"},
	{name: "anchors in blocks", unit: "<a>", more: "<div></a>"},
	{name: "table of formatting", head: "<table>", unit: "<b a=%d>x"},
	{name: "text in a table", head: "<table>", unit: "x</y>"},
	{name: "roots", unit: "<body a%d=1>"},
	{name: "templates", unit: "<template>", more: "<td>"},
	{name: "script", head: "<script>", unit: "</scrip"},
	{name: "deep text", head: strings.Repeat("<div>", 300), unit: "x"},
	{name: "deep paragraphs", head: strings.Repeat("<div>", 300), unit: "<p></p>"},

	// Selectors and patterns.
	{name: "descendants", unit: "* ", tail: "*"},
	{name: "has", unit: ":has(", more: ")", middle: "*"},
	{name: "not", unit: ":not(", more: ")", middle: "*"},
	{name: "alternatives", unit: "a,", tail: "a"},
	{name: "classes", unit: ".x"},
	{name: "nested repetition", head: "(", unit: "(x+)+", tail: ")+$"},
	{name: "optional", unit: "x?", more: "x"},
	{name: "choices", head: "(", unit: "a|", tail: "b)*c"},

	// Addresses.
	{name: "dots", head: "http://a/", unit: "../"},
	{name: "labels", head: "http://", unit: "a.", tail: "/"},
	{name: "wide host", head: "http://", unit: "世", tail: "/"},
	{name: "percent", head: "http://a/?", unit: "%%20"},
	{name: "form", unit: "a=%d&"},

	// JSON.
	{name: "list", head: "[", unit: "1,", tail: "1]"},
	{name: "deep list", unit: "["},
	{name: "object", head: "{", unit: `"k%d":1,`, tail: `"z":1}`},

	// Names of locales and zones.
	{name: "subtags", head: "en", unit: "-abcde%d"},
	{name: "path", unit: "a/"},
	{name: "stars", unit: "*a"},
}
