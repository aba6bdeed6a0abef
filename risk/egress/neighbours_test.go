package egress

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/samples"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

// fragments are what may stand beside a secret: nothing in them is one.
var fragments = []string{
	"info", "LOG_LEVEL=info", "mode: fast", "please keep it", "- next item", "2. second", "eu-west-1", "v1.2.3", "2026-02-03T04:05:06Z", "db1", "x", "7", "thanks", "Best, Anna",
	"ですので", "请更换", "입니다", "és köszönöm", "да", "# remove soon", "// done", "> ok", "| fast |", "\"mode\": \"fast\"", "</td><td>fast</td>", "&page=2", "{x: 1}", "(see below)", "…", "“quoted”",
	"log-level: aW5mbw==", "port=5432", "a1b2", "A", "END", "ok", "true", "null", "0", "README.md", "main.go:12", "it's", "50 %", "\\n", "\t", "é", "\u200b", "foo_bar", "FooBar", "sha", "https://acme.test/a?b=c",
}

// Joints stand between a secret and a fragment. None begins with a byte that any
// token is made of.
var (
	jointsBefore = []string{" ", "\n", "\r\n", "\t", "(", "[", "\"", "'", "`", ", ", "; ", "：", "「", "（", "=\"", ": ", " = ", "\n  ", "\n> ", "\n- ", "\n# ", "| ", "{", "<b>", "“", "，", "\n\n", "->", "\\n", "*"}
	jointsAfter  = []string{" ", "\n", "\r\n", "\t", ")", "]", "\"", "'", "`", ", ", "; ", "」", "）", "\n  ", "\n> ", "\n- ", "\n# ", " |", "}", "</b>", "”", "，", "。", "\n\n", "\\n", "です", "은", "…", " \\\n  ", "?", "!\n", ":\n", "\"\n", "',\n", "*"}
)

func some(random *rand.Rand, list []string) string { return list[random.IntN(len(list))] }

func neighbourhood(random *rand.Rand) (left, right string) {
	for range random.IntN(4) {
		left += some(random, fragments) + some(random, []string{"\n", " ", "; "})
	}
	left += some(random, fragments) + some(random, jointsBefore)
	right = some(random, jointsAfter) + some(random, fragments)
	for range random.IntN(4) {
		right += some(random, []string{"\n", " ", "; "}) + some(random, fragments)
	}
	return left, right
}

// For every rule, whatever stands beside a secret is still there, byte for byte.
func TestNeighboursStay(t *testing.T) {
	s := New(builtin(t), DefaultPolicy())
	random := rand.New(rand.NewPCG(17, 17))
	bad := 0
	for _, r := range rules.Builtin() {
		if r.Pattern == "" || r.ID == "adyen-key" {
			continue // the end of an Adyen key is ten to twenty characters of any kind
		}
		p := pattern.MustCompile(r.Pattern)
		re := regexp.MustCompile(r.Pattern)
		for range 24 {
			value := draw(random, &r, p)
			lead := value
			if i := re.SubexpIndex("secret"); i > 0 {
				lead = value[:re.FindStringSubmatchIndex(value)[2*i]]
			} else {
				lead = ""
			}
			left, right := neighbourhood(random)
			if len(r.Words) > 0 {
				left += " " + strings.TrimRight(r.Words[0], "_- ") + "_secret="
			}
			text := left + value + right
			out, _ := s.Text(session(), Place{}, text)
			if strings.Contains(out, value) {
				continue // another test counts what is found
			}
			if rest := placeholders.ReplaceAllString(out, ""); rest != left+lead+right {
				if bad++; bad <= 20 {
					t.Errorf("%s: %q became %q", r.ID, text, out)
				}
			}
		}
	}
	if bad > 20 {
		t.Errorf("%d texts in all", bad)
	}
}

// draw makes a value of a rule that it takes for a secret. None ends with a full stop, which
// is that of a sentence.
func draw(random *rand.Rand, r *rules.Rule, p *pattern.Pattern) string {
	value := samples.Draw(random, r.Pattern)
	for try := 0; try < 100 && (value[0] == '=' || value[len(value)-1] == '.' || strings.Contains(value, `\`) || !p.Whole([]byte(value)) || !secretvalue.Plausible(r, []byte(value)) || len(r.Words) > 0 && !r.Identifier && (!secretvalue.Mixed([]byte(value)) || secretvalue.Identifier([]byte(value)))); try++ {
		value = samples.Draw(random, r.Pattern)
	}
	return value
}
