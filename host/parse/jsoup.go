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

// fromJsoup rewrites a compound selector in the words of CSS.
func fromJsoup(compound string) string {
	if strings.IndexByte(compound, ':') < 0 || strings.ContainsAny(compound, `\"'`) {
		return compound
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
	return unquoted.ReplaceAllString(compound, `:$1("$2")`)
}
