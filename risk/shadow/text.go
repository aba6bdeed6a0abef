package shadow

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/glovebox-run/glovebox/risk/lookalike"
)

// tokens splits a text into runs of letters, digits and identifier separators, in
// lower case and with look-alike letters replaced by Latin ones.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(lookalike.Letters(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '.'
	})
}

// commands are words that turn a following single-word tool name into an
// instruction: "use search", "call the search tool".
var commands = map[string]bool{"use": true, "call": true, "invoke": true, "run": true, "trigger": true, "execute": true, "prefer": true}

// mentions applies R2 and R3 to whole words. A name of one plain word ("search")
// counts only directly after an imperative or before "tool", because it is also an
// ordinary word.
func mentions(members, visible []Member) []Finding {
	tools, servers := map[string][]Member{}, map[string][]string{}
	identifiers := map[string]bool{} // folded names that are not plain words
	for _, m := range visible {
		for _, name := range []string{m.Tool, m.Alias} {
			if folded := fold(name); folded != "" {
				tools[folded] = append(tools[folded], m)
				identifiers[folded] = identifiers[folded] || compound(name)
			}
		}
		if folded := fold(m.Server); folded != "" && !slices.Contains(servers[folded], m.Server) {
			servers[folded] = append(servers[folded], m.Server)
		}
	}
	var findings []Finding
	for _, m := range members {
		words := tokens(m.Description)
		ordered := imperative.MatchString(strings.ToLower(lookalike.Letters(m.Description)))
		seen := map[Finding]bool{} // a word may be repeated a million times
		add := func(f Finding) {
			if !seen[f] {
				seen[f] = true
				findings = append(findings, f)
			}
		}
		for i, word := range words {
			named := tools[fold(word)]
			if ordered && len(named) > 0 && (identifiers[fold(word)] || addressed(words, i)) {
				if other, ok := elsewhere(named, m.Server); ok {
					add(Finding{CrossServerReference, m.Server, m.Tool, other.Tool, true,
						fmt.Sprintf("the description tells the model to use %q of server %q", other.Tool, other.Server)})
				}
			}
			// "notion-related" names the server "notion" just as "notion" does; a tool's
			// name never names a server, whatever its parts.
			parts := []string{word}
			if len(named) == 0 {
				parts = append(parts, strings.FieldsFunc(word, isSeparator)...)
			}
			for _, part := range parts {
				for _, server := range servers[fold(part)] {
					if server != m.Server {
						add(selfScope(m, server, !everyday[fold(part)] || addressed(words, i)))
					}
				}
			}
		}
	}
	return findings
}

// elsewhere returns the first tool that another server has.
func elsewhere(members []Member, server string) (Member, bool) {
	i := slices.IndexFunc(members, func(m Member) bool { return m.Server != server })
	if i < 0 {
		return Member{}, false
	}
	return members[i], true
}

// everyday are server ids that are also words in honest descriptions; naming one is
// advice unless it is addressed as a tool.
var everyday = map[string]bool{
	"search": true, "memory": true, "time": true, "fetch": true, "file": true, "files": true, "filesystem": true, "web": true,
	"browser": true, "mail": true, "email": true, "calendar": true, "database": true, "data": true, "docs": true, "test": true,
	"local": true, "server": true, "tools": true, "git": true, "weather": true, "maps": true, "chat": true, "notes": true,
}

func fold(name string) string { return strings.Trim(strings.ToLower(lookalike.Letters(name)), "_-.") }

func isSeparator(r rune) bool { return r == '_' || r == '-' || r == '.' }

// compound reports whether a name consists of several words, with separators or in
// camel case.
func compound(name string) bool {
	wasLower := false
	return strings.ContainsFunc(strings.Trim(name, "_-."), func(r rune) bool {
		hump := wasLower && unicode.IsUpper(r)
		wasLower = unicode.IsLower(r)
		return hump || isSeparator(r)
	})
}

