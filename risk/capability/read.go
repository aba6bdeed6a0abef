package capability

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// place is where a text stands in a definition.
type place struct {
	property string // what the text belongs to, "" for the tool itself
	field    string
	index    int // of a value of an enum, counted from 1
}

func (p place) pointer() string {
	at := p.property + "/" + p.field
	if p.index > 0 {
		at += "/" + strconv.Itoa(p.index-1)
	}
	return at
}

// reader collects what one definition says.
type reader struct {
	reading Reading
	seen    map[seenKey]bool
	here    uint32 // classes with evidence in the text that is being read
	verbs   sense  // of all texts
	nouns   kind
	about   kind // of the name, title and description alone
}

type seenKey struct {
	class Class
	place place
}

func (r *reader) add(c Class, rule string, p place, words []string) {
	r.reading.classes |= 1 << c
	if len(r.reading.Evidence) >= maxEvidence {
		return
	}
	key := seenKey{c, p}
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	r.reading.Evidence = append(r.reading.Evidence, Evidence{Class: c, Rule: rule, Place: p.pointer(), Words: strings.Join(words, " ")})
}

// Of reads a definition. It takes time linear in the definition's text and does
// not fail: unreadable parts give no evidence.
func Of(d Definition) Reading {
	r := &reader{seen: map[seenKey]bool{}}
	r.text(place{field: "name"}, nameText, d.Name)
	r.text(place{field: "title"}, prose, d.Title)
	r.text(place{field: "description"}, prose, d.Description)
	r.about = r.nouns
	ps := d.parameters()
	for i := range ps {
		r.parameter(&ps[i])
	}
	r.arguments(ps)
	slices.SortStableFunc(r.reading.Evidence, func(a, b Evidence) int { return cmp.Compare(b.Class, a.Class) })
	return r.reading
}
