package egress

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// placeholder is the reference to an environment variable in a static variable
// or a connection. Lower-case names are not references.
var placeholder = regexp.MustCompile(`\$\{([A-Z_]+[A-Z0-9_]*)}`)

// shortest is the least number of characters of a secret that is masked:
// anything shorter occurs in ordinary words.
const shortest = 4

// Collect returns the values of the ${NAME} references in a template, each once and
// in order of appearance. It omits names unknown to lookup, blank values and values
// of fewer than four characters.
func Collect(template string, lookup func(name string) (value string, ok bool)) []string {
	var secrets []string
	seen := map[string]bool{}
	for _, ref := range placeholder.FindAllStringSubmatch(template, -1) {
		value, ok := lookup(ref[1])
		if !ok || seen[value] || strings.TrimSpace(value) == "" || utf8.RuneCountInString(value) < shortest {
			continue
		}
		seen[value] = true
		secrets = append(secrets, value)
	}
	return secrets
}
