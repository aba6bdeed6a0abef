package mcp

import (
	"regexp"
	"slices"
	"strings"
)

// referenceVerb is the reference's reading of a name: a verb only at the start
// and only before a separator.
var referenceVerb = regexp.MustCompile(`(?i)^(delete|drop|purge|wipe|remove)[_-]|force[_-]?push`)

// destroyers are verbs after which something is gone.
var destroyers = []string{
	"delete", "remove", "purge", "wipe", "destroy", "erase", "truncate", "unlink", "uninstall", "shred",
	"expunge", "obliterate", "nuke", "rm", "rmdir", "terminate", "deprovision", "decommission",
}

// destroyedThings make a destroyer of a word that means something else on its
// own: price_drop and kill_chain are innocent, drop_table and format_disk are not.
var destroyedThings = map[string][]string{
	"drop":   {"table", "tables", "database", "databases", "db", "schema", "collection", "index", "view", "column", "keyspace", "namespace", "user", "role", "all"},
	"format": {"disk", "drive", "volume", "partition", "filesystem"},
	"empty":  {"trash", "bin", "bucket", "recycle"},
	"hard":   {"reset"},
	"reset":  {"hard"},
	"force":  {"push"},
}

// readers are verbs that only look; after one of them, a destroyer is part of
// what is looked at (get_delete_status).
var readers = []string{"get", "list", "show", "read", "search", "find", "count", "describe", "fetch", "query", "check", "view", "preview"}

// joiners start a new verb in a name (find_and_delete).
var joiners = []string{"and", "or", "then"}

// runOn are the things that a destroyer is written together with in names
// without any separator, such as deletefile.
var runOn = []string{
	"all", "file", "files", "folder", "directory", "dir", "repo", "repository", "branch", "user", "users", "item", "items",
	"record", "records", "row", "rows", "table", "database", "db", "message", "messages", "email", "event", "account",
	"key", "page", "post", "issue", "comment", "project", "document", "object", "data", "entry", "node", "bucket",
}

// irreversibleVerb returns the words of a tool's name that say something is
// destroyed, or "". A name is what its server chose to call it, so only a trusted
// server gets the favourable reading in which an earlier verb that only looks
// makes the destroyer part of its object.
func irreversibleVerb(p Profile, name string, trusted bool) string {
	if match := referenceVerb.FindString(name); match != "" {
		return strings.Trim(match, "_-")
	}
	if p == Reference {
		return ""
	}
	words := splitWords(name)
	looking := false
	for i, word := range words {
		switch {
		case slices.Contains(joiners, word):
			looking = false
		case slices.Contains(readers, word):
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
	if slices.Contains(destroyers, word) {
		return true
	}
	if things := destroyedThings[word]; things != nil {
		return i+1 < len(words) && slices.Contains(things, words[i+1])
	}
	for _, verb := range destroyers {
		if rest, ok := strings.CutPrefix(word, verb); ok && len(verb) > 3 && slices.Contains(runOn, rest) {
			return true
		}
	}
	return false
}
