package score

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/glovebox-run/glovebox/risk/capability"
)

// topic is a set of keyword lists of the classic profile.
type topic uint16

const (
	execution topic = 1 << iota
	credential
	fileWriting
	administration
	destruction
	finance
	sending
	messages
	network
	personal
)

// keywords are the lists of the published methodology. Where it ends a list with
// an ellipsis or does not show it, the rest is ours; see Assumptions. A keyword of
// two words stands for both spellings, with a separator and without.
var keywords = topicsOf(map[topic]string{
	execution:      "shell, eval, exec, run code, subprocess, interpreter",
	credential:     "credential, credentials, secret, secrets, token, tokens, key, keys, api key, private key, vault",
	fileWriting:    "write file, delete file, create file, upload file, append file, move file, chmod, chown, mkdir, rmdir",
	administration: "shutdown, terminate, revoke, suspend, grant, grant role, sudo",
	destruction:    "delete, drop, purge, wipe, destroy, truncate",
	finance:        "pay, charge, refund, transfer, withdraw, invoice",
	sending:        "send, post, publish, reply, notify, broadcast",
	messages:       "email, sms, slack, message, messages, tweet",
	network:        "fetch, http request, curl, download, proxy, webhook, scrape, browse",
	personal:       "ssn, social security, passport, date of birth, birthdate, home address, phone number, email address, credit card, medical, patient, driver license, tax id",
})

func topicsOf(lists map[topic]string) map[string]topic {
	all := map[string]topic{}
	for t, list := range lists {
		for word := range strings.SplitSeq(list, ", ") {
			all[word] |= t
			if strings.Contains(word, " ") {
				all[strings.ReplaceAll(word, " ", "")] |= t
			}
		}
	}
	return all
}

// tails are the last words of keywords of several words, with the number of words.
var tails = func() map[string]int {
	all := map[string]int{}
	for word := range keywords {
		if i := strings.LastIndexByte(word, ' '); i >= 0 {
			all[word[i+1:]] = max(all[word[i+1:]], strings.Count(word, " ")+1)
		}
	}
	return all
}()

// maxPhrase is the number of words in the longest keyword.
const maxPhrase = 3

// vocabulary holds the topics that a tool's texts mention.
type vocabulary struct {
	topics topic
	first  map[topic]string // the keyword that was met first
}

func vocabularyOf(texts ...string) vocabulary {
	v := vocabulary{first: map[topic]string{}}
	for _, text := range texts {
		var recent [maxPhrase]string
		for word := range words(text) {
			copy(recent[:], recent[1:])
			recent[maxPhrase-1] = word
			if found := keywords[word]; found != 0 {
				v.add(found, word)
			}
			for n := 2; n <= tails[word]; n++ {
				phrase := strings.Join(recent[maxPhrase-n:], " ")
				v.add(keywords[phrase], phrase)
			}
		}
	}
	return v
}

func (v *vocabulary) add(found topic, phrase string) {
	if v.topics&found == found {
		return
	}
	for t := execution; t <= personal; t <<= 1 {
		if found&t != 0 && v.topics&t == 0 {
			v.first[t] = phrase
		}
	}
	v.topics |= found
}

// words yields the words of a text or an identifier in lower case, cut where
// neither letter nor digit stands and where lower case turns upper.
func words(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, lower := -1, false
		for i, r := range s {
			small, large, letter := kindOf(r)
			turn := lower && large
			if start >= 0 && (!letter || turn) {
				if !yield(strings.ToLower(s[start:i])) {
					return
				}
				start = -1
			}
			if letter && start < 0 {
				start = i
			}
			lower = small
		}
		if start >= 0 {
			yield(strings.ToLower(s[start:]))
		}
	}
}

// kindOf says whether a character is lower case, upper case, and part of a word. Nearly
// all are ASCII, for which no table is needed.
func kindOf(r rune) (small, large, letter bool) {
	if r < unicode.MaxASCII {
		small, large = 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z'
		return small, large, small || large || '0' <= r && r <= '9'
	}
	return unicode.IsLower(r), unicode.IsUpper(r), unicode.IsLetter(r) || unicode.IsDigit(r)
}

// Verb is the coarse class of a tool.
type Verb string

const (
	ReadVerb        Verb = "read"
	WriteVerb       Verb = "write"
	DestructiveVerb Verb = "destructive"
	NoVerb          Verb = "unclear"
)

// verbsOf gives the class of a verb. Worse verbs outrank others.
var verbsOf = map[Verb][]string{
	DestructiveVerb: strings.Fields("delete remove drop purge wipe destroy truncate erase transfer send pay charge refund withdraw terminate kill revoke"),
	WriteVerb:       strings.Fields("create update write set add insert edit modify upload put post publish rename move append save patch execute run import enable disable"),
	ReadVerb:        strings.Fields("list get search read find show fetch query describe view check count lookup browse resolve compare download"),
}

// verbOf classes a tool by its name and, if that holds no verb, by the first
// sentence of its description.
func verbOf(name, description string) Verb {
	if v := worstVerb(capability.Words(name)); v != NoVerb {
		return v
	}
	first, _, _ := strings.Cut(description, ".")
	return worstVerb(slices.Collect(words(cut(first, maxSentence))))
}

// maxSentence bounds the part of a description that is classed, in bytes.
const maxSentence = 400

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n]
}

func worstVerb(all []string) Verb {
	for _, v := range []Verb{DestructiveVerb, WriteVerb, ReadVerb} {
		for _, word := range all {
			if slices.Contains(verbsOf[v], word) || slices.Contains(verbsOf[v], strings.TrimSuffix(word, "s")) {
				return v
			}
		}
	}
	return NoVerb
}

// verbOfReading classes a tool by what it can do; without any evidence the verb of
// its name stays.
func verbOfReading(r capability.Reading, named Verb) Verb {
	worst := NoVerb
	for _, c := range r.Classes() {
		switch classVerbs[c] {
		case DestructiveVerb:
			return DestructiveVerb
		case WriteVerb:
			worst = WriteVerb
		case ReadVerb:
			if worst == NoVerb {
				worst = ReadVerb
			}
		}
	}
	if worst == NoVerb {
		return named
	}
	return worst
}

var classVerbs = map[capability.Class]Verb{
	capability.Compute: ReadVerb, capability.Read: ReadVerb, capability.SearchWeb: ReadVerb, capability.ReadFile: ReadVerb,
	capability.Fetch: ReadVerb, capability.Query: ReadVerb, capability.ReadSecret: ReadVerb,
	capability.Change: WriteVerb, capability.WriteFile: WriteVerb, capability.Operate: WriteVerb, capability.Actuate: WriteVerb, capability.Grant: WriteVerb,
	capability.Send: DestructiveVerb, capability.RunSQL: DestructiveVerb, capability.Pay: DestructiveVerb, capability.Delete: DestructiveVerb,
	capability.RunCode: DestructiveVerb, capability.RunShell: DestructiveVerb, capability.Destroy: DestructiveVerb,
}

// flagNames are the sensitive capabilities that a tool row shows, benign or not.
var flagNames = map[topic]string{
	execution: "code-execution", credential: "credentials", fileWriting: "filesystem", administration: "admin", personal: "personal-data",
	finance: "financial", network: "network",
}

// flags names the sensitive capabilities that a tool's keywords mention.
func (t *tool) flags() []string {
	var all []string
	for _, of := range slices.Sorted(maps.Keys(flagNames)) {
		if t.words.topics&of != 0 {
			all = append(all, flagNames[of])
		}
	}
	return all
}
