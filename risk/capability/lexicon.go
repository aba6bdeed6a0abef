package capability

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// sense is the set of meanings of a verb: an everyday word has several.
type sense uint32

const (
	deletes   sense = 1 << iota // something is gone
	removes                     // something is gone if it is data, not if it is white space
	changes                     // creates or changes something that stays
	adds                        // changes something if it is data: adding numbers is not
	writes                      // stores text
	sends                       // hands something to others
	executes                    // runs what it is given
	opens                       // starts something
	posts                       // puts a message where others see it, or is the HTTP method
	drops                       // deletes a table; also lets go of what is dragged
	runs                        // runs, which a report or a query also does
	evaluates                   // computes what it is given, which may be code
	pays                        // spends money
	transfers                   // moves what it is given, which may be money
	grants                      // changes who may do what
	shares                      // shows something to more people
	clicks                      // operates a screen
	types                       // the same, if there is a screen
	actuates                    // moves or switches a thing
	sets                        // gives something a value
	makes                       // makes something so
	turns                       // switches or moves something, if it is a thing
	admits                      // lets somebody in or keeps somebody out
	fetches                     // gets something that is somewhere else
	reveals                     // gives something back
	looks                       // looks at something
	finds                       // looks for something
	computes                    // computes an answer
	reserves                    // books something that usually costs money
)

// kind is the set of meanings of a noun.
type kind uint64

const (
	shell kind = 1 << iota
	program
	sqlNoun
	database
	secret
	address
	web
	file
	money
	priced // what is booked
	keeper // where secrets are kept
	right  // permissions, roles
	everybody
	screen
	device
	message
	data
	anyOf       // "any", "arbitrary"
	allOf       // "all", "whole", "permanently"
	readOnly    // "read-only", SELECT
	modifySQL   // INSERT, UPDATE, DROP in a text about SQL
	lookOnly    // a word that makes what follows a thing that is looked at
	strongSell  // shell names that say enough by themselves
	number      // arithmetic
	account     // of a payee
	session     // an interactive shell
	dbObject    // what DROP is said of
	queryWord   // "query", which is no statement without a database
	request     // an HTTP request
	commandLine // what a parameter holds if it says so
	call        // a phone call
	principal   // a person's account
	ddl         // statements that define tables
	matter      // what is opened for somebody to work on
	decrypted   // no longer protected
)

// form is the grammatical form of a verb.
type form uint8

const (
	bare       form = 1 << iota // delete
	third                       // deletes
	gerund                      // deleting
	participle                  // deleted
)

// A verb that is also a noun (post, order, update) is weak: it counts only where
// a verb must stand.
type entry struct {
	senses   sense
	form     form
	weak     bool
	kinds    kind
	function function
	pair     bool // some pair of words starts with it
}

// function is the effect of a grammatical word on the words after it.
type function uint16

const (
	negates function = 1 << iota
	onlyWord
	joins
	adverb
	subject
	modal
	purpose
	to
	subordinates
	relative
	being
	instrument
	contrasts
	gerundLead
	person
)

