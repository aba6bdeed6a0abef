package frame

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/poison/internal/language"
)

// Sentence is what stands between two full stops, or on one line.
type Sentence struct {
	Start, End int    // in the text
	Has        Set    // all concepts
	Quoted     Set    // those of Has that occur in quotation marks only
	Seq        []Spot // concepts in order
	Words      []Word
	Opens      Set // concepts of the first word
}

// Spot is one concept at a word.
type Spot struct {
	Concept Concept
	Word    int32
}

// Word is a folded word. Hash is over all of it, Stem over its first letters.
type Word struct {
	Hash, Stem uint32
	From, To   int32 // in Reader.Folded
	quoted     bool
}

// Reader cuts texts. It keeps its slices and is for one goroutine.
type Reader struct {
	Folded    []byte // every word of the text, with a blank between
	sentences []Sentence
	words     []Word
	spots     []Spot
	lexicon   *lexicon

	// Whose says what a name is: Sibling, OwnParam, Foreign or Unknown.
	whose func(name string) Concept
}

// NewReader makes a reader. The first one compiles the lexicon.
func NewReader() *Reader { return &Reader{lexicon: theLexicon()} }

// Size is how many elements the slices of the reader hold.
func (r *Reader) Size() int { return max(cap(r.Folded), cap(r.words), cap(r.sentences)) }

// Limits of a sentence, so that a text without full stops is cut as well.
const (
	maxWords = 48
	maxBytes = 400
	maxRun   = 240 // of a script without blanks
)

// Read returns the sentences of a revealed text. They are the reader's until the
// next call. whose may be nil.
func (r *Reader) Read(s string, whose func(name string) Concept) []Sentence {
	r.Folded, r.sentences, r.words, r.spots = r.Folded[:0], r.sentences[:0], r.words[:0], r.spots[:0]
	r.whose = whose
	x := cutter{Reader: r, s: s}
	x.open(0)
	for i := 0; i < len(s); {
		i = x.step(i)
	}
	x.close(len(s))
	// The slices are shared; they are cut only now that they no longer grow.
	spot, word := 0, 0
	for n := range r.sentences {
		at := &r.sentences[n]
		spots, words := len(at.Seq), len(at.Words)
		at.Seq, at.Words = r.spots[spot:spot+spots:spot+spots], r.words[word:word+words:word+words]
		spot, word = spot+spots, word+words
	}
	return r.sentences
}

// cutter is the state of one reading.
type cutter struct {
	*Reader
	s          string
	start      int // of the sentence
	word, spot int // first of the sentence
	folded     int
	has, bare  Set // all concepts, and those outside of quotation marks
	quotation
	line int // start of the line
}

func (x *cutter) open(i int) {
	x.start, x.word, x.spot, x.has, x.bare, x.folded = i, len(x.words), len(x.spots), 0, 0, len(x.Folded)
}

