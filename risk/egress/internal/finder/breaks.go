package finder

import (
	"bytes"
	"slices"

	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// Distances of a broken token, in bytes and in parts. A mail quotes its quotes a
// few times, a program indents a literal by a few levels; tokens of a kilobyte in
// lines of 64 have 16 parts, those of a hundred bytes in lines of ten have 11.
const (
	longestBorder = 64
	longestTag    = 40
	mostParts     = 40
	mostTries     = 8 // parts that are added to one that is long enough and does not fit
	longestChain  = 32 << 10
	longestParts  = 512
)

// shortestBroken is the minimum length of a joined token, in bytes: shorter ones
// occur by chance.
const shortestBroken = 20

// part is a run of token characters in a text. It is whole when nothing else
// stands on its line or between its quotes.
type part struct {
	start, end int
	whole      bool
	closed     bool // a quotation mark or bracket follows
	soft       bool // an equals sign behind it may be padding or a broken line's mark
	joint      joint
}

// joint is the kind of text before a part.
type joint uint8

const (
	lineBreak joint = iota
	operator        // literals that a program joins
	inWord          // markup inside a word
	item            // the comma of a list
)

func (p part) len() int { return p.end - p.start }

// chain are parts that one token may consist of, joined.
type chain struct {
	parts []part
	text  []byte
	at    []int   // where each part begins in text, and the length of text
	owner []int32 // for each byte of text the part that holds it
	done  int     // the end of the last token in text
}

func (c *chain) reset() {
	c.parts, c.text, c.at, c.owner = c.parts[:0], c.text[:0], append(c.at[:0], 0), c.owner[:0]
}

func (c *chain) add(text []byte, p part) {
	for range p.len() {
		c.owner = append(c.owner, int32(len(c.parts)))
	}
	c.parts = append(c.parts, p)
	c.text = append(c.text, text[p.start:p.end]...)
	c.at = append(c.at, len(c.text))
}

// holder returns the index of the part that holds a byte of the joined text.
func (c *chain) holder(at int) int { return int(c.owner[at]) }

// starts reports whether a part begins at a byte of the joined text, or the text
// ends there.
func (c *chain) starts(at int) bool {
	return at == len(c.text) || at == 0 || c.owner[at] != c.owner[at-1]
}

// hit translates a place in the joined text to the original; the text between the
// parts stays.
func (c *chain) hit(rule, start, end int) Hit {
	first, last := c.holder(start), c.holder(end-1)
	h := Hit{Rule: rule, Start: c.parts[first].start + start - c.at[first], End: c.parts[last].start + end - c.at[last]}
	for i := first; i < last; i++ {
		h.Holes = append(h.Holes, [2]int{c.parts[i].end, c.parts[i+1].start})
	}
	return h
}

// broken finds tokens that a line end, the joint of two literals or markup
// interrupts.
func (w *Sweep) broken(text []byte) {
	clear(w.found)
	seek := seeker{text: text}
	c := &w.chain
	for i := seek.next(0); i >= 0; i = seek.next(i) {
		end := i
		if text[i] == '\n' {
			for end > 0 && i-end < longestBorder/8 && trailing(text[end-1]) {
				end--
			}
		}
		if end == 0 || !decode.TokenSet.Has(text[end-1]) {
			i++
			continue
		}
		start := end
		for start > 0 && decode.TokenSet.Has(text[start-1]) && end-start < longestValue {
			start--
		}
		// The marker at the start of both lines of a patch is not part of a token.
		if text[start] == '+' || text[start] == '-' {
			if line := lineAfter(text, end); (start == 0 || text[start-1] == '\n') && line > 0 && text[line] == text[start] && start+1 < end {
				start++
			}
		}
		next := gap(text, start, end)
		if next < 0 {
			i++
			continue
		}
		c.reset()
		c.add(text, partOf(text, start, end, next, start == 0 || text[start-1] == '\n'))
		for next >= 0 && len(c.text) < longestChain && len(c.parts) < longestParts {
			start, end = next, next
			for end < len(text) && decode.TokenSet.Has(text[end]) {
				end++
			}
			next = gap(text, start, end)
			p := partOf(text, start, end, next, next >= 0 || lineEnds(text, end))
			p.joint = jointOf(text[c.parts[len(c.parts)-1].end:start])
			p.closed = end < len(text) && bytes.IndexByte([]byte("\"'`)];,"), text[end]) >= 0
			c.add(text, p)
		}
		w.across()
		i = max(end, i+1)
	}
}

// lineAfter returns where the next line begins if a line ends here, 0 if not.
func lineAfter(text []byte, at int) int {
	if at < len(text) && text[at] == '\r' {
		at++
	}
	if at+1 < len(text) && text[at] == '\n' {
		return at + 1
	}
	return 0
}

// jointOf classifies what stands between two parts.
func jointOf(between []byte) joint {
	switch {
	case bytes.IndexByte(between, '\n') >= 0:
		return lineBreak
	case between[0] == '*' || between[0] == '<':
		return inWord
	case bytes.IndexByte(between, ',') >= 0:
		return item
	}
	return operator
}

// partOf leaves out the equals sign by which quoted-printable breaks a line.
func partOf(text []byte, start, end, next int, whole bool) part {
	p := part{start: start, end: end, whole: whole}
	if next > end && text[end] == '\n' && end-start > 1 && text[end-1] == '=' && text[end-2] != '=' {
		p.end, p.soft = end-1, true
	}
	return p
}

// seeker finds the bytes that interrupt tokens, in order. A byte that does not
// occur costs one search of the text.
type seeker struct {
	text []byte
	at   [len(interrupts)]int
	read bool
}

const interrupts = "\n\"'`*<"

func (s *seeker) next(from int) int {
	first := -1
	for k := range s.at {
		if !s.read || s.at[k] >= 0 && s.at[k] < from {
			if s.at[k] = bytes.IndexByte(s.text[min(from, len(s.text)):], interrupts[k]); s.at[k] >= 0 {
				s.at[k] += from
			}
		}
		if s.at[k] >= 0 && (first < 0 || s.at[k] < first) {
			first = s.at[k]
		}
	}
	s.read = true
	return first
}

// trailing are the bytes that may stand between a part and the end of its line.
func trailing(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\\', '|', '"', '\'', '`', '+', '&', '.', ',', '_', ';', ')', ']', '*':
		return true
	}
	return false
}

