package language

import (
	"strings"

	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"
)

// Canonical is a name as it is compared: getUserName, get-user-name and
// GET_USER_NAME are one.
func Canonical(name string) string {
	if isCanonical(name) {
		return name
	}
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case ascii.Upper(c):
			if i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z' {
				b.WriteByte('_')
			}
			b.WriteByte(ascii.Lower(c))
		case c == '-' || c == '.' || c == '/' || c == ':' || c == ' ':
			b.WriteByte('_')
		default:
			b.WriteByte(c)
		}
	}
	return strings.Trim(b.String(), "_")
}

func isCanonical(name string) bool {
	for i := range len(name) {
		if c := name[i]; c != '_' && (c < 'a' || c > 'z') && !ascii.Digit(c) {
			return false
		}
	}
	return name == "" || name[0] != '_' && name[len(name)-1] != '_'
}

// resolve settles what needs neighbours: which names are tools of others, and
// which negations ("do not forget") are none.
func (l *grammar) resolve(view string, tokens []token, p Place) {
	for i := range tokens {
		t := &tokens[i]
		if l.negation.has(t.word) && i+1 < len(tokens) && l.slip.has(tokens[i+1].word) {
			t.word = 0
		}
		if t.flags&flagQuoted != 0 && isKey(view, int(t.end)) {
			t.word = 0 // "email": is no verb
		}
		if t.flags&(flagURL|flagEmail) != 0 && l.isExample(tokens, i) {
			t.flags &^= flagURL | flagEmail // an example of an address, not an address
		}
		if t.flags&(flagCaps|flagColon) == flagCaps|flagColon && l.isHeading(tokens, i) {
			t.flags |= flagHeading
		}
		if t.flags&(flagIdent|flagQuoted) == 0 || isKey(view, int(t.end)) {
			continue
		}
		// camelCase alone is a field or a function as often as a tool.
		looksLikeTool := t.flags&flagIdent != 0 && t.flags&flagCamel == 0 || l.besideTool(tokens, i)
		if !looksLikeTool && !p.Foreign {
			continue
		}
		name, whose := view[t.start:t.end], Unknown
		if p.Owner != nil {
			whose = p.Owner(name)
		}
		if whose == Foreign || whose == Unknown && looksLikeTool {
			t.flags |= flagOther | effectOf(name)
		}
	}
}

// exampleReach is how far behind "such as" or "e.g." an address may stand: behind
// the words of a command.
const exampleReach = 4

// isExample reports whether token i stands behind words that announce an example.
func (l *grammar) isExample(tokens []token, i int) bool {
	for k := i - 1; k >= 0 && k >= i-exampleReach && tokens[k].last == tokens[i].last; k-- {
		if l.example.has(tokens[k].word) {
			return true
		}
	}
	return false
}

// isKey reports whether what ends at i is a key and its value follows: limit=10,
// "limit": 10.
func isKey(view string, i int) bool {
	if i < len(view) && strings.IndexByte("\"'`", view[i]) >= 0 {
		i++
		return i < len(view) && view[i] == ':'
	}
	return i < len(view) && view[i] == '='
}

// besideTool reports whether the words around token i speak of it as of a tool:
// "the X tool", "call X", "X is called".
func (l *grammar) besideTool(tokens []token, i int) bool {
	at := func(k int, set wordSet) bool { return k >= 0 && k < len(tokens) && set.has(tokens[k].word) }
	if at(i+1, l.toolNoun) || at(i-1, l.toolNoun) || at(i-1, l.callVerb) {
		return true
	}
	// A plain word in quotation marks is a field or a value as often.
	return tokens[i].flags&flagIdent != 0 && (tokens[i].flags&flagCamel != 0 && at(i-1, l.using) || tokens[i].flags&flagCamel == 0 && at(i+1, l.toBe) && (at(i+2, l.inUse) || at(i+3, l.inUse)))
}

// isHeading reports whether token i ends two or more words in capitals that are
// not of the kind that manuals use ("USAGE NOTES:").
func (l *grammar) isHeading(tokens []token, i int) bool {
	n := 0
	for ; i >= 0 && tokens[i].flags&flagCaps != 0 && n < 6; i-- {
		if l.docWord.has(tokens[i].word) || tokens[i].flags&flagQuoted != 0 {
			return false
		}
		n++
	}
	return n > 1
}

// effects are verbs in names of tools whose call cannot be taken back; those that
// destroy, pay, run commands or hand out rights are a danger as well.
var effects = map[string]flag{
	"send": flagEffect, "post": flagEffect, "tweet": flagEffect, "email": flagEffect, "close": flagEffect, "merge": flagEffect, "star": flagEffect,
	"follow": flagEffect, "subscribe": flagEffect, "write": flagEffect, "upload": flagEffect, "publish": flagEffect, "share": flagEffect,
	"install": flagEffect, "forward": flagEffect, "push": flagEffect, "invite": flagEffect, "collaborator": flagEffect,

	// Nor can a secret be called back that was read.
	"secret": danger, "secrets": danger, "credential": danger, "credentials": danger, "password": danger, "passwords": danger, "keychain": danger,

	"history": flagEffect, "contacts": flagEffect, "location": flagEffect,
	"delete": danger, "remove": danger, "drop": danger, "purge": danger, "wipe": danger, "overwrite": danger, "transfer": danger, "pay": danger,
	"withdraw": danger, "buy": danger, "exec": danger, "execute": danger, "shell": danger, "grant": danger, "revoke": danger, "disable": danger,
}

const danger = flagEffect | flagDanger

func effectOf(name string) (all flag) {
	for part := range strings.SplitSeq(Canonical(name), "_") {
		all |= effects[part]
	}
	return all
}
