package order

import (
	"maps"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/capability"
)

// Deed is what a tool does, in words: to be compared with requests.
type Deed struct {
	name    string          // as it is called, in lower case
	verbs   map[string]bool // that ask for it
	asked   map[string]bool // those that ask for it without its name
	sorted  []string        // the verbs
	objects []string        // what it is about
	says    bool            // it says something to somebody, and does nothing else
	fetches bool            // it gets something, and does nothing else but to keep it
}

// synonyms are verbs that ask for tools of a class, in the base form. They are what
// people write in mails, chats and tickets, not a list of attacks; the classes are those
// of package capability.
var synonyms = map[capability.Class]string{
	capability.Send:      "send forward email mail message share post reply tell notify text publish submit write inform upload deliver report announce invite remind",
	capability.Pay:       "pay transfer send wire remit buy purchase order donate refund charge book reserve settle subscribe top move",
	capability.Delete:    "delete remove erase drop clear cancel purge wipe discard clean unsubscribe",
	capability.Destroy:   "delete remove erase drop clear destroy purge wipe discard clean reset",
	capability.Grant:     "grant give allow share invite add make authorize authorise permit enable approve let unlock open promote set",
	capability.Change:    "update change set modify edit make replace add create rename move adjust schedule book reserve register save store insert enter put assign reschedule cancel turn",
	capability.WriteFile: "write save create append store edit update add put download copy overwrite",
	capability.Fetch:     "visit open go browse click fetch get check read follow load navigate download look access retrieve",
	capability.RunShell:  "run execute start launch install type enter open",
	capability.RunCode:   "run execute evaluate compute start",
	capability.RunSQL:    "run execute query delete drop update insert select",
	capability.Operate:   "click open press type fill enter select submit navigate go visit scroll",
	capability.Actuate:   "turn switch set open close unlock lock start stop activate deactivate enable disable adjust move give",
}

// light are verbs that say nothing without their noun: "make a reservation".
var light = words("make do place perform carry initiate issue execute complete create set")

// calls are verbs that ask for a tool by its name.
var calls = words("use call invoke run execute trigger")

// harmless are classes that a deed may have beside what it is for: it may look at what the
// service keeps, and keep what it sent or got.
var harmless = []capability.Class{capability.Compute, capability.Read, capability.ReadFile, capability.SearchWeb, capability.Change, capability.WriteFile}

// only reports whether a deed is of a class and of no other that counts.
func only(classes []capability.Class, c capability.Class) bool {
	return slices.Contains(classes, c) && !slices.ContainsFunc(classes, func(other capability.Class) bool {
		return other != c && !slices.Contains(harmless, other)
	})
}

// Says reports whether the deed is to say something to somebody, and no more.
func (d Deed) Says() bool { return d.says }

// Fetches reports whether the deed is to get something and perhaps to keep it, and no
// more.
func (d Deed) Fetches() bool { return d.fetches }

// idle are words of names that say nothing about what a tool is for.
var idle = words("a an the of to for in on by from with and or my all new get list tool api mcp data info information item items")

// NewDeed reads the deed of a tool from its name and the classes that its definition
// gives it.
func NewDeed(name string, classes []capability.Class) Deed {
	d := Deed{name: strings.ToLower(name), verbs: map[string]bool{}}
	for _, w := range capability.Words(name) {
		w = strings.ToLower(w)
		if len(w) < 2 || idle[w] {
			continue
		}
		d.verbs[w] = true
		if s := stem(w); !slices.Contains(d.objects, s) {
			d.objects = append(d.objects, s)
		}
	}
	for _, c := range classes {
		for _, w := range strings.Fields(synonyms[c]) {
			d.verbs[w] = true
		}
	}
	for w := range light {
		d.verbs[w] = true
	}
	d.says, d.fetches = only(classes, capability.Send), only(classes, capability.Fetch)
	d.asked = maps.Clone(d.verbs)
	for w := range calls {
		d.verbs[w] = true
	}
	d.sorted = slices.Sorted(maps.Keys(d.verbs))
	return d
}

