package capability

import (
	"math/bits"
	"strings"
)

// mode is what kind of text is read.
type mode uint8

const (
	nameText  mode = iota // the name of a tool, or an action among the values of a parameter
	prose                 // a description
	parameter             // the description of a parameter: a noun phrase more often than a sentence
	choice                // the same of a parameter that chooses what is done: its list of verbs counts
)

// How many words later a negation, a form of "to be" and "any" still count.
const (
	negationReach = 6
	beingReach    = 3
	anyReach      = 6
)

// clause is the state at one point of a sentence. Whether a word counts depends only
// on earlier words in the same sentence, so that text added later, or in separate
// sentences, removes no evidence.
type clause struct {
	verbs sense
	nouns kind

	expects  bool // a verb may stand here
	agree    bool // as long as it has the form of one before
	row      bool // and stands in a row with it: "create, update and delete"
	verb     bool // the word before was a verb that counted
	start    bool // nothing but adverbs so far
	lead     bool // a gerund may stand here ("for sending")
	forms    form // forms of the verbs that counted
	neg      int
	negWord  bool // the word before was the negation
	being    int
	any      int
	sub      bool // in a subordinate clause, or about somebody else
	relative bool
	purpose  bool // "use this to"
	named    bool // "a tool to"
	somebody bool // the subject is a person
	with     bool // after a preposition that names a means
	looking  bool // a name that starts with a verb of looking
	item     bool // a value of a parameter
	choice   bool // the parameter chooses what is done
	listed   bool // an item of a list of actions
	joined   bool // the word before was "or", "and" or "of"
	first    string
	said     []string

	at     int // how many words of the sentence were read
	verbAt [32]int
	nounAt [64]int
}

func newClause() clause { return clause{expects: true, start: true} }

// text reads one text and records what it says.
func (r *reader) text(place place, m mode, text string) {
	list := m == choice
	if list {
		m = parameter
	}
	r.here = 0
	c := newClause()
	tokens(text, m == nameText, func(t token) {
		if t.gap == sentence {
			c = newClause()
		}
		c.choice, c.item = list, place.index > 0
		c.listed = list && (t.gap != space || c.joined)
		r.word(place, m, &c, t)
	})
}

// maxSaid is how many words of a sentence one passage of evidence quotes.
const maxSaid = 6

func (r *reader) word(place place, m mode, c *clause, t token) {
	c.count()
	c.separator(m, t.gap)
	e := lookup(t.word)
	if c.first != "" {
		if two, ok := lexicon()[c.first+" "+t.word]; ok {
			e.kinds |= two.kinds
		}
	}
	c.first = ""
	if e.pair {
		c.first = t.word
	}
	verb := e.senses != 0 && c.counts(m, e, t)
	if m != nameText {
		c.grammar(m, e, t, verb)
	} else {
		c.nameGrammar(e)
	}
	if verb {
		c.verbs |= e.senses
		r.verbs |= e.senses
		for v := e.senses; v != 0; v &= v - 1 {
			c.verbAt[bits.TrailingZeros32(uint32(v))] = c.at
		}
	}
	kinds := c.object(e.kinds)
	if kinds&anyOf != 0 {
		c.any = anyReach
	}
	c.nouns |= kinds
	r.nouns |= kinds
	for n := kinds; n != 0; n &= n - 1 {
		c.nounAt[bits.TrailingZeros64(uint64(n))] = c.at
	}
	if verb || kinds != 0 {
		if len(c.said) < maxSaid {
			c.said = append(c.said, t.word)
		} else {
			c.said[maxSaid-1] = t.word
		}
		r.fire(place, m, c)
	}
}

func (r *reader) fire(place place, m mode, c *clause) {
	nouns := c.nouns
	if c.any == 0 {
		nouns &^= anyOf
	}
	option := m == parameter && place.field == "description" && !c.choice
	for i := range rules {
		if r.here&(1<<rules[i].class) == 0 && rules[i].fires(c.verbs, nouns) && !(rules[i].main && option) && !(rules[i].option && !option) && rules[i].close(c) {
			r.here |= 1 << rules[i].class
			r.add(rules[i].class, rules[i].id, place, c.said)
		}
	}
	if m != nameText || place.property != "" {
		return
	}
	if c.looking {
		nouns |= lookOnly
	}
	for i := range nameRules {
		if nameRules[i].fires(c.verbs, nouns) {
			r.add(nameRules[i].class, nameRules[i].id, place, c.said)
		}
	}
}

