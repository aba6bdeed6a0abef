package language

import (
	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"

	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one word of a view, or one thing that is not made of words: an
// address, a path, an identifier.
type token struct {
	start, end int32 // in the view
	last       int32 // index of the last token of this sentence
	flags      flag
	word       wordID
}

// lexer cuts a view into tokens in one pass.
type lexer struct {
	lang   *grammar
	s      string
	tokens []token
	first  int // first token of the open sentence
	quote  byte
	quoted int // tokens since the quotation mark opened
	stop   int // tokens before the last full stop
	leet   int // words that are words only when digits are read as letters
	word   []byte
}

// maxQuote ends a quotation that nobody closed (a lone apostrophe or inch mark).
const maxQuote = 60

// lex returns the tokens of s. The slice is the lexer's and is reused.
func (x *lexer) lex(s string) []token {
	x.s, x.tokens, x.first, x.quote, x.stop, x.leet = s, x.tokens[:0], 0, 0, 0, 0
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\n':
			i = x.newline(i)
		case ascii.Space(c):
			i++
		case c == '<' || c == '[':
			i = x.tag(i)
		case c == '"' || c == '`' || c == '\'':
			x.quoteMark(c, i)
			i++
		case c == '.' && i+1 < len(s) && ascii.Letter(s[i+1]), c == '/', c == '~', c == '$', c == '%', c == '-', c == '@',
			ascii.Word(c), c >= utf8.RuneSelf:
			i = x.chunk(i)
		case c == '.' && i > 2 && (s[i-3:i] == "e.g" || s[i-3:i] == "i.e"):
			i++
		case c == '.' && (i > 0 && s[i-1] == '.' || i+1 < len(s) && s[i+1] == '.'):
			i++ // an ellipsis ends nothing
		default:
			x.punctuation(c)
			i++
		}
	}
	x.endSentence()
	return x.tokens
}

func (x *lexer) mark(f flag) {
	if n := len(x.tokens); n > 0 {
		x.tokens[n-1].flags |= f
	}
}

func (x *lexer) punctuation(c byte) {
	switch c {
	case ':':
		x.mark(flagColon)
	case '.', '!', '?', ';':
		x.sentenceEnd()
	case '&', '|', '>':
		x.mark(flagPipe)
	}
}

// sentenceEnd closes a sentence, unless the full stop follows a single word:
// that is how a phrase is hidden from whoever looks for it.
func (x *lexer) sentenceEnd() {
	words := len(x.tokens) - x.stop
	if x.stop = len(x.tokens); words > 1 {
		x.endSentence()
	}
}

func (x *lexer) endSentence() {
	last := int32(len(x.tokens) - 1)
	for i := x.first; i < len(x.tokens); i++ {
		x.tokens[i].last = last
	}
	x.first = len(x.tokens)
}

// newline ends a sentence where layout does: at an empty line, a list item, a
// heading. Any other line break is where the line was full.
func (x *lexer) newline(i int) int {
	j, lines := i, 0
	for j < len(x.s) && ascii.Space(x.s[j]) {
		if x.s[j] == '\n' {
			lines++
		}
		j++
	}
	if lines > 1 || j < len(x.s) && strings.IndexByte("-*#|>", x.s[j]) >= 0 {
		x.endSentence()
	}
	return j
}

func (x *lexer) quoteMark(c byte, i int) {
	switch {
	case x.quote == c:
		x.quote = 0
	case x.quote == 0 && len(x.tokens) > 0 && (c != '\'' || i == 0 || !ascii.Word(x.s[i-1])):
		x.quote, x.quoted = c, 0
	}
}

