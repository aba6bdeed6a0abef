package capability

import "math/bits"

// Evidence is one passage that says what a tool can do.
type Evidence struct {
	Class Class  `json:"class"`
	Rule  string `json:"rule"`
	Place string `json:"place"` // JSON pointer into the definition
	Words string `json:"words"` // the words that were put together, as they were read
}

// A Reading is what a definition says about its tool. The zero value has no
// evidence, which does not mean harmless: Sink, Source and Reversible then assume
// the worst.
type Reading struct {
	// Evidence holds one passage for each class and place, worst class first.
	Evidence  []Evidence
	Arguments []Argument

	classes uint32
}

// maxEvidence is how many passages a reading keeps. Classes found later still
// count; only their passages are left out.
const maxEvidence = 64

// Has reports whether there is evidence for a class.
func (r Reading) Has(c Class) bool { return c < classCount && r.classes&(1<<c) != 0 }

// Worst returns the last class with evidence, in the order of the table.
func (r Reading) Worst() Class {
	if r.classes == 0 {
		return Unknown
	}
	return Class(bits.Len32(r.classes) - 1)
}

// Classes returns the classes with evidence, worst first.
func (r Reading) Classes() []Class {
	var list []Class
	for c := classCount - 1; c > Unknown; c-- {
		if r.Has(c) {
			list = append(list, c)
		}
	}
	return list
}

// Why returns the first passage for a class.
func (r Reading) Why(c Class) Evidence {
	for _, e := range r.Evidence {
		if e.Class == c {
			return e
		}
	}
	return Evidence{Class: c}
}

// Sink returns the farthest sink of all classes.
func (r Reading) Sink() Sink {
	if r.classes == 0 {
		return Unknown.Row().Sink
	}
	worst := NoSink
	for _, c := range r.Classes() {
		worst = max(worst, c.Row().Sink)
	}
	return worst
}

// Source returns everything that an answer may hold.
func (r Reading) Source() Source {
	if r.classes == 0 {
		return Unknown.Row().Source
	}
	var all Source
	for _, c := range r.Classes() {
		all |= c.Row().Source
	}
	return all
}

// Reversible reports whether everything that the tool can do can be undone.
func (r Reading) Reversible() bool {
	for _, c := range r.Classes() {
		if !c.Row().Reversible {
			return false
		}
	}
	return r.classes != 0
}
