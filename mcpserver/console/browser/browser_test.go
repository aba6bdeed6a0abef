package browser

import (
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// paths are all pages, with a name for their pictures.
var paths = []visited{
	{"now", "now"}, {"inbox", "inbox"}, {"sessions", "sessions"}, {"record", "record"}, {"tools", "tools"}, {"tools-one", "tools/library~tidy"}, {"tools-one-try", "tools/library~tidy/try"},
	{"write", "write?file=greet.json"},
}

type visited struct{ name, path string }

// TestEveryPage: no page makes the browser complain, nor axe-core, in either theme, wide
// and narrow; none is wider than its window.
func TestEveryPage(t *testing.T) {
	s := started(t)
	b := browsing(t)
	base := b.enter(s.link("manage"))
	visit := func(state string, paths []visited) {
		for _, p := range paths {
			for _, theme := range []string{"light", "dark"} {
				for _, width := range []int64{1280, 390} {
					b.look(width, theme)
					b.open(base + p.path)
					b.accessible(state + " " + p.path + " " + theme)
					if over := got(b, chromedp.Evaluate[int](`document.documentElement.scrollWidth - innerWidth`)); over > 0 {
						t.Errorf("%s is %d pixels wider than a window of %d", p.path, over, width)
					}
					if theme == "light" || width == 1280 {
						b.picture(p.name + "-" + state + "-" + theme + map[bool]string{true: "-narrow"}[width == 390])
					}
				}
			}
		}
	}
	visit("empty", paths)
	first := s.call("kitchen")
	b.open(base + "inbox")
	b.await(`document.querySelectorAll('.question').length == 1`)
	b.do(chromedp.Click("button.yes"))
	if answer := <-first; !strings.Contains(answer, "tidied kitchen") {
		t.Fatalf("the approved call answered %s", answer)
	}
	s.call("the kitchen and the hall")
	s.call("the cellar\u202e and the roof")
	b.open(base + "inbox")
	b.await(`document.querySelectorAll('.question').length == 2`)
	// One tool was tried, with a result to look at.
	b.open(base + "tools/library~greet/try")
	b.do(chromedp.Click("form button.yes"))
	b.await(`document.querySelector('#came-box').textContent.includes('Fuel')`)
	tried := strings.TrimPrefix(got(b, chromedp.Evaluate[string](`location.href`)), base)
	paths := append(slices.Clone(paths), visited{"tools-tried", tried}, visited{"tools-shady", "tools/library~shady"})
	visit("busy", paths)
	b.clean()
}

// TestTwoPeopleOneQuestion: both see it come up by themselves, the first counts, and it
// goes from the other's page.
func TestTwoPeopleOneQuestion(t *testing.T) {
	s := started(t)
	ada, eve := browsing(t), browsing(t)
	for _, b := range []*tab{ada, eve} {
		b.open(b.enter(s.link("answer")) + "inbox")
		b.await(`document.querySelector('#q-none')`)
	}
	answer := s.call("kitchen")
	for _, b := range []*tab{ada, eve} {
		b.await(`document.querySelectorAll('.question').length == 1 && document.title.startsWith('(1)')`)
	}
	// What somebody is writing stays on the page until they answer.
	ada.do(chromedp.Click("button.yes"))
	ada.await(`document.querySelector('.note-line').textContent == 'Approved.'`)
	eve.await(`document.querySelectorAll('.question').length == 0`)
	if said := <-answer; !strings.Contains(said, "tidied kitchen") {
		t.Errorf("the call answered %s", said)
	}
	eve.await(`document.querySelector('#answered-box').textContent.includes('used')`)
	ada.clean()
	eve.clean()
}

// TestWithoutScript: questions are read and answered without it.
func TestWithoutScript(t *testing.T) {
	s := started(t)
	b := browsing(t)
	base := b.enter(s.link("answer"))
	answer := s.call("kitchen")
	with := browsing(t)
	with.open(with.enter(s.link("look")) + "inbox")
	with.await(`document.querySelectorAll('.question').length == 1`)
	if strings.Contains(with.text(".question"), "Approve") {
		t.Error("somebody who may look is offered an answer")
	}
	tell(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.open(base + "inbox")
	b.do(chromedp.SendKeys("input[name=note]", "not on a Friday"), chromedp.Click("input[name=tell]"), chromedp.Click("button.no"), chromedp.WaitVisible(".note-line"))
	if said := b.text(".note-line"); said != "Denied." {
		t.Errorf("the page says %q", said)
	}
	if said := <-answer; !strings.Contains(said, "not on a Friday") {
		t.Errorf("the model is told %s", said)
	}
	b.clean()
}

// line passes connections on, until it is cut.
type line struct {
	to    string
	mu    sync.Mutex
	conns []net.Conn
	gone  bool
}

func laid(t *testing.T, to string) (*line, string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &line{to: to}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			p.mu.Lock()
			out, err := net.Dial("tcp", to)
			if p.gone || err != nil {
				in.Close()
			} else {
				p.conns = append(p.conns, in, out)
				go func() { io.Copy(out, in); out.Close() }()
				go func() { io.Copy(in, out); in.Close() }()
			}
			p.mu.Unlock()
		}
	}()
	return p, l.Addr().String()
}

