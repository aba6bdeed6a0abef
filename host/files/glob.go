package files

import (
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
