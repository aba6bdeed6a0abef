package egress

import (
	"io"
	"math/rand/v2"
	"mime/quotedprintable"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/samples"
)

// A mail breaks its lines and writes an equals sign in three characters. With the secret
// replaced it says what it said.
func TestSecretsInQuotedPrintable(t *testing.T) {
	s := New(builtin(t), DefaultPolicy())
	random := rand.New(rand.NewPCG(11, 11))
	for n := range 300 {
		secret := samples.Draw(random, [...]string{`[A-Za-z0-9]{40}`, `[A-Za-z0-9]{180}`, `ghp_[A-Za-z0-9]{36}`}[n%3])
		before := strings.Repeat("word ", random.IntN(16)) + "- API_KEY="
		const after = "\r\nand thanks for your help, r\u00e9gards\r\n"
		var b strings.Builder
		w := quotedprintable.NewWriter(&b)
		if _, err := w.Write([]byte(before + secret + after)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		const head = "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
		out, _ := s.Text(session(), Place{}, head+b.String())
		if n := strings.Count(out, "[REDACTED"); n != 1 {
			t.Fatalf("%d placeholders: %s\n%s", n, b.String(), out)
		}
		var plain strings.Builder
		r := quotedprintable.NewReader(strings.NewReader(strings.TrimPrefix(out, head)))
		if _, err := io.Copy(&plain, r); err != nil {
			t.Fatal(err)
		}
		if got := placeholders.ReplaceAllString(plain.String(), ""); got != before+after {
			t.Fatalf("%q, want %q\n%s", got, before+after, b.String())
		}
	}
}

// Padding of base64 at the end of lines breaks no line.
func TestPaddingIsNoBrokenLine(t *testing.T) {
	s := New(builtin(t), DefaultPolicy())
	for _, text := range []string{
		"github.com/acme/one v1.0.0 h1:aGVsbG8gd29ybGQsIHRoaXMgaXMgYSBzdW0gb2YgYSB0eXA=\ngithub.com/acme/two v1.0.0 h1:aGVsbG8gd29ybGQsIHRoaXMgaXMgYSBzdW0gb2YgYSB0eXA=\nlast\n",
		"data:\n  one: aGVsbG8gd29ybGQ=\n  two: aGVsbG8gd29ybGQ=\n  three: aGVsbG8gd29ybGQ=\nkind: ConfigMap\n",
	} {
		if out, _ := s.Text(session(), Place{}, text); out != text {
			t.Errorf("%s became %s", text, out)
		}
	}
}
