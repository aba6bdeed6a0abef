package fingerprint

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/glovebox-run/glovebox/risk/lookalike"
)

// family is one kind of effect. Verbs count in a text, nouns only as words of a
// parameter's name: a text mentions a file, a parameter "file" takes one.
type family struct {
	name  string
	verbs []string
	nouns []string
}

// capabilityFamilies are the families that a change of words is checked against. A
// new word from a family that the tool already had is a rewording.
var capabilityFamilies = []family{
	{"destroying", []string{"delete", "remove", "erase", "wipe", "purge", "destroy", "truncate", "overwrite", "terminate"}, nil},
	{"changing", []string{"write", "create", "update", "modify", "edit", "insert", "append", "rename", "install", "deploy", "merge"}, nil},
	{"sending", []string{"send", "upload", "publish", "transmit", "forward", "email", "notify", "exfiltrate", "submit", "post"}, []string{"recipient", "recipients", "cc", "bcc", "email", "phone"}},
	{"executing", []string{"execute", "run", "eval", "evaluate", "spawn", "compile"}, []string{"command", "cmd", "shell", "script", "code", "sql", "expression", "program"}},
	{"paying", []string{"pay", "charge", "transfer", "purchase", "buy", "refund", "withdraw"}, []string{"amount", "price", "iban", "card"}},
	{"granting", []string{"grant", "revoke", "impersonate", "authorize"}, []string{"role", "permission", "permissions", "acl"}},
	{"reaching addresses", []string{"download", "crawl", "scrape", "browse"}, []string{"url", "uri", "endpoint", "host", "webhook", "callback", "domain", "ip"}},
	{"touching files", nil, []string{"path", "file", "filename", "filepath", "dir", "directory", "folder", "attachment"}},
	{"taking secrets", nil, []string{"password", "passphrase", "token", "secret", "credential", "credentials", "apikey", "cookie"}},
}

// negations reverse the meaning of a verb that follows within negationReach words.
var negations = []string{"not", "never", "no", "without", "cannot", "neither", "nor", "don't", "doesn't", "won't", "can't"}

const negationReach = 3

// families returns the effects that a definition mentions.
func families(tool map[string]any) map[string]bool {
	found := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			maps.Copy(found, familiesOfText(v))
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			if params, ok := v["properties"].(map[string]any); ok {
				for name := range params {
					maps.Copy(found, familiesOfName(name))
				}
			}
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(tool)
	return found
}

func familiesOfText(text string) map[string]bool {
	found := map[string]bool{}
	words := strings.FieldsFunc(strings.ToLower(lookalike.Letters(text)), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	for i, word := range words {
		for _, f := range capabilityFamilies {
			if !found[f.name] && isVerb(word, f.verbs) && !slices.ContainsFunc(words[max(0, i-negationReach):i], func(w string) bool { return slices.Contains(negations, w) }) {
				found[f.name] = true
			}
		}
	}
	return found
}

// isVerb recognises the plain form, -s and -ing. It ignores -ed: a "list of deleted
// files" deletes nothing.
func isVerb(word string, verbs []string) bool {
	for _, verb := range verbs {
		stem, open := strings.CutSuffix(verb, "e")
		rest, ok := strings.CutPrefix(word, stem)
		if !ok {
			continue
		}
		forms := []string{"", "s", "es", "ing", verb[len(verb)-1:] + "ing"} // run, runs, pushes, sending, running
		if open {
			forms = []string{"e", "es", "ing"} // delete, deletes, deleting
		}
		if slices.Contains(forms, rest) {
			return true
		}
	}
	return false
}

func familiesOfName(name string) map[string]bool {
	found := map[string]bool{}
	folded := lookalike.Letters(name)
	// "filePath" and "file_path" are the same words.
	var b strings.Builder
	for i, r := range folded {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	words := strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, f := range capabilityFamilies {
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(f.nouns, w) }) {
			found[f.name] = true
		}
	}
	return found
}

func newFamilies(known, now map[string]bool) []string {
	var added []string
	for name := range now {
		if !known[name] {
			added = append(added, name)
		}
	}
	slices.Sort(added)
	return added
}

// flatten writes all texts of a value one after the other.
func flatten(v any) string {
	var b strings.Builder
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case nil:
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				b.WriteString(key + "\n")
				walk(v[key])
			}
		default:
			fmt.Fprintln(&b, v)
		}
	}
	walk(v)
	return b.String()
}

// plain removes differences that do not change a text for a reader: spacing, case
// and punctuation. Invisible characters stay, because text hidden in them is not
// cosmetic.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || (unicode.IsPunct(r) && r < 0x80) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}
