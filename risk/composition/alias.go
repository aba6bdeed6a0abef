package composition

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/glovebox-run/glovebox/risk/mcp"
)

// maxAlias is the longest tool name that the model interfaces in use accept, in
// characters; MCP itself allows 128.
const maxAlias = 64

// DefaultAlias joins server and tool as server__tool. Characters not allowed in an
// alias become "_"; an alias that is too long is truncated, and a hash of the whole
// keeps it unique. The reference leaves the tool's name as it is and truncates
// nothing.
func DefaultAlias(p mcp.Profile, server, tool string) string {
	prefix := strings.TrimRight(strings.ToLower(onlyWord(server)), "_")
	if prefix == "" {
		prefix = "unknown"
	}
	if p == mcp.Reference {
		return prefix + "__" + tool
	}
	alias := prefix + "__" + strings.Map(aliasRune, tool)
	if len(alias) > maxAlias {
		sum := sha256.Sum256([]byte(server + "\x00" + tool))
		alias = alias[:maxAlias-9] + "_" + hex.EncodeToString(sum[:4])
	}
	return alias
}

// ValidAlias reports whether every model interface accepts the alias.
func ValidAlias(alias string) bool {
	return alias != "" && len(alias) <= maxAlias && strings.Map(aliasRune, alias) == alias
}

func aliasRune(r rune) rune {
	if r == '-' {
		return r
	}
	return wordRune(r)
}

func onlyWord(s string) string { return strings.Map(wordRune, s) }

// wordRune keeps ASCII letters, digits and "_"; everything else becomes "_".
func wordRune(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return '_'
}
