package mcp

import (
	"regexp"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/capability"
)

// referenceVerb is how the reference reads a name: it finds a verb only at the start
// and only before a separator.
var referenceVerb = regexp.MustCompile(`(?i)^(delete|drop|purge|wipe|remove)[_-]|force[_-]?push`)

// verb is the role of a word in a name.
type verb uint8

const (
	unknownWord verb = iota
	destroyer        // destroys something
	looks            // only looks; a destroyer after it is part of what is looked at (get_delete_status)
	joins            // starts a new verb (find_and_delete)
)

// verbs gives the role of every known word in a name; other words have none.
var verbs = wordsOf(map[verb]string{
	destroyer: "delete remove purge wipe destroy erase truncate unlink uninstall shred expunge obliterate nuke rm rmdir terminate deprovision decommission",
	looks:     "get list show read search find count describe fetch query check view preview",
	joins:     "and or then",
})

func wordsOf(table map[verb]string) map[string]verb {
	words := map[string]verb{}
	for v, list := range table {
		for _, word := range strings.Fields(list) {
			words[word] = v
		}
	}
	return words
}

// destroyedThings turn a word that means something else on its own into a destroyer:
// price_drop and format_text are harmless, drop_table and format_disk are not.
var destroyedThings = map[string][]string{
	"drop":   {"table", "tables", "database", "databases", "db", "schema", "collection", "index", "view", "column", "keyspace", "namespace", "user", "role", "all"},
	"format": {"disk", "drive", "volume", "partition", "filesystem"},
	"empty":  {"trash", "bin", "bucket", "recycle"},
	"hard":   {"reset"},
	"reset":  {"hard"},
	"force":  {"push"},
}

// ofText lists what a purely computing tool removes from a text or a list.
var ofText = setOf("duplicates duplicate whitespace spaces accents diacritics punctuation html markdown formatting stopwords prefix suffix newlines emoji emojis " +
	"outliers nulls blanks empty lines watermark noise background from of in a the text string html list array and or")

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// runOnVerbs come before runOn in names without a separator, such as deletefile.
// Both are lists, because deleted, remover and wiper destroy nothing.
var runOnVerbs = []string{"delete", "remove", "purge", "wipe", "destroy", "erase"}

var runOn = []string{
	"all", "file", "files", "folder", "directory", "dir", "repo", "repository", "branch", "user", "users", "item", "items",
	"record", "records", "row", "rows", "table", "database", "db", "message", "messages", "email", "event", "account",
	"key", "page", "post", "issue", "comment", "project", "document", "object", "data", "entry", "node", "bucket",
}

// irreversibleVerb returns the words of a tool's name that say something is
// destroyed, or "". The server chooses the name, so only a trusted server gets the
// favourable reading, in which the destroyer is part of the object of an earlier
// read-only verb.
func irreversibleVerb(p Profile, name string, trusted bool) string {
	words := capability.Words(name)
	if match := strings.Trim(referenceVerb.FindString(name), "_-"); match != "" && (p == Reference || !strings.EqualFold(match, "remove") || destroys(words, 0)) {
		return match
	}
	if p == Reference {
		return ""
	}
	looking := false
	for i, word := range words {
		switch {
		case verbs[word] == joins:
			looking = false
		case verbs[word] == looks:
			looking = trusted
		case !looking && destroys(words, i):
			return strings.Join(words[i:min(i+2, len(words))], " ")
		}
	}
	if strings.Contains(strings.Join(words, ""), "forcepush") {
		return "force push"
	}
	return ""
}

func destroys(words []string, i int) bool {
	word := words[i]
	if word == "remove" {
		// remove_duplicates destroys nothing. One word outside ofText is enough to
		// count, so that no further word can make the name harmless.
		return slices.ContainsFunc(words[i+1:], func(w string) bool { return !ofText[w] })
	}
	if verbs[word] == destroyer {
		return true
	}
	if things := destroyedThings[word]; things != nil {
		return i+1 < len(words) && slices.Contains(things, words[i+1])
	}
	for _, prefix := range runOnVerbs {
		if rest, ok := strings.CutPrefix(word, prefix); ok && slices.Contains(runOn, rest) {
			return true
		}
	}
	return false
}
