package finder

import (
	"bytes"
	"slices"

	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/shadow"
)

// Hit is one find in a text.
type Hit struct {
	Rule       int
	Start, End int
	Pointer    string // the place in a JSON text, empty in any other
	// Holes are what stands between the parts of a broken secret and stays: line
	// ends, quotation marks, borders. In order.
	Holes [][2]int
}

// trim cuts hits, in order, back to the format of the value that they begin with. A
// name says where a value begins, and only a guess says where it ends; quotes are
// no guess.
func (e *Engine) trim(hits []Hit, text []byte) {
	format := func(h *Hit) bool { return e.Rules[h.Rule].pattern != nil && len(h.Holes) == 0 }
	cut := func(h, f *Hit) {
		if h.Start < f.End && f.End < h.End && !pattern.Alnum.Has(text[f.End]) && bytes.IndexByte([]byte(".-_~+=%"), text[f.End]) < 0 {
			h.Rule, h.End = f.Rule, f.End
		}
	}
	last := -1 // the format that began last
	for i := range hits {
		h := &hits[i]
		switch {
		case format(h):
			last = i
			continue
		case len(h.Holes) > 0 || h.Start == 0 || isQuoteOrBlank(text[h.Start-1]) && text[h.Start-1] != ' ':
			continue
		case last >= 0:
			cut(h, &hits[last])
		}
		for j := i + 1; j < min(len(hits), i+1+mostAtOnce) && hits[j].Start == h.Start; j++ {
			if format(&hits[j]) {
				cut(h, &hits[j])
			}
		}
	}
}

// mostAtOnce is how many finds may begin at one place and be compared.
const mostAtOnce = 8

// merge sorts hits and joins those of credentials that overlap; the longest gives
// its rule. What a credential overlaps and is none itself is dropped: the user
// part of a URI may look like a mail address together with the host.
func (e *Engine) merge(hits []Hit, text []byte) []Hit {
	if len(hits) == 0 {
		return hits
	}
	credential := func(h Hit) bool { return e.Rules[h.Rule].secret }
	slices.SortFunc(hits, func(a, b Hit) int {
		switch {
		case credential(a) != credential(b):
			if credential(a) {
				return -1
			}
			return 1
		case a.Start != b.Start:
			return a.Start - b.Start
		case a.End != b.End:
			return b.End - a.End
		}
		return a.Rule - b.Rule
	})
	e.trim(hits, text)
	out := hits[:0]
	longest, secrets := 0, 0
	var parts [][2]int // of the hits that the last one was joined from, if it has holes
	for _, h := range hits {
		if !credential(h) {
			if !overlapsAny(out[:secrets], h) && (len(out) == secrets || out[len(out)-1].End <= h.Start) {
				out = append(out, h)
			}
			continue
		}
		if n := len(out); n > 0 && h.Start < out[n-1].End {
			if h.End-h.Start > longest {
				out[n-1].Rule, longest = h.Rule, h.End-h.Start
			}
			last := &out[n-1]
			if len(last.Holes)+len(h.Holes)+len(parts) > 0 {
				if len(parts) == 0 {
					parts = last.parts(parts)
				}
				parts = h.parts(parts)
			}
			last.End = max(last.End, h.End)
			continue
		}
		parts = closeHoles(out, parts)
		out, longest = append(out, h), h.End-h.Start
		secrets = len(out)
	}
	closeHoles(out[:secrets], parts)
	slices.SortFunc(out, func(a, b Hit) int { return a.Start - b.Start })
	return out
}

// Shift moves a hit to where the text it was found in begins.
func (h *Hit) Shift(by int) {
	h.Start += by
	h.End += by
	for i := range h.Holes {
		h.Holes[i][0] += by
		h.Holes[i][1] += by
	}
}

// parts appends the places of the secret's bytes.
func (h *Hit) parts(list [][2]int) [][2]int {
	at := h.Start
	for _, hole := range h.Holes {
		list = append(list, [2]int{at, hole[0]})
		at = hole[1]
	}
	return append(list, [2]int{at, h.End})
}

// closeHoles makes the holes of the last hit those that none of the parts of what
// was joined to it fills, and empties the list of parts.
func closeHoles(hits []Hit, parts [][2]int) [][2]int {
	if len(parts) == 0 {
		return parts
	}
	slices.SortFunc(parts, func(a, b [2]int) int { return a[0] - b[0] })
	h := &hits[len(hits)-1]
	h.Holes = nil
	at := h.Start
	for _, p := range parts {
		if p[0] > at {
			h.Holes = append(h.Holes, [2]int{at, p[0]})
		}
		at = max(at, p[1])
	}
	return parts[:0]
}

// overlapsAny reports whether h overlaps one of the sorted hits.
func overlapsAny(sorted []Hit, h Hit) bool {
	i, _ := slices.BinarySearchFunc(sorted, h.Start, func(x Hit, start int) int { return x.End - 1 - start })
	return i < len(sorted) && sorted[i].Start < h.End
}

// from is a hit in a shadow at its place in the original.
func (h Hit) from(d *shadow.Shadow) Hit {
	h.Start, h.End = d.Origin(h.Start), d.End(h.End)
	for i, hole := range h.Holes {
		h.Holes[i] = [2]int{d.Origin(hole[0]), d.Origin(hole[1])}
	}
	return h
}

// Value returns the secret without its holes.
func (h *Hit) Value(text []byte) []byte {
	if len(h.Holes) == 0 {
		return text[h.Start:h.End]
	}
	var value []byte
	at := h.Start
	for _, hole := range h.Holes {
		value = append(value, text[at:hole[0]]...)
		at = hole[1]
	}
	return append(value, text[at:h.End]...)
}
