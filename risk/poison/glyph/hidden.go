package glyph

import (
	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"

	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// View is a string with its disguise removed: without invisible characters, with
// styled and accented letters made plain and look-alikes replaced by Latin letters.
type View struct {
	Text string
	at   []int32 // offset in the original of every byte of text, and of its end; nil means the same
}

// Original is the offset in the original of the byte at i of Text.
func (v View) Original(i int) int {
	if v.at == nil {
		return i
	}
	return int(v.at[i])
}

// Trick is one use of a technique for hiding text, with the hidden text.
type Trick struct {
	Rule       string
	Start, End int    // in the original
	Hidden     string // what the characters spell, when they spell something
}

// Rules of the character layer.
const (
	TagCharacters      = "tag-characters"
	VariationSelectors = "variation-selectors"
	ZeroWidthInWord    = "zero-width-in-word"
	ZeroWidthRun       = "zero-width-run"
	ZeroWidthStray     = "zero-width-stray"
	BidiOverride       = "bidi-override"
	BidiControl        = "bidi-control"
	TerminalEscape     = "terminal-escape"
	ControlCharacter   = "control-character"
	MixedScript        = "mixed-script"
)

// Plain reports whether s is printable ASCII and white space, as nearly every
// string is: such a string is its own view and hides nothing.
func Plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' && c != '\r' || c > '~' {
			return false
		}
	}
	return true
}

// Reveal makes the view of a string and lists the tricks it found on the way.
func Reveal(s string) (View, []Trick) {
	if Plain(s) {
		return View{Text: s}, nil
	}
	r := revealer{s: s, text: make([]byte, 0, len(s)), at: make([]int32, 0, len(s)+1)}
	r.mixed = mixedWords(s)
	for i := 0; i < len(s); {
		i = r.step(i)
	}
	if n := len(r.mixed); n > 0 {
		start, end := r.mixed[0].start, r.mixed[n-1].end
		r.tricks = append(r.tricks, Trick{Rule: MixedScript, Start: start, End: end, Hidden: latinise(s[start:end])})
	}
	r.at = append(r.at, int32(len(s)))
	return View{Text: string(r.text), at: r.at}, r.tricks
}

type revealer struct {
	s      string
	text   []byte
	at     []int32
	tricks []Trick
	mixed  []span
	before rune // the last visible rune
}

func (r *revealer) put(i int, c rune) {
	n := len(r.text)
	r.text = utf8.AppendRune(r.text, c)
	for ; n < len(r.text); n++ {
		r.at = append(r.at, int32(i))
	}
}

// step reads one rune, or one run of invisible ones, and returns what follows.
func (r *revealer) step(i int) int {
	c, size := utf8.DecodeRuneInString(r.s[i:])
	switch {
	case c == 0x1b || c == 0x9b:
		end := i + size
		if e := EscapeEnd(r.s, i); c == 0x1b && e >= 0 {
			end = e
		}
		r.add(TerminalEscape, i, end, "")
		return end
	case c < ' ' && !ascii.Space(byte(c)) || c >= 0x7f && c < 0xa0 && c != 0x85:
		r.add(ControlCharacter, i, i+size, "")
		return i + size
	case c >= 0xE0000 && c <= 0xE007F:
		return r.tags(i)
	case isVariationSelector(c):
		return r.selectors(i, size)
	case isZeroWidth(c):
		return r.zeroWidth(i)
	case IsBidi(c):
		rule := BidiControl
		if c == 0x202D || c == 0x202E {
			rule = BidiOverride
		}
		r.add(rule, i, i+size, "")
		return i + size
	case c == 0xAD || c == 0x200E || c == 0x200F || c == 0x061C || unicode.Is(unicode.Mn, c) && r.before < 0x0250:
		return i + size // soft hyphens, direction marks, accents over Latin letters: shape, not meaning
	}
	r.before = c
	if c < utf8.RuneSelf {
		r.text, r.at = append(r.text, byte(c)), append(r.at, int32(i))
		return i + size
	}
	if len(r.mixed) > 0 {
		if l, ok := lookAlikes[c]; ok {
			r.put(i, l)
			return i + size
		}
	}
	r.fold(i, size, c)
	return i + size
}

// fold puts the plain form of a styled or accented rune: the full-width, circled
// and mathematical alphabets all decompose to ASCII.
func (r *revealer) fold(i, size int, c rune) {
	switch c {
	case '‘', '’', 'ʼ', '`':
		r.put(i, '\'')
		return
	case 'ı':
		r.put(i, 'i')
		return
	case 'ß':
		r.put(i, 's')
		r.put(i, 's')
		return
	case 'đ', 'Đ':
		r.put(i, 'd')
		return
	case 'ł', 'Ł':
		r.put(i, 'l')
		return
	case 'ø', 'Ø':
		r.put(i, 'o')
		return
	}
	d := norm.NFKD.PropertiesString(r.s[i : i+size]).Decomposition()
	if first, _ := utf8.DecodeRune(d); len(d) == 0 || first >= utf8.RuneSelf {
		r.put(i, c) // Hangul, kana, Cyrillic: the composed form is the one words are known by
		return
	}
	for _, p := range string(d) {
		if !unicode.Is(unicode.Mn, p) {
			r.put(i, p)
		}
	}
}

