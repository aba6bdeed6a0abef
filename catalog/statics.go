package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// reference is the grammar of ${ENV_VAR}: capital letters, digits and
// underscores, not starting with a digit, braces included. Anything else stays
// as it is written.
var reference = regexp.MustCompile(`\$\{([A-Z_]+[A-Z0-9_]*)\}`)

// Lookup returns the value of an environment variable or of an operator's
// secret, and whether there is one. Blank values count as missing.
type Lookup func(name string) (value string, ok bool)

// FirstOf asks several sources in turn and takes the first value that is not
// blank, so that an operator's secrets take precedence over the environment.
func FirstOf(sources ...Lookup) Lookup {
	return func(name string) (string, bool) {
		for _, source := range sources {
			if value, ok := source.find(name); ok {
				return value, true
			}
		}
		return "", false
	}
}

func (l Lookup) find(name string) (string, bool) {
	if l == nil {
		return "", false
	}
	value, ok := l(name)
	if !ok || strings.TrimSpace(value) == "" {
		return "", false
	}
	return value, true
}

// References returns the variables that a template refers to, in order of first
// appearance, each once.
func References(template string) []string {
	var names []string
	for _, match := range reference.FindAllStringSubmatch(template, -1) {
		names = append(names, match[1])
	}
	return unique(names)
}

// Requirements returns the variables that all static variables refer to, in
// order of first appearance, each once. A nil spec needs none.
func (s *Spec) Requirements() []string {
	if s == nil {
		return nil
	}
	var names []string
	for _, v := range s.statics {
		names = append(names, References(v.Value)...)
	}
	return unique(names)
}

// Resolved holds the values of static variables for one call. It lives as long as
// the call and is never stored.
type Resolved struct {
	// Variables are the entries in document order, repeated keys included; the
	// last of equal keys wins.
	Variables []StaticVariable
	// Secrets are the values that were looked up, each once. The masking code
	// decides which of them are long enough to mask.
	Secrets []string
}

// MissingError names the unset variables that a tool needs.
type MissingError struct {
	Missing []Missing
}

// Missing is one unset variable and the first static variable that needs it.
type Missing struct{ Variable, Key string }

func (e *MissingError) Error() string {
	parts := make([]string, len(e.Missing))
	for i, m := range e.Missing {
		parts[i] = fmt.Sprintf("static variable %s needs ${%s}", quote(m.Key), m.Variable)
	}
	return "env var not set: " + strings.Join(parts, "; ")
}

// ResolveStaticVariables replaces every reference in every value, in one pass: a
// looked-up value that looks like a reference is not followed. Unset variables
// leave the reference in place and make the error a *[MissingError] that names
// all of them.
func (s *Spec) ResolveStaticVariables(lookup Lookup) (Resolved, error) {
	var out Resolved
	values := map[string]string{}
	var missing []Missing
	for _, v := range s.statics {
		resolved := reference.ReplaceAllStringFunc(v.Value, func(match string) string {
			name := match[2 : len(match)-1]
			value, known := values[name]
			if !known {
				value, _ = lookup.find(name)
				values[name] = value
				if value == "" {
					missing = append(missing, Missing{name, v.Key})
				} else {
					out.Secrets = append(out.Secrets, value)
				}
			}
			if value == "" {
				return match
			}
			return value
		})
		out.Variables = append(out.Variables, StaticVariable{v.Key, resolved})
	}
	slices.Sort(out.Secrets)
	out.Secrets = slices.Compact(out.Secrets)
	if len(missing) > 0 {
		return out, &MissingError{missing}
	}
	return out, nil
}