// tag reads <word> and [word]: a mark whose name is a few words. Its words keep
// their families and are also flagTag.
func (x *lexer) tag(i int) int {
	closer, limit := byte('>'), min(len(x.s), i+40)
	if x.s[i] == '[' {
		closer = ']'
	}
	end := strings.IndexByte(x.s[i+1:limit], closer)
	if end < 0 || strings.ContainsAny(x.s[i+1:i+1+end], "=\",;") {
		if x.s[i] == '<' && ascii.HasPrefix(x.s[i:], "<!--") {
			x.endSentence()
		}
		return i + 1
	}
	end += i + 1
	if x.s[i] == '<' {
		x.endSentence()
	}
	from := len(x.tokens)
	for j := i + 1; j < end; {
		if c := x.s[j]; ascii.Word(c) || c >= utf8.RuneSelf {
			j = min(x.chunk(j), end)
		} else {
			j++
		}
	}
	link := closer == ']' && end+1 < len(x.s) && strings.IndexByte("([:", x.s[end+1]) >= 0
	if n := len(x.tokens); n > from && n-from <= 4 && !link {
		for k := from; k < n; k++ {
			x.tokens[k].flags |= flagTag
		}
		if closer == ']' {
			x.mark(flagColon)
		}
	}
	if x.s[i] == '<' {
		x.endSentence()
	}
	return end + 1
}

// chunk reads what stands between blanks and decides what it is.
func (x *lexer) chunk(i int) int {
	if x.s[i] >= utf8.RuneSelf {
		if first, size := utf8.DecodeRuneInString(x.s[i:]); !isPart(first) {
			if strings.ContainsRune("。！？；", first) {
				x.endSentence()
			}
			return i + size
		} else if unbroken(first) {
			return x.run(i)
		}
	}
	end, odd := i, false // odd: something besides letters, digits and apostrophes
	for end < len(x.s) {
		c := x.s[end]
		switch kind := chunkBytes[c]; {
		case kind == chunkWord:
		case kind == chunkOdd || kind == chunkEnd:
			odd = true
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(x.s[end:])
			if !isPart(r) || unbroken(r) {
				goto ended
			}
			end += size - 1
		case c == '\'' && end+1 < len(x.s) && ascii.Letter(x.s[end+1]) && end > i && ascii.Letter(x.s[end-1]):
		default:
			goto ended
		}
		end++
	}
ended:
	stop := end
	for stop > i && chunkBytes[x.s[stop-1]] == chunkEnd {
		stop--
	}
	if stop == i {
		x.punctuation(x.s[i])
		return i + 1
	}
	if odd {
		x.compound(i, stop)
	} else {
		x.words(i, stop)
	}
	return stop
}

// run reads a run of a script without blanks.
func (x *lexer) run(i int) int {
	end := i
	for end < len(x.s) {
		r, size := utf8.DecodeRuneInString(x.s[end:])
		if !unbroken(r) || !isPart(r) {
			break
		}
		end += size
	}
	x.foreign(i, end)
	return end
}

// chunkBytes says which ASCII bytes hold a chunk together.
const (
	chunkWord = 1
	chunkOdd  = 2
	chunkEnd  = 3 // odd, and not a part of what it ends
)

var chunkBytes = func() (kinds [256]uint8) {
	for c := range utf8.RuneSelf {
		switch {
		case ascii.Letter(byte(c)) || ascii.Digit(byte(c)):
			kinds[c] = chunkWord
		case strings.IndexByte(".:?&=+#*", byte(c)) >= 0:
			kinds[c] = chunkEnd
		case strings.IndexByte("_-/@~$%\\", byte(c)) >= 0:
			kinds[c] = chunkOdd
		}
	}
	return kinds
}()

// isPart reports a rune beyond ASCII that belongs to words.
func isPart(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) || c == 'ー'
}

