package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// foul is what somebody hostile writes into every text that is theirs.
const foul = `<script>window.pwned=1</script>"><img src=x onerror="window.pwned=1"><svg onload=window.pwned=1><iframe srcdoc="<script>parent.pwned=1</script>"><style>*{display:none}</style>` +
	`<base href=//evil.example><form action=//evil.example><button>Approve {{.Page.Token}} javascript:window.pwned=1 </dd></dl></article><h1>Approved</h1> ` + "\u202egnp.exe"

// furnished has something on every page, much of it hostile, and returns all pages.
func furnished(t *testing.T, s *server) (pages []visited) {
	t.Helper()
	hostile := tool("read_note", "Reads a note. "+foul)
	hostile["title"] = foul
	hostile["inputSchema"].(map[string]any)["properties"].(map[string]any)[foul] = map[string]any{"type": "string", "description": foul}
	up := serving(t, hostile, tool("list_notes", "Lists the names of all notes."))
	s.run("upstream", "add", "notes", up.at, "--allow-private")
	s.run("upstream", "test", "notes")
	s.run("pin", "approve", "notes", "list_notes", "--yes")
	s.run("expose", "notes", "list_notes", "read_note", "--cap", "L5")
	s.run("composition", "create", "reading", "notes/list_notes", "--cap", "L5")
	s.run("upstream", "scan", "notes")
	b := browsing(t)
	base := b.enter(s.link("answer"))
	b.open(base + "inbox")
	made := s.call("kitchen")
	b.await(`document.querySelectorAll('.question').length == 1`)
	b.do(chromedp.Click("button.yes"))
	<-made
	s.call(foul)
	b.open(base + "inbox")
	b.await(`document.querySelectorAll('.question').length == 1`)
	first := func(page, link string) string {
		b.open(base + page)
		b.await(`document.querySelector(` + quoted(link) + `)`)
		return strings.TrimPrefix(got(b, chromedp.Evaluate[string](`document.querySelector(`+quoted(link)+`).href`)), base)
	}
	pages = append(pages, paths...)
	return append(pages, []visited{
		{"session", first("sessions", "article a[href*='/sessions/']")}, {"call", first("record?tool=tidy", "#found-box tbody a")}, {"served", first("tools?q=list_notes", ".tools a.name")},
		{"servers", "servers"}, {"add", "servers/add"}, {"catalog", "servers/catalog"}, {"import", "servers/import"}, {"server", "servers/notes"}, {"review", "servers/notes/review"},
		{"tool-review", "servers/notes/review?tool=read_note"}, {"expose", "servers/notes/expose"}, {"score", "servers/notes/score"}, {"compositions", "compositions"}, {"composition", "compositions/reading"},
	}...)
}

// TestEveryPageStands: on each page hostile texts run nothing and lead nowhere; it is read
// without script; it says when the connection is lost and that it is back, if it follows
// events, and when its session is over.
func TestEveryPageStands(t *testing.T) {
	s := started(t)
	pages := furnished(t, s)
	b, plain := browsing(t), browsing(t)
	cable, at := laid(t, s.at)
	link := func() string { return strings.Replace(s.link("manage"), s.at, at, 1) }
	base := b.enter(link())
	plainBase := plain.enter(s.link("manage"))
	tell(plain, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	for _, p := range pages {
		// Hostile texts.
		b.open(base + p.path)
		if got(b, chromedp.Evaluate[bool](`'pwned' in window || document.querySelectorAll('main iframe, main style, main base, main img, main object, main script, main a[href*="evil"], main form[action*="evil"], main [onload], main [onerror], main article h1').length > 0`)) {
			t.Errorf("%s: a text became more than text", p.name)
		}
		s.look(b, "page-"+p.name)
		// The same without script: everything is there, and each button belongs to a form.
		plain.open(plainBase + p.path)
		const read = `[...document.querySelectorAll('main h1, main h2, main h3, main th, main dt')].map(e => { const bare = e.cloneNode(true); for (const t of bare.querySelectorAll('time')) t.remove(); return bare.textContent; }).join('|')`
		if with, without := got(b, chromedp.Evaluate[string](read)), got(plain, chromedp.Evaluate[string](read)); with != without {
			t.Errorf("%s has other headings without script:\n%s\n%s", p.name, without, with)
		}
		if n := got(plain, chromedp.Evaluate[int](`[...document.querySelectorAll('button')].filter(e => !e.form || !e.form.action).length`)); n > 0 {
			t.Errorf("%s: %d buttons do nothing without script", p.name, n)
		}
		// Lost and back.
		live := got(b, chromedp.Evaluate[bool](`'events' in document.body.dataset`))
		if live {
			cable.cut(true)
			b.await(`document.getElementById('line').textContent.includes('lost')`)
			cable.cut(false)
			b.await(`document.getElementById('line').textContent == ''`)
		}
		// Over: signed out behind the page's back.
		got(b, chromedp.Evaluate[int](`fetch(document.querySelector("form[action$='/leave']").action, {method: 'POST', body: new URLSearchParams(new FormData(document.querySelector("form[action$='/leave']")))}).then(r => r.status)`, chromedp.EvalAwaitPromise))
		if live {
			b.await(`document.getElementById('line').textContent.includes('glovebox console')`)
		}
		b.open(base + p.path)
		b.await(`document.querySelector('h1').textContent == 'You are not signed in'`)
		b.enter(link())
	}
	b.clean()
	plain.clean()
}