// lineEnds reports whether nothing but closing punctuation follows on the line.
func lineEnds(text []byte, at int) bool {
	for limit := min(len(text), at+longestBorder/8); at < limit && text[at] != '\n' && trailing(text[at]); {
		at++
	}
	return at == len(text) || text[at] == '\n'
}

// gap returns where a token whose part from start on is interrupted at end goes
// on, and -1 if it does not.
func gap(text []byte, start, end int) int {
	at, quote := end, byte(0)
	if at < len(text) && (text[at] == '"' || text[at] == '\'' || text[at] == '`') {
		quote = text[at]
		at++
	} else if next := markup(text, at); next > 0 {
		at = next
		if at < len(text) && decode.TokenSet.Has(text[at]) {
			return at
		}
	}
	// The operator that joins literals follows the quote; a bar may end a table row,
	// and a backslash a shell line.
	for limit := min(len(text), end+longestBorder/4); at < limit; at++ {
		c := text[at]
		joint := c == '+' || c == '&' || c == '.' || c == ',' || c == '~' || c == '_' || c == '|'
		goesOn := c == '`' && quote != 0 && at+1 < len(text) && (text[at+1] == '\n' || text[at+1] == '\r') // PowerShell
		if c != ' ' && c != '\t' && c != '\r' && c != '\\' && c != '|' && !(joint && quote != 0) && !goesOn {
			break
		}
	}
	if at == len(text) {
		return -1
	}
	if text[at] == '\n' {
		return leading(text, start, at+1, quote)
	}
	if quote == 0 || at == end+1 || text[at] != quote || at+1 == len(text) || !decode.TokenSet.Has(text[at+1]) {
		return -1
	}
	return at + 1
}

