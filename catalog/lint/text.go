package lint

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/catalog"
)

// secretShapes are keys that can be recognised by form alone, so that prose about
// keys triggers no warning. A regular expression only runs on a text that holds
// one of its words (in lower case): most texts hold none, and looking for the
// words is ten times cheaper.
var secretShapes = []struct {
	name  string // as a message names it
	words []string
	shape *regexp.Regexp
}{
	{"a private key", []string{"private key"}, regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)},
	{"an AWS access key", []string{"akia", "asia"}, regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"a GitHub token", []string{"gh", "github_pat_"}, regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60})`)},
	{"a GitLab token", []string{"glpat-"}, regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20}`)},
	{"a Google API key", []string{"aiza"}, regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`)},
	{"a Slack token", []string{"xox"}, regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10}`)},
	{"a Stripe key", []string{"k_live_", "k_test_"}, regexp.MustCompile(`\b[rs]k_(live|test)_[A-Za-z0-9]{16}`)},
	{"a model provider's API key", []string{"sk-"}, regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20}`)},
	{"a JSON Web Token", []string{"eyj"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.`)},
	{"a bearer token", []string{"bearer"}, regexp.MustCompile(`(?i)\bbearer\s+[a-z0-9._~+/-]{24}`)},
	{"a password", []string{"pass", "pwd", "secret", "key", "token"}, regexp.MustCompile(`(?i)\b(password|passwd|pwd|secret|api[_-]?key|access[_-]?token)\s*[=:]\s*["']?[^\s"'${<]{8}`)},
}

// secretIn names the first kind of secret in a text, or returns "".
func secretIn(text string) string {
	lower := strings.ToLower(text)
	for _, row := range secretShapes {
		for _, word := range row.words {
			if strings.Contains(lower, word) && row.shape.MatchString(text) {
				return row.name
			}
		}
	}
	return ""
}

// credentials is a URL with something before an @ in its authority.
var credentials = regexp.MustCompile(`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/?#@]+@`)

func localeIdentifier(s *catalog.Spec, warn warn) {
	check := func(pointer, word string) {
		if strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			warn(pointer, "%s has characters beyond ASCII; identifiers are ASCII in every language", cut(word))
		}
	}
	check("/name", s.Name())
	check("/category", s.Category())
	for i, tag := range s.Tags() {
		check(fmt.Sprintf("/tags/%d", i), tag)
	}
	for i, p := range s.Params() {
		check(fmt.Sprintf("/params/%d/name", i), p.Name)
	}
	for i, v := range s.StaticVariables() {
		check(staticPointer(i, v), v.Key)
	}
}

func localeDescription(s *catalog.Spec, warn warn) {
	described(s, func(pointer, text string) {
		if word := foreign(withoutQuotes(text)); word != "" {
			warn(pointer, "%s stands outside quotes; write the sentence in English and quote the example", cut(word))
		}
	})
}

func localeCode(s *catalog.Spec, warn warn) {
	if word := foreign(withoutStringsAndComments(s.Code())); word != "" {
		warn("/code", "%s is neither in a string nor in a comment; use English names", cut(word))
	}
}

// foreign returns the first run of letters of a script other than Latin. Letters
// that formulas borrow, such as π, are Greek and count.
func foreign(text string) string {
	other := func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }
	start := strings.IndexFunc(text, other)
	if start < 0 {
		return ""
	}
	rest := text[start:]
	if end := strings.IndexFunc(rest, func(r rune) bool { return !other(r) }); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// quotePairs open and close quotations in prose. An apostrophe inside a word
// opens nothing.
var quotePairs = map[rune]rune{'"': '"', '\'': '\'', '`': '`', '“': '”', '‘': '’', '«': '»', '「': '」', '『': '』'}

func withoutQuotes(text string) string {
	var out strings.Builder
	var closing rune
	inWord := false
	for _, r := range text {
		switch {
		case closing != 0:
			if r == closing {
				closing = 0
			}
		case quotePairs[r] != 0 && !inWord:
			closing = quotePairs[r]
		default:
			out.WriteRune(r)
		}
		inWord = unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return out.String()
}

// withoutStringsAndComments drops strings and comments from JavaScript. It does
// not know regular expressions: a quote inside one starts a string that ends at
// the line's end at the latest, which costs a warning at most.
func withoutStringsAndComments(code string) string {
	var out strings.Builder
	for i := 0; i < len(code); {
		end := 0
		switch {
		case strings.HasPrefix(code[i:], "//"):
			end = endOf(code, i, "\n")
		case strings.HasPrefix(code[i:], "/*"):
			end = endOf(code, i+2, "*/")
		case code[i] == '"' || code[i] == '\'' || code[i] == '`':
			end = stringEnd(code, i)
		}
		if end > 0 {
			out.WriteByte(' ')
			i = end
			continue
		}
		out.WriteByte(code[i])
		i++
	}
	return out.String()
}

func endOf(code string, from int, closing string) int {
	if n := strings.Index(code[from:], closing); n >= 0 {
		return from + n + len(closing)
	}
	return len(code)
}

func stringEnd(code string, i int) int {
	quote := code[i]
	for i++; i < len(code); i++ {
		switch {
		case code[i] == '\\':
			i++
		case code[i] == quote, code[i] == '\n' && quote != '`':
			return i + 1
		}
	}
	return len(code)
}