// close ends the sentence. Its concepts are looked up here, over words and the
// blanks between, so that phrases are found.
func (x *cutter) close(i int) {
	if len(x.words) == x.word && x.has == 0 {
		x.open(i)
		return
	}
	var opens Set
	inEnglish := x.inEnglish()
	skipped := 0 // where a phrase ends that stands for nothing
	for n := x.word; n < len(x.words); n++ {
		w := x.words[n]
		if int(w.From) < skipped {
			continue
		}
		for at := int(w.From); at < int(w.To); {
			set, length, skip := x.lexicon.longest(x.Folded[at:], inEnglish)
			if skip {
				skipped = at + length
			}
			for c := range set.Each {
				x.noteAs(c, n-x.word+(at-int(w.From))/runStep, w.quoted)
			}
			if n-x.word < 4 {
				opens |= set
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
	x.sentences = append(x.sentences, Sentence{Start: x.start, End: i, Has: x.has, Quoted: x.has &^ x.bare, Opens: opens, Seq: x.spots[x.spot:], Words: x.words[x.word:]})
	x.open(i)
}

// inEnglish reports whether words that only English has make up a tenth of the
// sentence.
func (x *cutter) inEnglish() bool {
	n := 0
	for _, w := range x.words[x.word:] {
		if w.To-w.From <= longestEnglish && isEnglish(x.Folded[w.From:w.To]) {
			n++
		}
	}
	return n > 0 && n*12 >= len(x.words)-x.word
}

const englishWords = "the of to and are with that this by from be your you when which must before after " +
	"not should has have can if each what how its get lists only"

const longestEnglish = 6 // bytes of the longest of them

// english are the words of englishWords as numbers, in a table with free slots.
var english = func() (table [1 << 8]uint64) {
	for word := range strings.FieldsSeq(englishWords) {
		n := number([]byte(word))
		i := englishSlot(n)
		for table[i] != 0 {
			i = (i + 1) % len(table)
		}
		table[i] = n
	}
	return table
}()

func isEnglish(word []byte) bool {
	n := number(word)
	for i := englishSlot(n); english[i] != 0; i = (i + 1) % len(english) {
		if english[i] == n {
			return true
		}
	}
	return false
}

// number packs a word of at most eight bytes.
func number(word []byte) (n uint64) {
	for _, c := range word {
		n = n<<8 | uint64(c)
	}
	return n
}

func englishSlot(n uint64) int { return int(n * 0x9E3779B97F4A7C15 >> (64 - 8)) }

// hails reports whether the sentence opens with the model's name and a comma or a
// colon: "Note to agents:", not "The bot sends reminders, although". A line of a
// dialogue, in which labels return, hails nobody.
func (x *cutter) hails() bool {
	head := x.s[x.start:min(len(x.s), x.start+80)]
	i := strings.IndexAny(head, ",:\u060c\u3001\uff0c\uff1a")
	if i <= 0 {
		return false
	}
	opening := strings.TrimLeft(head[:i], " \n-*#>/@")
	if strings.Count(opening, " ") >= 6 || strings.Contains(head[:i], "**") {
		return false
	}
	if head[i] == ':' && strings.IndexByte(opening, ' ') < 0 && x.dialogue("\n"+opening+":") {
		return false
	}
	if len(opening) > longestName {
		opening = opening[strings.LastIndexByte(opening[:len(opening)-longestName], ' ')+1:]
	}
	words := strings.Fields(opening)
	for _, word := range words[max(0, len(words)-2):] {
		for at, c := range word {
			stop := strings.IndexFunc(word[at:], func(other rune) bool { return unbroken(other) != unbroken(c) })
			if stop < 0 {
				stop = len(word) - at
			}
			if set, _, _ := x.lexicon.longest([]byte(Fold(word[at:at+stop])), false); set.Has(Model) {
				return true
			}
			if stop == len(word)-at && !unbroken(c) {
				break
			}
		}
	}
	return false
}

// longestName is how many bytes before the comma may hold the name.
const longestName = 40

// dialogue reports whether a label stands at the start of several lines.
func (x *cutter) dialogue(label string) bool {
	near := x.s[max(0, x.start-maxDialogue):min(len(x.s), x.start+maxDialogue)]
	times := strings.Count(near, label)
	if strings.HasPrefix(near, label[1:]) {
		times++
	}
	return times > 1 || strings.Count(near, "\n> "+label[1:]) > 1
}

// maxDialogue is how far a label is looked for, in bytes.
const maxDialogue = 600

func (x *cutter) note(c Concept, word int) { x.noteAs(c, word, x.quote != 0) }

func (x *cutter) noteAs(c Concept, word int, quoted bool) {
	x.has |= 1 << c
	if !quoted {
		x.bare |= 1 << c
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

// isPart reports a rune beyond ASCII that belongs to words.
func isPart(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) }

// inChunk says which ASCII bytes hold together.
var inChunk = func() (kinds [utf8.RuneSelf]uint8) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case ascii.Letter(c):
			kinds[c] = chunkLetter
		case ascii.Word(c) || strings.IndexByte(".-/@:~$%\\?=&#+'{}", c) >= 0:
			kinds[c] = chunkOdd
		}
	}
	return kinds
}()

const (
	chunkNot    = 0
	chunkLetter = 1
	chunkOdd    = 2
)

// chunk reads what holds together without blanks and notes what it is.
func (x *cutter) chunk(i int) int {
	end, odd, wide := i, false, false
	for end < len(x.s) {
		c := x.s[end]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(x.s[end:])
			if unbroken(r) && !wide && end > i || !isPart(r) {
				break
			}
			if wide && !unbroken(r) {
				break
			}
			wide = wide || unbroken(r)
			end += size
			if wide && end-i >= maxRun {
				break
			}
			continue
		}
		if wide || inChunk[c] == chunkNot {
			break
		}
		if inChunk[c] == chunkLetter {
			end++
			continue
		}
		if c == '\'' && end > i && x.s[end-1] == '=' || (c == '\'' || c == '{' || c == '}') && (end+1 >= len(x.s) || !ascii.Word(x.s[end+1]) && c == '\'') {
			break
		}
		odd = true
		end++
	}
	if end == i {
		r, size := utf8.DecodeRuneInString(x.s[i:])
		if strings.ContainsRune("。！？；؟।…", r) && r != '…' {
			x.close(i + size)
		}
		x.mark(r, i)
		return i + size
	}
	for odd && end > i+1 && strings.IndexByte(".:?=&#+'{-", x.s[end-1]) >= 0 {
		end--
	}
	if odd {
		x.thing(i, end)
	} else if x.quote != 0 && end == x.quoteEnd && i == x.quoteFrom {
		x.name(x.s[i:end], true)
	} else if !wide && x.scriptless() {
		x.name(x.s[i:end], false)
	}
	x.fold(i, end)
	return end
}

