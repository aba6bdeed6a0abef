package order

import "strings"

// Bounds of one text, for what is kept of it.
const (
	maxRequests     = 2048 // of one text; one for every 30 bytes of 64 KiB
	maxVerb         = 20   // bytes: "internationalise" has 16
	bytesPerRequest = 64   // of prose, to make room at once
	maxSentence     = 600  // bytes that count as one sentence, for texts without a full stop
)

// Request is one verb that heads a request.
type Request struct {
	Verb       string // in lower case
	At         int    // byte offset of the verb
	Start, End int    // of its sentence
	Field      int    // end of the field: the line of a table, the value of a member
	// Aim says that the sentence is for whoever wants something: "To pay the bill, send
	// 30 to ...". Directions of this kind order nobody to want it.
	Aim bool
}

// What a word is to the one behind it.
const (
	before   = 1 << iota // a verb behind it heads a request
	question             // with "you" behind it: "could you send"
	skipped              // it may stand between the beginning of a sentence and its verb
)

// known are the words that have a kind, by their first letter.
var known = func() (table [256][]knownWord) {
	kinds := map[string]uint8{"order": 0} // "in order to"
	for kind, list := range map[uint8]string{
		before:   "please kindly should must shall to not now just first then also next finally immediately simply and or do instead need",
		question: "can could would will",
		skipped:  "please kindly do instead now first then also next finally immediately simply just and you your so hi hello hey dear important note attention todo task tasks action step",
	} {
		for _, w := range strings.Fields(list) {
			kinds[w] |= kind
		}
	}
	for w, kind := range kinds {
		table[w[0]] = append(table[w[0]], knownWord{w, kind})
	}
	return table
}()

type knownWord struct {
	word string
	kind uint8
}

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// reading is the state of one pass over a text.
type reading struct {
	text            string
	list            []Request
	start           int // of the sentence
	sentence, field int // the first requests of this sentence and of this field
	headed          bool
	last            uint8      // what the last word is to the next
	you             bool       // the last word is "you", behind a question
	words           int        // of this sentence
	inOrder         bool       // its second word is the last one, "order"
	aim             bool       // the sentence begins with what somebody may want
	lowered         [32]string // by the first letter, the last verb that was not in lower case
}

// Read returns the requests of a text in order.
func Read(text string) []Request {
	r := reading{text: text, headed: true, list: make([]Request, 0, min(maxRequests, len(text)/bytesPerRequest+1))}
	for i := 0; i < len(text) && len(r.list) < maxRequests; {
		switch c := text[i]; {
		case letter(c):
			at := i
			for i++; i < len(text) && letter(text[i]); i++ {
			}
			r.word(at, i)
		case marks[c] || i-r.start > maxSentence:
			i = r.mark(i)
		default:
			i++
		}
	}
	r.endField(len(text))
	return r.list
}

// marks are the bytes that can end a field or a sentence, or begin a clause.
var marks = func() (table [256]bool) {
	for _, c := range []byte(".!?;,:\"'\n>(*\\") {
		table[c] = true
	}
	return table
}()

// mark reads one byte that is no letter and returns where to go on.
func (r *reading) mark(i int) int {
	switch c := r.text[i]; {
	case fieldEnds(r.text, i):
		r.endField(i)
	case sentenceEnds(r.text, i), i-r.start > maxSentence:
		r.endSentence(i)
	case c == '\\':
		// What was quoted has its line ends spelled out.
		if i+1 < len(r.text) && (r.text[i+1] == 'n' || r.text[i+1] == 't' || r.text[i+1] == 'r') {
			r.headed = true
			i++
		}
	case c != '.' && c != '!' && c != '?' && c != ';' && marks[c]:
		r.headed = true // a clause, a list, a quotation, a line
	}
	return i + 1
}

func (r *reading) endSentence(at int) {
	for i := r.sentence; i < len(r.list); i++ {
		r.list[i].End = at
	}
	r.sentence, r.start, r.headed, r.last, r.you = len(r.list), at+1, true, 0, false
	r.words, r.aim = 0, false
}

func (r *reading) endField(at int) {
	r.endSentence(at)
	for i := r.field; i < len(r.list); i++ {
		r.list[i].Field = at
	}
	r.field = len(r.list)
}

func (r *reading) word(at, end int) {
	if end-at > maxVerb {
		r.headed, r.last, r.you = false, 0, false
		return
	}
	word := r.text[at:end]
	kind, plain := r.kind(word)
	// A verb has something behind it. The name of a member ("order_id": 7) has not.
	follows := end < len(r.text) && (r.text[end] == ' ' || r.text[end] == '\n')
	if follows && (r.headed || r.last&before != 0 || r.you) {
		if plain == "" {
			plain = r.lower(word)
		}
		r.list = append(r.list, Request{Verb: plain, At: at, Start: r.start, Aim: r.aim})
	}
	if kind&skipped == 0 {
		r.headed = false
	}
	r.you = r.last&question != 0 && strings.EqualFold(word, "you")
	r.last = kind
}

// kind looks a word up, returns how it is spelled there, and notes whether the sentence begins with "to" or "in order to".
func (r *reading) kind(word string) (kind uint8, plain string) {
	r.words++
	order := r.inOrder
	r.inOrder = false
	for _, k := range known[word[0]|0x20] { // lower case, of a letter of ASCII
		if len(k.word) != len(word) || !strings.EqualFold(k.word, word) {
			continue
		}
		r.inOrder = r.words == 2 && k.word == "order"
		r.aim = r.aim || k.word == "to" && (r.words == 1 || r.words == 3 && order)
		return k.kind, k.word
	}
	return 0, ""
}

// sentenceEnds reports whether a sentence ends at i: at a mark with a blank, a quote or
// nothing behind it, or at an empty line.
func sentenceEnds(text string, i int) bool {
	switch text[i] {
	case '.', '!', '?', ';':
		return i+1 == len(text) || !alnum(text[i+1])
	case '\n':
		return i+1 < len(text) && text[i+1] == '\n'
	}
	return false
}

// maxKey is how long the name of a member or column is, in bytes.
const maxKey = 40

// fieldEnds reports whether a value of something structured ends at i: at a quote with a
// comma, colon or bracket behind it, or at a line end before "name:".
func fieldEnds(text string, i int) bool {
	switch text[i] {
	case '"', '\'':
		return i+1 < len(text) && strings.IndexByte(",:}]", text[i+1]) >= 0
	case '\n':
		i++
		for i < len(text) && (text[i] == ' ' || text[i] == '-') {
			i++
		}
		key := i
		for i < len(text) && i-key < maxKey && (alnum(text[i]) || text[i] == '_' || text[i] == '-') {
			i++
		}
		return i > key && i < len(text) && text[i] == ':'
	}
	return false
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func alnum(c byte) bool { return letter(c) || c >= '0' && c <= '9' }

// lower returns a word in lower case. Most texts have few verbs in capitals, and those
// again and again.
func (r *reading) lower(word string) string {
	for i := range len(word) {
		if c := word[i]; c >= 'A' && c <= 'Z' || c >= 0x80 {
			last := &r.lowered[word[0]&31]
			if !strings.EqualFold(*last, word) {
				*last = strings.ToLower(word)
			}
			return *last
		}
	}
	return word
}
