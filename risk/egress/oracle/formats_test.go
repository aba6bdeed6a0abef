package oracle

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/zricethezav/gitleaks/v8/config"

	"github.com/glovebox-run/glovebox/internal/samples"
)

// assignment is how gitleaks writes "name, separator, value" in its rules. The
// part before it names the vendor, the part after it is the value.
const assignment = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`

var (
	// terminator is how the rules end.
	terminator = regexp.MustCompile(`\(\?:\[\\x60'"\\s;\]\|\\\\\[nr\]\|\$(?:\|\\b)?\)$`)
	// leader is how those of vendors begin.
	leader = regexp.MustCompile(`^.*\{0,50\}\?`)
)

// left are rules that describe files or a place in one rather than a value.
var left = map[string]string{
	"generic-api-key":        "names and values of any kind; the main module's material has them",
	"kubernetes-secret-yaml": "a whole manifest; the main module's material has one",
	"curl-auth-header":       "a whole command; the main module's material has one",
	"curl-auth-user":         "a whole command; the main module's material has one",
	"private-key":            "random characters are no key block; the main module's material has five kinds",
	"nuget-config-password":  "only in files of one name",
	"hashicorp-tf-password":  "only in files of one name",
	"freemius-secret-key":    "only in files of one name",
	"pkcs12-file":            "a file name",
}

// missed are rules whose values are not always found, and why that is right.
var missed = map[string]string{
	"sourcegraph-access-token":     "one branch is any 40 hexadecimal digits, which is every commit",
	"discord-client-id":            "public: 18 digits behind the word discord are as likely a user or a channel",
	"asana-client-id":              "public: 16 digits behind the word asana are as likely a task",
	"messagebird-client-id":        "public: a UUID behind the vendor's name",
	"sendbird-access-id":           "public: a UUID behind the vendor's name",
	"twitter-bearer-token":         "the draw writes the 22 capital As small",
	"dropbox-long-lived-api-token": "the draw writes the ten capital As small",
	"linkedin-client-id":           "14 letters without a digit are a word",
}

type sample struct{ rule, name, value string }

// draw makes values from the grammar of the rules.
func draw(cfg config.Config, perRule int) []sample {
	random := rand.New(rand.NewPCG(8, 30))
	ids := make([]string, 0, len(cfg.Rules))
	for id := range cfg.Rules {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var list []sample
	for _, id := range ids {
		rule := cfg.Rules[id]
		if left[id] != "" || rule.Regex == nil {
			continue
		}
		for range perRule {
			s := sample{rule: id}
			expr := rule.Regex.String()
			if vendor, value, ok := cutLast(expr, assignment); ok {
				s.name = strings.Trim(samples.Draw(random, balance(leader.ReplaceAllString(vendor, ""))), "._-")
				if strings.HasPrefix(expr, "(?i)") {
					value = "(?i)" + value
				}
				expr = value
			}
			// Of two alternatives, one behind a name, the first is drawn.
			if first, _, ok := strings.Cut(expr, `|\b(ATATT3`); ok {
				expr = first
			}
			expr = balance(terminator.ReplaceAllString(expr, ""))
			for range 200 {
				s.value = samples.Draw(random, expr)
				if strings.ContainsAny(s.value, "0123456789") || strings.HasPrefix(id, "huggingface") {
					break
				}
			}
			list = append(list, s)
		}
	}
	return list
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		// Some wrap what comes before the separator once more.
		sep = strings.Replace(sep, `[\s'"]{0,3}(?:=`, `[\s'"]{0,3})(?:=`, 1)
		if i = strings.LastIndex(s, sep); i < 0 {
			return s, "", false
		}
	}
	return s[:i], s[i+len(sep):], true
}

// balance repairs the parentheses that cutting tore apart.
func balance(expr string) string {
	depth, class := 0, false
	var b strings.Builder
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case c == '\\':
			b.WriteByte(c)
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				depth = 0
				continue
			}
		}
		if i < len(expr) {
			b.WriteByte(expr[i])
		}
	}
	return b.String() + strings.Repeat(")", depth)
}
