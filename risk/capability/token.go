package capability

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/lookalike"
)

// gap is the kind of text between a word and the one before it.
type gap uint8

const (
	space    gap = iota
	comma        // also a slash, an ampersand or a plus: words in a row
	bracket      // an opening bracket
	sentence     // the end of a sentence, a line or the start of the text
)

// A token is one word in the folded form in which the lexicon has it.
type token struct {
	word   string
	gap    gap
	hyphen bool // the first part of a compound, such as read-only
	ident  bool // part of an identifier in prose, such as delete_file: a reference
}

// fold converts a word to the form used for comparison: lower case, without accents,
// with look-alike letters replaced by the Latin ones they imitate.
func fold(word string) string {
	for i := 0; i < len(word); i++ {
		if word[i] >= utf8.RuneSelf {
			return lookalike.Letters(strings.ToLower(word))
		}
	}
	return strings.ToLower(word)
}

// Words splits an identifier into words: at everything that is neither letter nor
// digit, where lower case turns upper, and before the last capital of a run. The
// words are in lower case, with look-alike letters replaced by the Latin ones they
// imitate, so that a Cyrillic е does not hide a verb.
func Words(name string) []string {
	var words []string
	tokens(name, true, func(t token) { words = append(words, t.word) })
	return words
}

// tokens cuts a text into words and calls each for every one. In a name every
// change of case starts a word (readURL, HTTPServer); in prose only an identifier
// is cut, because JavaScript is one word. Time is linear in the text.
func tokens(text string, name bool, each func(token)) {
	before := sentence
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !wordRune(r) {
			before = max(before, gapOf(text, i, r, size))
			i += size
			continue
		}
		end := i + size
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !wordRune(r) && r != '_' && !(name && r == '-') && !apostrophe(text, end, r) && !unicode.Is(unicode.Cf, r) {
				break
			}
			end += size
		}
		run := text[i:end]
		ident := !name && (strings.ContainsRune(run, '_') || camel(run))
		if name || ident {
			pieces(run, func(word string) {
				each(token{word: word, gap: before, ident: ident})
				before = space
			})
		} else {
			emit(run, before, text[end:], each)
		}
		before = space
		i = end
	}
}

// emit passes one word of prose on. Scripts without spaces are cut where the
// lexicon knows a word.
func emit(run string, before gap, after string, each func(token)) {
	word := strings.Map(func(r rune) rune {
		if r == '\'' || r == '’' {
			return -1
		}
		return r
	}, run)
	word = fold(word)
	if !spaceless(word) {
		each(token{word: word, gap: before, hyphen: compound(after)})
		return
	}
	rest := word
	for len(rest) > 0 {
		n := longestPrefix(rest)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(rest)
		} else {
			each(token{word: rest[:n], gap: before})
			before = space
		}
		rest = rest[n:]
	}
}

// compound reports whether a hyphen and a letter follow.
func compound(after string) bool {
	if !strings.HasPrefix(after, "-") {
		return false
	}
	r, _ := utf8.DecodeRuneInString(after[1:])
	return unicode.IsLetter(r)
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func apostrophe(text string, i int, r rune) bool {
	if r != '\'' && r != '’' || i == 0 {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
	return unicode.IsLetter(next)
}

func gapOf(text string, i int, r rune, size int) gap {
	switch r {
	case '.', '!', '?':
		// The dot of v1.2 or file.txt ends nothing.
		if next, _ := utf8.DecodeRuneInString(text[i+size:]); i+size < len(text) && wordRune(next) {
			return space
		}
		return sentence
	case ':':
		// In an example of JSON, {"type": "delete"}, it ends nothing.
		if i > 0 && strings.IndexByte("\"'`", text[i-1]) >= 0 {
			return space
		}
		return sentence
	case '\n', ';', '•', '。', '；', '：', '！', '？':
		return sentence
	case ',', '/', '&', '+', '|', '、', '，':
		return comma
	case '(', '[', '（':
		return bracket
	}
	return space
}

// camel reports a lower-case word with a capital inside, such as deleteFile.
func camel(run string) bool {
	first, _ := utf8.DecodeRuneInString(run)
	return unicode.IsLower(first) && strings.IndexFunc(run, unicode.IsUpper) > 0
}

// pieces cuts an identifier at separators, where lower case turns upper and
// before the last capital of a run.
func pieces(run string, each func(string)) {
	if !strings.ContainsFunc(run, func(r rune) bool { return r >= utf8.RuneSelf }) {
		cut(run, each)
		return
	}
	cut(lookalike.Letters(run), func(word string) {
		if !spaceless(word) {
			each(word)
			return
		}
		emit(word, space, "", func(t token) { each(t.word) })
	})
}

func cut(run string, each func(string)) {
	start := -1
	flush := func(end int) {
		if start >= 0 {
			each(strings.ToLower(run[start:end]))
			start = -1
		}
	}
	var previous rune
	for i, r := range run {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush(i)
			previous = r
			continue
		}
		if start >= 0 && unicode.IsUpper(r) {
			next, _ := utf8.DecodeRuneInString(run[i+utf8.RuneLen(r):])
			if !unicode.IsUpper(previous) || unicode.IsLower(next) {
				flush(i)
			}
		}
		if start < 0 {
			start = i
		}
		previous = r
	}
	flush(len(run))
}

// spaceless reports whether a word begins in a script that is written without
// spaces, or, like Hangul here, with endings glued to the stem.
func spaceless(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}
