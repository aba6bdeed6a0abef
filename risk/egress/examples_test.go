package egress

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/samples"
	"github.com/glovebox-run/glovebox/risk/egress/internal/finder"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

func in(text string, h finder.Hit) string { return text[h.Start:h.End] }

func alone(t *testing.T, r rules.Rule) func(text string) []finder.Hit {
	t.Helper()
	engine, err := finder.NewEngine([]rules.Rule{r})
	if err != nil {
		t.Fatal(err)
	}
	policy := DefaultPolicy()
	return func(text string) []finder.Hit { return finder.NewSweep(engine, policy.wants).Any([]byte(text), 0) }
}

// Every format gets examples drawn from it, because a secret-looking literal in
// the source would stop whoever scans the repository: in two places where it has
// to be found as a whole, and cut short, glued to a word or without what names it,
// where it must not. The rule is alone, so that no other one helps.
func TestEveryFormatOnItsExamples(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, r := range rules.Builtin() {
		if r.Pattern == "" {
			continue
		}
		find := alone(t, r)
		p := pattern.MustCompile(r.Pattern)
		value := draw(random, &r, p)
		match := []string{"the client sent (" + value + ").", samples.JSON(map[string]string{"note": "uses " + value + " now"})}
		ignore := []string{"the client sent (" + value[:min(len(value)/2, 7)] + ").", "note: Zz9" + value[:len(value)-1] + "-"}
		if len(r.Words) > 0 {
			word := strings.TrimRight(r.Words[0], "_- ")
			match = []string{word + "_key=" + value + ";", samples.JSON(map[string]string{word + "_client_id": value})}
			ignore = []string{"key=" + value + ";", word + "_commit_sha=" + value}
		} else if value[0] == '.' || value[0] == '$' || value[0] == '_' {
			ignore[1] = "note: " + strings.Replace(value, value[:2], value[:1]+" "+value[1:2], 1)
		}
		for _, text := range match {
			hits := find(text)
			if len(hits) != 1 || len(in(text, hits[0])) < secretIn(r.Pattern, value) {
				t.Errorf("%s: %q: hits %v", r.ID, text, hits)
			}
		}
		for _, text := range ignore {
			for _, h := range find(text) {
				if h.End-h.Start >= secretIn(r.Pattern, value) {
					t.Errorf("%s: %q: found %q", r.ID, text, text[h.Start:h.End])
				}
			}
		}
	}
}

// secretIn returns how many bytes of a value are the secret: all, unless a group
// of the format says which.
func secretIn(expr, value string) int {
	re := regexp.MustCompile(expr)
	if i := re.SubexpIndex("secret"); i > 0 {
		return len(re.FindStringSubmatch(value)[i])
	}
	return len(value)
}

