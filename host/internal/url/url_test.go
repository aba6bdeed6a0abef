package url

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// platformTests reads a file of the web platform tests, which the parser's module
// carries along; go.sum pins it.
func platformTests(t *testing.T, name string, into any) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/nlnwa/whatwg-url").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

type urlCase struct {
	Input   string
	Base    *string
	Failure bool
	Parts
}

func TestWebPlatformURLs(t *testing.T) {
	var rows []json.RawMessage
	platformTests(t, "urltestdata.json", &rows)
	ran := 0
	for _, row := range rows {
		if row[0] != '{' {
			continue // a comment
		}
		var c urlCase
		if err := json.Unmarshal(row, &c); err != nil {
			t.Fatal(err)
		}
		ran++
		base := "no base"
		if c.Base != nil {
			base = *c.Base
		}
		got, err := Parse(t.Context(), budgettest.Ample(), Request{Input: c.Input, Base: c.Base})
		ok := (err != nil) == c.Failure
		if ok && !c.Failure {
			if c.Origin == "" { // not every row has one
				got.Origin = ""
			}
			ok = got == c.Parts
		}
		if !ok {
			t.Errorf("%q, %q: %v %s", c.Input, base, err, cmp.Diff(c.Parts, got))
		}
	}
	if ran < 800 {
		t.Errorf("only %d rows", ran)
	}
}

func TestWebPlatformSetters(t *testing.T) {
	var file map[string]json.RawMessage
	platformTests(t, "setters_tests.json", &file)
	ran := 0
	for part, raw := range file {
		if setters[part] == nil {
			continue // "comment", and "href", which is Parse
		}
		var cases []struct {
			Href     string
			NewValue string `json:"new_value"`
			Expected map[string]string
		}
		if err := json.Unmarshal(raw, &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			ran++
			got, err := Set(t.Context(), budgettest.Ample(), Request{Input: c.Href, Part: part, Value: c.NewValue})
			if err != nil {
				t.Errorf("%s of %q: %v", part, c.Href, err)
				continue
			}
			text, err := json.Marshal(got)
			var shown map[string]string
			if err := errors.Join(err, json.Unmarshal(text, &shown)); err != nil {
				t.Fatal(err)
			}
			for name, want := range c.Expected {
				if shown[name] != want {
					t.Errorf("%s of %q to %q: %s is %q, want %q", part, c.Href, c.NewValue, name, shown[name], want)
				}
			}
		}
	}
	if ran < 200 {
		t.Errorf("only %d cases", ran)
	}
}

func TestRefusals(t *testing.T) {
	long, origin := strings.Repeat("x", maxURL+1), "http://a"
	for _, r := range []Request{
		{Input: ""}, {Input: "nope"}, {Input: "http://["}, {Input: "http://1.2.3.256/"}, {Input: "a", Base: new(string)}, {Input: long}, {Input: "a:b", Base: &long},
		{Input: "http://a" + strings.Repeat("/x", maxMarks+1)}, {Input: "x://a" + strings.Repeat("\\", maxMarks+1)}, {Input: "http://" + strings.Repeat("a@", maxAts+1) + "b"},
		{Input: "http://a/" + strings.Repeat("x", maxAhead)}, {Input: "/data:" + strings.Repeat("/x", maxMarks), Base: &origin},
	} {
		var e *hostcall.Error
		if _, err := Parse(t.Context(), budgettest.Ample(), r); !errors.As(err, &e) || e.Kind != hostcall.InvalidInput || e.Reason != "invalid-url" || len(e.Message) > 500 {
			t.Errorf("%.40q: %v", r.Input, err)
		}
	}
	for _, s := range []string{"data:text/plain;base64," + strings.Repeat("x/@:", 100_000), "http://a/?" + strings.Repeat("/@:", 100_000)} {
		if u, err := Parse(t.Context(), budgettest.Ample(), Request{Input: s}); err != nil || u.Href != s {
			t.Errorf("%.40q: %v", s, err)
		}
	}
	if _, err := Set(t.Context(), budgettest.Ample(), Request{Input: "http://a/", Part: "origin", Value: "x"}); err == nil {
		t.Error("an origin was set")
	}
}

