package egress

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/internal/vectors"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type maskingInput struct {
	Kind     string            `json:"kind"`
	Template string            `json:"template"`
	Env      map[string]string `json:"env"`
	Text     string            `json:"text"`
	Secrets  []string          `json:"secrets"`
}

type maskingExpect struct {
	SecretsSet []string `json:"secrets_set"`
	Masked     *string  `json:"masked"`
}

func TestVectorsMasking(t *testing.T) {
	vectors.Run(t, "masking", func(t *testing.T, in maskingInput, want maskingExpect) {
		switch in.Kind {
		case "collect":
			got := Collect(in.Template, func(name string) (string, bool) { v, ok := in.Env[name]; return v, ok })
			order := cmpopts.SortSlices(func(a, b string) bool { return a < b })
			if diff := cmp.Diff(want.SecretsSet, got, order, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		case "replace":
			if want.Masked == nil {
				t.Fatal("the row expects nothing")
			}
			if got := NewMasker(in.Secrets).String(in.Text); got != *want.Masked {
				t.Errorf("got %q, want %q", got, *want.Masked)
			}
		default:
			t.Errorf("unknown kind %q", in.Kind)
		}
	})
}

// Characters that every encoder treats in its own way, and no letter sequence
// that a secret scanner would know.
const awkward = "p@ss/w+rd\"<&\\é 世\n~end"

func TestEveryFormIsMasked(t *testing.T) {
	m := NewMasker([]string{awkward})
	htmlSafe, _ := json.Marshal(awkward)
	for name, text := range map[string]string{
		"plain":              awkward,
		"trimmed JSON":       strings.Trim(quoteJSON(awkward), `"`),
		"JSON for HTML":      string(htmlSafe),
		"JSON in JSON":       quoteJSON(quoteJSON(awkward)),
		"JSON within ASCII":  escapeUnicode(awkward, `\u%04x`),
		"query":              url.QueryEscape(awkward),
		"path":               url.PathEscape(awkward),
		"encodeURIComponent": "p%40ss%2Fw%2Brd%22%3C%26%5C%C3%A9%20%E4%B8%96%0A~end",
		"the same, lower":    "p%40ss%2fw%2brd%22%3c%26%5c%c3%a9%20%e4%b8%96%0a~end",
		"hex":                hex.EncodeToString([]byte(awkward)),
		"upper-case hex":     strings.ToUpper(hex.EncodeToString([]byte(awkward))),
		"base64":             base64.StdEncoding.EncodeToString([]byte(awkward)),
		"base64url":          base64.RawURLEncoding.EncodeToString([]byte(awkward)),
		"basic credentials":  base64.StdEncoding.EncodeToString([]byte("user:" + awkward)),
		"base64, one before": base64.StdEncoding.EncodeToString([]byte("u" + awkward + "after")),
		"base64, two before": base64.URLEncoding.EncodeToString([]byte("uu" + awkward + "b")),
	} {
		got := m.String("before " + text + " after")
		if !strings.Contains(got, Mask) {
			t.Errorf("%s: nothing masked in %q", name, got)
		}
		// What may stay of an encoded text belongs to its neighbours.
		if rest := len(got) - len("before  after") - len(Mask); rest > 12 {
			t.Errorf("%s: %d characters stay: %q", name, rest, got)
		}
	}
}

// The characters at the rim of base64 carry bits of the secret too.
func TestNoBitOfABase64SecretStays(t *testing.T) {
	m := NewMasker([]string{"0123456789"})
	for before := range 4 {
		for after := range 4 {
			encode := func(secret string) string {
				return base64.StdEncoding.EncodeToString([]byte(strings.Repeat("b", before) + secret + strings.Repeat("a", after)))
			}
			masked := m.String(encode("0123456789"))
			left, right, ok := strings.Cut(masked, Mask)
			if !ok {
				t.Fatalf("%d before, %d after: nothing masked", before, after)
			}
			other := encode("\xff23456789\xff")
			if !strings.HasPrefix(other, left) || !strings.HasSuffix(other, right) {
				t.Errorf("%d before, %d after: %q depends on the secret", before, after, masked)
			}
		}
	}
}

func TestMaskerLengths(t *testing.T) {
	m := NewMasker([]string{"abc", "abcd", "éèêë", "secret7"})
	for text, want := range map[string]string{
		"abc":            "abc",
		"xabcdx":         "x***x",
		"éèêë":           "***",
		"abcdabcd":       "******",
		"73656372657437": "73656372657437", // hex of seven characters: too short to be looked for
	} {
		if got := m.String(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestOverlappingSecretsAreMaskedWhole(t *testing.T) {
	for _, tc := range []struct {
		secrets    []string
		text, want string
	}{
		{[]string{"abcd", "abcdef"}, "-abcdef-abcd-", "-***-***-"},
		{[]string{"abcd", "cdef"}, "abcdef", "***"},
		{[]string{"cdef", "abcdefgh"}, "abcdefgh abcdefg", "*** ab***g"},
		{[]string{"aaaa"}, "aaaaaaaaa", "******"},
		{[]string{"abcd", "bcde", "cdefgh"}, "abcdefghi", "***i"},
	} {
		if got := NewMasker(tc.secrets).String(tc.text); got != tc.want {
			t.Errorf("%q in %q: got %q, want %q", tc.secrets, tc.text, got, tc.want)
		}
	}
}

func TestMaskerJSON(t *testing.T) {
	m := NewMasker([]string{"1234567890", "top\"secret\n", "key-name"})
	for text, want := range map[string]string{
		`{"a":"top\"secret\n", "b": [ 1,2 ]}`:      `{"a":"***", "b": [ 1,2 ]}`,
		`{"a":"\u0074op\"secret\u000a!"}`:          `{"a":"***!"}`,
		`{"key-name":1,"x key-name":2}`:            `{"***":1,"x ***":2}`,
		`[12345678901, -1234567890, 1.5]`:          `["***1", "-***", 1.5]`,
		`{"j":"{\"a\":\"top\\\"secret\\n\"}"}`:     `{"j":"{\"a\":\"***\"}"}`,
		`not JSON 1234567890`:                      `not JSON ***`,
		`{"cut":"1234567890`:                       `{"cut":"***`,
		`"1234567890"`:                             `"***"`,
		`1234567890`:                               `"***"`,
		`{"clean" : [true,null,"",{},[]], "n":-1}`: `{"clean" : [true,null,"",{},[]], "n":-1}`,
	} {
		got := string(m.JSON([]byte(text)))
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		if json.Valid([]byte(text)) && !json.Valid([]byte(got)) {
			t.Errorf("%s became %s, which is not JSON", text, got)
		}
	}
}

func TestMaskerWithoutSecretsChangesNothing(t *testing.T) {
	text := []byte(`{"a":"***","b":"abc"}`)
	for name, m := range map[string]*Masker{"nil": nil, "zero": {}, "none": NewMasker(nil), "short": NewMasker([]string{"", "abc"})} {
		if m.String(string(text)) != string(text) || !bytes.Equal(m.Bytes(text), text) || !bytes.Equal(m.JSON(text), text) {
			t.Errorf("%s changes the text", name)
		}
	}
}

func FuzzMasker(f *testing.F) {
	f.Add("secretvalue", "s3cr3t\"", `{"a":"secretvalue s3cr3t\"","secretvalue":[secretvalue]}`)
	f.Add("aaaa", "aaaaaaaa", "aaaaaaaaaaa")
	f.Add("1000", "0", "10000")
	f.Fuzz(func(t *testing.T, one, two, text string) {
		secrets := slices.DeleteFunc([]string{one, two}, func(s string) bool { return strings.Contains(s, "*") })
		m := NewMasker(secrets)
		masked := m.String(text)
		for _, s := range secrets {
			if utf8.RuneCountInString(s) >= shortest && strings.Contains(masked, s) {
				t.Errorf("%q is still in %q", s, masked)
			}
		}
		if got := string(m.Bytes([]byte(text))); got != masked {
			t.Errorf("Bytes gives %q, String %q", got, masked)
		}
		if !json.Valid([]byte(text)) {
			return
		}
		out := m.JSON([]byte(text))
		if !json.Valid(out) {
			t.Fatalf("%q became %q", text, out)
		}
	})
}

func BenchmarkMasker(b *testing.B) {
	text := cleanJSON(1 << 20)
	for _, n := range []int{1, 50} {
		var plain, encoded []string
		for i := range n {
			secret := fillerBase62(i, 32)
			encoded = append(encoded, secret)
			plain = append(plain, secret)
		}
		plainOnly := &Masker{}
		for _, s := range plain {
			plainOnly.forms = append(plainOnly.forms, form{text: s})
		}
		plainOnly.find = automatonOf(plain)
		for name, m := range map[string]*Masker{"plain": plainOnly, "all-forms": NewMasker(encoded)} {
			b.Run(fmt.Sprintf("%s/%d/text", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					m.Bytes(text)
				}
			})
			b.Run(fmt.Sprintf("%s/%d/json", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					m.JSON(text)
				}
			})
		}
		b.Run(fmt.Sprintf("build/%d", n), func(b *testing.B) {
			for b.Loop() {
				NewMasker(encoded)
			}
		})
	}
}
