package parse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// page parses a page and returns its store and the handle of the document.
func page(t testing.TB, source string) (*HTML, []int) {
	t.Helper()
	h := NewHTML()
	reply, _, err := h.Parse(context.Background(), budgettest.Ample(), []byte(source), nil)
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.Atoi(string(reply))
	if err != nil {
		t.Fatal(err)
	}
	return h, []int{id}
}

// read returns the text of a reply.
func read(out *budget.Builder, err error) (string, error) {
	if err != nil {
		return "", err
	}
	text, err := out.Bytes()
	if err != nil || !out.Quoted() {
		return string(text), err
	}
	var s string
	err = json.Unmarshal(text, &s)
	return s, err
}

func reason(err error) string {
	var e *hostcall.Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return fmt.Sprint(err)
}

const shop = `<title>Shop</title><body><h1 id=top>Fruit &amp; more</h1>
<ul class="list big"><li data-k="1">pear<b>s</b></li><!-- c --><li>fig</li>  <li class=x>plum</li></ul>
<div><p>one</p><p>two <i>three</i></p></div><script>let x = 1;</script></body>`

func TestSelect(t *testing.T) {
	h, root := page(t, shop)
	for css, want := range map[string]string{
		"li":                       "pears|fig|plum",
		"ul li.x, h1":              "Fruit & more|plum",
		"ul>li:first-child":        "pears",
		"li + li":                  "fig|plum",
		"li ~ .x":                  "plum",
		"h1~ul li[data-k='1'] > b": "s",
		"body div p i":             "three",
		`li[data-k="a b > c"], i`:  "three",
		"p:has(i)":                 "two three",
		"li:not(.x):not([data-k])": "fig",
		"p:contains('two')":        "two three",
		"p:contains(TWO three)":    "two three",
		"p:containsOwn( two )":     "two three",
		"li[data-k=1]":             "pears",
		"li[ data-k ^= 1 ]:eq(0)":  "pears",
		`li[data-k=1][data-k="1"]`: "pears",
		`p, [title="[data-k=1]"]`:  "one|two three",
		"li[class=x]":              "plum",
		"[data-k='[x=1']":          "",
		"li:eq(1)":                 "fig",
		"li:lt(2)":                 "pears|fig",
		"ul > li:gt(0).x":          "plum",
		"li:lt(0)":                 "",
		"nothing":                  "",
		"LI.X":                     "",
	} {
		got, err := h.Select(t.Context(), budgettest.Ample(), Request{Nodes: root, CSS: css})
		if err != nil {
			t.Errorf("%s: %v", css, err)
			continue
		}
		var texts []string
		for _, id := range got {
			text, err := read(h.Text(t.Context(), budgettest.Ample(), Request{Nodes: []int{id}}))
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
		if strings.Join(texts, "|") != want {
			t.Errorf("%s: %q, want %q", css, strings.Join(texts, "|"), want)
		}
	}
	for _, css := range []string{"", " ", ",", "a,", "> a", "a >", "a > > b", "a[", "a[x='", "a:has(", "::", "a:nope(1)", "'x'", strings.Repeat("a", maxSelector+1), strings.Repeat("a ", maxSteps+1), ":has(" + strings.Repeat("a ", maxSteps) + ")", "a:matches(x{1000}{1000})", "[a#=(x{100}){999}]"} {
		if got, err := h.Select(t.Context(), budgettest.Ample(), Request{Nodes: root, CSS: css}); reason(err) != "invalid-selector" {
			t.Errorf("%.20q: %v, %v", css, got, err)
		}
	}
	if _, err := h.Select(t.Context(), budgettest.Ample(), Request{Nodes: []int{99}, CSS: "a"}); reason(err) != "invalid-node" {
		t.Errorf("made-up node: %v", err)
	}
}

// cascadia's own matching of whole selectors is slow and right.
func TestSelectAgreesWithCascadia(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tags := []string{"a", "b", "i", "p"}
	var build func(depth int) string
	build = func(depth int) string {
		var s strings.Builder
		for range random.IntN(4) {
			tag := tags[random.IntN(4)]
			fmt.Fprintf(&s, "<x-%s class=%s %s>t<!--c-->", tag, tags[random.IntN(4)], []string{"", "", "lang=en-GB", "lang=de"}[random.IntN(4)])
			s.WriteString([]string{"", "", "<input>", "<fieldset disabled><legend><button disabled></button></legend><b><input></b></fieldset>", "<a href=x>t</a>"}[random.IntN(5)])
			if depth > 0 {
				s.WriteString(build(depth - 1))
			}
			fmt.Fprintf(&s, "</x-%s> ", tag)
		}
		return s.String()
	}
	compounds := []string{
		"x-a", "x-b", ".a", ".b", "*", "x-p.i", ":not(.a)", ":has(.b)", "x-a:has(x-b .a)", ":haschild(x-i)", ":not(:has(x-a))", ":has(:not(x-p) > .b + *)",
		":first-child", ":last-child", ":nth-child(2)", ":nth-child(2n+1)", ":nth-child(-n+2)", ":nth-last-child(odd)", "x-a:nth-of-type(2)", ":last-of-type", ":nth-last-of-type(2n)",
		":only-child", ":only-of-type", ":empty", ":root", "x-a:contains('tt')", ":containsOwn('t  t')", "[class]:matches(t{3,5}$)", ":matchesOwn(^t\\s*$)", "[class#=(^[ab])]", "[class=a]:not([class=b])", ".a:has(x-a, x-b)",
		"[class]:lang(en)", ":enabled", ":disabled", "x-i[lang]", ":not(:disabled)", "[disabled]",
	}
	for range 3000 {
		source := build(4)
		if source == "" {
			continue
		}
		h, root := page(t, source)
		css := ""
		for i := range 1 + random.IntN(4) {
			if i > 0 {
				css += []string{" ", ">", " + ", "~ "}[random.IntN(4)]
			}
			css += compounds[random.IntN(len(compounds))]
		}
		got, err := h.Select(t.Context(), budgettest.Ample(), Request{Nodes: root, CSS: css})
		if err != nil {
			t.Fatalf("%s: %v", css, err)
		}
		whole, err := cascadia.Parse(css)
		if err != nil {
			t.Fatal(err)
		}
		// cascadia says of some texts and comments that they match, too.
		elements := slices.DeleteFunc(cascadia.QueryAll(h.nodes[root[0]], whole), func(n *html.Node) bool { return n.Type != html.ElementNode })
		want, err := h.numbers(budgettest.Ample(), elements)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s on %s: %v, want %v", css, source, got, want)
		}
	}
}

