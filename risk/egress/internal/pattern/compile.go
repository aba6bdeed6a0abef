package pattern

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"unicode"
)

// Limits of one format. They are far above any known one and keep an operator's
// rule from taking the process's memory.
const (
	mostSpellings = 64
	mostSegments  = 64
	longestRun    = 8 << 10 // bytes of one character class
)

// Compile reads a format. The error names what the format may not contain.
func Compile(expr string) (*Pattern, error) {
	tree, err := syntax.Parse(expr, syntax.Perl&^syntax.NonGreedy)
	if err != nil {
		return nil, err
	}
	lists, err := expand(tree)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", expr, err)
	}
	p := &Pattern{}
	for _, segments := range lists {
		s, err := finish(segments)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", expr, err)
		}
		p.sequences = append(p.sequences, s)
	}
	return p, nil
}

// MustCompile is Compile for formats in the source.
func MustCompile(expr string) *Pattern {
	p, err := Compile(expr)
	if err != nil {
		panic(err)
	}
	return p
}

// expand lists every way to spell the tree.
func expand(re *syntax.Regexp) ([][]segment, error) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return [][]segment{{}}, nil
	case syntax.OpLiteral:
		literal := string(re.Rune)
		return [][]segment{{{literal: literal, fold: re.Flags&syntax.FoldCase != 0}}}, nil
	case syntax.OpCharClass:
		return class(re, 1, 1)
	case syntax.OpCapture:
		lists, err := expand(re.Sub[0])
		if re.Name == "secret" {
			for _, list := range lists {
				for i := range list {
					list[i].secret = true
				}
			}
		}
		return lists, err
	case syntax.OpQuest:
		return repeat(re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		if re.Max < 0 {
			return repeat(re.Sub[0], re.Min, longestRun)
		}
		return repeat(re.Sub[0], re.Min, re.Max)
	case syntax.OpStar:
		return repeat(re.Sub[0], 0, longestRun)
	case syntax.OpPlus:
		return repeat(re.Sub[0], 1, longestRun)
	case syntax.OpConcat:
		lists := [][]segment{{}}
		for _, sub := range re.Sub {
			next, err := expand(sub)
			if err != nil {
				return nil, err
			}
			if lists, err = product(lists, next); err != nil {
				return nil, err
			}
		}
		return lists, nil
	case syntax.OpAlternate:
		var lists [][]segment
		for _, sub := range re.Sub {
			next, err := expand(sub)
			if err != nil {
				return nil, err
			}
			lists = append(lists, next...)
		}
		if len(lists) > mostSpellings {
			return nil, fmt.Errorf("more than %d spellings", mostSpellings)
		}
		return lists, nil
	}
	return nil, fmt.Errorf("%s is not part of a token format", re)
}

func repeat(re *syntax.Regexp, least, most int) ([][]segment, error) {
	switch {
	case re.Op == syntax.OpCharClass:
		return class(re, least, most)
	case re.Op == syntax.OpLiteral && len(re.Rune) == 1 && re.Rune[0] < 0x80:
		var set Set
		set.add(int(re.Rune[0]), int(re.Rune[0]))
		if re.Flags&syntax.FoldCase != 0 {
			other := int(unicode.SimpleFold(re.Rune[0]))
			if other < 0x80 {
				set.add(other, other)
			}
		}
		return [][]segment{{{set: &set, min: least, max: most}}}, nil
	}
	sub, err := expand(re)
	if err != nil {
		return nil, err
	}
	if most > mostSegments {
		return nil, fmt.Errorf("%s repeats without a limit of %d", re, mostSegments)
	}
	var lists [][]segment
	current := [][]segment{{}}
	for n := 0; n <= most; n++ {
		if n >= least {
			lists = append(lists, current...)
		}
		if n == most {
			break
		}
		if current, err = product(current, sub); err != nil {
			return nil, err
		}
	}
	if len(lists) > mostSpellings {
		return nil, fmt.Errorf("more than %d spellings", mostSpellings)
	}
	return lists, nil
}

