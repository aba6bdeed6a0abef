package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
	"github.com/glovebox-run/glovebox/risk/egress/internal/joint"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// Distances of a broken token, in bytes and in parts. A mail quotes its quotes a
// few times, a program indents a literal by a few levels; tokens of a kilobyte in
// lines of 64 have 16 parts, those of a hundred bytes in lines of ten have 11.
const (
	mostParts    = 40
	mostTries    = 8 // parts that are added to one that is long enough and does not fit
	longestChain = 32 << 10
	longestParts = 512
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
	joint      joint.Kind
}

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
	seek := joint.Seeker{Text: text}
	c := &w.chain
	for i := seek.Next(0); i >= 0; i = seek.Next(i) {
		end := i
		if text[i] == '\n' {
			for end > 0 && i-end < joint.LongestBorder/8 && joint.Trailing(text[end-1]) {
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
			if line := joint.LineAfter(text, end); (start == 0 || text[start-1] == '\n') && line > 0 && text[line] == text[start] && start+1 < end {
				start++
			}
		}
		next := joint.Gap(text, start, end)
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
			next = joint.Gap(text, start, end)
			p := partOf(text, start, end, next, next >= 0 || joint.LineEnds(text, end))
			p.joint = joint.Of(text[c.parts[len(c.parts)-1].end:start])
			p.closed = end < len(text) && bytes.IndexByte([]byte("\"'`)];,"), text[end]) >= 0
			c.add(text, p)
		}
		w.across()
		i = max(end, i+1)
	}
}

// partOf leaves out the equals sign by which quoted-printable breaks a line.
func partOf(text []byte, start, end, next int, whole bool) part {
	p := part{start: start, end: end, whole: whole}
	if next > end && text[end] == '\n' && end-start > 1 && text[end-1] == '=' && text[end-2] != '=' {
		p.end, p.soft = end-1, true
	}
	return p
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
	case p.joint == joint.InWord || p.joint == joint.Operator:
		return secretvalue.Random(text) && (!complete || p.len() >= strongPart)
	case p.joint == joint.Item && complete:
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
