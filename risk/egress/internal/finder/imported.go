package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// importedWindow is how far, in bytes, a match of an imported rule may reach from
// its keyword. Regular expressions read 20 MB a second or less; a window keeps
// them from the rest of the text. gitleaks' own expressions allow 70 bytes before
// a keyword, and most secrets have less than 200.
const importedWindow = 256

// imported searches for a rule's expression around one of its keywords.
func (s *scan) imported(rule, start, end int) {
	if s.importedDone == nil {
		s.importedDone = map[int]int{}
	}
	// What the last window covered with room to spare is not searched again.
	if end+importedWindow/2 <= s.importedDone[rule] {
		return
	}
	from, to := max(0, start-importedWindow), min(len(s.text), end+importedWindow)
	s.importedDone[rule] = to
	r := &s.engine.Rules[rule]
	for _, m := range r.regexp.FindAllSubmatchIndex(s.text[from:to], -1) {
		group := r.Group
		for g := 1; group == 0 && g < len(m)/2; g++ {
			if m[2*g] >= 0 {
				group = g
			}
		}
		if 2*group+1 >= len(m) || m[2*group] < 0 {
			group = 0
		}
		value, match := s.text[from+m[2*group]:from+m[2*group+1]], s.text[from+m[0]:from+m[1]]
		if len(value) > 0 && secretvalue.Entropy(value) >= r.Entropy && !r.allows(value, match) {
			s.add(rule, from+m[2*group], from+m[2*group+1])
		}
	}
}

// allows reports whether an allowlist of an imported rule lets a find pass.
func (r *compiled) allows(value, match []byte) bool {
	for _, re := range r.AllowValue {
		if re.Match(value) {
			return true
		}
	}
	for _, re := range r.AllowMatch {
		if re.Match(match) {
			return true
		}
	}
	if len(r.AllowWords) == 0 {
		return false
	}
	folded := bytes.ToLower(value)
	for _, w := range r.AllowWords {
		if bytes.Contains(folded, []byte(w)) {
			return true
		}
	}
	return false
}
