package shown_test

import (
	"html/template"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/glovebox-run/glovebox/mcpserver/console/internal/shown"
)

// seen reads HTML as a browser does, and returns its text and the names of its elements.
func seen(t *testing.T, of template.HTML) (text string, elements []string) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(string(of)))
	var b strings.Builder
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String(), elements
		case html.TextToken:
			b.Write(z.Text())
			b.WriteString("")
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			elements = append(elements, string(name))
		}
	}
}

func TestATextStaysAText(t *testing.T) {
	for _, s := range []string{
		"plain", `<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `{{.Page.Token}}`, "<svg/onload=alert(1)>", "&lt;b&gt;", "https://evil.example",
		`' onmouseover='x`, "</textarea><script>", "<!--", "]]>", "<style>*{display:none}</style>", "a & b",
	} {
		for _, of := range []template.HTML{shown.Text(s, shown.Line), shown.Lines(s, shown.Line)} {
			if text, elements := seen(t, of); text != s || len(elements) != 0 {
				t.Errorf("%q is shown as %q with elements %v", s, text, elements)
			}
		}
	}
}

func TestWhatNobodySeesIsMarked(t *testing.T) {
	for s, want := range map[string]string{
		"a\u202eb": "aU+202Eb", "a\u200bb": "aU+200Bb", "a\x00b": "aU+0000b", "a\x1b[31m": "aU+001B[31m", "\U000E0041": "U+E0041", "a\xffb": "a0xFFb", "a\nb": "aU+000Ab",
	} {
		if text, elements := seen(t, shown.Text(s, shown.Line)); text != want || len(elements) != 1 || elements[0] != "mark" {
			t.Errorf("%q is shown as %q with %v", s, text, elements)
		}
		for _, r := range shown.Plain(s, shown.Line) {
			if unicode.Is(unicode.C, r) {
				t.Errorf("%q has %U in an attribute", s, r)
			}
		}
	}
	if text, elements := seen(t, shown.Lines("a\n\tb", 10)); text != "a\n\tb" || elements != nil {
		t.Errorf("lines are %q with %v", text, elements)
	}
}

func TestLongTextsAreCutWithTheirSize(t *testing.T) {
	for _, s := range []string{strings.Repeat("x", 1<<20), strings.Repeat("\u202e", 1<<20/3), strings.Repeat("ä", 1<<19)} {
		got := shown.Lines(s, shown.Block)
		if len(got) > 20<<10 || !strings.Contains(string(got), "iB in all") {
			t.Errorf("%d bytes of %.6q are shown as %d", len(s), s, len(got))
		}
		if text, _ := seen(t, got); strings.ContainsRune(text, '\uFFFD') {
			t.Error("a character was cut in two")
		}
	}
	if got := shown.Plain(strings.Repeat("ä", 400), 301); got != strings.Repeat("ä", 150)+"…" {
		t.Errorf("an attribute is %q", got)
	}
}

func TestJSONShowsWhatDiffers(t *testing.T) {
	got, elements := seen(t, shown.JSON([]byte(`{"to":"eve","n":{"deep":[1,"<b>"]},"same":true}`), []byte(`{"to":"ada","same":true,"old":null,"n":{"deep":["1","<b>"]}}`)))
	for _, want := range []string{"toeve was ada", "n.deep[0]1 was 1", "n.deep[1]<b>", "sametrue", "oldnull gone; was"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in %q", want, got)
		}
	}
	for _, e := range elements {
		if e != "dl" && e != "div" && e != "dt" && e != "dd" && e != "span" {
			t.Errorf("there is a %s", e)
		}
	}
	if n := strings.Count(string(shown.JSON([]byte(`{"a":1}`), nil)), `class="same"`); n != 1 {
		t.Error("without another value to compare with, something differs")
	}
}

func TestHostileJSONIsBounded(t *testing.T) {
	for name, value := range map[string]string{
		"deep": strings.Repeat(`[`, 10000) + strings.Repeat(`]`, 10000), "wide": `[` + strings.Repeat(`1,`, 100000) + `1]`, "not JSON": `{"a":`, "empty": ``, "nothing": `{}`,
		"names": `{"` + strings.Repeat("x", 1<<20) + `":1}`,
	} {
		if got := shown.JSON([]byte(value), []byte(`{"a":1}`)); len(got) > 64<<10 {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}
