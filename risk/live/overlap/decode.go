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
	start, percent := 0, false // of the piece that is being read
	end := func(i int) {
		if piece := text[start:i]; percent {
			if plain, err := url.QueryUnescape(piece); err == nil {
				write(&b, plain)
				decodePieces(&b, plain)
			}
		} else if len(piece) >= minEncoded {
			decodePieces(&b, piece)
		}
		start, percent = i+1, false
	}
	for i := 0; i < len(text) && b.Len() < maxDecoded; i++ {
		switch c := text[i]; {
		case c < utf8.RuneSelf && classes[c] == hard:
			end(i)
		case c == '%':
			percent = true
		}
	}
	if b.Len() < maxDecoded {
		end(len(text))
	}
	return b.String()
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
