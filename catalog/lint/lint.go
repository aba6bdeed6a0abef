// Package lint holds the soft rules for Safe Tool Specs: what an author should do,
// what only a bundled catalog requires, and likely slips. None of them makes a
// document invalid; they are warnings that fail a strict check.
//
// The package is pure and knows one document at a time. Read [Check], then the
// table in this file: every rule is a row with an id that is never reused.
package lint

import (
	"fmt"

	"github.com/glovebox-run/glovebox/catalog"
)

// rule is a row: what is checked and how.
type rule struct {
	id      string
	summary string
	check   func(s *catalog.Spec, warn warn)
}

// warn reports the value at a JSON pointer.
type warn func(pointer, format string, args ...any)

// table holds every rule. lookup is the environment that the document would run
// in.
func table(lookup catalog.Lookup) []rule {
	return []rule{
		{"name-slug", "a name is a slug: a-z, 0-9, - and _, or camelCase", nameSlug},
		{"description-missing", "a tool and its parameters have a description", descriptionMissing},
		{"description-secret", "a description holds no secret", descriptionSecret},
		{"description-credentials", "a description holds no address with a user or password in it", descriptionCredentials},
		{"environment-value", "a description or testValue holds no value of a variable that the tool reads", environmentValue(lookup)},
		{"test-value-secret", "a testValue holds no secret", testValueSecret},
		{"test-value-credentials", "a testValue holds no address with a user or password in it", testValueCredentials},
		{"test-value-unreadable", "a testValue reads as its parameter's type", testValueUnreadable},
		{"static-secret-literal", "a secret is a ${ENV_VAR} reference, not a literal", staticSecretLiteral},
		{"static-not-a-reference", "what looks like a reference is one", staticNotAReference},
		{"static-hides-param", "a static variable and a parameter have different names", staticHidesParam},
		{"binding-name", "parameters and static variables are named like JavaScript variables", bindingName},
		{"category-missing", "a tool has a category", categoryMissing},
		{"category-vocabulary", "a category is one of the known words", categoryVocabulary},
		{"tags-count", "a tool has at most two tags", tagsCount},
		{"tags-vocabulary", "a tag is one of the known words", tagsVocabulary},
		{"tags-capability", "tags say whom a tool is for, not what it may do or which secret it needs", tagsCapability},
		{"locale-identifier", "names, tags and keys are ASCII", localeIdentifier},
		{"locale-description", "descriptions are English; other scripts stand in quotes", localeDescription},
		{"locale-code", "code is English; other scripts stand in strings and comments", localeCode},
		{"code-empty", "a tool does something", codeEmpty},
		{"network-open", "a tool does not ask for every address, private networks included", networkOpen},
		{"hosts-unused", "hostsAllow is only given with networkMode allowlist", hostsUnused},
		{"hosts-empty", "an allowlist lists somebody", hostsEmpty},
		{"host-form", "an entry of hostsAllow is a host name, *.name or *", hostForm},
		{"destructive-alone", "destructive comes with fileWrite", destructiveAlone},
		{"java-reach", "a tool does not count on Java classes: none can be reached here", javaReach},
		{"helper-not-granted", "a declared helper is one that the overrides grant", helperNotGranted},
		{"approval-mode", "an approval has a mode", approvalMode},
		{"approval-names-nothing", "the question of an approval names the tool or its arguments", approvalNamesNothing},
		{"field-spelling", "a field is spelled as the format spells it", fieldSpelling},
	}
}

// Rules lists the soft rules in a fixed order.
func Rules() []catalog.Rule {
	var list []catalog.Rule
	for _, r := range table(nil) {
		list = append(list, catalogRule(r))
	}
	return list
}

func catalogRule(r rule) catalog.Rule {
	return catalog.Rule{ID: r.id, Code: catalog.SpecInvariant, Warning: true, Summary: r.summary}
}

// maxWarnings bounds the list for one document, for the same reason as in
// [catalog.Parse].
const maxWarnings = 1000

// Check returns recommended changes, in text order. lookup returns the values of
// variables; nil knows none.
func Check(s *catalog.Spec, lookup catalog.Lookup) catalog.Problems {
	var found catalog.Problems
	for _, r := range table(lookup) {
		r.check(s, func(pointer, format string, args ...any) {
			if len(found) < maxWarnings {
				found = append(found, catalog.NewProblem(catalogRule(r), pointer, fmt.Sprintf(format, args...)))
			}
		})
	}
	return s.Locate(found)
}