// A chain of descendants in a deep document is where trying every ancestor for
// every step would take years.
func TestSelectIsLinearInTheDocument(t *testing.T) {
	h, root := page(t, strings.Repeat("<div>", 400)+"x")
	done := make(chan error, 1)
	go func() {
		_, err := h.Select(context.Background(), budgettest.Ample(), Request{Nodes: root, CSS: strings.Repeat("div ", 30) + "p"})
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("30 steps at depth 400 do not end")
	}
}

func TestText(t *testing.T) {
	h, root := page(t, shop)
	for place, want := range map[string]string{
		"normal": "Fruit & more pears fig plum one two three",
		"own":    "pear",
		"raw":    "pears",
	} {
		nodes := root
		if place != "normal" {
			nodes, _ = h.Select(t.Context(), budgettest.Ample(), Request{Nodes: root, CSS: "li:first-child"})
		} else {
			nodes, _ = h.Go(t.Context(), budgettest.Ample(), Request{Nodes: root, To: "body"})
		}
		if got, err := read(h.Text(t.Context(), budgettest.Ample(), Request{Nodes: nodes, Place: place})); got != want || err != nil {
			t.Errorf("%s: %q, want %q, %v", place, got, want, err)
		}
	}
}

func TestGo(t *testing.T) {
	h, root := page(t, shop)
	fig, err := h.Select(t.Context(), budgettest.Ample(), Request{Nodes: root, CSS: "li:nth-child(2)"})
	if err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]string{
		"parent": "ul", "parents": "ul body html", "siblings": "li li", "next": "li", "prev": "li", "children": "", "root": "#document",
	} {
		ids, err := h.Go(t.Context(), budgettest.Ample(), Request{Nodes: fig, To: to})
		if err != nil {
			t.Fatal(err)
		}
		var tags []string
		for _, id := range ids {
			d, err := h.Describe(t.Context(), budgettest.Ample(), Request{Nodes: []int{id}})
			if err != nil {
				t.Fatal(err)
			}
			tags = append(tags, d.Tag)
		}
		if got := strings.Join(tags, " "); got != want {
			t.Errorf("%s: %q, want %q", to, got, want)
		}
	}
	if _, err := h.Go(t.Context(), budgettest.Ample(), Request{Nodes: fig, To: "uncle"}); reason(err) != "invalid-argument" {
		t.Error(err)
	}
}

