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
}

// What a word is to the one behind it.
const (
	before   = 1 << iota // a verb behind it heads a request
	question             // with "you" behind it: "could you send"
	skipped              // it may stand between the beginning of a sentence and its verb
)

var kinds = func() map[string]uint8 {
	table := map[string]uint8{}
	for kind, list := range map[uint8]string{
		before:   "please kindly should must shall to not now just first then also next finally immediately simply and or do instead need",
		question: "can could would will",
		skipped:  "please kindly do instead now first then also next finally immediately simply just and you your so hi hello hey dear important note attention todo task tasks action step",
	} {
		for _, w := range strings.Fields(list) {
			table[w] |= kind
		}
	}
	return table
}()

// shapes says of which lengths the words of kinds are, by their first letter: a bit for
// each. Most words need no look into the table.
var shapes = func() (bits [256]uint32) {
	for w := range kinds {
		bits[w[0]] |= 1 << len(w)
	}
	return bits
}()

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
	last            uint8 // what the last word is to the next
	you             bool  // the last word is "you", behind a question
}

// Read returns the requests of a text in order.
func Read(text string) []Request {
	r := reading{text: text, headed: true, list: make([]Request, 0, min(maxRequests, len(text)/bytesPerRequest+1))}
	for i := 0; i < len(text) && len(r.list) < maxRequests; {
		if !letter(text[i]) {
			i = r.mark(i)
			continue
		}
		at := i
		for i < len(text) && letter(text[i]) {
			i++
		}
		r.word(at, i)
	}
	r.endField(len(text))
	return r.list
}

// mark reads one byte that is no letter and returns where to go on.
func (r *reading) mark(i int) int {
	switch c := r.text[i]; {
	case fieldEnds(r.text, i):
		r.endField(i)
	case sentenceEnds(r.text, i), i-r.start > maxSentence:
		r.endSentence(i)
	case strings.IndexByte(",:\"'\n>(*", c) >= 0:
		r.headed = true // a clause, a list, a quotation, a line
	case c == '\\' && i+1 < len(r.text) && (r.text[i+1] == 'n' || r.text[i+1] == 't' || r.text[i+1] == 'r'):
		r.headed = true // what was quoted has its line ends spelled out
		i++
	}
	return i + 1
}

func (r *reading) endSentence(at int) {
	for i := r.sentence; i < len(r.list); i++ {
		r.list[i].End = at
	}
	r.sentence, r.start, r.headed, r.last, r.you = len(r.list), at+1, true, 0, false
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
	w := lower(r.text[at:end])
	// A verb has something behind it. The name of a member ("order_id": 7) has not.
	follows := end < len(r.text) && (r.text[end] == ' ' || r.text[end] == '\n')
	if follows && (r.headed || r.last&before != 0 || r.you) {
		r.list = append(r.list, Request{Verb: w, At: at, Start: r.start})
	}
	kind := uint8(0)
	if shapes[w[0]]&(1<<len(w)) != 0 {
		kind = kinds[w]
	}
	if kind&skipped == 0 {
		r.headed = false
	}
	r.you = r.last&question != 0 && w == "you"
	r.last = kind
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

func lower(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'Z' || c >= 0x80 {
			return strings.ToLower(s)
		}
	}
	return s
}
