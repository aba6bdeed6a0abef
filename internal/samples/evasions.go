package samples

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
)

var evasions = []struct {
	name string
	hide func(random *rand.Rand, secret string) string
}{
	{"base64", func(_ *rand.Rand, s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base64 of JSON", func(_ *rand.Rand, s string) string {
		return base64.StdEncoding.EncodeToString([]byte(`{"user":"a","token":"` + s + `"}`))
	}},
	{"base64url", func(_ *rand.Rand, s string) string { return base64.RawURLEncoding.EncodeToString([]byte("token=" + s)) }},
	{"base64 in lines", func(_ *rand.Rand, s string) string {
		return wrap(base64.StdEncoding.EncodeToString([]byte("credentials: "+s+" (do not share)")), 40, "\n")
	}},
	{"base64 of UTF-16", func(_ *rand.Rand, s string) string {
		return base64.StdEncoding.EncodeToString([]byte(strings.Join(strings.Split(s, ""), "\x00") + "\x00"))
	}},
	{"hex", func(_ *rand.Rand, s string) string { return hex.EncodeToString([]byte(s)) }},
	{"upper-case hex", func(_ *rand.Rand, s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
	{"percent", func(_ *rand.Rand, s string) string { return eachByte(s, "%%%02X") }},
	{"JSON escapes", func(_ *rand.Rand, s string) string { return eachByte(s, `\u%04x`) }},
	{"hex escapes", func(_ *rand.Rand, s string) string { return eachByte(s, `\x%02x`) }},
	{"HTML entities", func(_ *rand.Rand, s string) string { return eachByte(s, "&#%d;") }},
	{"HTML hex entities", func(_ *rand.Rand, s string) string { return eachByte(s, "&#x%x;") }},
	{"zero-width spaces", func(_ *rand.Rand, s string) string { return wrap(s, 3, "\u200b") }},
	{"zero-width joiner in the prefix", func(_ *rand.Rand, s string) string { return s[:2] + "\u200d" + s[2:] }},
	{"soft hyphens", func(_ *rand.Rand, s string) string { return wrap(s, 5, "\u00ad") }},
	{"word joiners", func(_ *rand.Rand, s string) string { return wrap(s, 1, "\u2060") }},
	{"byte order marks", func(_ *rand.Rand, s string) string { return wrap(s, 8, "\ufeff") }},
	{"variation selectors", func(_ *rand.Rand, s string) string { return wrap(s, 4, "\ufe0f") }},
	{"tag characters", func(_ *rand.Rand, s string) string { return wrap(s, 6, "\U000e0041") }},
	{"full width", func(_ *rand.Rand, s string) string {
		return strings.Map(func(r rune) rune { return r - '!' + 0xff01 }, s)
	}},
	{"line break", func(_ *rand.Rand, s string) string { return s[:len(s)/2] + "\n" + s[len(s)/2:] }},
	{"lines of 10", func(_ *rand.Rand, s string) string { return wrap(s, 10, "\n") }},
	{"indented lines", func(_ *rand.Rand, s string) string { return wrap(s, 16, "\n    ") }},
	{"CRLF", func(_ *rand.Rand, s string) string { return wrap(s, 20, "\r\n") }},
	{"continued lines", func(_ *rand.Rand, s string) string { return wrap(s, 12, "\\\n") }},
	{"quoted-printable", func(_ *rand.Rand, s string) string { return wrap(s, 18, "=\n") }},
	{"joined literals", func(_ *rand.Rand, s string) string { return `"` + wrap(s, 9, `" + "`) + `"` }},
	{"joined literals, single quotes", func(_ *rand.Rand, s string) string { return `'` + wrap(s, 9, `'+'`) + `'` }},
	{"quoted text of quoted text", func(_ *rand.Rand, s string) string { return JSON(JSON(JSON(map[string]string{"t": s}))) }},
	{"bold", func(_ *rand.Rand, s string) string { return s[:len(s)/2] + "**" + s[len(s)/2:] + "**" }},
	{"colours", func(_ *rand.Rand, s string) string { return "\x1b[32m" + s + "\x1b[0m" }},
	{"spaced", func(_ *rand.Rand, s string) string { return wrap(s, 1, " ") }},
	{"reversed", func(_ *rand.Rand, s string) string {
		b := []byte(s)
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
		return string(b)
	}},
	{"base64 twice", func(_ *rand.Rand, s string) string {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
	}},
}

var disguised = []string{`ghp_[A-Za-z0-9]{36}`, `sk-ant-api03-[A-Za-z0-9]{93}AA`, `AKIA[A-Z2-7]{16}`, `xoxb-[0-9]{12}-[0-9]{13}-[A-Za-z0-9]{24}`, `sk_live_[A-Za-z0-9]{24}`, `glpat-[A-Za-z0-9]{20}`}

// Evasions writes secrets so that a search for the plain text misses them. The
// Secret of a sample is the disguise without its ends, for what is left of it.
func Evasions(random *rand.Rand) []Sample {
	var list []Sample
	for _, e := range evasions {
		for i, expr := range disguised {
			hidden := e.hide(random, Draw(random, expr))
			text := "the value is " + hidden + " as requested"
			if i%2 == 1 {
				text = JSON(map[string]any{"note": text, "n": i})
				hidden = JSON(hidden)
			}
			list = append(list, Sample{e.name, text, hidden[len(hidden)/4 : len(hidden)*3/4]})
		}
	}
	return list
}

func wrap(s string, every int, with string) string {
	var b strings.Builder
	for i := 0; i < len(s); i += every {
		if i > 0 {
			b.WriteString(with)
		}
		b.WriteString(s[i:min(len(s), i+every)])
	}
	return b.String()
}

func eachByte(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}