// fillers may stand between an imperative and a name, up to maxFillers of them.
var fillers = map[string]bool{"the": true, "only": true, "always": true, "first": true}

const maxFillers = 3

// addressed reports whether the word at i is used as the name of a tool.
func addressed(words []string, i int) bool {
	if i+1 < len(words) && slices.Contains([]string{"tool", "tools", "function", "server", "mcp"}, words[i+1]) {
		return true
	}
	before := i - 1
	for before >= 0 && i-before <= maxFillers && fillers[words[before]] {
		before--
	}
	if before >= 1 && words[before] == "to" {
		return words[before-1] == "delegate"
	}
	return before >= 0 && commands[words[before]]
}

const (
	// shingle is how many words in a row two texts must share to be compared.
	shingle = 4
	// minShingles excludes short phrases, which honest tools share.
	minShingles = 5
	// maxName is how many bytes of a tool's name are searched for a prefix; the
	// protocol allows 128 characters.
	maxName = 128
	// maxOwners bounds the work when many tools share a text.
	maxOwners = 4
)

// copies is R5: most of a description appears word for word in the description of
// another server's tool. It is advice: two instances of one program share all their
// texts.
func copies(members, visible []Member) []Finding {
	owners := map[string][]int{}
	for i, m := range visible {
		for _, s := range shingles(m.Description) {
			if len(owners[s]) < maxOwners {
				owners[s] = append(owners[s], i)
			}
		}
	}
	var findings []Finding
	for _, m := range members {
		mine := shingles(m.Description)
		if len(mine) < minShingles {
			continue
		}
		shared := map[int]int{}
		for _, s := range mine {
			for _, o := range owners[s] {
				if visible[o].Server != m.Server {
					shared[o]++
				}
			}
		}
		for o, n := range shared {
			if n*5 >= len(mine)*4 { // four fifths
				findings = append(findings, Finding{CopiedDescription, m.Server, m.Tool, visible[o].Server + "/" + visible[o].Tool, false,
					fmt.Sprintf("the description is that of %q of server %q", visible[o].Tool, visible[o].Server)})
			}
		}
	}
	return findings
}

// shingles returns the distinct runs of words in a text.
func shingles(text string) []string {
	words := tokens(text)
	seen := map[string]bool{}
	var all []string
	for i := 0; i+shingle <= len(words); i++ {
		s := strings.Join(words[i:i+shingle], " ")
		if !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	return all
}

// claims is R6: a server id that looks like another one, an alias with another
// server's prefix, or a tool whose name starts with another server's id.
func claims(members, visible []Member) []Finding {
	bySkeleton := map[string][]string{}
	for _, m := range visible {
		s := lookalike.Skeleton(m.Server)
		if s != "" && !slices.Contains(bySkeleton[s], m.Server) {
			bySkeleton[s] = append(bySkeleton[s], m.Server)
		}
	}
	var findings []Finding
	claim := func(m Member, servers []string, refuses bool, how string) {
		if slices.Contains(servers, m.Server) && how != "id" {
			return // the name is its own
		}
		for _, server := range servers {
			if server != m.Server {
				findings = append(findings, Finding{ClaimedServer, m.Server, m.Tool, server, refuses, fmt.Sprintf("its %s passes for server %q", how, server)})
			}
		}
	}
	for _, m := range members {
		claim(m, bySkeleton[lookalike.Skeleton(m.Server)], true, "id")
		if prefix, _, ok := strings.Cut(m.Alias, "__"); ok {
			claim(m, bySkeleton[lookalike.Skeleton(prefix)], true, "alias")
		}
		for i, r := range m.Tool[:min(len(m.Tool), maxName)] {
			if isSeparator(r) || r == '/' || r == ':' {
				claim(m, bySkeleton[lookalike.Skeleton(m.Tool[:i])], false, "name")
			}
		}
	}
	return findings
}