// stem cuts the endings of the plural and of the past, so that "emails" is "email".
func stem(w string) string {
	for _, suffix := range [...]string{"ies", "ing", "ed", "es", "s"} {
		if rest, ok := strings.CutSuffix(w, suffix); ok && len(rest) >= 3 {
			return rest
		}
	}
	return strings.TrimSuffix(w, "e")
}

// Strength says how plainly a sentence asks for a deed.
type Strength uint8

const (
	Silent Strength = iota // it asks for something else, or for nothing
	Verb                   // its verb asks for such a deed
	Object                 // and one thing that the deed is about stands with it
	Plain                  // and a value of the call, or all that the deed is about
	Named                  // the tool is called by its name
)

// nearby is how many bytes around a request belong to it: what is to be sent often
// stands in the next sentence.
const nearby = 300

// Asks returns how plainly a request asks for a deed with these values. Only the text
// around the request counts.
func (d Deed) Asks(text string, r Request, values []string) Strength {
	start, end := max(r.Start, r.At-nearby/2), min(r.Field, max(r.End, r.At+nearby), r.At+2*nearby)
	around := strings.ToLower(text[start:end])
	if d.names(around) {
		return Named
	}
	if calls[r.Verb] && !d.asked[r.Verb] {
		return Silent
	}
	sentence := around[r.At-start:]
	sentence = sentence[:min(len(sentence), r.End-r.At)]
	about, rest := 0, 0
	for _, o := range d.objects {
		if o == stem(r.Verb) {
			continue
		}
		rest++
		if hasWord(sentence, o) {
			about++
		}
	}
	if light[r.Verb] && about == 0 {
		return Silent
	}
	for _, v := range values {
		where := around
		if len(v) < minOwn {
			where = sentence
		}
		if len(v) >= 2 && !strings.EqualFold(v, r.Verb) && hasValue(where, strings.ToLower(v)) {
			return Plain
		}
	}
	switch {
	case about >= 2 || about == 1 && rest == 1:
		return Plain
	case about == 1:
		return Object
	}
	return Verb
}

// minOwn is how long a value is, in bytes, that stands for itself wherever it is. "13"
// has to stand in the very sentence.
const minOwn = 5

// names reports whether a text calls the tool by its name. A name of one word is any
// word.
func (d Deed) names(text string) bool {
	return len(d.objects) > 1 && strings.Contains(text, d.name)
}

// hasWord reports whether a word of a text begins with a stem.
func hasWord(text, stem string) bool {
	for i := 0; ; {
		n := strings.Index(text[i:], stem)
		if n < 0 {
			return false
		}
		if i += n; i == 0 || !letter(text[i-1]) {
			return true
		}
		i += len(stem)
	}
}

// hasValue reports whether a value stands in a text as a word of its own.
func hasValue(text, value string) bool {
	for i := 0; i < len(text); {
		n := strings.Index(text[i:], value)
		if n < 0 {
			return false
		}
		i += n
		end := i + len(value)
		if (i == 0 || !alnum(text[i-1])) && (end == len(text) || !alnum(text[end])) && !partOfNumber(text, i, end) {
			return true
		}
		i = end
	}
	return false
}

// Verbs returns the verbs that ask for the deed with these values. A value can be one:
// a tool whose argument says what is done, such as {"action": "delete"}.
func (d Deed) Verbs(values []string) []string {
	list := slices.Clip(d.sorted)
	for _, v := range values {
		if v = strings.ToLower(v); len(v) > 2 && len(v) <= maxVerb && !d.verbs[v] && !strings.ContainsFunc(v, func(r rune) bool { return r < 'a' || r > 'z' }) && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// partOfNumber reports whether digits are part of a date, a time or an amount: the 11 in
// 2024-05-11 names nothing.
func partOfNumber(text string, start, end int) bool {
	joined := func(i, j int) bool {
		return i >= 0 && j >= 0 && i < len(text) && j < len(text) && strings.IndexByte("-:./,", text[i]) >= 0 && text[j] >= '0' && text[j] <= '9'
	}
	c := text[start]
	return c >= '0' && c <= '9' && (joined(start-1, start-2) || joined(end, end+1))
}
