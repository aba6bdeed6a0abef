package egress

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

func builtin(t testing.TB) *Engine {
	t.Helper()
	e, err := NewEngine(rules.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func session() *Session { return NewSession([]byte("a key for tests"), nil) }

func FuzzSanitiser(f *testing.F) {
	token := "ghp_" + fillerBase62(1, 36)
	f.Add("sent " + token)
	f.Add(`{"a":"` + token + `","password":"x\u0041bc1!","b":"{\"c\":\"` + token + `\"}"}`)
	f.Add("https://u:p%41ssw0rd@h/ Basic dXNlcjpwYXNzd29yZA== -----BEGIN PRIVATE KEY-----\nabc\n")
	f.Add("kind: Secret\ndata:\n  a: " + fillerBase62(2, 20) + "\ncurl -u a:bcdef1 \n\x1b[31m" + token)
	engine := builtin(f)
	f.Fuzz(func(t *testing.T, text string) {
		s := New(engine, DefaultPolicy())
		out, outcome := s.Text(session(), Place{}, text)
		end := 0
		for _, h := range outcome.Findings {
			if h.Start < end || h.End <= h.Start || h.End > len(text) {
				t.Fatalf("finding %+v after %d of %d in %q", h, end, len(text), text)
			}
			end = h.End
		}
		if len(outcome.Redacted()) == 0 && out != text {
			t.Fatalf("nothing redacted, but %q became %q", text, out)
		}
		if json.Valid([]byte(text)) && !json.Valid([]byte(out)) {
			t.Fatalf("%q became %q, which is not JSON", text, out)
		}
	})
}

func TestPlaceholdersAreStableWithinASession(t *testing.T) {
	s := New(builtin(t), DefaultPolicy())
	one, two := "ghp_"+fillerBase62(1, 36), "ghp_"+fillerBase62(2, 36)
	session := session()
	got, _ := s.Text(session, Place{}, one+" "+two)
	again, _ := s.Text(session, Place{}, two+" "+one)
	if got != "[REDACTED:github-token#1] [REDACTED:github-token#2]" || again != "[REDACTED:github-token#2] [REDACTED:github-token#1]" {
		t.Errorf("%s, then %s", got, again)
	}
	if out, _ := s.Text(session, Place{}, got); out != got {
		t.Errorf("cleaning what is clean gives %s", out)
	}
	if strings.Contains(got, one) {
		t.Error("the token is still there")
	}
}

// A token in parts is found across what stands between them; the same between parts of
// nothing is left alone.
func TestTokensAcrossLineNumbersColoursAndJoints(t *testing.T) {
	s := New(builtin(t), DefaultPolicy())
	token := "ghp_" + fillerBase62(3, 36)
	for name, join := range map[string]string{
		"line numbers":    "\n  3  ",
		"numbers, border": "\n12|",
		"numbers, tab":    "\n  104\t",
		"PowerShell":      "\" + `\n    \"",
		"colours":         "\x1b[0m\x1b[38;5;12m",
	} {
		for _, parts := range [][]string{{token[:22], token[22:]}, {token[:12], token[12:25], token[25:]}} {
			text := "\"" + strings.Join(parts, join) + "\"\nend"
			if join[0] == '\n' {
				text = "  1  token:\n" + join[1:] + strings.Join(parts, join) + "\nend"
			}
			out, _ := s.Text(session(), Place{}, text)
			for _, part := range parts {
				if strings.Contains(out, part) {
					t.Errorf("%s: %q became %q", name, text, out)
				}
			}
		}
	}
	plain := "  1  first\n  2  second\n 12|a\n 13|b\n\x1b[31mred\x1b[0m \"a\" + `\n\"b\""
	if out, _ := s.Text(session(), Place{}, plain); out != plain {
		t.Errorf("%q became %q", plain, out)
	}
}