// leading returns where a token goes on behind the indentation, the quotation
// marks of a mail, the marks of a comment or the bullet at the start of a line.
func leading(text []byte, start, line int, quote byte) int {
	// The line begins like the one before.
	from := start
	for from > 0 && start-from < longestBorder && text[from-1] != '\n' {
		from--
	}
	before := text[from:start]
	if quote == 0 && len(before) > 0 && (from == 0 || text[from-1] == '\n') && !pattern.Alnum.Has(before[len(before)-1]) && before[len(before)-1] != '=' &&
		bytes.HasPrefix(text[line:], before) && line+len(before) < len(text) && decode.TokenSet.Has(text[line+len(before)]) {
		return line + len(before)
	}
	numbered := false
	first := line
	if line < len(text) && (text[line] == '+' || text[line] == '-') && text[from] == text[line] {
		first++ // both lines of a patch
	}
	for at := first; at < len(text) && at-line < longestBorder; {
		c := text[at]
		switch {
		case c == ' ' || c == '\t' || c == '>' || c == '#' || c == '|' || c == ';' || c == '*' || c == '&':
			at++
			continue
		case c == '"' || c == '\'' || c == '`':
			if c != quote || at+1 == len(text) || !decode.TokenSet.Has(text[at+1]) {
				return -1
			}
			return at + 1
		case c == 0xe2 || c == 0xc2:
			n := bullet(text[at:])
			if n == 0 {
				return -1
			}
			at += n
			continue
		case c == '-' || c == '/' || c == '+' || c == '.':
			n := at
			for n < len(text) && text[n] == c {
				n++
			}
			if n < len(text) && (text[n] == ' ' || text[n] == '\t') {
				at = n
				continue
			}
		case pattern.Alnum.Has(c) && !numbered:
			if n := numeral(text[at:]); n > 0 {
				at, numbered = at+n, true
				continue
			}
		}
		if quote == 0 && decode.TokenSet.Has(c) {
			return at
		}
		return -1
	}
	return -1
}

// bullet returns the length of a bullet or border that text begins with.
func bullet(text []byte) int {
	for _, b := range [...]string{"\u2022", "\u00b7", "\u2502", "\u2503", "\u2013", "\u25e6", "\u25aa", "\u00a0"} {
		if bytes.HasPrefix(text, []byte(b)) {
			return len(b)
		}
	}
	return 0
}

// numeral returns the length of the number of an item such as "2. " or "b) ", or of a
// line, which a wider gap or a border follows.
func numeral(text []byte) int {
	n := 0
	for n < len(text) && n < 5 && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	if n > 0 && n+1 < len(text) && (text[n] == '\t' || text[n] == '|' || text[n] == ' ' && (text[n+1] == ' ' || text[n+1] == '|')) {
		return n + 1
	}
	if n == 0 {
		n = 1
	}
	if n+1 < len(text) && (text[n] == '.' || text[n] == ')' || text[n] == ':') && text[n+1] == ' ' {
		return n + 2
	}
	return 0
}

// inline are the tags that may stand inside a word.
var inline = [...]string{"br", "wbr", "b", "i", "u", "s", "em", "strong", "span", "mark", "code", "kbd", "tt", "font", "a", "sub", "sup", "shy"}

// markup returns the end of emphasis or of tags at a position, 0 for neither.
func markup(text []byte, at int) int {
	stars := at
	for stars < len(text) && text[stars] == '*' && stars-at < 3 {
		stars++
	}
	if stars-at >= 2 {
		return stars
	}
	first := at
	for at < len(text) && text[at] == '<' {
		stop := bytes.IndexByte(text[at:min(len(text), at+longestTag)], '>')
		if stop < 0 {
			break
		}
		tag := bytes.TrimLeft(text[at+1:at+stop], "/")
		if i := bytes.IndexAny(tag, " /"); i >= 0 {
			tag = tag[:i]
		}
		if !slices.ContainsFunc(inline[:], func(name string) bool { return bytes.EqualFold(tag, []byte(name)) }) {
			break
		}
		at += stop + 1
	}
	if at == first {
		return 0
	}
	return at
}

// across searches the joined text of a chain for tokens and for encoded ones.
func (w *Sweep) across() {
	c := &w.chain
	if len(c.text) < shortestBroken || len(c.parts) < 2 {
		return
	}
	w.chainRuns.Reset()
	c.done = 0
	w.engine.find.each(c.text, func(u *use, at, _ int) {
		if u.role == roleToken && at >= c.done {
			w.tokenAcross(u, at)
		}
	})
	for first := 0; first+1 < len(c.parts); {
		last := first + 1
		for last < len(c.parts) && !c.parts[last-1].soft && w.goesOn(last, first, false) {
			last++
		}
		// Of a line before the first, such as -----BEGIN-----, the end is no part.
		if !w.encodedAcross(first, last) {
			w.encodedAcross(first+1, last)
		}
		first = last
	}
}

