// Package wildcard matches names against the patterns of operators: * stands for any
// run of characters, also none, and everything else for itself.
package wildcard

import "strings"

// Match reports whether name fits a pattern, in time linear in each part.
func Match(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[last])
}
