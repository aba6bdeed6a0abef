package pattern

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestCompileRefusesWhatIsNoToken(t *testing.T) {
	for _, expr := range []string{
		``, `(`, `.`, `[^a]`, `^a`, `a$`, `\bab`, `[a-z]+[a-z0-9]`, `ab[a-z]*b`, `(?:[a-z]{1,3}-)+`,
		`(?:a|b|c|d|e)(?:a|b|c|d|e)(?:a|b|c|d|e)(?:ab|cd|ef|gh|ij){3}`,
	} {
		if p, err := Compile(expr); err == nil {
			t.Errorf("%q was compiled to %v", expr, p)
		}
	}
}

// The standard library is the oracle: a token is what the anchored expression
// matches, unless something that could belong to it follows.
func TestTokensAreThoseOfTheRegularExpression(t *testing.T) {
	exprs := []string{
		`ab_[a-c]{3}`, `(?:x|y)-[ab]{2,4}`, `[ab]{2}\.mid\.[c-e]{3}`, `k[0-9]{1,3}(?:-[a-c]{2}){2}`, `(?i:key-[a-c]{3})`,
		`a[bc]\.[0-9]+`, `t1\.[a-c]+={0,2}\.[a-c]{4}`, `z(?:-(?:aa|bb))?_[0-9]{2}`,
	}
	random := rand.New(rand.NewPCG(3, 4))
	const alphabet = "abcxyKEYkey019.-_= tmid"
	for _, expr := range exprs {
		p, err := Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		oracle := regexp.MustCompile(`^(?:` + expr + `)$`)
		found := 0
		for range 60000 {
			b := make([]byte, 3+random.IntN(10))
			for i := range b {
				b[i] = alphabet[random.IntN(len(alphabet))]
			}
			if got, want := p.Whole(b), oracle.Match(b); got != want {
				t.Errorf("%s: %q: got %v, want %v", expr, b, got, want)
			} else if got {
				found++
			}
		}
		t.Logf("%s: %d of the random texts are tokens", expr, found)
	}
}

func TestAroundFindsTheTokenByItsLiteral(t *testing.T) {
	p := MustCompile(`[a-z0-9]{4}\.lit\.[a-z0-9]{3,5}`)
	if l := p.Literals(); len(l) != 1 || l[0] != ".lit." {
		t.Fatalf("literals %q", l)
	}
	for text, want := range map[string]string{
		"ab12.lit.xyz":            "ab12.lit.xyz",
		"(ab12.lit.xyz99)":        "ab12.lit.xyz99",
		"zab12.lit.xyz":           "", // five before
		"ab1.lit.xyz":             "",
		"ab12.lit.xy":             "",
		"ab12.lit.xyz999":         "", // six after
		"ab12.lit.xyZ":            "", // a letter that is not of the set
		"ab12.lit.xyz. Next":      "ab12.lit.xyz",
		`\nab12.lit.xyz\n`:        "ab12.lit.xyz", // text that quotes text
		"%3Dab12.lit.xyz%20":      "ab12.lit.xyz",
		`\u0022ab12.lit.xyz`:      "ab12.lit.xyz",
		"\x1b[1;32mab12.lit.xyz":  "ab12.lit.xyz",
		"_ab12.lit.xyz":           "",
		"-ab12.lit.xyz-":          "ab12.lit.xyz",
		"ab12.LIT.xyz":            "",
		"éab12.lit.xyz":           "ab12.lit.xyz",
		"\x00ab12.lit.xyz\xff":    "ab12.lit.xyz",
		"99:ab12.lit.xyz.lit.abc": "ab12.lit.xyz",
	} {
		at := strings.Index(strings.ToLower(text), ".lit.")
		got := ""
		if start, end, ok := p.Around([]byte(text), 0, at, &Runs{}); ok {
			got = text[start:end]
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// Runs answer from memory what they have read before.
func TestRunsRememberWhereRunsEnd(t *testing.T) {
	p := MustCompile(`-[a-z-]{3,500}`)
	text := []byte("." + strings.Repeat("-ab", 400) + "." + strings.Repeat("-cd", 10))
	runs := &Runs{}
	for at := range text {
		fresh, _, freshOK := p.Around(text, 0, at, &Runs{})
		start, end, ok := p.Around(text, 0, at, runs)
		if ok != freshOK || ok && (start != fresh) {
			t.Fatalf("at %d: %v %v, fresh %v", at, start, ok, fresh)
		}
		if ok && end < at+4 {
			t.Fatalf("at %d: ends at %d", at, end)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`ab_[a-c]{3,9}`, "ab_abcabc")
	f.Add(`(?i:(x|yy)-[0-9]{2}(?:\.[a-f]+)?)`, "YY-12.abc")
	f.Fuzz(func(t *testing.T, expr, text string) {
		p, err := Compile(expr)
		if err != nil {
			return
		}
		for i := range text {
			for spelling := range p.Literals() {
				if start, end, ok := p.Around([]byte(text), spelling, i, &Runs{}); ok && (start > end || end > len(text)) {
					t.Fatalf("%q in %q: %d to %d", expr, text, start, end)
				}
			}
		}
	})
}
