package frame

import "math/bits"

// Set is a set of concepts, of which there may be 128.
type Set struct{ low, high uint64 }

// Of makes a set.
func Of(all ...Concept) (s Set) {
	for _, c := range all {
		s.Add(c)
	}
	return s
}

// Add puts c into s.
func (s *Set) Add(c Concept) {
	if c < 64 {
		s.low |= 1 << c
	} else {
		s.high |= 1 << (c - 64)
	}
}

// Has reports whether c is in s.
func (s Set) Has(c Concept) bool {
	if c < 64 {
		return s.low>>c&1 != 0
	}
	return s.high>>(c-64)&1 != 0
}

// Empty reports whether nothing is in s.
func (s Set) Empty() bool { return s.low|s.high == 0 }

// Any reports whether one of other is in s.
func (s Set) Any(other Set) bool { return s.low&other.low|s.high&other.high != 0 }

// Or is what is in s or in other.
func (s Set) Or(other Set) Set { return Set{s.low | other.low, s.high | other.high} }

// And is what is in both.
func (s Set) And(other Set) Set { return Set{s.low & other.low, s.high & other.high} }

// Without is what is in s and not in other.
func (s Set) Without(other Set) Set { return Set{s.low &^ other.low, s.high &^ other.high} }

// Len is how many concepts are in s.
func (s Set) Len() int { return bits.OnesCount64(s.low) + bits.OnesCount64(s.high) }

// Each yields the concepts in order.
func (s Set) Each(yield func(Concept) bool) {
	for low := s.low; low != 0; low &= low - 1 {
		if !yield(Concept(bits.TrailingZeros64(low))) {
			return
		}
	}
	for high := s.high; high != 0; high &= high - 1 {
		if !yield(Concept(64 + bits.TrailingZeros64(high))) {
			return
		}
	}
}