func TestForms(t *testing.T) {
	for query, want := range map[string][][2]string{
		"":                  {},
		"a=b&c=d":           {{"a", "b"}, {"c", "d"}},
		"a&=b&&c=":          {{"a", ""}, {"", "b"}, {"c", ""}},
		"name=Jin+Hu%2B%20": {{"name", "Jin Hu+ "}},
		"a=%C3%A9%ff%zz%4":  {{"a", "é\ufffd%zz%4"}},
		"a=b=c":             {{"a", "b=c"}},
	} {
		got, err := ReadForm(t.Context(), budgettest.Ample(), query)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", query, got, err)
		}
	}
	got, err := WriteForm(t.Context(), budgettest.Ample(), [][2]string{{"a b", "é&=+*-._~"}, {"", ""}})
	if want := "a+b=%C3%A9%26%3D%2B*-._%7E&="; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// What is written reads the same here and in net/url.
func FuzzForms(f *testing.F) {
	f.Add("a b", "c&d", "é%")
	f.Add("", "=", "+")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		pairs := [][2]string{{a, b}, {c, a}}
		for _, p := range pairs {
			if !utf8.ValidString(p[0]) || !utf8.ValidString(p[1]) {
				return // no string of a guest
			}
		}
		text, err := WriteForm(t.Context(), budgettest.Ample(), pairs)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadForm(t.Context(), budgettest.Ample(), text)
		if err != nil || !slices.Equal(again, pairs) {
			t.Errorf("%q from %q: %v", again, pairs, err)
		}
		theirs, err := url.ParseQuery(text)
		if err != nil || !slices.Contains(theirs[a], b) || !slices.Contains(theirs[c], a) {
			t.Errorf("net/url reads %v from %q: %v", theirs, text, err)
		}
	})
}

// Whatever is parsed must read as itself again, in any base.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"http://user:pw@[::1]:81/a/../b?c#d", "file:///C|/x", "javascript:alert(1)", "http://ex%41mple.com", "//x", "?q", "http://ＧＯ.com", "blob:https://a/b", "http://0x7f.1/", "\x00", "http:\\\\a\\b"} {
		f.Add(s, "http://example.org/a/b?c#d")
	}
	f.Fuzz(func(t *testing.T, input, base string) {
		if !utf8.ValidString(input) || !utf8.ValidString(base) {
			return
		}
		for _, b := range []*string{nil, &base} {
			first, err := Parse(context.Background(), budgettest.Ample(), Request{Input: input, Base: b})
			if err != nil {
				continue
			}
			second, err := Parse(context.Background(), budgettest.Ample(), Request{Input: first.Href})
			if err != nil || second != first {
				t.Errorf("%q became %+v, which reads as %+v (%v)", input, first, second, err)
			}
			for part := range setters {
				if _, err := Set(context.Background(), budgettest.Ample(), Request{Input: first.Href, Part: part, Value: base}); err != nil {
					t.Errorf("%s of %q: %v", part, first.Href, err)
				}
			}
		}
	})
}

// BenchmarkParse has an ordinary URL and the costliest that are accepted.
func BenchmarkParse(b *testing.B) {
	for name, s := range map[string]string{
		"ordinary": "https://api.example.com/v1/items?page=2&q=red%20shoes#top",
		"segments": "http://a" + strings.Repeat("/x", maxMarks-10),
		"ats":      "http://" + strings.Repeat("a@", maxAts) + "b",
		"query":    "http://a/?" + strings.Repeat("é", maxURL/2-10),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				if _, err := Parse(b.Context(), budgettest.Ample(), Request{Input: s}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
