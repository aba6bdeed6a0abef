// Package rules is the table of secret formats that the sanitiser knows.
//
// A [Rule] is one row. [Builtin] lists the built-in rows; [Load] reads an operator's
// rows from YAML, with examples that are tested before a rule is accepted;
// [ImportGitleaks] reads the part of a gitleaks rule file that needs only regular
// expressions. The package describes formats; it does not search texts.
package rules

import (
	"regexp"
	"slices"
)

// Class is the kind of data that a rule finds; a policy acts on it.
type Class string

// The classes. Rows without one find credentials.
const (
	Credential Class = "credential"
	Personal   Class = "personal"
	Internal   Class = "internal"
)

// Rule is one format. An ID is never reused for another one.
type Rule struct {
	ID string
	// Kind is the word in a placeholder; empty means the ID.
	Kind string
	// Class is what the policy decides by; empty means [Credential].
	Class Class
	// Words name the value when its format alone is no evidence: one of them has
	// to stand before it in the same assignment, header or member name. They are
	// compared without case. A rule without words is found by a literal in its
	// pattern.
	Words []string
	// Pattern is the token in the syntax of package pattern.
	Pattern string
	// Mixed asks for a digit and a letter in the part after the longest literal:
	// without it an identifier of the right length would do.
	Mixed bool
	// Identifier marks a value that is an identifier rather than a secret in
	// itself (a client ID), so the entropy and mixture of its characters say
	// nothing.
	Identifier bool
	// Entropy is the least Shannon entropy of the token in bits per character; 0
	// means the engine's own floor.
	Entropy float64
	// Regexp is an imported rule's expression. It is searched near the words alone;
	// Group is the part of it that is the value, 0 the first that took part.
	Regexp     string
	Group      int
	AllowMatch []*regexp.Regexp // matches that count for nothing
	AllowValue []*regexp.Regexp // values that do
	AllowWords []string         // parts of such values, in lower case
	// Examples that must and must not match; Load asks for two of each.
	Match, Ignore []string
}

// Builtin returns the rules that ship, in the order of the tables.
func Builtin() []Rule {
	return slices.Concat(common, cloud, code, ai, saas, data, vendors, structure)
}