// scriptless reports whether the sentence so far is in another script than
// Latin: a Latin word in it that is a parameter is that parameter.
func (x *cutter) scriptless() bool {
	return len(x.Folded) > x.folded && x.Folded[x.folded] >= utf8.RuneSelf || x.start > 0 && len(x.words) > 0 && x.Folded[x.words[len(x.words)-1].From] >= utf8.RuneSelf
}

func (x *cutter) name(s string, quoted bool) {
	if x.whose == nil || len(s) > 64 {
		return
	}
	if c := x.whose(s); c != Unknown || quoted && strings.ContainsAny(s, "_-") {
		x.note(c, len(x.words)-x.word)
	}
}

// thing notes what a chunk with signs inside is.
func (x *cutter) thing(i, end int) {
	s, at := x.s[i:end], len(x.words)-x.word
	switch {
	case strings.Contains(s, "://") || strings.HasPrefix(s, "www.") || isEmail(s):
		x.note(Address, at)
	case language.SecretPlace(s):
		x.note(SecretPath, at)
	case language.NamesSecret(s):
		x.note(Secret, at)
		x.note(Env, at)
	case isHost(s):
		x.note(Address, at)
	case strings.HasPrefix(s, "/") && len(s) > 2 || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "./") || strings.Count(s, "/") > 1 || strings.Contains(s, `:\`):
		x.note(Path, at)
	case longNumber(s):
		x.note(Number, at)
	case strings.IndexByte(s, '_') > 0 || x.quote != 0 && ascii.Letter(s[0]) && strings.ContainsAny(s, "-.") && i == x.quoteFrom:
		if x.whose != nil {
			x.note(x.whose(s), at)
		}
	}
}

// longNumber reports a number of eight digits or more, such as an account.
func longNumber(s string) bool {
	if strings.ContainsAny(s, "-/:") {
		return false // a date, a time, a ratio
	}
	digits := 0
	for i := range len(s) {
		if ascii.Digit(s[i]) {
			digits++
		}
	}
	return digits >= 8 && digits*3 >= len(s)*2
}

func isEmail(s string) bool {
	at := strings.IndexByte(s, '@')
	return at > 0 && strings.LastIndexByte(s, '.') > at+1 && at+1 < len(s)
}

// fileEndings end names of files that look like hosts.
var fileEndings = map[string]bool{"js": true, "ts": true, "py": true, "md": true, "json": true, "yaml": true, "yml": true, "txt": true, "csv": true, "html": true, "xml": true,
	"pdf": true, "png": true, "jpg": true, "log": true, "toml": true, "ini": true, "go": true, "java": true, "c": true, "h": true, "rs": true, "rb": true, "php": true, "css": true, "sql": true,
	"sqlite": true, "zip": true, "gz": true, "tar": true, "exe": true, "dll": true, "conf": true, "lock": true, "env": true, "pem": true, "key": true, "docx": true, "xlsx": true, "pptx": true, "mp3": true,
	"mp4": true, "wav": true, "svg": true, "gif": true, "jpeg": true, "tsx": true, "jsx": true, "cpp": true, "cfg": true, "bak": true, "db": true, "js.map": true, "tf": true, "ipynb": true, "parquet": true,
	"length": true, "name": true, "id": true, "type": true, "value": true, "data": true, "prototype": true, "g": true, "e": true, "production": true, "local": true, "pub": true, "so": true}

// hostEndings are common endings of hosts; of others a host needs two dots.
var hostEndings = map[string]bool{"example": true, "com": true, "net": true, "org": true, "io": true, "dev": true, "ru": true, "cn": true, "de": true, "fr": true, "it": true, "es": true, "eu": true,
	"uk": true, "app": true, "xyz": true, "ai": true, "test": true, "invalid": true, "info": true, "biz": true, "me": true, "top": true, "site": true, "online": true, "cloud": true, "link": true, "tk": true, "jp": true, "kr": true, "br": true, "nl": true, "pl": true, "se": true, "us": true}

// isHost reports collect.example, cdn.collect.example/x and 203.0.113.9:3128.
func isHost(s string) bool {
	host, rest, found := strings.Cut(s, "/")
	host, _, _ = strings.Cut(host, ":")
	dot := strings.LastIndexByte(host, '.')
	if dot <= 0 || dot == len(host)-1 {
		return false
	}
	letters, dots := 0, 0
	for i := range len(host) {
		switch c := host[i]; {
		case c == '.':
			dots++
		case ascii.Letter(c):
			if ascii.Upper(c) {
				return false
			}
			letters++
		case !ascii.Digit(c) && c != '-':
			return false
		}
	}
	if letters == 0 {
		return dots == 3
	}
	last := host[dot+1:]
	if fileEndings[last] && !(found && rest != "") {
		return false
	}
	return hostEndings[last]
}

// fold adds the words of a chunk to Folded.
func (x *cutter) fold(i, end int) {
	for i < end {
		c := x.s[i]
		if c < utf8.RuneSelf && !ascii.Letter(c) && !ascii.Digit(c) {
			i++
			continue
		}
		if len(x.Folded) > 0 {
			x.Folded = append(x.Folded, ' ')
		}
		w := Word{Hash: hashStart, From: int32(len(x.Folded)), quoted: x.quote != 0}
		letters, upper := 0, false
		for i < end {
			c := x.s[i]
			if c < utf8.RuneSelf {
				if ascii.Upper(c) {
					if letters > 0 && !upper {
						break // camelCase is two words
					}
					upper = true
				} else {
					upper = false
				}
				if c == '\'' && i+3 >= end {
					i++ // don't is dont, l'utente is two words
					continue
				}
				if !ascii.Letter(c) && !ascii.Digit(c) {
					break
				}
				c = ascii.Lower(c)
				x.Folded = append(x.Folded, c)
				w.Hash = (w.Hash ^ uint32(c)) * hashPrime
				i++
			} else {
				r, size := utf8.DecodeRuneInString(x.s[i:])
				r = foldRune(r)
				x.Folded = utf8.AppendRune(x.Folded, r)
				w.Hash = (w.Hash ^ uint32(r)) * hashPrime
				i += size
				upper = false
			}
			if letters++; letters == stemLength {
				w.Stem = w.Hash
			}
		}
		if letters < stemLength {
			w.Stem = w.Hash
		}
		w.To = int32(len(x.Folded))
		x.words = append(x.words, w)
	}
}

// runStep is how many bytes of a script without blanks count as a word.
const runStep = 6

// stemLength is how many letters of a word tell it apart: endings differ.
const stemLength = 5

const (
	hashStart = 2166136261 // FNV-1a
	hashPrime = 16777619
)