func (p *line) cut(gone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = gone
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// TestALostConnection: the page says that the connection is lost, comes back by itself with
// what it missed, and says when the session is over because the server was started again.
func TestALostConnection(t *testing.T) {
	s := started(t)
	b := browsing(t)
	cable, at := laid(t, s.at)
	b.open(b.enter(strings.Replace(s.link("answer"), s.at, at, 1)) + "inbox")
	b.await(`document.querySelector('#q-none')`)
	cable.cut(true)
	b.await(`document.getElementById('line').textContent.includes('lost')`)
	answer := s.call("kitchen")
	cable.cut(false)
	b.await(`document.getElementById('line').textContent == '' && document.querySelectorAll('.question').length == 1`)
	b.do(chromedp.Click("button.yes"))
	if said := <-answer; !strings.Contains(said, "tidied kitchen") {
		t.Errorf("the call answered %s", said)
	}
	b.await(`document.querySelector('.note-line')`)
	s.cmd.Process.Kill()
	s.cmd.Wait()
	b.await(`document.getElementById('line').textContent.includes('lost')`)
	s.start()
	b.await(`document.getElementById('line').textContent.includes('glovebox console')`)
}

// TestHostileTextsRunNothing: what a client sends is text in a real browser, too.
func TestHostileTextsRunNothing(t *testing.T) {
	s := started(t)
	b := browsing(t)
	base := b.enter(s.link("look"))
	hostile := strings.Join([]string{
		`<script>window.pwned=1</script>`, `"><img src=x onerror="window.pwned=1">`, `<svg onload=window.pwned=1>`, `<iframe srcdoc="<script>parent.pwned=1</script>">`,
		`<style>*{display:none}</style>`, `<meta http-equiv=refresh content="0;url=https://evil.example">`, `<base href=//evil.example>`, `<form action=//evil.example><button>Approve`,
		`javascript:window.pwned=1`, `{{.Page.Token}}`, "\u202egnp.exe", `<a href="https://evil.example">click</a>`, `</dd></dl></article><h1>Approved</h1>`,
	}, "\n")
	s.call(hostile)
	b.open(base + "inbox")
	b.await(`document.querySelectorAll('.question').length == 1`)
	if got(b, chromedp.Evaluate[bool](`'pwned' in window || document.querySelectorAll('main iframe, main svg, main style, main base, main img, main a[href*="evil"], main script, article h1').length > 0`)) {
		t.Error("a text became more than text")
	}
	b.await(`document.querySelector('.question').textContent.includes(` + quoted(`<script>window.pwned=1</script>`) + `)`)
	b.await(`document.querySelector('.question mark.unseen').textContent == 'U+202E'`)
	b.clean()
}