// English verbs. "*" marks those that are also nouns or adjectives.
var englishVerbs = map[sense]string{
	deletes:           "del* delete erase purge wipe destroy truncate uninstall shred expunge obliterate nuke deprovision decommission rmdir unlink",
	removes | changes: "terminate kill discard evict prune dismiss unregister",
	removes:           "remove clear* empty* forget strip cleanup",
	changes:           "transfer* create update* modify edit* insert upsert overwrite rename upload* publish push* submit deploy approve reject reopen enable disable activate deactivate archive* restore* install configure alter resolve* subscribe unsubscribe fork* schedule* cancel* confirm* deny reinvite join leave* start* stop* restart* pause* resume* trigger* provision scale* toggle adjust sync synchronize migrate rotate reassign unassign assign detach attach reply* comment* react vote* close* complete* initialize bootstrap rollback revert* undo mutate manipulate manage import* commit* save* move* upscale finalize accept* decline mute unmute pin* unpin rebase checkout* stash* patch* reset* transition* store* apply* allocate* order* revoke lock* unlock",
	changes | writes:  "write append",
	adds:              "add append put* merge* replace* link* tag* register* set* copy* generate",
	sends:             "send email* mail* notify broadcast dispatch transmit tweet* forward* deliver exfiltrate fax*",
	executes:          "execute exec spawn invoke eval",
	runs:              "run*",
	opens:             "launch* start* open*",
	posts:             "post*",
	drops:             "drop*",
	evaluates:         "evaluate inject* compile",
	pays:              "pay purchase* buy donate reimburse prepay charge* tip*",
	transfers:         "transfer* withdraw deposit* wire* send move* swap* stake* bridge* settle payout* trade* refund*",
	reserves:          "book* reserve* place* submit confirm",
	grants:            "grant* authorize authorise impersonate elevate escalate promote* demote chmod chown sudo",
	shares:            "share* invite* expose publish",
	clicks:            "click* tap* hover scroll* drag* fill* navigate press* swipe* focus*",
	types:             "type* select* check* uncheck upload* choose resize* close* handle* switch* go* emulate open* wait* submit enter* perform act* carry automate drop*",
	actuates:          "actuate dim* disarm arm* brew ignite",
	sets:              "set* assign give* revoke add update* change* modify edit* create make* apply* reset* bind attach replace* extend rotate",
	makes:             "make* set* change* turn*",
	turns:             "turn* open* close* start* stop* control* manage toggle adjust lock* unlock switch* set* change* put* enable disable activate deactivate raise* lower* ring* dispense feed* print* drive* steer heat* cool* spin*",
	admits:            "lock* unlock enable disable activate deactivate suspend ban* unban block* unblock",
	fetches:           "fetch scrape crawl download* browse visit* load* open* navigate extract pull*",
	reveals:           "get read show* return* reveal retrieve fetch display* export* dump* print* decrypt expose extract copy* lookup look* give* list* obtain disclose leak unseal view* output* recover",
	looks:             "get read show* list* return* retrieve fetch view* describe check* inspect monitor analyze analyse count* see display* watch* preview* browse examine review* track* load* query* summarize take* compare snapshot* screenshot* provide access* lookup",
	finds:             "search* find query* look* discover locate",
	computes:          "compute calculate convert encode decode hash* sort* format* parse validate* count* translate transform* compare round* sum* add multiply divide subtract filter* split* join summarize normalize tokenize reverse* think*",
}

// irregular lists third person, gerund and participle where the rules fail.
var irregular = map[string][3]string{
	"write": {"writes", "writing", "written"}, "overwrite": {"overwrites", "overwriting", "overwritten"},
	"send": {"sends", "sending", "sent"}, "pay": {"pays", "paying", "paid"}, "prepay": {"prepays", "prepaying", "prepaid"},
	"buy": {"buys", "buying", "bought"}, "run": {"runs", "running", "run"}, "set": {"sets", "setting", "set"},
	"put": {"puts", "putting", "put"}, "give": {"gives", "giving", "given"}, "make": {"makes", "making", "made"},
	"get": {"gets", "getting", "got"}, "read": {"reads", "reading", "read"}, "drop": {"drops", "dropping", "dropped"},
	"submit": {"submits", "submitting", "submitted"}, "commit": {"commits", "committing", "committed"},
	"stop": {"stops", "stopping", "stopped"}, "tap": {"taps", "tapping", "tapped"}, "drag": {"drags", "dragging", "dragged"},
	"chmod": {"chmods", "chmodding", "chmodded"}, "forget": {"forgets", "forgetting", "forgotten"},
	"find": {"finds", "finding", "found"}, "show": {"shows", "showing", "shown"}, "see": {"sees", "seeing", "seen"},
	"undo": {"undoes", "undoing", "undone"}, "leave": {"leaves", "leaving", "left"}, "transfer": {"transfers", "transferring", "transferred"},
	"withdraw": {"withdraws", "withdrawing", "withdrawn"}, "swap": {"swaps", "swapping", "swapped"}, "unpin": {"unpins", "unpinning", "unpinned"},
	"pin": {"pins", "pinning", "pinned"}, "leak": {"leaks", "leaking", "leaked"}, "go": {"goes", "going", "gone"},
	"log": {"logs", "logging", "logged"}, "tip": {"tips", "tipping", "tipped"}, "strip": {"strips", "stripping", "stripped"},
	"exec": {"execs", "execing", "execed"}, "dim": {"dims", "dimming", "dimmed"}, "tag": {"tags", "tagging", "tagged"},
	"shred": {"shreds", "shredding", "shredded"}, "split": {"splits", "splitting", "split"}, "mutate": {"mutates", "mutating", "mutated"},
}