// compound reads a chunk with punctuation inside.
func (x *lexer) compound(i, end int) {
	s := x.s[i:end]
	switch {
	case s == "e.g" || s == "E.g":
		x.emit(i, end, x.lang.words["eg"], 0)
	case strings.Contains(s, "://"), ascii.HasPrefix(s, "www."):
		x.emit(i, end, 0, flagURL)
		if end < len(x.s) && (x.s[end] == '=' || x.s[end] == '{') {
			x.mark(flagDataURL)
		}
		if x.isImage(i) {
			x.mark(flagImage)
		}
	case isEmail(s):
		x.emit(i, end, 0, flagEmail)
	case s[0] == '-' && len(s) > 1 && (ascii.Letter(s[1]) || s[1] == '-' && len(s) > 2 && ascii.Letter(s[2])):
		x.words(i, end)
		x.mark(flagOption)
	case holdsPart(s, &secretPlaces):
		x.emit(i, end, 0, flagSecret)
	case holdsPart(s, &privatePlaces):
		x.emit(i, end, 0, flagPrivate)
	case isSystemPath(s):
		x.emit(i, end, 0, flagPath)
	case s[0] == '/' || strings.Count(s, "/") > 1:
		x.emit(i, end, 0, 0) // a route, a ratio, a list of alternatives
	case NamesSecret(s):
		x.emit(i, end, x.lang.words["credentials"], 0)
	case strings.IndexByte(s, '_') > 0 && s != strings.ToUpper(s):
		x.emit(i, end, 0, flagIdent)
		if strings.IndexByte(s, '.') > 0 {
			x.mark(flagCamel) // a field
		}
	case isHost(s):
		x.emit(i, end, 0, flagHost)
	default:
		x.pieces(i, end)
	}
}

// isHost reports a name such as collect.example.com, or an address such as
// 203.0.113.9, without a scheme. Names of fields and files have fewer dots, capital
// letters or another ending.
func isHost(s string) bool {
	s, _, _ = strings.Cut(s, "/")
	dots, digits := 0, true
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.':
			if dots++; i == 0 || s[i-1] == '.' {
				return false
			}
		case !ascii.Digit(c) && (c < 'a' || c > 'z') && c != '-':
			return false
		default:
			digits = digits && ascii.Digit(c)
		}
	}
	if digits {
		return dots == 3
	}
	return dots > 1 && topLevel[s[strings.LastIndexByte(s, '.')+1:]]
}

// topLevel are endings of names of hosts that no file and no field has.
var topLevel = map[string]bool{
	"com": true, "net": true, "org": true, "io": true, "dev": true, "app": true, "xyz": true, "ai": true, "co": true, "example": true, "online": true, "site": true,
	"top": true, "biz": true, "me": true, "ru": true, "cn": true, "tk": true, "cloud": true, "link": true, "test": true, "de": true, "uk": true, "eu": true,
}

// pieces splits at everything but letters and digits; "resolve-library-id" in
// quotation marks is a name as well.
func (x *lexer) pieces(i, end int) {
	from := len(x.tokens)
	for j := i; j < end; {
		c := x.s[j]
		k := j
		for k < end && (ascii.Word(x.s[k]) || x.s[k] >= utf8.RuneSelf || x.s[k] == '\'') {
			k++
		}
		switch {
		case k > j:
			x.words(j, k)
			j = k
		default:
			if c == ':' || c == '.' && j+1 < end && ascii.Upper(x.s[j+1]) && x.quote == 0 {
				x.punctuation(c)
			}
			j++
		}
	}
	if x.quote != 0 && len(x.tokens) > from+1 && len(x.tokens) < from+6 && !strings.ContainsAny(x.s[i:end], ".:/") && strings.ToUpper(x.s[i:end]) != x.s[i:end] {
		// One name, not several words.
		x.tokens[from].end = int32(end)
		x.tokens[from].word, x.tokens[from].flags = 0, flagIdent|flagQuoted
		x.tokens = x.tokens[:from+1]
	}
}

// words reads letters and digits: one word, or a run of a script that puts no
// blanks between words.
func (x *lexer) words(i, end int) {
	for end > i && (x.s[end-1] == '\'' || x.s[end-1] == '-') {
		end--
	}
	for i < end && x.s[i] == '-' {
		i++
	}
	for j := i; j < end; j++ {
		if x.s[j] >= utf8.RuneSelf {
			x.foreign(i, end)
			return
		}
	}
	x.asciiWord(i, end)
}

