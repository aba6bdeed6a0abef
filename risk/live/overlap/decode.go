package overlap

import (
	"encoding/base64"
	"net/url"
	"strings"
	"unicode/utf8"
)

const (
	minEncoded = 16      // characters of base64 that are worth a look: twelve bytes
	maxDecoded = 1 << 16 // bytes that are read again, of one text
)

// Decoded returns what the encoded pieces of a text mean, one to a line; empty for a
// text without any.
func Decoded(text string) string {
	var b strings.Builder
	shortest := minEncoded
	if strings.IndexByte(text, '%') >= 0 {
		shortest = len("%41")
	}
	for start, end := nextPiece(text, 0, shortest); start >= 0 && b.Len() < maxDecoded; start, end = nextPiece(text, end, shortest) {
		if piece := text[start:end]; strings.IndexByte(piece, '%') >= 0 {
			if plain, err := url.QueryUnescape(piece); err == nil {
				write(&b, plain)
				decodePieces(&b, plain)
			}
		} else if len(piece) >= minEncoded {
			decodePieces(&b, piece)
		}
	}
	return b.String()
}

// nextPiece returns where the next piece of a text begins and ends that has so many bytes
// and nothing that ends a word; -1 if there is none. Of shorter ones it reads only the
// end.
func nextPiece(text string, from, shortest int) (start, end int) {
	for from+shortest <= len(text) {
		i := from + shortest - 1
		for i >= from && signs[text[i]] != ends {
			i--
		}
		if i >= from {
			from = i + 1
			continue
		}
		for end = from + shortest; end < len(text) && signs[text[end]] != ends; end++ {
		}
		return from, end
	}
	return -1, -1
}

// decodePieces reads the parts of a word that can be base64.
func decodePieces(b *strings.Builder, word string) {
	start := 0
	for i := 0; i <= len(word); i++ {
		if i < len(word) && (word[i] == '+' || word[i] == '/' || word[i] == '-' || word[i] == '_' || alnum(word[i])) {
			continue
		}
		if piece := word[start:i]; len(piece) >= minEncoded && b.Len() < maxDecoded {
			if plain, ok := fromBase64(piece); ok {
				write(b, plain)
			}
		}
		start = i + 1
	}
}

func alnum(c byte) bool { return c < utf8.RuneSelf && classes[c] >= first }

func write(b *strings.Builder, text string) {
	b.WriteString(text[:min(len(text), maxDecoded-min(b.Len(), maxDecoded))])
	b.WriteByte('\n')
}

// fromBase64 reads either alphabet. A word that happens to be base64 means bytes that
// are no text.
func fromBase64(piece string) (string, bool) {
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(piece, "-_") {
		encoding = base64.RawURLEncoding
	}
	plain, err := encoding.DecodeString(piece)
	if err != nil || !utf8.Valid(plain) {
		return "", false
	}
	for _, c := range plain {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return "", false
		}
	}
	return string(plain), true
}
