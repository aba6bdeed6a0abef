package mcp

import (
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/capability"
)

// referenceScopes are the fragments that the reference looks for anywhere in a
// scope, so calendar.allowed counts as privileged there.
var referenceScopes = []string{"admin", "write_all", "delete_", ".all"}

// scopeRule is one rule that makes a scope privileged: words that are adjacent in
// it.
type scopeRule struct {
	words [2]string // the second may be empty
	why   string
}

var scopeRules = []scopeRule{
	{[2]string{"admin"}, "names an administrator's rights"},
	{[2]string{"administrator"}, "names an administrator's rights"},
	{[2]string{"administer"}, "names an administrator's rights"},
	{[2]string{"administration"}, "names an administrator's rights"},
	{[2]string{"superuser"}, "names an administrator's rights"},
	{[2]string{"root"}, "names an administrator's rights"},
	{[2]string{"sudo"}, "names an administrator's rights"},
	{[2]string{"full", "access"}, "grants full access"},
	{[2]string{"full", "control"}, "grants full control"},
	{[2]string{"write", "all"}, "writes everything"},
	{[2]string{"delete"}, "deletes"},
	{[2]string{"purge"}, "deletes"},
	{[2]string{"destroy"}, "deletes"},
}

// privilegedScope returns why a scope is privileged, or "".
func privilegedScope(p Profile, scope string) (why string) {
	if p == Reference {
		scope = strings.ToLower(scope)
		for _, fragment := range referenceScopes {
			if strings.Contains(scope, fragment) {
				return "contains " + fragment
			}
		}
		return ""
	}
	words := capability.Words(scope)
	for i, word := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		for _, r := range scopeRules {
			if word == r.words[0] && (r.words[1] == "" || next == r.words[1]) {
				return r.why
			}
		}
	}
	// Files.ReadWrite.All and a bare "all" reach beyond the caller's own data.
	if len(words) > 0 && words[len(words)-1] == "all" {
		return "covers everything"
	}
	segments := strings.FieldsFunc(scope, func(r rune) bool { return strings.ContainsRune(".:/ ", r) })
	if slices.Contains(segments, "*") {
		return "is a wildcard"
	}
	return ""
}
