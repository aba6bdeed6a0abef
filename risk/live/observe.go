package live

import (
	"slices"

	"github.com/glovebox-run/glovebox/risk/live/overlap"
)

// Observation is what came of a call: what the caller is about to read.
type Observation struct {
	Server, Tool string
	Call         string // correlation id
	Profile      *Profile
	Text         string // what the caller gets, as text
	// Bounded says that the result was checked against a declared output schema in
	// which no stranger's text has room; see [Bounded].
	Bounded bool
	// Declared is the label that the server sent with the result; nil for none.
	Declared *Label
	// Stored is the label of the object that was read, from whoever wrote it before.
	Stored Label
	// Order says that a scanner found text that tries to direct its reader; Secret that
	// a detector found a secret. Raw is then the result as the server sent it: what of it
	// was kept from the caller is remembered, in case it turns up by another way.
	Order, Secret bool
	Raw           string
}

// Labelled returns the label of a result. Detectors, stored labels and untrusted servers
// only make it worse; a bounded result carries no order, whoever wrote it; a server that
// the operator vouches for may also say that its result is better than usual.
func (o *Observation) Labelled() Label {
	label := o.Profile.Result
	if d := o.Declared; d != nil {
		if o.Profile.TrustedServer {
			label = *d
			if label.Private && len(label.Origins) == 0 {
				label.Origins = []string{o.Server}
			}
		} else {
			label = label.Join(*d)
		}
	}
	label = label.Join(o.Stored)
	if o.Bounded {
		label.Untrusted = false
	}
	if o.Secret {
		label = label.Join(Label{Secret: true, Private: true, Origins: []string{o.Server}})
	}
	if o.Order && !o.Bounded {
		label.Untrusted = true
	}
	return label
}

// Observe remembers a result and returns its label.
func (s *Session) Observe(o *Observation) Label {
	label := o.Labelled()
	for _, t := range o.Texts(label) {
		s.Meet(t)
	}
	return label
}

// Texts returns what a session remembers of the result.
func (o *Observation) Texts(label Label) []Text {
	source := o.Server + "/" + o.Tool
	list := []Text{{Source: source, Call: o.Call, Label: label, Words: o.Text, Order: o.Order}}
	if !o.Secret {
		return list
	}
	if hidden := hiddenMarks(o.Raw, o.Text); len(hidden) > 0 {
		list = append(list, Text{Source: source, Call: o.Call, Label: Label{Private: true, Secret: true, Origins: []string{o.Server}}, Marks: hidden, Hidden: true})
	}
	return list
}

// hiddenMarks returns the marks of what is in raw and not in the text that was passed on.
func hiddenMarks(raw, text string) []overlap.Mark {
	shown := map[uint64]bool{}
	for _, m := range overlap.Marks(nil, text) {
		shown[m.Hash] = true
	}
	return slices.DeleteFunc(overlap.Marks(nil, raw), func(m overlap.Mark) bool { return shown[m.Hash] })
}
