package poison

import (
	"iter"
	"strings"
)

// canonical is a name as it is compared: getUserName, get-user-name and
// GET_USER_NAME are one.
func canonical(name string) string {
	if isCanonical(name) {
		return name
	}
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case isUpper(c):
			if i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z' {
				b.WriteByte('_')
			}
			b.WriteByte(lowerByte(c))
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
		if c := name[i]; c != '_' && (c < 'a' || c > 'z') && !isDigit(c) {
			return false
		}
	}
	return name == "" || name[0] != '_' && name[len(name)-1] != '_'
}

// Names are the tools that texts may speak of. A sentence such as "call X first"
// is documentation if X is a tool of the same server and an intrusion if not.
type Names struct {
	siblings nameSet
	others   []string
}

// NewNames takes in all tools of one server and, where known, the tools of the
// other servers that the same model can call. One Names serves all scans of the
// tools of that server.
func NewNames(siblings, others []string) *Names {
	n := &Names{nameSet{}, others}
	for _, name := range siblings {
		n.siblings.add(name)
	}
	return n
}

// nameSet holds names in canonical form: true for a whole name, false for the
// end of one.
type nameSet map[string]bool

// maxName is the length of a tool's name that clients accept, in bytes.
const maxName = 128

// learn takes in the names that belong to a document: of the tool, its
// parameters, the values of its enums.
func (m nameSet) learn(t text) {
	if t.place != placeDescription && t.place != placeOther && len(t.value) <= maxName && !schemaWords[t.value] {
		m.add(t.value)
	}
}

// schemaWords are member names of nearly every schema; nobody means them.
var schemaWords = map[string]bool{"name": true, "title": true, "description": true, "inputSchema": true, "type": true, "properties": true, "items": true, "required": true,
	"default": true, "enum": true, "anyOf": true, "additionalProperties": true, "minimum": true, "maximum": true, "format": true, "annotations": true, "$schema": true}

// add adds a name and its ends: a server may leave its common prefix off when it
// speaks of jira_get_issue as get_issue.
func (m nameSet) add(name string) {
	if strings.IndexByte(name, ' ') >= 0 {
		return
	}
	name = canonical(name)
	m[name] = true
	for rest := range ends(name) {
		if !m[rest] {
			m[rest] = false
		}
	}
}

// ends yields what is left of a name of several words without its first ones;
// one word alone is no name.
func ends(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			_, rest, ok := strings.Cut(name, "_")
			if !ok || !strings.Contains(rest, "_") || !yield(rest) {
				return
			}
			name = rest
		}
	}
}

// isKnown reports whether a name is one of the document or of its server, the
// common prefix put on or left off.
func (s *scanner) isKnown(name string) bool {
	if s.own == nil {
		s.own = nameSet{}
		for _, t := range s.texts {
			s.own.learn(t)
		}
	}
	name = canonical(name)
	if s.own.has(name) || s.names.siblings.has(name) {
		return true
	}
	for rest := range ends(name) {
		if s.own[rest] || s.names.siblings[rest] {
			return true
		}
	}
	return false
}

func (m nameSet) has(name string) bool { _, ok := m[name]; return ok }

// resolve settles what needs neighbours: which names are tools of others, and
// which negations ("do not forget") are none.
func (l *language) resolve(view string, tokens []token, s *scanner) {
	for i := range tokens {
		t := &tokens[i]
		if l.negation.has(t.word) && i+1 < len(tokens) && l.slip.has(tokens[i+1].word) {
			t.word = 0
		}
		if t.flags&(flagURL|flagEmail) != 0 && (i > 0 && l.example.has(tokens[i-1].word)) {
			t.flags &^= flagURL | flagEmail // an example of an address, not an address
		}
		if t.flags&(flagCaps|flagColon) == flagCaps|flagColon && l.isHeading(tokens, i) {
			t.flags |= flagHeading
		}
		if t.flags&(flagIdent|flagQuoted) == 0 || isKey(view, int(t.end)) {
			continue
		}
		beside := l.besideTool(tokens, i)
		if !beside && (t.flags&flagIdent == 0 || t.flags&flagCamel != 0) {
			continue // camelCase alone is a field or a function as often as a tool
		}
		name := view[t.start:t.end]
		if !s.isKnown(name) {
			t.flags |= flagOther
			t.flags |= effectOf(name)
		}
	}
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
func (l *language) besideTool(tokens []token, i int) bool {
	at := func(k int, set wordSet) bool { return k >= 0 && k < len(tokens) && set.has(tokens[k].word) }
	return at(i+1, l.toolNoun) || at(i-1, l.toolNoun) || at(i-1, l.callVerb) ||
		tokens[i].flags&flagCamel != 0 && at(i-1, l.using) || at(i+1, l.toBe) && (at(i+2, l.inUse) || at(i+3, l.inUse))
}

// isHeading reports whether token i ends two or more words in capitals that are
// not of the kind that manuals use ("USAGE NOTES:").
func (l *language) isHeading(tokens []token, i int) bool {
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

	"delete": danger, "remove": danger, "drop": danger, "purge": danger, "wipe": danger, "overwrite": danger, "transfer": danger, "pay": danger,
	"withdraw": danger, "buy": danger, "exec": danger, "execute": danger, "shell": danger, "grant": danger, "revoke": danger, "disable": danger,
}

const danger = flagEffect | flagDanger

func effectOf(name string) (all flag) {
	for part := range strings.SplitSeq(canonical(name), "_") {
		all |= effects[part]
	}
	return all
}
