package finder

import (
	"bytes"
	"slices"

	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// name is what a member name says, about itself and about its value.
type name struct {
	text  []byte // in the JSON text
	plain bool   // as a key it was searched and holds nothing

	read        bool // the rest is filled in
	is          secretname.Naming
	vendors     []int // rules whose word occurs in it
	named, dull bool
	strong      bool // its value may be a word
	private     bool // as a member of a JSON Web Key its value is secret
}

// nameTable holds the names of one JSON text that were met last: the objects of a
// list repeat theirs, and reading one takes as long as reading a short value.
type nameTable [32]name

// at returns the entry of a name. It holds until the next call; the name must stay as
// long as the table is used.
func (t *nameTable) at(text []byte) *name {
	hash := len(text)
	if n := len(text); n > 0 {
		for _, c := range [...]byte{text[0], text[n/3], text[n/2], text[max(0, n-2)], text[n-1]} {
			hash = hash*31 + int(c)
		}
	}
	n := &t[hash%len(t)]
	if !bytes.Equal(n.text, text) {
		*n = name{text: text, vendors: n.vendors[:0]}
	}
	return n
}

// secret returns the rule by which the name alone makes the value a secret, and
// where in the value it begins.
func (n *name) secret(value []byte) (rule string, start int) {
	switch n.is {
	case secretname.NamesNothing:
		return "", 0
	case secretname.NamesHeader:
		if i := bytes.IndexByte(value, ' '); i > 0 && i < 16 {
			start = i + 1
		}
		if rest := value[start:]; len(rest) >= 8 && !secretvalue.StandIn(rest) && !secretvalue.Identifier(rest) && bytes.IndexByte(rest, ' ') < 0 {
			return "named-secret", start
		}
		return "", 0
	case secretname.NamesCookie:
		return "", 0
	}
	if secretname.Convincing(n.is, value) || n.strong && (n.is == secretname.NamesPassword || n.is == secretname.NamesSecret) && secretname.LettersOnly(value) && secretname.WordSecret(nil, value) {
		return ruleOf(n.is, false), 0
	}
	return "", 0
}

// nameOf fills in what a name says about its value, unless that is known.
func (w *Sweep) nameOf(n *name) {
	if n.read {
		return
	}
	n.read = true
	w.scan.reset(w.engine, n.text)
	naming := false
	w.engine.each(n.text, func(u *use, _, _ int) {
		switch u.role {
		case roleWord:
			n.vendors = append(n.vendors, u.rule)
		case roleName:
			naming = true
		case rolePhrase:
			if n.is == secretname.NamesNothing {
				n.is = u.phrase.is
			}
		}
	})
	if naming && n.is == secretname.NamesNothing {
		n.is = secretname.Classify(n.text)
	}
	n.private = len(n.text) <= 2 && slices.Contains(webKeyMembers[:], string(n.text))
	n.strong = n.is != secretname.NamesNothing && secretname.Strong(n.text)
	if len(n.vendors) > 0 {
		n.named, n.dull = secretWord(n.text)
	}
}