func (r *revealer) add(rule string, start, end int, hidden string) {
	if n := len(r.tricks); n > 0 && r.tricks[n-1].Rule == rule && r.tricks[n-1].End == start {
		r.tricks[n-1].End = end // a run is one finding
		r.tricks[n-1].Hidden += hidden
		return
	}
	r.tricks = append(r.tricks, Trick{rule, start, end, hidden})
}

// tags reads a run of tag characters, a second ASCII nobody sees. The flags of
// England, Scotland and Wales are spelled with them behind a black flag.
func (r *revealer) tags(i int) int {
	end, spelled, closed := i, []byte(nil), false
	for end < len(r.s) {
		c, size := utf8.DecodeRuneInString(r.s[end:])
		if c < 0xE0000 || c > 0xE007F {
			break
		}
		if c >= 0xE0020 && c <= 0xE007E {
			spelled = append(spelled, byte(c-0xE0000))
		}
		closed = c == 0xE007F
		end += size
	}
	if r.before == 0x1F3F4 && closed && len(spelled) <= 6 {
		return end
	}
	r.add(TagCharacters, i, end, string(spelled))
	return end
}

func isVariationSelector(c rune) bool {
	return c >= 0xFE00 && c <= 0xFE0F || c >= 0xE0100 && c <= 0xE01EF
}

// selectors reads variation selectors. One behind a character picks its shape;
// two in a row pick nothing, and 256 of them make an alphabet of bytes.
func (r *revealer) selectors(i, size int) int {
	end, bytes := i, []byte(nil)
	for end < len(r.s) {
		c, n := utf8.DecodeRuneInString(r.s[end:])
		if !isVariationSelector(c) {
			break
		}
		if c >= 0xE0100 {
			bytes = append(bytes, byte(c-0xE0100+16))
		} else {
			bytes = append(bytes, byte(c-0xFE00))
		}
		end += n
	}
	if len(bytes) > 1 {
		r.add(VariationSelectors, i, end, Printable(bytes))
	}
	return end
}

func isZeroWidth(c rune) bool {
	return c >= 0x200B && c <= 0x200D || c >= 0x2060 && c <= 0x2064 || c == 0xFEFF || c == 0x180E
}

// zeroWidth reads a run of characters without width. Joiners belong to emoji and
// to Arabic and Indic writing, the zero-width space to writing without blanks;
// between the letters of a Latin or Cyrillic word they only split the word for
// whoever searches it, and a long run is a message in two symbols.
func (r *revealer) zeroWidth(i int) int {
	end, bits := i, []byte(nil)
	for end < len(r.s) {
		c, size := utf8.DecodeRuneInString(r.s[end:])
		if !isZeroWidth(c) {
			break
		}
		bit := byte('1')
		if c == 0x200B {
			bit = '0'
		}
		bits = append(bits, bit)
		end += size
	}
	after, _ := utf8.DecodeRuneInString(r.s[end:])
	switch {
	case len(bits) >= 8:
		r.add(ZeroWidthRun, i, end, fromBits(bits))
	case spacedScript(r.before) && spacedScript(after):
		r.add(ZeroWidthInWord, i, end, "")
	case i == 0 || needsJoiner(r.before) || needsJoiner(after):
		// a byte-order mark, an emoji sequence, a script that is written so
	default:
		r.add(ZeroWidthStray, i, end, "")
	}
	return end
}

// spacedScript is a letter or digit of a script that neither joins letters nor
// breaks lines with invisible characters.
func spacedScript(c rune) bool {
	return c < utf8.RuneSelf && (ascii.Word(byte(c))) || unicode.In(c, unicode.Latin, unicode.Cyrillic, unicode.Greek)
}

func needsJoiner(c rune) bool {
	return unicode.In(c, unicode.Arabic, unicode.Syriac, unicode.Devanagari, unicode.Bengali, unicode.Tamil, unicode.Telugu,
		unicode.Malayalam, unicode.Kannada, unicode.Sinhala, unicode.Gujarati, unicode.Gurmukhi, unicode.Oriya, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Mongolian, unicode.Han, unicode.Hiragana, unicode.Katakana) ||
		unicode.Is(unicode.So, c) || unicode.Is(unicode.Sk, c) || c >= 0x1F000 && c <= 0x1FAFF || isVariationSelector(c)
}

// fromBits reads a run of two symbols as bytes of eight bits.
func fromBits(bits []byte) string {
	var out []byte
	for ; len(bits) >= 8; bits = bits[8:] {
		var b byte
		for _, bit := range bits[:8] {
			b = b<<1 | (bit - '0')
		}
		out = append(out, b)
	}
	return Printable(out)
}

// Printable returns bytes as text if they read like text, or "".
func Printable(b []byte) string {
	if !utf8.Valid(b) {
		return ""
	}
	for _, c := range string(b) {
		if c < ' ' && !ascii.Space(byte(c)) || c == 0x7f {
			return ""
		}
	}
	return string(b)
}

// IsBidi reports an embedding, override or isolate of the writing direction.
func IsBidi(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}

// EscapeEnd returns the offset behind the terminal sequence that starts with the
// escape character at i, or -1.
func EscapeEnd(s string, i int) int {
	if i++; i >= len(s) || s[i] != '[' {
		return -1
	}
	for i++; i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == ';'); i++ {
	}
	if i < len(s) && ascii.Letter(s[i]) {
		return i + 1
	}
	return -1
}
