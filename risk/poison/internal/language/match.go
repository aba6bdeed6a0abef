package language

import "math/bits"

// signal is one pattern that matched: tokens first to last, of one rule.
type signal struct {
	rule        uint16
	first, last int32
}

// signals matches the patterns of one kind at every token. The work at a token
// is bounded by the number of patterns and maxSpan, so the whole is linear.
func (l *grammar) signals(s *starts, tokens []token, found []signal) []signal {
	var has trait
	for i, end := 0, -1; i < len(tokens); i++ {
		t := &tokens[i]
		if i > end {
			has, end = l.sentence(tokens, i), int(t.last)
		}
		for _, at := range s.byWord[t.word] {
			if has.holds(at.rare) && has.holds(at.next) {
				found = l.try(at.pattern, &has, tokens, i, found)
			}
		}
		if t.flags == 0 {
			continue
		}
		for _, f := range s.byFlag {
			// A token that fits by its word as well was tried by it.
			if f.flags&t.flags != 0 && !l.patterns[f.pattern].elements[0].all[0].words.has(t.word) {
				found = l.try(f.pattern, &has, tokens, i, found)
			}
		}
	}
	return found
}

func (l *grammar) try(n uint16, has *trait, tokens []token, i int, found []signal) []signal {
	p := &l.patterns[n]
	if !has.has(&p.needs) {
		return found
	}
	if last := p.match(tokens, i); last >= 0 {
		found = append(found, signal{p.rule, int32(i), int32(last)})
	}
	return found
}

// match reports the last token of the shortest match of p that starts at token
// i, or -1. It walks all partial matches at once: bit k of at says that token
// i+k can be the place of the current element.
func (p *pattern) match(tokens []token, i int) int {
	if !p.elements[0].matches(&tokens[i]) {
		return -1
	}
	end := min(int(tokens[i].last)-i, maxSpan-1)
	at := uint64(1)
	for n := range p.elements[1:] {
		e := &p.elements[n+1]
		reach := at << 1
		for range e.gap {
			reach |= reach << 1
		}
		at = 0
		for ; reach != 0; reach &= reach - 1 {
			k := bits.TrailingZeros64(reach)
			if k > end {
				break
			}
			if e.matches(&tokens[i+k]) {
				at |= 1 << k
			}
		}
		if at == 0 {
			return -1
		}
	}
	return i + bits.TrailingZeros64(at)
}

// How far behind a negation ("never", "do not") a deed is still negated.
const negationReach = 3

// How far behind "detects" what follows is what is looked for.
const mentionReach = 20

// holds reports whether a signal means what it says: a rule that is affirmed does
// not stand behind a negation, and a wording that is only quoted by a tool that
// looks for it is a mention, not a use.
func (l *grammar) holds(tokens []token, s signal) bool {
	r := &l.rules[s.rule]
	reach := negationReach
	if l.without.has(tokens[s.first].word) {
		reach = mentionReach // "never merge without asking" asks for what it seems to deny
	}
	if (r.group == sensitive || r.group == exfil) && s.first > 0 && l.passive.has(tokens[s.first-1].word) {
		return false // "credentials are read from": how it works, not what to do
	}
	detects, examples, quoted := false, false, true
	if l.isExample(tokens, int(s.first)) {
		for i := s.first; i <= s.last && quoted; i++ {
			quoted = tokens[i].flags&flagQuoted != 0
		}
		if quoted {
			return false // texts such as "ignore previous instructions"
		}
		quoted = true
	}
	for i := s.first; i <= s.last; i++ {
		quoted = quoted && tokens[i].flags&flagQuoted != 0
	}
	for i, n := s.first-1, 0; i >= 0 && tokens[i].last == tokens[s.first].last && n < mentionReach; i, n = i-1, n+1 {
		w := tokens[i].word
		if n < reach && r.affirmed && (l.negation.has(w) || l.hypothetical.has(w)) {
			return false
		}
		if l.example.has(w) && !examples {
			examples = true
			continue // one word is not both the search and its object
		}
		detects = detects || l.detection.has(w)
	}
	if r.group == command && examples {
		return false // "destructive commands such as rm -rf"
	}
	return !detects || !quoted && !(examples && r.group == override)
}
