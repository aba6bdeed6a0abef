package frame

import (
	"strings"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"
)

// cutter is the state of one reading.
type cutter struct {
	*Reader
	s          string
	start      int // of the sentence
	word, spot int // first of the sentence
	folded     int
	has, bare  Set // all concepts, and those outside of quotation marks
	quotation
	line  int // start of the line
	names int // proper ones in the sentence
}

func (x *cutter) open(i int) {
	x.start, x.word, x.spot, x.has, x.bare, x.folded = i, len(x.words), len(x.spots), Set{}, Set{}, len(x.Folded)
	x.names = 0
}

// close ends the sentence. Its concepts are looked up here, over words and the
// blanks between, so that phrases are found.
func (x *cutter) close(i int) {
	if len(x.words) == x.word && x.has.Empty() {
		x.open(i)
		return
	}
	x.withoutNames()
	var opens Set
	words, in := x.lexicon.all, everyTongue
	if x.inEnglish() {
		words = x.lexicon.english
	} else {
		in = x.spoken()
	}
	skipped := 0 // where a phrase ends that stands for nothing
	for n := x.word; n < len(x.words); n++ {
		w := x.words[n]
		if int(w.From) < skipped {
			continue
		}
		for at := int(w.From); at < int(w.To); {
			set, length, skip := words.longest(x.Folded[at:], in)
			if skip {
				skipped = at + length
			}
			for c := range set.Each {
				x.noteAs(c, n-x.word+(at-int(w.From))/runStep, w.quoted)
			}
			if n-x.word < 4 {
				opens = opens.Or(set)
			}
			first, size := utf8.DecodeRune(x.Folded[at:])
			if !unbroken(first) {
				break // in other scripts a word starts where it starts
			}
			at += max(length, size)
		}
	}
	if opens.Has(Model) && x.hails() {
		x.note(Hail, 0)
	}
	x.sentences = append(x.sentences, Sentence{Start: x.start, End: i, Has: x.has, Quoted: x.has.Without(x.bare), Opens: opens, Seq: x.spots[x.spot:], Words: x.words[x.word:]})
	x.open(i)
}

func (x *cutter) note(c Concept, word int) { x.noteAs(c, word, x.quote != 0) }

func (x *cutter) noteAs(c Concept, word int, quoted bool) {
	x.has.Add(c)
	if !quoted {
		x.bare.Add(c)
	}
	x.spots = append(x.spots, Spot{c, int32(word)})
}

// step reads what stands at i and returns the offset behind it.
func (x *cutter) step(i int) int {
	c := x.s[i]
	if x.quote != 0 && i >= x.quoteEnd {
		x.unquote()
		if i == x.quoteEnd && c < utf8.RuneSelf {
			return i + 1
		}
	}
	if len(x.words)-x.word >= maxWords || i-x.start >= maxBytes {
		x.close(i)
	}
	switch {
	case c == '\n':
		return x.newline(i)
	case ascii.Word(c), c == '~', c == '/', c == '$' || c == '.' && i+1 < len(x.s) && ascii.Letter(x.s[i+1]), c >= utf8.RuneSelf:
		return x.chunk(i)
	case c == '.' || c == '!' || c == '?' || c == ';':
		x.stop(i)
	case c == '"' || c == '`' || c == '\'':
		x.mark(rune(c), i)
	case c == '<':
		if end := strings.IndexByte(x.s[i:min(len(x.s), i+120)], '>'); end > 0 && i+1 < len(x.s) && (ascii.Letter(x.s[i+1]) || x.s[i+1] == '/') && end > 2 {
			x.close(i)
			if invisible(x.s[i : i+end]) {
				x.note(Unseen, 0)
			}
			return i + end + 1
		}
		if strings.HasPrefix(x.s[i:], "<!--") {
			x.close(i)
			x.note(Unseen, 0)
			return i + 4
		}
	case (c == '-' || c == '*') && strings.TrimSpace(x.s[x.line:i]) == "":
		x.note(Listed, 0)
	}
	return i + 1
}

// invisible reports a tag that hides what it holds.
func invisible(tag string) bool {
	lower := strings.ToLower(tag)
	for _, sign := range []string{"display:none", "display: none", "opacity:0", "opacity: 0", "font-size:0", "font-size: 0", "hidden", "color:#fff", "color:white", "color=\"#fff", "color=\"white", "color: white", "color: #fff", "visibility:", "-9999", "size=\"1\"", "aria-hidden"} {
		if strings.Contains(lower, sign) {
			return len(strings.Fields(tag)) > 1
		}
	}
	return false
}

// stop ends a sentence unless the full stop is part of a number or of "e.g.".
func (x *cutter) stop(i int) {
	if x.s[i] == '.' && i+1 < len(x.s) && !ascii.Space(x.s[i+1]) && x.s[i+1] < utf8.RuneSelf && strings.IndexByte("\"'`)]<", x.s[i+1]) < 0 {
		return
	}
	if x.s[i] == '.' && i >= 3 && (x.s[i-3:i] == "e.g" || x.s[i-3:i] == "i.e" || x.s[i-3:i] == "z.B" || x.s[i-3:i] == " ex") {
		return
	}
	// "1." opens an item of a list.
	if n := len(x.words); x.s[i] == '.' && n-x.word == 1 && i-x.start < 6 && i > 0 && ascii.Digit(x.s[i-1]) {
		x.note(Listed, 0)
		return
	}
	x.close(i + 1)
}

// wrap is how long a line is that was broken because it was full, in bytes.
const wrap = 60

func (x *cutter) newline(i int) int {
	j, lines := i, 0
	for j < len(x.s) && ascii.Space(x.s[j]) {
		if x.s[j] == '\n' {
			lines++
			x.line = j + 1
		}
		j++
	}
	if lines > 1 || i-x.start < wrap || j < len(x.s) && (x.s[j] < 'a' || x.s[j] > 'z') && x.s[j] < utf8.RuneSelf {
		x.close(i)
	}
	return j
}
