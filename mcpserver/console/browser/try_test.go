package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestTools: the search, a tool's page and a try, by keyboard, without script as well.
func TestTools(t *testing.T) {
	s := started(t)
	for _, script := range []bool{true, false} {
		b := browsing(t)
		base := b.enter(s.link("manage"))
		if !script {
			tell(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		}
		b.open(base + "tools")
		b.do(chromedp.SendKeys("input[name=q]", "language of their\r"), chromedp.WaitVisible("a[href$='/tools']:not([aria-current])"))
		if found := b.text(".tools"); !strings.Contains(found, "greet") || strings.Contains(found, "tidy") {
			t.Errorf("found is %q", found)
		}
		b.do(chromedp.Click(".tools a.name"), chromedp.WaitVisible("#history"), chromedp.Click("a.button"), chromedp.WaitVisible("#with"))
		b.do(chromedp.SetValue("[name='a/name']", "<b>Eve</b>"), chromedp.SetValue("[name='a/loud']", "0"), chromedp.Click("form button.yes"), chromedp.WaitVisible("#came-box .facts"))
		came := b.text("#came-box")
		for _, want := range []string{"HELLO <B>EVE</B>!", "greeting <b>Eve</b>", "Statements"} {
			if !strings.Contains(came, want) {
				t.Errorf("script %v: there is no %q in %q", script, want, came)
			}
		}
		// A tool that a person is asked about.
		b.open(base + "tools/library~tidy/try")
		b.do(chromedp.Click("form button.yes"), chromedp.WaitVisible("#came-box form"))
		if came := b.text("#came-box"); !strings.Contains(came, "approve this call first") {
			t.Errorf("it came to %q", came)
		}
		b.do(chromedp.Click("#came-box form button"), chromedp.WaitVisible("#came-box pre"))
		if came := b.text("#came-box pre"); came != "tidied hall" {
			t.Errorf("after the yes it came to %q", came)
		}
		b.clean()
	}
}

// TestEverythingIsReachedByKeyboard: Tab goes through a page, and what has the focus is seen.
func TestEverythingIsReachedByKeyboard(t *testing.T) {
	s := started(t)
	b := browsing(t)
	base := b.enter(s.link("manage"))
	for _, p := range paths {
		path := p.path
		b.open(base + path)
		want := got(b, chromedp.Evaluate[int](`[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')].filter(e => e.checkVisibility() && !e.closest('details:not([open]) > :not(summary)')).length`))
		reached := got(b, chromedp.Evaluate[int](`window.reached = new Set(), 0`))
		// A field for a time is several stops.
		stops := want + 5 + 8*got(b, chromedp.Evaluate[int](`document.querySelectorAll('[type^=date]').length`))
		for range stops {
			b.do(chromedp.KeyEvent("\t"))
			reached = got(b, chromedp.Evaluate[int](`(() => { const e = document.activeElement; if (e !== document.body) { reached.add(e); const s = getComputedStyle(e); if (s.outlineStyle === 'none' && !e.matches('.skip, [type^=date]')) return -1; } return reached.size; })()`))
			if reached < 0 {
				t.Errorf("%s: %s has the focus and nobody sees it", path, got(b, chromedp.Evaluate[string](`document.activeElement.outerHTML.slice(0, 200)`)))
				break
			}
		}
		if reached >= 0 && reached < want {
			t.Errorf("%s: Tab reaches %d of %d", path, reached, want)
		}
	}
	b.clean()
}