// count advances by one word.
func (c *clause) count() {
	c.at++
	c.neg = max(0, c.neg-1)
	c.being = max(0, c.being-1)
	c.any = max(0, c.any-1)
}

// separator handles the punctuation before a word.
func (c *clause) separator(m mode, g gap) {
	switch g {
	case bracket:
		c.expects = c.expects || c.forms != 0
		c.relative = false
	case comma:
		if c.sub {
			c.sub, c.expects, c.agree = false, true, false
		} else if c.forms != 0 {
			c.expects, c.agree, c.row = true, true, c.verb
		}
		c.relative, c.with, c.somebody = false, false, false
	}
}

// counts reports whether a verb describes what the tool does.
func (c *clause) counts(m mode, e entry, t token) bool {
	if m == nameText {
		return !c.looking && e.form&^participle != 0 && (!c.item || e.form&(bare|third) != 0)
	}
	if t.ident || t.hyphen || c.neg > 0 {
		return false
	}
	here := c.expects && !c.sub
	agrees := func(f form) bool {
		return e.form&f != 0 && here && (!c.agree || c.forms&f != 0 && (c.row || !e.weak))
	}
	switch {
	case e.form&third != 0 && !e.weak && !c.sub && !c.somebody, agrees(third):
		c.forms |= third
	case agrees(bare) && !(m == parameter && e.weak && c.start):
		c.forms |= bare
	case agrees(gerund) && c.agree, e.form&gerund != 0 && c.lead && !c.sub:
		c.forms |= gerund
	case c.listed && e.form&bare != 0:
		c.forms |= bare
	case e.form&participle != 0 && c.being > 0 && (m == parameter || !c.relative && !c.sub):
		c.forms |= participle
	default:
		return false
	}
	return true
}

// grammar updates the state for the next word of prose.
func (c *clause) grammar(m mode, e entry, t token, verb bool) {
	f := e.function
	negWord, afterVerb := c.negWord, c.verb
	c.verb = verb
	c.lead, c.negWord, c.joined = false, false, f&joins != 0 || t.word == "of"
	if f&negates != 0 {
		c.neg, c.negWord = negationReach, true
	}
	if f&onlyWord != 0 && negWord {
		c.neg = 0
	}
	if f&contrasts != 0 {
		c.neg, c.sub, c.expects, c.agree = 0, false, true, false
	}
	c.purpose = c.purpose || f&purpose != 0
	c.named = c.named || f&subject != 0
	c.relative = c.relative || f&relative != 0
	c.with = (c.with || f&instrument != 0) && f&joins == 0
	if f&being != 0 {
		c.being = beingReach
	}
	if f&subordinates != 0 && m == prose {
		c.sub = true
	}
	if f&person != 0 && (!c.expects || m == parameter) {
		c.somebody = true
	}
	c.lead = f&gerundLead != 0 && c.forms == 0 && !c.purpose
	switch {
	case f&joins != 0:
		c.row = afterVerb || c.row && c.expects // "create, and update"
		c.expects, c.agree = c.forms != 0, true
	case f&to != 0:
		c.expects, c.agree = c.purpose || c.named || m == parameter && !c.somebody, false
	case f&modal != 0:
		c.expects, c.agree = !c.somebody, false
	case f&(adverb|onlyWord|person|contrasts) != 0, strings.HasSuffix(t.word, "ly"):
		return // a verb may still follow
	case f&subject != 0:
		c.expects = false
	default:
		c.expects = false
	}
	if f == 0 || verb {
		c.start = false
	}
}

// nameGrammar notices names that begin with a verb of looking: what follows, such
// as order in get_order, is what they look at.
func (c *clause) nameGrammar(e entry) {
	if e.function&joins != 0 {
		c.looking = false
		return
	}
	if c.start && e.senses&(looks|finds) != 0 && e.senses&(executes|changes|sends|pays|deletes|clicks|grants) == 0 {
		c.looking = true
	}
	if e.senses != 0 {
		c.start = false
	}
}

// object returns what a noun stands for at this point: a key that is used to ask
// for something is not given back, and a negated INSERT changes nothing.
func (c *clause) object(k kind) kind {
	if c.with {
		k &^= secret | right
	}
	if c.neg > 0 {
		k &^= modifySQL | anyOf | allOf
	}
	return k
}
