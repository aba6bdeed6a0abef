package score

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
)

// Readings of single words, for what no verb with its object says. None of them is
// certain: documentation and security scanners use the same words.

// maxReach is how many words before a keyword or between two words of a pair still
// belong to it: the length of a phrase.
const maxReach = 4

// explainers before a keyword say that a tool asks for the thing, or does without it.
var explainers = strings.Fields("no not never without using uses via with require requires required need needs by your if like cannot")

// qualifiers make a key or a token one that opens something.
var qualifiers = strings.Fields("api access private secret ssh auth oauth bearer session refresh encryption signing jwt master admin root host service deploy wallet aws gpg pgp")

// speaks is about tools whose description has a keyword of the published rule, where
// the words before it do not explain it. It keeps refined from allowing in silence
// what a reader of keywords has seen.
func speaks(of topic) reading {
	return func(_ *subject, t *tool) (Evidence, bool) {
		if t.words.topics&of == 0 {
			return Evidence{}, false
		}
		for i, word := range t.said {
			before := t.said[max(0, i-maxReach):i]
			found := keywords[word]
			if tails[word] > 1 && i > 0 {
				found |= keywords[t.said[i-1]+" "+word]
			}
			if found&of != 0 && !explained(of, before, word) {
				e := at(t.place(" /description"), "mentions "+quote(word))
				e.Confidence = Vague
				return e, true
			}
		}
		return Evidence{}, false
	}
}

func explained(of topic, before []string, word string) bool {
	if of == credential && slices.Contains([]string{"key", "keys", "token", "tokens"}, word) {
		if len(before) == 0 || !slices.Contains(qualifiers, before[len(before)-1]) {
			return true
		}
	}
	return slices.ContainsFunc(before, func(w string) bool { return slices.Contains(explainers, w) })
}

// pair is a verb and what it does that to, each a list of words.
type pair struct{ verbs, nouns string }

// marks are the parts of up to eight pairs that a word can be: bit i is the verb of pair
// i, bit 8+i its noun.
type marks map[string]uint16

// marksOf also has the third person of verbs.
func marksOf(pairs []pair) marks {
	all := marks{}
	for i, p := range pairs {
		for verb := range strings.FieldsSeq(p.verbs) {
			for _, form := range []string{verb, verb + "s", verb + "es"} {
				all[form] |= 1 << i
			}
		}
		for noun := range strings.FieldsSeq(p.nouns) {
			all[noun] |= 1 << (8 + i)
		}
	}
	return all
}

// pair returns the words of a pair that a text has within reach of each other.
func (m marks) pair(text []string, reach int) (string, bool) {
	var last [16]int // where the word of each bit was, from 1
	for at, word := range text {
		for found := m[word]; found != 0; found &= found - 1 {
			bit := bits.TrailingZeros16(found)
			last[bit] = at + 1
			verb, noun := last[bit%8], last[bit%8+8]
			if verb != 0 && noun != 0 && max(verb-noun, noun-verb) <= reach {
				return text[verb-1] + " " + text[noun-1], true
			}
		}
	}
	return "", false
}

// does is about tools whose name or description has one of the pairs.
func does(what string, reach int, pairs ...pair) reading {
	marked := marksOf(pairs)
	return func(_ *subject, t *tool) (Evidence, bool) {
		for _, text := range [][]string{t.named, t.said} {
			if found, ok := marked.pair(text, reach); ok {
				e := at(t.place(""), "reads as "+what+": "+quote(found))
				e.Confidence = Vague
				return e, true
			}
		}
		return Evidence{}, false
	}
}

// takesSecrets is about verbs of taking; capability only knows those of reading.
var takesSecrets = does("taking secrets", maxDescription,
	pair{"replicate dump extract export harvest steal crack capture collect grab spray sniff forge exfil exfiltrate", "credential credentials password passwords secret secrets certificate certificates hashes cookies tickets"})

// breaksIn is about what is done to somebody else's machine, and to what guards it.
var breaksIn = does("breaking in", maxReach,
	pair{"bypass evade circumvent defeat disable patch blind", "antivirus edr amsi etw uac waf ids firewall defender detection logging tracing auditing scanning integrity authentication safeguard safeguards protection protections sandbox"},
	pair{"inject injection plant hijack hijacking hollow implant", "shellcode dll process processes thread threads object library memory"},
	pair{"sweep enumerate enum fingerprint probe scan discover spoof", "network networks subnet host hosts port ports wireless wifi rpc smb ldap os operating bucket buckets"},
	pair{"read access dump", "proc mem environ lsass sam ntds"},
	pair{"transfer", "zone"},
)

func setOf(list string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		all[word] = true
	}
	return all
}

// attacks are words with which a tool says of itself that it breaks in or stays in.
var attacks = setOf("attack attacks privesc ransomware rootkit backdoor keylogger botnet malware malicious bruteforce exfil exfiltrate dcsync kerberoast mimikatz autorun setuid ddos phishing exploit exploits shellcode deserialization dork dorks recon reconnaissance pwn")

// saysAttack is about tools that say so: security scanners use the same words for what
// they look for.
func saysAttack(_ *subject, t *tool) (Evidence, bool) {
	for _, text := range [][]string{t.named, t.said} {
		for _, word := range text {
			if attacks[word] {
				e := at(t.place(""), "says that it attacks: "+quote(word))
				e.Confidence = Vague
				return e, true
			}
		}
	}
	return Evidence{}, false
}

// dictates is about descriptions that demand a call of another tool of the server and
// are not about their own: the sentence sets the other's arguments, speaks of two
// others, or stands in a tool that takes nothing. "Call resolve_id first" is
// documentation, and none of that.
func dictates(s *subject, t *tool) (Evidence, bool) {
	if !strings.Contains(t.description, "_") {
		return Evidence{}, false // names of other tools have one
	}
	for sentence := range strings.FieldsFuncSeq(cut(t.description, maxDescription), func(r rune) bool { return r == '.' || r == '!' || r == '\n' }) {
		others, demand, since := map[string]bool{}, false, maxReach
		for word := range strings.FieldsFuncSeq(sentence, func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			since++
			lower := strings.ToLower(word)
			demand = demand || slices.Contains(demands, lower)
			if slices.Contains(callings, lower) {
				since = 0
			}
			if strings.Contains(word, "_") && word != t.name && (s.has[word] || since < maxReach && !t.takes(word)) {
				others[word] = true
			}
		}
		if len(others) == 0 {
			continue
		}
		sets := slices.ContainsFunc(setters, func(mark string) bool { return strings.Contains(sentence, mark) })
		if sets || demand && (len(others) > 1 || len(t.fields) == 0) {
			e := at(t.place(" /description"), "demands calls of other tools: "+quote(sentence))
			e.Confidence = Likely
			return e, true
		}
	}
	return Evidence{}, false
}

func (t *tool) takes(name string) bool {
	return slices.ContainsFunc(t.fields, func(f field) bool { return f.name == name })
}

var (
	demands  = strings.Fields("must should always first required mandatory before")
	callings = strings.Fields("call invoke execute run use trigger calling invoking using")
	// setters are how a sentence fixes the value of an argument.
	setters = []string{" set to ", "='", "=\"", "=`", "` '", "` \""}
)
