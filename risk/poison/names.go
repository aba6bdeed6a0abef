package poison

import (
	"iter"
	"strings"

	"github.com/glovebox-run/glovebox/risk/poison/internal/language"
)

// Names holds the tool names that texts may mention. A sentence such as "call X
// first" is documentation if X is a tool of the same server and an intrusion if not.
type Names struct {
	siblings nameSet
	foreign  nameSet
	others   []string // as given, for the reference pattern
}

// NewNames takes in all tools of one server and, where known, the tools of the
// other servers that the same model can call. One Names serves all scans of the
// tools of that server.
func NewNames(siblings, others []string) *Names {
	n := &Names{nameSet{}, nameSet{}, others}
	for _, name := range others {
		n.foreign.add(name)
	}
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

// schemaWords are member names of nearly every schema; they are never meant as names.
var schemaWords = map[string]bool{"name": true, "title": true, "description": true, "inputSchema": true, "type": true, "properties": true, "items": true, "required": true,
	"default": true, "enum": true, "anyOf": true, "additionalProperties": true, "minimum": true, "maximum": true, "format": true, "annotations": true, "$schema": true}

// add adds a name and its ends: a server may leave its common prefix off when it
// speaks of jira_get_issue as get_issue.
func (m nameSet) add(name string) {
	if strings.IndexByte(name, ' ') >= 0 {
		return
	}
	name = language.Canonical(name)
	m[name] = true
	for rest := range ends(name) {
		if !m[rest] {
			m[rest] = false
		}
	}
}

// ends yields the endings of a name of several words, without its first words; a
// single word is not a name.
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

// owner returns the owner of a name: the document or its server, with or without
// the common prefix, or another server.
func (s *scanner) owner(name string) language.Owner {
	if s.own == nil {
		s.learn()
	}
	name = language.Canonical(name)
	if s.own.has(name) || s.names.siblings.has(name) {
		return language.Own
	}
	for rest := range ends(name) {
		if s.own[rest] || s.names.siblings[rest] {
			return language.Own
		}
	}
	if s.names.foreign[name] {
		return language.Foreign
	}
	return language.Unknown
}

func (m nameSet) has(name string) bool { _, ok := m[name]; return ok }
