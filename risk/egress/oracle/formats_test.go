package oracle

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/config"
)

// assignment is how gitleaks writes "name, separator, value" in its rules. The
// part before it names the vendor, the part after it is the value.
const assignment = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`

// terminator is how its rules end.
var terminator = regexp.MustCompile(`\(\?:\[\\x60'"\\s;\]\|\\\\\[nr\]\|\$(?:\|\\b)?\)$`)

// left are rules that describe files or a place in one rather than a value.
var left = map[string]string{
	"generic-api-key":        "names and values of any kind; measured by the material of the main module",
	"kubernetes-secret-yaml": "a whole manifest; has tests of its own",
	"curl-auth-header":       "a whole command; has tests of its own",
	"curl-auth-user":         "a whole command; has tests of its own",
	"nuget-config-password":  "only in files of one name",
	"hashicorp-tf-password":  "only in files of one name",
	"freemius-secret-key":    "only in files of one name",
	"pkcs12-file":            "a file name",
	"private-key":            "random characters are no key block; has tests of its own",
}

type sample struct{ rule, name, value string }

// samples draws values from the grammar of the rules.
func samples(t *testing.T, cfg config.Config, perRule int) []sample {
	random := rand.New(rand.NewPCG(8, 30))
	var list []sample
	ids := make([]string, 0, len(cfg.Rules))
	for id := range cfg.Rules {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		rule := cfg.Rules[id]
		if left[id] != "" || rule.Regex == nil {
			continue
		}
		for range perRule {
			s := sample{rule: id}
			expr := rule.Regex.String()
			if vendor, value, ok := strings.Cut(expr, assignment); ok {
				if i := strings.LastIndex(vendor, `{0,50}?`); i >= 0 {
					vendor = vendor[i+len(`{0,50}?`):]
				}
				vendor = strings.Trim(vendor, "()")
				if !strings.HasPrefix(vendor, "?") {
					vendor = "(" + vendor + ")"
				} else {
					vendor = "(" + vendor + ")"
				}
				s.name = draw(t, id, random, balance(vendor))
				expr = "(?i)" + value
				if !strings.HasPrefix(rule.Regex.String(), "(?i)") {
					expr = value
				}
			}
			if a, b, ok := strings.Cut(expr, `)|\b(ATATT3`); ok && id == "atlassian-api-token" {
				_ = b
				expr = a
				expr = terminator.ReplaceAllString(expr+")", "")
			}
			expr = terminator.ReplaceAllString(expr, "")
			for range 200 {
				s.value = draw(t, id, random, expr)
				if entropy(s.value) > rule.Entropy && strings.ContainsAny(s.value, "0123456789") == digits(expr) {
					break
				}
			}
			list = append(list, s)
		}
	}
	return list
}

func digits(expr string) bool {
	return !strings.Contains(expr, "hf_") && !strings.Contains(expr, "api_org_")
}

// balance adds the closing parentheses that cutting took away.
func balance(expr string) string {
	depth := 0
	for _, c := range expr {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	for ; depth > 0; depth-- {
		expr += ")"
	}
	for ; depth < 0; depth++ {
		expr = "(" + expr
	}
	return expr
}

func draw(t *testing.T, id string, random *rand.Rand, expr string) string {
	t.Helper()
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		t.Fatalf("%s: %s: %v", id, expr, err)
	}
	var b strings.Builder
	walk(&b, random, tree)
	return b.String()
}

func walk(b *strings.Builder, random *rand.Rand, re *syntax.Regexp) {
	repeat := func(least, most int) {
		if most < 0 {
			most = least + 20
		}
		for range least + random.IntN(most-least+1) {
			walk(b, random, re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		literal := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			literal = strings.ToLower(literal)
		}
		b.WriteString(literal)
	case syntax.OpCharClass:
		var set []rune
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= min(re.Rune[i+1], 0x7e); r++ {
				if r > ' ' {
					set = append(set, r)
				}
			}
		}
		if len(set) > 0 {
			b.WriteRune(set[random.IntN(len(set))])
		}
	case syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		b.WriteByte('.') // a full stop that its author did not escape
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			walk(b, random, sub)
		}
	case syntax.OpAlternate:
		walk(b, random, re.Sub[random.IntN(len(re.Sub))])
	case syntax.OpCapture:
		walk(b, random, re.Sub[0])
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpStar:
		repeat(0, -1)
	case syntax.OpPlus:
		repeat(1, -1)
	case syntax.OpRepeat:
		repeat(re.Min, re.Max)
	}
}

func entropy(s string) float64 {
	return detect_entropy(s)
}