func TestEdit(t *testing.T) {
	for place, want := range map[string]string{
		"remove":  `<p>a</p><p>c</p>`,
		"empty":   `<p>a</p><p id="b"></p><p>c</p>`,
		"inner":   `<p>a</p><p id="b"><i>n</i></p><p>c</p>`,
		"text":    `<p>a</p><p id="b">&lt;i&gt;n&lt;/i&gt;</p><p>c</p>`,
		"append":  `<p>a</p><p id="b">b<i>n</i></p><p>c</p>`,
		"prepend": `<p>a</p><p id="b"><i>n</i>b</p><p>c</p>`,
		"before":  `<p>a</p><i>n</i><p id="b">b</p><p>c</p>`,
		"after":   `<p>a</p><p id="b">b</p><i>n</i><p>c</p>`,
		"replace": `<p>a</p><i>n</i><p>c</p>`,
		"wrap":    `<p>a</p><i>n<p id="b">b</p></i><p>c</p>`,
	} {
		h, root := page(t, `<p>a</p><p id=b>b</p><p>c</p>`)
		b, err := h.Select(t.Context(), budgettest.Ample(), Request{Nodes: root, CSS: "#b"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Edit(t.Context(), budgettest.Ample(), Request{Nodes: b, Place: place, HTML: "<i>n</i>"}); err != nil {
			t.Errorf("%s: %v", place, err)
			continue
		}
		body, _ := h.Go(t.Context(), budgettest.Ample(), Request{Nodes: root, To: "body"})
		if got, err := read(h.Source(t.Context(), budgettest.Ample(), Request{Nodes: body})); got != want || err != nil {
			t.Errorf("%s: %s, want %s, %v", place, got, want, err)
		}
	}
}

func TestEditWithNodes(t *testing.T) {
	h, root := page(t, `<ul></ul><ol></ol><b>x</b>`)
	pick := func(css string) []int {
		ids, err := h.Select(t.Context(), budgettest.Ample(), Request{Nodes: root, CSS: css})
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	if _, err := h.Edit(t.Context(), budgettest.Ample(), Request{Nodes: pick("ul, ol"), Place: "append", With: pick("b")}); err != nil {
		t.Fatal(err)
	}
	if got, _ := read(h.Source(t.Context(), budgettest.Ample(), Request{Nodes: pick("body")})); got != `<ul><b>x</b></ul><ol><b>x</b></ol>` {
		t.Error(got)
	}
	if _, err := h.Edit(t.Context(), budgettest.Ample(), Request{Nodes: pick("ul b"), Place: "append", With: pick("ul")}); reason(err) != "invalid-argument" {
		t.Errorf("a node inside itself: %v", err)
	}
}

// As browsers write innerHTML and outerHTML.
func TestSource(t *testing.T) {
	for text, want := range map[string]string{
		`<p>it's "x" &amp; y&nbsp;z &lt; &gt;</p>`:             `<p>it's "x" &amp; y&nbsp;z &lt; &gt;</p>`,
		`a<br>b<hr/><img src=x alt='"&lt;'>`:                   `a<br>b<hr><img src="x" alt="&quot;&lt;">`,
		`<script>if (a < b && "c") {}</script>`:                `<script>if (a < b && "c") {}</script>`,
		`<textarea>&lt;b&gt;</textarea><style>a > b{}</style>`: `<textarea>&lt;b&gt;</textarea><style>a > b{}</style>`,
		`<svg><path d="M0"/><a xlink:href="#x">y</a></svg>`:    `<svg><path d="M0"></path><a xlink:href="#x">y</a></svg>`,
		`<!-- c --><p>x<!--y--></p>`:                           `<!-- c --><p>x<!--y--></p>`,
		`<svg><style>a > b</style></svg>`:                      `<svg><style>a &gt; b</style></svg>`,
	} {
		h, root := page(t, "<body>"+text)
		body, err := h.Select(t.Context(), budgettest.Ample(), Request{Nodes: root, CSS: "body"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := read(h.Source(t.Context(), budgettest.Ample(), Request{Nodes: body})); err != nil || got != want {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
	h, root := page(t, `<!doctype html><title>t</title>`)
	if got, _ := read(h.Source(t.Context(), budgettest.Ample(), Request{Nodes: root, Place: "outer"})); got != `<!DOCTYPE html><html><head><title>t</title></head><body></body></html>` {
		t.Error(got)
	}
}

func TestSetAttribute(t *testing.T) {
	h, root := page(t, `<a HREF=x>y</a>`)
	a, _ := h.Select(t.Context(), budgettest.Ample(), Request{Nodes: root, CSS: "a"})
	value := `"q"`
	for _, r := range []Request{{Nodes: a, Name: "Title", Value: &value}, {Nodes: a, Name: "href"}} {
		if _, err := h.SetAttribute(t.Context(), budgettest.Ample(), r); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := read(h.Source(t.Context(), budgettest.Ample(), Request{Nodes: a, Place: "outer"})); got != `<a title="&quot;q&quot;">y</a>` {
		t.Error(got)
	}
	for _, name := range []string{"", "a b", "a>", "on\x00"} {
		if _, err := h.SetAttribute(t.Context(), budgettest.Ample(), Request{Nodes: a, Name: name, Value: &value}); reason(err) != "invalid-attribute" {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// What a call makes of pages counts against its memory: parsed, copied or set.
func TestDocumentsCountAsMemory(t *testing.T) {
	for name, work := range map[string]func(*HTML, *budget.Account) error{
		"parse": func(h *HTML, a *budget.Account) error {
			_, _, err := h.Parse(t.Context(), a, []byte(strings.Repeat("<b>", 10_000)), nil)
			return err
		},
		"append": func(h *HTML, a *budget.Account) error {
			_, err := h.Edit(t.Context(), a, Request{Nodes: []int{0}, Place: "append", HTML: "<p>" + strings.Repeat("<br>", 100)})
			return err
		},
		"attribute": func(h *HTML, a *budget.Account) error {
			value := strings.Repeat("x", 10_000)
			_, err := h.SetAttribute(t.Context(), a, Request{Nodes: []int{1}, Name: "a" + value[:h.kept%1000], Value: &value})
			return err
		},
	} {
		h, _ := page(t, "<p>x</p>")
		if _, err := h.Select(t.Context(), budgettest.Ample(), Request{Nodes: []int{0}, CSS: "p"}); err != nil {
			t.Fatal(err)
		}
		a := budget.NewAccount(t.Context(), 1<<40, 5<<20)
		for n := 0; ; n++ {
			if err := work(h, a); errors.Is(err, budget.ErrMemory) {
				break
			} else if err != nil && reason(err) != "parse-failed" {
				t.Fatalf("%s: %v", name, err)
			}
			if n == 5_000 {
				t.Fatalf("%s: %d bytes are free after so much", name, a.Free())
			}
		}
	}
}

// What is taken out of a document and has no handle is not kept for ever.
func TestWhatIsRemovedIsGivenBack(t *testing.T) {
	h, root := page(t, "<p>x</p>")
	a := budget.NewAccount(t.Context(), 1<<50, 32<<20)
	for range 200 {
		if _, err := h.Edit(t.Context(), a, Request{Nodes: root, Place: "inner", HTML: strings.Repeat("<p>some text</p>", 2000)}); err != nil {
			t.Fatal(err)
		}
		a.Close()
	}
	if a.Free() < 16<<20 {
		t.Errorf("%d bytes are free", a.Free())
	}
}

func FuzzParsers(f *testing.F) {
	for _, seed := range []string{shop, "a,b\n\"c", "<a k='v'>x</a>", "a: &x [1]\nb: *x", "<a>&lt;</a>", "- |\n  x", "? a\n: b", "a\"b,c", "{a: b, <<: {c: d}}"} {
		f.Add(seed, "p > a, :not(b) + c")
	}
	f.Fuzz(func(t *testing.T, text, css string) {
		for name, handler := range map[string]hostcall.Handler{"xml": XML, "yaml": YAML} {
			if reply, _, err := handler(t.Context(), budgettest.Ample(), []byte(text), nil); err == nil && !json.Valid(reply) {
				t.Errorf("%s wrote %q", name, reply)
			}
		}
		for _, options := range []string{`{}`, `{"header":true,"delimiter":";"}`} {
			if reply, _, err := CSV(t.Context(), budgettest.Ample(), []byte(options+"\n"+text), nil); err == nil && !json.Valid(reply) {
				t.Errorf("csv wrote %q", reply)
			}
		}
		h := NewHTML()
		if _, _, err := h.Parse(t.Context(), budgettest.Ample(), []byte(text), nil); err != nil {
			return
		}
		ids, err := h.Select(t.Context(), budgettest.Ample(), Request{Nodes: []int{0}, CSS: css})
		if err != nil {
			return
		}
		for _, id := range ids {
			if h.nodes[id].Type != html.ElementNode {
				t.Errorf("%q selected a node that is no element", css)
			}
		}
		h.Edit(t.Context(), budgettest.Ample(), Request{Nodes: ids, Place: "wrap", HTML: text})
		h.Text(t.Context(), budgettest.Ample(), Request{Nodes: []int{0}})
	})
}

// Tags that come again add their attributes to the first, which the parser finds
// by looking at all of them.
func TestRepeatedRootsAreRefused(t *testing.T) {
	var many strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&many, "<body a%d=1>", i)
	}
	for source, want := range map[string]string{
		many.String():                                    "parse-failed",
		strings.Repeat("<HTML a=1>", 5_000):              "parse-failed",
		strings.Repeat("<body a=1>x", 100):               "",
		"<script>" + many.String() + "</script>":         "",
		"<!--" + many.String() + "--><body b=1><p>x</p>": "",
	} {
		h := NewHTML()
		_, _, err := h.Parse(t.Context(), budgettest.Ample(), []byte(source), nil)
		if want == "" && err != nil || want != "" && reason(err) != want {
			t.Errorf("%.30q: %v", source, err)
		}
	}
	h, root := page(t, "<p>x</p>")
	if _, err := h.Edit(t.Context(), budgettest.Ample(), Request{Nodes: root, Place: "append", HTML: many.String()}); reason(err) != "parse-failed" {
		t.Errorf("as a fragment: %v", err)
	}
}
