package parse

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// jsoup's pseudo-classes that no other selector language has, as tools written
// for the reference use them. The index is that of a node among its siblings.
var indexed = regexp.MustCompile(`:(eq|lt|gt)\(\s*(\d{1,6})\s*\)`)

// unquoted is a pseudo-class whose text stands without quotes.
var unquoted = regexp.MustCompile(`:(contains|containsOwn)\(\s*([^"'()\s][^"'()]*?)\s*\)`)

// bare is an attribute's test whose value stands without quotes.
var bare = regexp.MustCompile(`^\[\s*([^\s=~|^$*!#\[\]]+)\s*([~|^$*!]?=)\s*([^"'\s][^"']*?)\s*\]$`)

// quoteValues puts the bare values of [name=value] in quotes: CSS wants them for
// all that is no identifier, such as the 1 of [data-n=1].
func quoteValues(compound string) string {
	var out strings.Builder
	for compound != "" {
		at := strings.IndexAny(compound, `[\"'`)
		if at < 0 {
			break
		}
		end := at + 1
		switch c := compound[at]; c {
		case '\\':
			end = min(at+2, len(compound))
		case '[':
			if n := strings.IndexAny(compound[end:], `]\"'`); n >= 0 && compound[end+n] == ']' {
				end += n + 1
			}
		default: // a string
			for ; end < len(compound) && compound[end] != c; end++ {
				if compound[end] == '\\' {
					end++
				}
			}
			end = min(end+1, len(compound))
		}
		out.WriteString(compound[:at])
		out.WriteString(bare.ReplaceAllString(compound[at:end], `[$1$2"$3"]`))
		compound = compound[end:]
	}
	return out.String() + compound
}

// fromJsoup rewrites a compound selector in the words of CSS.
func fromJsoup(compound string) string {
	if strings.IndexByte(compound, ':') < 0 || strings.ContainsAny(compound, `\"'`) {
		return quoteValues(compound)
	}
	compound = indexed.ReplaceAllStringFunc(compound, func(s string) string {
		m := indexed.FindStringSubmatch(s)
		n, err := strconv.Atoi(m[2])
		if err != nil {
			return s
		}
		switch m[1] {
		case "eq":
			return fmt.Sprintf(":nth-child(%d)", n+1)
		case "lt":
			return fmt.Sprintf(":nth-child(-n+%d)", n)
		}
		return fmt.Sprintf(":nth-child(n+%d)", n+2)
	})
	return quoteValues(unquoted.ReplaceAllString(compound, `:$1("$2")`))
}
