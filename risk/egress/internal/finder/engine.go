package finder

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/glovebox-run/glovebox/risk/egress/internal/automaton"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/present"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

// Engine finds what the rules describe. It is immutable and safe for concurrent
// use. Making one takes about a millisecond, so make it once.
type Engine struct {
	Rules []compiled
	find  index
	// foreign finds the names that have letters beyond ASCII. Few texts have any, and
	// tables for ASCII alone are a quarter of the size.
	foreign index
	ids     map[string]int
}

// index finds strings, each with what to do where it occurs.
type index struct {
	*automaton.Automaton
	uses [][]use // per string
}

// indexing collects strings for an index.
type indexing struct {
	words []string
	known map[string]int
	uses  [][]use
}

func (x *indexing) add(word string, u use) {
	word = foldASCII(word)
	i, ok := x.known[word]
	if !ok {
		if x.known == nil {
			x.known = map[string]int{}
		}
		i = len(x.words)
		x.known[word] = i
		x.words = append(x.words, word)
		x.uses = append(x.uses, nil)
	}
	x.uses[i] = append(x.uses[i], u)
}

func (x *indexing) build() index { return index{automaton.Build(x.words, true), x.uses} }

type compiled struct {
	rules.Rule
	secret  bool             // of the class of credentials
	pattern *pattern.Pattern // nil for what only a detector finds
	regexp  *regexp.Regexp   // of an imported rule
}

// use says what to do where a string of the automaton occurs.
type use struct {
	role     role
	rule     int                   // of roleToken and roleWord
	spelling int                   // of roleToken
	guards   []pattern.Guard       // of roleToken
	detect   func(*scan, int, int) // of roleDetect
	phrase   *phrase               // of rolePhrase
}

type role uint8

const (
	roleToken  role = iota // part of a token
	roleWord               // the name of a vendor: its value may follow
	roleName               // part of the name of a secret: the value may follow
	rolePhrase             // such a name in another language
	roleRegexp             // a keyword of an imported rule
	roleDetect             // something that a detector looks at
)

// NewEngine makes an engine for the rules.
func NewEngine(list []rules.Rule) (*Engine, error) {
	e := &Engine{ids: map[string]int{}}
	var find, foreign indexing
	for i, r := range list {
		if _, twice := e.ids[r.ID]; twice {
			return nil, fmt.Errorf("rule %q: a second rule of this id", r.ID)
		}
		e.ids[r.ID] = i
		c := compiled{Rule: r}
		if c.Kind == "" {
			c.Kind = r.ID
		}
		if c.Class == "" {
			c.Class = rules.Credential
		}
		c.secret = c.Class == rules.Credential
		if r.Regexp != "" {
			re, err := regexp.Compile(r.Regexp)
			if err != nil {
				return nil, fmt.Errorf("rule %q: %w", r.ID, err)
			}
			c.regexp = re
			for _, w := range r.Words {
				find.add(w, use{role: roleRegexp, rule: i})
			}
		}
		if r.Pattern != "" {
			p, err := pattern.Compile(r.Pattern)
			if err != nil {
				return nil, fmt.Errorf("rule %q: %w", r.ID, err)
			}
			c.pattern = p
			for _, w := range r.Words {
				find.add(w, use{role: roleWord, rule: i})
			}
			if len(r.Words) == 0 {
				for spelling, literal := range p.Literals() {
					if literal == "" {
						return nil, fmt.Errorf("rule %q: without words the pattern needs a literal to be found by", r.ID)
					}
					find.add(literal, use{role: roleToken, rule: i, spelling: spelling, guards: p.Guards(spelling)})
				}
			}
		}
		e.Rules = append(e.Rules, c)
	}
	for _, w := range nameWords {
		find.add(w, use{role: roleName})
	}
	for i := range phrases {
		for _, w := range phrases[i].spellings() {
			x := &find
			if present.In([]byte(w)).Has(present.Beyond) {
				x = &foreign
			}
			x.add(w, use{role: rolePhrase, phrase: &phrases[i]})
		}
	}
	for _, d := range detectors {
		for _, w := range d.words {
			find.add(w, use{role: roleDetect, detect: d.detect})
		}
	}
	e.find, e.foreign = find.build(), foreign.build()
	return e, nil
}

// foldASCII is what the automaton does to its strings and to the text.
func foldASCII(word string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, word)
}