func product(left, right [][]segment) ([][]segment, error) {
	if len(left)*len(right) > mostSpellings {
		return nil, fmt.Errorf("more than %d spellings", mostSpellings)
	}
	var lists [][]segment
	for _, l := range left {
		for _, r := range right {
			joined := append(append([]segment{}, l...), r...)
			if len(joined) > 4*mostSegments {
				return nil, fmt.Errorf("more than %d parts", 4*mostSegments)
			}
			lists = append(lists, joined)
		}
	}
	return lists, nil
}

// class turns a character class into a set of ASCII bytes; case folding adds two
// letters beyond ASCII (the long s and the Kelvin sign), which are dropped.
func class(re *syntax.Regexp, least, most int) ([][]segment, error) {
	var set Set
	for i := 0; i < len(re.Rune); i += 2 {
		from, to := re.Rune[i], re.Rune[i+1]
		if to > 0xff && from < 0x80 {
			return nil, fmt.Errorf("%s contains more than ASCII", re)
		}
		if from < 0x80 {
			set.add(int(from), int(min(to, 0x7f)))
		}
	}
	if least == 1 && most == 1 {
		if lists := asLiterals(&set); lists != nil {
			return lists, nil
		}
	}
	return [][]segment{{{set: &set, min: least, max: most}}}, nil
}

// asLiterals spells a class of few characters out, which makes longer literals
// to find a format by.
func asLiterals(set *Set) [][]segment {
	var lists [][]segment
	for c, in := range set {
		if in {
			lists = append(lists, []segment{{literal: string(rune(c))}})
		}
	}
	if len(lists) > 2 {
		return nil
	}
	return lists
}

// finish joins neighbouring literals, picks the anchor and makes sure that the
// end of every run can be told without looking back.
func finish(parts []segment) (sequence, error) {
	s := sequence{anchor: -1}
	for _, part := range parts {
		if n := len(s.segments); part.set == nil && n > 0 && s.segments[n-1].set == nil && s.segments[n-1].fold == part.fold && s.segments[n-1].secret == part.secret {
			s.segments[n-1].literal += part.literal
			continue
		}
		if part.set == nil && part.literal == "" || part.set != nil && part.max == 0 {
			continue
		}
		s.segments = append(s.segments, part)
	}
	if len(s.segments) == 0 {
		return s, errors.New("a token has at least one byte")
	}
	if err := s.measure(); err != nil {
		return s, err
	}
	readable := true // backwards: no run so far takes what is before it
	for i, part := range s.segments {
		if i > 0 && ambiguous(&s.segments[i-1], &part, false) {
			return s, fmt.Errorf("a run of variable length is followed by something it contains")
		}
		if part.set == nil && readable && (s.anchor < 0 || rarer(part.literal, s.segments[s.anchor].literal)) {
			s.anchor = i
		}
		readable = readable && part.max < remembered && (i == 0 || !ambiguous(&part, &s.segments[i-1], true))
	}
	return s, nil
}

// measure adds up lengths: of the least token, and of what stands around the group
// called secret.
func (s *sequence) measure() error {
	first, last := -1, -1
	for i, part := range s.segments {
		s.shortest += part.least()
		if part.secret {
			last = i
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return nil
	}
	for i, part := range s.segments {
		if first <= i && i <= last {
			continue
		}
		if part.set != nil && part.min != part.max {
			return errors.New("what stands beside the group called secret has a fixed length")
		}
		if i < first {
			s.before += part.least()
		} else {
			s.after += part.least()
		}
	}
	return nil
}

func (part *segment) least() int {
	if part.set == nil {
		return len(part.literal)
	}
	return part.min
}

// rarer reports whether a literal is the better one to find a token by: the
// longer one, and of single characters the later, because the parts of a token
// get fewer towards its end.
func rarer(literal, than string) bool {
	return len(literal) > len(than) || len(literal) == 1 && len(than) == 1
}

// ambiguous reports whether run may take bytes that belong to its neighbour: the
// next segment, or with before the previous one.
func ambiguous(run, neighbour *segment, before bool) bool {
	switch {
	case run.set == nil || run.min == run.max:
		return false
	case neighbour.set == nil && before:
		return run.set[neighbour.literal[len(neighbour.literal)-1]]
	case neighbour.set == nil:
		return run.set[neighbour.literal[0]]
	}
	for c, in := range run.set {
		if in && neighbour.set[c] {
			return true
		}
	}
	return false
}
