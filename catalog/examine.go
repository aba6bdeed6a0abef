package catalog

import (
	"slices"
	"strings"
)

// Examine reports everything that [Parse] does, what [Spec.Resolve] would reject,
// and the findings of more. It also examines the readable parts of a document that
// has problems already, so that an author need not repair one layer to see the
// next. more may be nil; its findings about a place with a known error are
// dropped. The Spec is nil if there is anything but warnings.
func Examine(data []byte, b Baseline, c Ceiling, more func(*Spec) Problems) (*Spec, Problems) {
	r := readDocument(data)
	problems := r.done()
	if !r.readable {
		return nil, problems
	}
	_, _, rejected := r.spec.Resolve(b, c, SourceUser)
	problems = append(problems, rejected...)
	if more != nil {
		known := len(problems)
		for _, p := range more(r.spec) {
			at := func(e Problem) bool { return overlap(e.Pointer, p.Pointer) }
			if !slices.ContainsFunc(problems[:known], at) {
				problems = append(problems, p)
			}
		}
	}
	fillPositions(r.text, problems)
	if problems.Err() != nil {
		return nil, problems
	}
	return r.spec, problems
}

// overlap reports whether two pointers name the same value, or one names a part of
// the other.
func overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}