func (x *lexer) asciiWord(i, end int) {
	w, upper, camel, digit, hash := x.word[:0], 0, false, false, uint32(hashStart)
	for j := i; j < end; j++ {
		c := x.s[j]
		if ascii.Upper(c) {
			upper++
			camel = camel || j > i && !ascii.Upper(x.s[i]) && x.s[j-1] >= 'a' && x.s[j-1] <= 'z'
			c += 'a' - 'A'
		} else if ascii.Digit(c) {
			digit = true
		} else if c == '\'' && j+2 == end && x.s[j+1]|0x20 == 's' {
			break // the user's
		}
		w = append(w, c)
		hash = (hash ^ uint32(c)) * hashPrime
	}
	x.word = w
	known, flags := x.lang.table.find(w, hash), flag(0)
	switch {
	case known != 0:
	case digit:
		if known = x.lang.leet(w); known != 0 {
			x.leet++
		}
	case camel:
		flags = flagIdent | flagCamel
	}
	if upper > 1 && upper == len(w) {
		flags |= flagCaps
	}
	if digit && len(w) >= 6 && upper == 0 && ascii.Digit(w[0]) && ascii.Digit(w[len(w)-1]) {
		flags |= flagNumber
	}
	x.emit(i, end, known, flags)
}

// foreign reads a chunk with letters beyond ASCII. Scripts without blanks are cut
// by the longest word that is known at each place; what is unknown in between is
// one token.
func (x *lexer) foreign(i, end int) {
	unknown := -1
	flush := func(j int) {
		if unknown >= 0 && j > unknown {
			x.lookup(unknown, j)
		}
		unknown = -1
	}
	for j := i; j < end; {
		c, size := utf8.DecodeRuneInString(x.s[j:end])
		switch {
		case unbroken(c):
			n, known := x.lang.longest(x.s[j:end])
			if n == 0 {
				if unknown < 0 {
					unknown = j
				}
				j += size
				continue
			}
			flush(j)
			x.emit(j, j+n, known, 0)
			j += n
		case unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) || c == '\'':
			if unknown < 0 {
				unknown = j
			}
			j += size
		default:
			flush(j)
			j += size
		}
	}
	flush(end)
}

func (x *lexer) lookup(i, end int) {
	if isASCII(x.s[i:end]) {
		x.asciiWord(i, end)
		return
	}
	x.emit(i, end, x.lang.words[strings.ToLower(x.s[i:end])], 0)
}

// unbroken are scripts in which a blank does not separate words, or in which
// endings grow onto them (Hangul): Thai, Hangul, and all from the radicals of
// Han over kana to its last extension.
func unbroken(c rune) bool {
	return c >= 0x0E00 && (c <= 0x0E7F || c >= 0x1100 && c <= 0x11FF || c >= 0x2E80 && c <= 0x9FFF && (c < 0x3000 || c > 0x3004) ||
		c >= 0xAC00 && c <= 0xD7AF || c >= 0xF900 && c <= 0xFAFF || c >= 0xFF66 && c <= 0xFF9F || c >= 0x20000 && c <= 0x3FFFF)
}

func (x *lexer) emit(i, end int, word wordID, flags flag) {
	if x.quote != 0 {
		if x.quoted++; x.quoted > maxQuote {
			x.quote = 0
		} else {
			flags |= flagQuoted
		}
	}
	if len(x.tokens) == 0 || x.s[i-1] == '\n' {
		flags |= flagStart
	}
	x.tokens = append(x.tokens, token{start: int32(i), end: int32(end), word: word, flags: flags})
}

// isImage reports whether the address at i is that of a Markdown image, ![...](.
func (x *lexer) isImage(i int) bool {
	const maxAlt = 200 // bytes of the text that is shown in its place
	from := max(0, i-maxAlt)
	open := strings.LastIndexByte(x.s[from:i], '[')
	return i > 1 && x.s[i-2:i] == "](" && open > 0 && x.s[from+open-1] == '!'
}

func isEmail(s string) bool {
	at := strings.IndexByte(s, '@')
	return at > 0 && strings.LastIndexByte(s, '.') > at+1 && ascii.Word(s[at-1])
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