// englishForms returns the third person, the gerund and the participle.
func englishForms(verb string) [3]string {
	if forms, ok := irregular[verb]; ok {
		return forms
	}
	n := len(verb)
	last, before := verb[n-1], verb[max(0, n-2)]
	vowel := strings.IndexByte("aeiou", before) >= 0
	switch {
	case last == 'e' && before != 'e':
		return [3]string{verb + "s", verb[:n-1] + "ing", verb + "d"}
	case last == 'y' && !vowel:
		return [3]string{verb[:n-1] + "ies", verb + "ing", verb[:n-1] + "ied"}
	case last == 's' || last == 'x' || last == 'z' || strings.HasSuffix(verb, "sh") || strings.HasSuffix(verb, "ch"):
		return [3]string{verb + "es", verb + "ing", verb + "ed"}
	}
	return [3]string{verb + "s", verb + "ing", verb + "ed"}
}

// lexicon holds every word that means something here, in folded form. It is made when the first
// definition is read: 2.6 ms and a megabyte for every command that reads none.
var lexicon = sync.OnceValue(buildLexicon)

// glued holds the words of scripts without spaces by their first letter, longest
// first.
var glued = sync.OnceValue(func() map[rune][]string { return buildGlued(lexicon()) })

func buildLexicon() map[string]entry {
	words := map[string]entry{}
	put := func(word string, change func(*entry)) {
		for _, spelling := range spellings(word) {
			e := words[spelling]
			change(&e)
			words[spelling] = e
		}
	}
	for s, list := range englishVerbs {
		for verb := range strings.FieldsSeq(list) {
			verb, weak := strings.CutSuffix(verb, "*")
			add := func(word string, f form, weak bool) {
				put(word, func(e *entry) { e.senses |= s; e.form |= f; e.weak = e.weak || weak })
			}
			forms := englishForms(verb)
			add(verb, bare, weak)
			add(forms[0], third, weak)
			add(forms[1], gerund, false)
			add(forms[2], participle, false)
		}
	}
	for s, list := range foreignVerbs {
		for word := range strings.FieldsSeq(list) {
			put(word, func(e *entry) { e.senses |= s; e.form |= third })
		}
	}
	for k, list := range nouns {
		for word := range strings.FieldsSeq(list) {
			if first, second, ok := strings.Cut(word, "+"); ok {
				put(first, func(e *entry) { e.pair = true })
				word = first + " " + second
			}
			put(word, func(e *entry) { e.kinds |= k })
		}
	}
	for f, list := range functionWords {
		for word := range strings.FieldsSeq(list) {
			put(word, func(e *entry) { e.function |= f })
		}
	}
	return words
}

// spellings returns the folded form of a word, and for words with umlauts also
// the one that is written out (löschen, loeschen).
func spellings(word string) []string {
	list := []string{fold(word)}
	if written := umlauts.Replace(word); written != word {
		list = append(list, fold(written))
	}
	return list
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")

func buildGlued(words map[string]entry) map[rune][]string {
	byFirst := map[rune][]string{}
	for word := range words {
		if spaceless(word) {
			r, _ := utf8.DecodeRuneInString(word)
			byFirst[r] = append(byFirst[r], word)
		}
	}
	return byFirst
}

// longestPrefix returns the length in bytes of the longest known word that rest
// starts with.
func longestPrefix(rest string) int {
	r, _ := utf8.DecodeRuneInString(rest)
	longest := 0
	for _, word := range glued()[r] {
		if len(word) > longest && strings.HasPrefix(rest, word) {
			longest = len(word)
		}
	}
	return longest
}

// minSuffix is the shortest last part, in bytes, that a compound such as
// Zugriffsrechte or Berichtsdatenbank is read by.
const minSuffix = 5

// maxCompound bounds the search for a compound's last part, in bytes.
const maxCompound = 40

// lookup returns what is known about a word.
func lookup(word string) entry {
	if e, ok := lexicon()[word]; ok {
		return e
	}
	if len(word) >= minSuffix+3 && len(word) <= maxCompound && word[0] < utf8.RuneSelf {
		for i := 3; i+minSuffix <= len(word); i++ {
			if k, ok := compoundHeads[word[i:]]; ok {
				return entry{kinds: k}
			}
		}
	}
	return entry{}
}
