package shown

import (
	"cmp"
	"html"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Span is a passage of a text that something was found in.
type Span struct {
	Start, End int    // bytes of the text
	Class      string // of the mark, a word of ours: "low", "medium" or "high"
	Number     int    // of the finding, in the list beside the text
}

// Marked is [Lines] with passages marked, each with the numbers of its findings.
func Marked(s string, spans []Span, most int) template.HTML {
	return marked(s, spans, most, &Ink{most, maxMarks})
}

func marked(s string, spans []Span, most int, ink *Ink) template.HTML {
	short, whole := cut(s, min(most, max(ink.bytes, Brief/4)))
	ink.bytes -= len(short)
	marks := &ink.marks
	spans = slices.Clone(spans)
	for i := range spans {
		spans[i].Start = boundary(short, spans[i].Start)
		spans[i].End = max(spans[i].Start, boundary(short, spans[i].End))
	}
	slices.SortStableFunc(spans, func(a, b Span) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	var b strings.Builder
	at := 0
	for i := 0; i < len(spans); {
		// Passages that overlap are one mark with the worst class and all numbers.
		end, class, numbers := spans[i].End, spans[i].Class, []int{spans[i].Number}
		j := i + 1
		for ; j < len(spans) && spans[j].Start < end; j++ {
			end, class, numbers = max(end, spans[j].End), worse(class, spans[j].Class), append(numbers, spans[j].Number)
		}
		b.WriteString(string(piece(short[at:spans[i].Start], marks)))
		b.WriteString(`<mark class="found ` + class + `">`)
		b.WriteString(string(piece(short[spans[i].Start:end], marks)))
		slices.Sort(numbers)
		for _, n := range slices.Compact(numbers) {
			b.WriteString(`<a class="ref" href="#f` + strconv.Itoa(n) + `"><span class="hidden">finding </span>` + strconv.Itoa(n) + `</a>`)
		}
		b.WriteString(`</mark>`)
		at, i = end, j
	}
	b.WriteString(string(piece(short[at:], marks)))
	if !whole {
		b.WriteString(` <span class="cut">… cut, ` + Size(len(s)) + ` in all</span>`)
	}
	return template.HTML(b.String())
}

// piece is a part of a text that is not cut.
func piece(s string, marks *int) template.HTML { return limited(s, true, len(s), true, marks) }

// boundary moves a place to the beginning of its character.
func boundary(s string, at int) int {
	at = min(max(at, 0), len(s))
	for at > 0 && at < len(s) && s[at]&0xC0 == 0x80 {
		at--
	}
	return at
}

func worse(a, b string) string {
	order := []string{"low", "medium", "high"}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// Document returns the members of a JSON value as rows, with the passages marked that
// found returns for the JSON pointer of a string, or of a member if its name is meant.
func Document(value []byte, found func(pointer string, name bool) []Span) template.HTML {
	if !gjson.ValidBytes(value) {
		return Lines(string(value), Block)
	}
	all, whole := leaves(value)
	var b strings.Builder
	b.WriteString(`<dl class="json">`)
	ink := NewInk(4 * Block)
	for _, l := range all {
		b.WriteString(`<div><dt>`)
		b.WriteString(string(ink.Text(l.path, Line)))
		for _, s := range found(l.pointer, true) {
			b.WriteString(` <mark class="found ` + s.Class + `"><a class="ref" href="#f` + strconv.Itoa(s.Number) + `"><span class="hidden">finding </span>` + strconv.Itoa(s.Number) + `</a></mark>`)
		}
		b.WriteString(`</dt><dd>` + string(marked(l.value, found(l.pointer, false), Block, ink)) + `</dd></div>`)
	}
	b.WriteString(`</dl>`)
	if !whole {
		b.WriteString(`<p class="cut">Only the first ` + strconv.Itoa(maxLeaves) + ` values are shown, of ` + Size(len(value)) + `.</p>`)
	}
	return template.HTML(b.String())
}

// maxNumbered bounds the lines of a text with numbers: each takes some 30 bytes of a page,
// however short it is.
const maxNumbered = 1500

// Numbered returns a text with a number before each line, and the lines in marked
// highlighted, each with the number of its finding.
func Numbered(s string, marked map[int]int, most int) template.HTML {
	short, whole := cut(s, most)
	all := strings.Split(strings.TrimSuffix(short, "\n"), "\n")
	if len(all) > maxNumbered {
		all, whole = all[:maxNumbered], false
	}
	var b strings.Builder
	marks := 2 * maxMarks
	b.WriteString(`<ol class="code">`)
	for i, line := range all {
		b.WriteString(`<li`)
		if n, is := marked[i+1]; is {
			b.WriteString(` class="at" data-finding="` + strconv.Itoa(n) + `"`)
		}
		b.WriteString(`><code>` + string(piece(line, &marks)) + `</code></li>`)
	}
	b.WriteString(`</ol>`)
	if !whole {
		b.WriteString(`<p class="cut">` + html.EscapeString("… cut, "+Size(len(s))+" in all") + `</p>`)
	}
	return template.HTML(b.String())
}

const (
	// Brief is how much of a text is shown in one of many rows, in bytes.
	Brief = 120
	// briefMarks bounds the marked characters of such a text: a page has many.
	briefMarks = 5
)

// Short is [Text] for one of many rows.
func Short(s string) template.HTML { return (&Ink{Brief, briefMarks}).Text(s, Brief) }

// Sparse is [Text] for one of some rows.
func Sparse(s string) template.HTML { return (&Ink{Line, 2 * briefMarks}).Text(s, Line) }
