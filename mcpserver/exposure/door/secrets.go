package door

import (
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/egress"
)

// secrets are the values that the operator gave for a connection, and what masks them.
// The masker stays the same as long as they do, so that tools stay the same.
type secrets struct {
	values []string
	made   *egress.Masker
}

// masker returns what masks the secrets of a configuration; nil if it has none.
func (s *secrets) masker(c *upstream.Config, lookup catalog.Lookup) *egress.Masker {
	values := secretsOf(c, lookup)
	if !slices.Equal(values, s.values) {
		s.values, s.made = values, nil
		if len(values) > 0 {
			s.made = egress.NewMasker(values)
		}
	}
	return s.made
}

// secretsOf returns the values that ${VAR} stands for, and those that stand in the
// configuration as they are under a name that says what they are.
func secretsOf(c *upstream.Config, lookup catalog.Lookup) []string {
	var all []string
	refer := func(value string) (refers bool) {
		for _, name := range catalog.References(value) {
			found, _ := catalog.FirstOf(lookup)(name)
			all, refers = append(all, found), true
		}
		return refers
	}
	for _, value := range append([]string{c.URL, c.Auth.ClientID, c.Auth.ClientSecret}, c.Command...) {
		refer(value)
	}
	for _, values := range []map[string]string{c.Env, c.Headers} {
		for name, value := range values {
			if !refer(value) && says(name) {
				_, token, _ := strings.Cut(value, " ") // Bearer and the like
				all = append(all, value, token)
			}
		}
	}
	all = slices.DeleteFunc(all, func(v string) bool { return v == "" })
	slices.Sort(all)
	return slices.Compact(all)
}

// words mark the name of a variable or a header whose value is a secret.
var words = []string{"token", "key", "secret", "password", "passwd", "auth", "credential", "cookie"}

func says(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}
