package files

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPattern bounds a pattern, in bytes. Matching is linear in the text; this
// bounds the factor.
const maxPattern = 1000

var errPatternSize = errors.New("the pattern is longer than 1000 bytes")

// compilePattern reads a regular expression. Its matching time is linear in the
// text whatever the pattern, for which look-around and back references are left
// out. Case is ignored for ASCII letters alone.
func compilePattern(pattern string, ignoreCase bool) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, errPatternSize
	}
	if !ignoreCase {
		return regexp.Compile(pattern)
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	ignoreASCIICase(tree)
	return regexp.Compile(tree.String())
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

var errGlob = errors.New("the glob has an unclosed [ or { or a { inside another")

// compileGlob reads a glob for file names: * ? [a-z] [!a] {x,y} and \ before a
// character that means itself. Hidden names match like any other.
func compileGlob(glob string) (*regexp.Regexp, error) {
	if strings.TrimSpace(glob) == "" {
		glob = "*"
	}
	if len(glob) > maxPattern {
		return nil, errPatternSize
	}
	var out strings.Builder
	out.WriteString(`(?s)\A(?:`)
	group := false
	for glob != "" {
		r, n := utf8.DecodeRuneInString(glob)
		glob = glob[n:]
		switch r {
		case '*':
			out.WriteString(`.*`)
		case '?':
			out.WriteString(`.`)
		case '[':
			class, rest, err := globClass(glob)
			if err != nil {
				return nil, err
			}
			out.WriteString(class)
			glob = rest
		case '{':
			if group {
				return nil, errGlob
			}
			group = true
			out.WriteString(`(?:`)
		case '}':
			if group {
				group = false
				out.WriteString(`)`)
			} else {
				out.WriteString(`\}`)
			}
		case ',':
			if group {
				out.WriteString(`|`)
			} else {
				out.WriteString(`,`)
			}
		case '\\':
			if glob == "" {
				return nil, errGlob
			}
			r, n = utf8.DecodeRuneInString(glob)
			glob = glob[n:]
			out.WriteString(regexp.QuoteMeta(string(r)))
		default:
			out.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	if group {
		return nil, errGlob
	}
	out.WriteString(`)\z`)
	return regexp.Compile(out.String())
}

// globClass reads what follows a [ up to its ].
func globClass(glob string) (class, rest string, err error) {
	body, negated := strings.CutPrefix(glob, "!")
	if !negated {
		body, negated = strings.CutPrefix(glob, "^")
	}
	end := strings.IndexByte(body, ']')
	if end == 0 { // a ] right after [ is a member
		if end = strings.IndexByte(body[1:], ']'); end >= 0 {
			end++
		}
	}
	if end < 0 {
		return "", "", errGlob
	}
	members := []rune(body[:end])
	if len(members) == 0 {
		return "", "", errGlob
	}
	var out strings.Builder
	out.WriteString(`[`)
	if negated {
		out.WriteString(`^`)
	}
	for i := 0; i < len(members); i++ {
		lo, hi := members[i], members[i]
		if i+2 < len(members) && members[i+1] == '-' {
			hi = members[i+2]
			i += 2
		}
		if lo > hi {
			return "", "", errGlob
		}
		writeClassRune(&out, lo)
		out.WriteString(`-`)
		writeClassRune(&out, hi)
	}
	out.WriteString(`]`)
	return out.String(), body[end+1:], nil
}

func writeClassRune(out *strings.Builder, r rune) {
	if r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r > ' ' {
		out.WriteByte('\\')
	}
	out.WriteRune(r)
}
