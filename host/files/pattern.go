package files

import (
	"errors"
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

const (
	// maxPattern bounds a pattern, in bytes, and maxSteps what it compiles to, in
	// instructions: a{1000} has a thousand. Matching takes at most one step for
	// each instruction and each character, so these bound the time for a text.
	maxPattern = 1000
	maxSteps   = 2000
	// longLine is the length in bytes from which a line is matched in pieces, so
	// that a call that has ended does not go on for minutes.
	longLine = 64 << 10
)

var (
	errPatternSize  = errors.New("the pattern is longer than 1000 bytes")
	errPatternSteps = errors.New("the pattern has too many repetitions")
)

// pattern is a regular expression that stops when its call does. rate is the fuel
// of a byte of text: what patterns usually take for one, 1 ns for each instruction.
// The worst ones take fifteen times that; the time limit ends them.
type pattern struct {
	re   *regexp.Regexp
	rate uint64
}

// compileWork is the fuel of compiling an instruction, stepWork that of trying it
// on a byte.
const (
	compileWork = 8_000
	stepWork    = 8
)

// compilePattern reads a regular expression. Its matching time is linear in the
// text whatever the pattern, for which look-around and back references are left
// out. Case is ignored for ASCII letters alone.
func compilePattern(account *budget.Account, text string, ignoreCase bool) (pattern, error) {
	if len(text) > maxPattern {
		return pattern{}, errPatternSize
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return pattern{}, err
	}
	if ignoreCase {
		ignoreASCIICase(tree)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return pattern{}, err
	}
	if len(program.Inst) > maxSteps {
		return pattern{}, errPatternSteps
	}
	if err := account.ChargeEach(len(program.Inst), compileWork); err != nil {
		return pattern{}, err
	}
	re, err := regexp.Compile(tree.String())
	return pattern{re, budget.Scan + stepWork*uint64(len(program.Inst))}, err
}

// badPattern is the failure for a pattern that does not compile, or that the call
// did not live to see compiled.
func badPattern(account *budget.Account, reason string, err error) error {
	if ended := account.Err(); ended != nil {
		return failed("pattern", ended)
	}
	return refuse(hostcall.InvalidInput, reason, "%v", err)
}

// in reports whether the pattern is found in a text.
func (p pattern) in(account *budget.Account, text string) (bool, error) {
	at, err := p.find(account, text)
	return at != nil, err
}

// find returns where the pattern is first found, or nil.
func (p pattern) find(account *budget.Account, text string) ([]int, error) {
	if len(text) <= longLine {
		if err := account.ChargeEach(1+len(text), p.rate); err != nil {
			return nil, err
		}
		return p.re.FindStringIndex(text), nil
	}
	return p.findRead(account, text)
}

// findRead is find for which only what is looked at is charged: the text up to
// where it is clear what the match is.
func (p pattern) findRead(account *budget.Account, text string) ([]int, error) {
	reader := &stoppable{account: account, rate: p.rate, text: text}
	at := p.re.FindReaderIndex(reader)
	if err := account.ChargeEach(1+reader.read%chargedRunes, p.rate); err != nil {
		return nil, err
	}
	return at, account.Err()
}

// shortText is the length in bytes up to which split charges for all of the text at
// each match, since reading it rune by rune would take longer.
const shortText = 256

// split cuts a text where the pattern is found, as regexp's own Split, which
// could not be stopped.
func (p pattern) split(account *budget.Account, text string) ([]string, error) {
	var parts []string
	begin, from := 0, 0
	for from <= len(text) {
		find := p.findRead
		if len(text)-from <= shortText {
			find = p.find
		}
		at, err := find(account, text[from:])
		if err != nil {
			return nil, err
		}
		if at == nil {
			break
		}
		start, end := from+at[0], from+at[1]
		if end == start { // an empty match cuts between characters, not at the ends
			if start >= len(text) {
				break
			}
			_, size := utf8.DecodeRuneInString(text[start:])
			from = start + size
			if start == begin {
				continue
			}
		} else {
			from = end
		}
		if parts, err = appendHeld(account, parts, text[begin:start]); err != nil {
			return nil, err
		}
		begin = end
	}
	return appendHeld(account, parts, text[begin:])
}

// appendHeld is append; it holds lineSize bytes for each part that there is room for.
func appendHeld(account *budget.Account, parts []string, part string) ([]string, error) {
	if len(parts) < cap(parts) {
		return append(parts, part), nil
	}
	room := max(8, 2*cap(parts))
	if err := account.Hold(room * lineSize); err != nil {
		return nil, err
	}
	account.Drop(cap(parts) * lineSize)
	return append(append(make([]string, 0, room), parts...), part), nil
}

// stoppable is a text that ends when its call does.
type stoppable struct {
	account *budget.Account
	rate    uint64
	text    string
	at      int
	read    int
}

// chargedRunes is how many runes are charged at a time.
const chargedRunes = 4096

func (s *stoppable) ReadRune() (rune, int, error) {
	if s.read++; s.read%chargedRunes == 0 && s.account.ChargeEach(chargedRunes, s.rate) != nil {
		return 0, 0, io.EOF
	}
	if s.at == len(s.text) {
		return 0, 0, io.EOF
	}
	r, n := utf8.DecodeRuneInString(s.text[s.at:])
	s.at += n
	return r, n, nil
}

// ignoreASCIICase replaces every ASCII letter by a class of both its cases.
func ignoreASCIICase(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return // the pattern itself says (?i)
		}
		var parts []*syntax.Regexp
		for _, r := range re.Rune {
			parts = append(parts, &syntax.Regexp{Op: syntax.OpCharClass, Rune: bothCases([]rune{r, r})})
		}
		*re = syntax.Regexp{Op: syntax.OpConcat, Sub: parts}
	case syntax.OpCharClass:
		// The parser has turned [^a] into all the rest, which reaches up to the last
		// rune: there, both cases are left out instead of taken in.
		if n := len(re.Rune); n > 0 && re.Rune[n-1] == unicode.MaxRune {
			re.Rune = complement(bothCases(complement(re.Rune)))
		} else {
			re.Rune = bothCases(re.Rune)
		}
	default:
		for _, sub := range re.Sub {
			ignoreASCIICase(sub)
		}
	}
}

// bothCases adds the other case of every ASCII letter in a list of rune ranges.
func bothCases(ranges []rune) []rune {
	out := append([]rune(nil), ranges...)
	for i := 0; i < len(ranges); i += 2 {
		for _, letters := range [][3]rune{{'a', 'z', 'A' - 'a'}, {'A', 'Z', 'a' - 'A'}} {
			if lo, hi := max(ranges[i], letters[0]), min(ranges[i+1], letters[1]); lo <= hi {
				out = append(out, lo+letters[2], hi+letters[2])
			}
		}
	}
	return out
}

// complement returns the ranges that a list of rune ranges leaves out.
func complement(ranges []rune) []rune {
	var pairs [][2]rune
	for i := 0; i < len(ranges); i += 2 {
		pairs = append(pairs, [2]rune{ranges[i], ranges[i+1]})
	}
	slices.SortFunc(pairs, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	var out []rune
	next := rune(0)
	for _, p := range pairs {
		if p[0] > next {
			out = append(out, next, p[0]-1)
		}
		next = max(next, p[1]+1)
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return out
}
