// Package pattern matches token formats such as `ghp_[0-9A-Za-z]{36}` in time
// that is linear in the length of the token, without backtracking.
//
// A format is written in the part of regular expression syntax that describes
// tokens: literals, character classes with counts, groups and alternatives.
// [Compile] refuses what would need backtracking. A caller finds the literals of
// a format in a text by its own means and asks [Pattern.Around] at each of them
// whether the whole token is there.
package pattern

// Set is a set of bytes.
type Set [256]bool

// Sets that many tokens are made of.
var (
	Alnum  = NewSet("0-9A-Za-z")
	Base64 = NewSet("0-9A-Za-z+/_-")
)

// NewSet reads a list of characters and ranges such as "a-z0-9_"; a hyphen at
// the end stands for itself.
func NewSet(list string) *Set {
	var s Set
	for i := 0; i < len(list); i++ {
		if i+2 < len(list) && list[i+1] == '-' {
			s.add(int(list[i]), int(list[i+2]))
			i += 2
			continue
		}
		s.add(int(list[i]), int(list[i]))
	}
	return &s
}

// Has reports whether the set contains c.
func (s *Set) Has(c byte) bool { return s[c] }

// word is what names and tokens are made of; a token does not touch it.
var word = NewSet("0-9A-Za-z_")

func (s *Set) add(from, to int) {
	for c := from; c <= to; c++ {
		s[c] = true
	}
}

// segment is a literal, or a run of bytes of a set.
type segment struct {
	literal  string
	fold     bool // the literal matches in either case
	set      *Set
	min, max int
	secret   bool // part of the group of this name
}

// sequence is one way to spell a format.
type sequence struct {
	segments []segment
	anchor   int // the index of the literal it is found by, -1 when it has none
	// Bytes of fixed length on either side that only lead to the token.
	before, after int
	shortest      int // the least length of the whole, in bytes
}

// Pattern is a compiled format. It is immutable; the zero value matches nothing.
type Pattern struct {
	sequences []sequence
}

// Runs remembers where runs of characters ended in one text, so that a text full
// of beginnings of tokens is not read again from each of them. It must not be
// used for another text before it is reset. The zero value is ready.
type Runs struct{ seen map[*Set]run }

// Reset forgets everything, for another text.
func (r *Runs) Reset() {
	if len(r.seen) > 0 {
		clear(r.seen)
	}
}

type run struct{ start, end int }

// remembered is the length from which a run is worth remembering.
const remembered = 128

// end returns the end of the run of a set that starts at a position.
func (r *Runs) end(text []byte, seg *segment, at int) int {
	limit := min(len(text), at+seg.max)
	if seg.max < remembered {
		i := at
		for i < limit && seg.set[text[i]] {
			i++
		}
		return i
	}
	known := r.seen[seg.set]
	if at < known.start || known.end < at {
		known = run{at, at}
	}
	for known.end < limit && seg.set[text[known.end]] {
		known.end++
	}
	if r.seen == nil {
		r.seen = map[*Set]run{}
	}
	r.seen[seg.set] = known
	return min(known.end, limit)
}

// Literals returns, for each way to spell the format, the literal that it is
// found by. The position is what [Pattern.Around] wants. A format without any
// literal gives an empty string.
func (p *Pattern) Literals() []string {
	list := make([]string, len(p.sequences))
	for i, s := range p.sequences {
		if s.anchor >= 0 {
			list[i] = s.segments[s.anchor].literal
		}
	}
	return list
}

// Around reports the token around the literal of one spelling that was found
// (in either case) at position at.
func (p *Pattern) Around(text []byte, spelling, at int, runs *Runs) (start, end int, ok bool) {
	start, end, fit := p.Within(text, spelling, at, runs, nil)
	return start, end, fit == Full
}

// Fit says how much of a token a text holds.
type Fit uint8

const (
	None  Fit = iota
	Short     // the text ends before the token does
	Full
)

// Within is Around for a text that was put together from parts: a token may also
// start where starts, if there is one, says so, and a text that ends too early is
// told from one that does not fit.
func (p *Pattern) Within(text []byte, spelling, at int, runs *Runs, starts func(int) bool) (start, end int, fit Fit) {
	s := &p.sequences[spelling]
	if s.anchor < 0 || at >= len(text) {
		return 0, 0, None
	}
	start, ok := s.backward(text, at, starts)
	if !ok || word[text[start]] && !startsToken(text, start) && (starts == nil || !starts(start)) {
		return 0, 0, None
	}
	end, fit = s.forward(text, s.anchor, at, runs)
	if fit != Full {
		return start, end, fit
	}
	if !s.endsToken(text, end) {
		return 0, 0, None
	}
	return start + s.before, end - s.after, Full
}

// Guard is what a text has to have around a literal for a token to be there at
// all: a byte of a set at a distance. It is quicker than a look at the token.
type Guard struct {
	set      *Set
	distance int // from the start of the literal
}

// Passes reports whether the text may hold the token.
func (g *Guard) Passes(text []byte, at int) bool {
	i := at + g.distance
	return i >= 0 && i < len(text) && g.set[text[i]]
}