// What no format describes has examples by hand. Braces hold what is drawn.
var structureExamples = map[string]struct{ match, ignore []string }{
	"private-key": {
		[]string{"-----BEGIN PRIVATE KEY-----\n{[A-Za-z0-9+/]{64}}\n-----END PRIVATE KEY-----", `{"k":"-----BEGIN OPENSSH PRIVATE KEY-----\\n{[A-Za-z0-9+/]{70}}\\n"}`},
		[]string{"-----BEGIN PUBLIC KEY-----\n{[A-Za-z0-9+/]{64}}\n-----END PUBLIC KEY-----", `starts with "-----BEGIN PRIVATE KEY-----" and ends with "-----END PRIVATE KEY-----"`},
	},
	"uri-password": {
		[]string{"postgres://app:{[A-Za-z0-9]{12}}@db/x", "see https://u:{[a-z0-9!*]{9}}@h.example/p?q=1"},
		[]string{"postgres://user:password@localhost/x", "http://localhost:8080/a@b and https://h/p:1@2"},
	},
	"uri-token": {
		[]string{"https://{[A-Z][a-z0-9]{30}}@git.example/x.git", "clone http://{[a-zA-Z0-9]{22}9z}@h/"},
		[]string{"ssh://git@github.com/x", "https://{[0-9a-f]{32}}@o1.ingest.sentry.example/2"},
	},
	"bearer-token": {
		[]string{"send Bearer {[A-Za-z0-9_-]{39}7}", `-H "authorization:bearer {[A-Za-z0-9]{31}7}"`},
		[]string{"Bearer authentication-and-authorization", "Bearer <token>"},
	},
	"basic-credentials": {
		[]string{"got Basic dXNlcjpzM2NyZXQtdmFsdWU=", `"Proxy: Basic YTpiYzEyMzQ1Njc4OQ=="`},
		[]string{"Basic authentication", "BASIC programming language"},
	},
	"curl-credentials": {
		[]string{"curl -u admin:{[A-Za-z0-9]{9}} https://h", "curl -sS --user 'bob:{[a-z0-9]{8}}' h"},
		[]string{"curl -u admin https://h", "curl -u $USER:$PASSWORD h"},
	},
	"kubernetes-secret": {
		[]string{"kind: Secret\ndata:\n  a: {[A-Za-z0-9]{24}}=\n", "data:\n  k: {[A-Za-z0-9]{20}}\nkind: Secret\n"},
		[]string{"kind: ConfigMap\ndata:\n  a: {[A-Za-z0-9]{24}}\n", "kind: Secret\nmetadata:\n  name: app-credentials\n"},
	},
	"cookie": {
		[]string{"Cookie: sid={[A-Za-z0-9]{20}}; a=b", `{"set-cookie":"s={[a-z0-9]{30}}; Path=/"}`},
		[]string{"Cookie: necessary and preferences", "We set cookies; see our policy = long"},
	},
	"named-password": {
		[]string{"password={[A-Z][a-z]{4}[0-9]{3}!}", `{"db":{"dbPassword":"{[a-z]{5}[0-9]{4}}"}}`},
		[]string{"password: required", `{"password":"********","passwordHint":"first pet1!"}`},
	},
	"named-secret": {
		[]string{"client_secret: {[A-Za-z0-9]{32}7}", `{"apiKey":"{[a-z0-9]{24}7}"}`},
		[]string{"secret: kept by all of us", `{"api_key":"YOUR_API_KEY","secretName":"db-credentials-v2"}`},
	},
	"named-token": {
		[]string{"token={[A-Za-z0-9]{30}7}", `{"acme_token":"{[A-Za-z0-9_]{40}7}"}`},
		[]string{`{"next_page_token":"{[A-Za-z0-9]{40}}","token_count":"12345678901234567890"}`, `{"token":"{[0-9a-f]{40}}"}`},
	},
	"signed-url": {
		[]string{"https://h/f?a=1&X-Amz-Signature={[0-9a-f]{63}7}", "https://h/f?sig={[A-Za-z0-9]{39}7}%3D"},
		[]string{"https://h/f?page={[A-Za-z0-9]{40}}", "signature: {[0-9a-f]{64}}"},
	},
	"seed-phrase": {
		[]string{"mnemonic: " + strings.Repeat("word ", 11) + "last", "seed phrase = \"" + strings.Repeat("tree ", 11) + "house\""},
		[]string{"mnemonic: easy to remember", "the recovery phrase has twelve words"},
	},
	"card":        {[]string{"card 4111 1111 1111 1111", "pay with 5500005555555559."}, []string{"4111 1111 1111 1112", "id 84111111111111111"}},
	"iban":        {[]string{"to DE89370400440532013000", "GB82 WEST 1234 5698 7654 32"}, []string{"DE89370400440532013001", "XDE89370400440532013000"}},
	"us-ssn":      {[]string{"SSN 123-45-6789", "social security number: 219-09-9999"}, []string{"part 123-45-6789", "SSN 000-45-6789"}},
	"email":       {[]string{"bob@example.org", "mail <a.b+c@sub.example.co>"}, []string{"@bob and bob@", "user@localhost"}},
	"phone":       {[]string{"+49 30 12345678", "phone: 030-1234567"}, []string{"order 0301234567", "+1"}},
	"path":        {[]string{"open '/home/bob/.ssh/config'", `in C:\Users\bob\a.txt`}, []string{"https://h/var/log/report", `EXIT CODE:\nDone and the rest`}},
	"stack-frame": {[]string{"Error: x\n    at f (/srv/a.js:1:2)", "  File \"a.py\", line 3, in f"}, []string{"meet at 5:30 pm", "at x ("}},
}

func TestEveryStructureOnItsExamples(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	for _, r := range rules.Builtin() {
		if r.Pattern != "" {
			continue
		}
		examples := structureExamples[r.ID]
		if len(examples.match) < fewestExamples || len(examples.ignore) < fewestExamples {
			t.Errorf("%s has too few examples", r.ID)
		}
		find := alone(t, r)
		for _, text := range examples.match {
			if text = samples.Fill(random, text); len(find(text)) == 0 {
				t.Errorf("%s: nothing is found in %q", r.ID, text)
			}
		}
		for _, text := range examples.ignore {
			text = samples.Fill(random, text)
			for _, h := range find(text) {
				t.Errorf("%s: %q is found in %q", r.ID, text[h.Start:h.End], text)
			}
		}
	}
}