// encodedAcross decodes the parts from first to last and reports whether that gave
// a find.
func (w *Sweep) encodedAcross(first, last int) bool {
	c := &w.chain
	if last <= first+1 || c.at[last]-c.at[first] < decode.ShortestRun {
		return false
	}
	from, before := c.at[first], len(w.scan.hits)
	w.encoded(c.text[from:c.at[last]], func(start, end, rule int) {
		if start, end = start+from, end+from; c.holder(start) != c.holder(end-1) {
			h := c.hit(rule, start, end)
			if c.parts[c.holder(end-1)].soft && c.starts(end) {
				h.End++
			}
			w.scan.hits = append(w.scan.hits, h)
		}
	})
	return len(w.scan.hits) > before
}

// tokenAcross looks at a literal of a token in a chain and takes no more parts
// than the token has: it ends at the length of its format or where the parts stop
// looking like a token's.
func (w *Sweep) tokenAcross(u *use, at int) {
	c := &w.chain
	for i := range u.guards {
		if !u.guards[i].Passes(c.text, at) {
			return
		}
	}
	r := &w.engine.Rules[u.rule]
	first := c.holder(at)
	start, end, found, tries := 0, 0, false, 0
	for n := first; n < min(len(c.parts), first+mostParts); n++ {
		from, to, fit := r.pattern.Within(c.text[:c.at[n+1]], u.spelling, at, &w.chainRuns, c.starts)
		if fit == pattern.None || fit == pattern.Full && (to <= c.at[n] || !closing(c.text[to:c.at[n+1]])) {
			break
		}
		if fit == pattern.Short {
			if c.at[n+1]-from >= r.pattern.Shortest(u.spelling) {
				if tries++; tries > mostTries {
					break
				}
			}
			for n+2 < len(c.at) && c.at[n+2]-from < r.pattern.Shortest(u.spelling) {
				n++ // no match can be that short
			}
			continue
		}
		if found && !w.goesOn(n, c.holder(start), c.holder(start) == n-1) {
			break
		}
		start, end, found = from, to, true
	}
	if !found || c.holder(start) == c.holder(end-1) || !secretvalue.Plausible(&r.Rule, c.text[start:end]) {
		return
	}
	// A part that is already a token of another format needs more evidence.
	begins := c.holder(start)
	if !w.complete(c.parts[begins].start+start-c.at[begins], c.parts[begins].end) || w.goesOn(begins+1, begins, true) {
		w.scan.hits = append(w.scan.hits, c.hit(u.rule, start, end))
		c.done = end
	}
}

// complete reports whether a token of some format covers a place.
func (w *Sweep) complete(start, end int) bool {
	if w.found == nil {
		w.found = map[int]int{}
	}
	if len(w.found) == 0 {
		w.found[-1] = 0
		for _, h := range w.scan.hits {
			if w.engine.Rules[h.Rule].pattern == nil {
				continue
			}
			w.found[h.End] = max(w.found[h.End], h.Start+1)
		}
	}
	return w.found[end] > start
}

// closing reports whether what is left of a part is the end of a sentence.
func closing(rest []byte) bool { return len(bytes.Trim(rest, ".=:")) == 0 }

// strongPart is the length from which one more line after a token that could be
// complete is believed to belong to it.
const strongPart = 8

// goesOn reports whether part n belongs to what began in part first: it has its
// line to itself, is no longer than the lines before it and looks random.
func (w *Sweep) goesOn(n, first int, complete bool) bool {
	c := &w.chain
	p, before := c.parts[n], c.parts[n-1]
	text := c.text[c.at[n]:c.at[n+1]]
	switch {
	case p.joint == inWord || p.joint == operator:
		return secretvalue.Random(text) && (!complete || p.len() >= strongPart)
	case p.joint == item && complete:
		return false
	case !p.whole && !(p.closed && p.len() >= strongPart) || c.text[c.at[n]-1] == '=' && !bytes.HasSuffix(text, []byte("=")):
		return false
	case n-1 > first && p.len() > before.len():
		return false
	case n-2 > first && before.len() < c.parts[n-2].len():
		return false // the line before was the last
	case n-1 > first && p.len() == before.len() && p.len() >= strongPart:
		return true // text that is broken at a width
	case n-2 > first && before.len() >= strongPart:
		return !secretvalue.Written(text)
	case complete && p.len() < strongPart:
		return false
	}
	return secretvalue.Random(text) && (p.len() >= strongPart || !secretvalue.Written(text))
}