// Guards returns the checks for the literal of one spelling: the first byte of the
// token where its distance is fixed, and the bytes on both sides.
func (p *Pattern) Guards(spelling int) []Guard {
	s := &p.sequences[spelling]
	if s.anchor < 0 {
		return nil
	}
	var list []Guard
	add := func(part *segment, last bool, distance int) {
		set := part.set
		if set == nil {
			var one Set
			c := part.literal[0]
			if last {
				c = part.literal[len(part.literal)-1]
			}
			one.add(int(c), int(c))
			if part.fold {
				one.add(int(lower(c)), int(lower(c)))
				if c = lower(c); 'a' <= c && c <= 'z' {
					one.add(int(c-'a'+'A'), int(c-'a'+'A'))
				}
			}
			set = &one
		} else if part.min == 0 {
			return
		}
		list = append(list, Guard{set, distance})
	}
	if next := s.anchor + 1; next < len(s.segments) {
		add(&s.segments[next], false, len(s.segments[s.anchor].literal))
	}
	if s.anchor > 0 {
		add(&s.segments[s.anchor-1], true, -1)
		before := 0
		for _, part := range s.segments[:s.anchor] {
			if part.set != nil && part.min != part.max {
				return list
			}
			before += part.least()
		}
		add(&s.segments[0], false, -before)
	}
	return list
}

// Shortest returns the least length of a token of one spelling.
func (p *Pattern) Shortest(spelling int) int { return p.sequences[spelling].shortest }

// At returns the end of the token that starts at a position. Of several
// spellings the longest counts.
func (p *Pattern) At(text []byte, start int, runs *Runs) (end int, ok bool) {
	for i := range p.sequences {
		s := &p.sequences[i]
		if e, fit := s.forward(text, 0, start, runs); fit == Full && s.endsToken(text, e) && (!ok || e > end) {
			end, ok = e, true
		}
	}
	return end, ok
}

// Whole reports whether the text is one token of the format.
func (p *Pattern) Whole(text []byte) bool {
	end, ok := p.At(text, 0, &Runs{})
	return ok && end == len(text)
}

func (s *sequence) forward(text []byte, from, at int, runs *Runs) (int, Fit) {
	for i := from; i < len(s.segments); i++ {
		seg := &s.segments[i]
		if seg.set == nil {
			if !hasLiteral(text, at, seg.literal, seg.fold) {
				if rest := len(text) - at; rest < len(seg.literal) && hasLiteral(text, at, seg.literal[:rest], seg.fold) {
					return len(text), Short
				}
				return at, None
			}
			at += len(seg.literal)
			continue
		}
		end := runs.end(text, seg, at)
		if end-at < seg.min {
			if end == len(text) {
				return end, Short
			}
			return end, None
		}
		at = end
	}
	return at, Full
}

func (s *sequence) backward(text []byte, at int, starts func(int) bool) (int, bool) {
	for i := s.anchor - 1; i >= 0; i-- {
		seg := &s.segments[i]
		if seg.set == nil {
			at -= len(seg.literal)
			if at < 0 || !hasLiteral(text, at, seg.literal, seg.fold) {
				return 0, false
			}
			continue
		}
		n := 0
		for n < seg.max && at-n > 0 && seg.set[text[at-n-1]] && !(n >= seg.min && starts != nil && starts(at-n)) {
			n++
		}
		if n < seg.min {
			return 0, false
		}
		at -= n
	}
	return at, true
}

func hasLiteral(text []byte, at int, literal string, fold bool) bool {
	if len(text)-at < len(literal) {
		return false
	}
	if !fold {
		return string(text[at:at+len(literal)]) == literal
	}
	for i := range len(literal) {
		if lower(text[at+i]) != lower(literal[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// endsToken reports whether nothing that could belong to the token follows.
// Unlike a list of terminators this lets a token end in any punctuation.
func (s *sequence) endsToken(text []byte, end int) bool {
	if end == len(text) {
		return true
	}
	c := text[end]
	if 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
		return false
	}
	last := &s.segments[len(s.segments)-1]
	// A full stop, hyphen or equals sign after a token of exact length belongs to
	// the sentence or the padding around it.
	return last.set == nil || !last.set[c] || c == '.' || c == '-' || c == '='
}

// startsToken reports whether a token may start here: at a byte that follows no
// letter, digit or underscore, unless those are the end of an escape.
func startsToken(text []byte, start int) bool {
	if start == 0 || !word[text[start-1]] {
		return true
	}
	prev := text[start-1]
	switch {
	case start >= 2 && text[start-2] == '\\':
		return prev == 'n' || prev == 'r' || prev == 't' // \n in text that quotes text
	case start >= 3 && text[start-3] == '%':
		return isHex(prev) && isHex(text[start-2]) // %3D in a URL
	case start >= 6 && text[start-6] == '\\' && text[start-5] == 'u':
		return isHex(prev) && isHex(text[start-2]) // \u0022 in JSON
	case prev == 'm':
		return endsColour(text[:start])
	}
	return false
}

// endsColour reports whether text ends in a terminal colour sequence.
func endsColour(text []byte) bool {
	i := len(text) - 2
	for ; i >= 0 && len(text)-i < 12 && (text[i] == ';' || '0' <= text[i] && text[i] <= '9'); i-- {
	}
	return i >= 1 && text[i] == '[' && text[i-1] == 0x1b
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
