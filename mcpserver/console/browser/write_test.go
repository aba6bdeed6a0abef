package browser

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestWrite: problems come up while somebody types, and a spec goes from the editor to the
// clients; without script its buttons do the same.
func TestWrite(t *testing.T) {
	s := started(t)
	for name, script := range map[string]bool{"typed": true, "plain": false} {
		b := browsing(t)
		base := b.enter(s.link("manage"))
		if !script {
			tell(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		}
		b.open(base + "write")
		document := strings.NewReplacer("greet", name, "Greets", "Welcomes").Replace(greet)
		b.fill("#text", "")
		b.do(chromedp.SendKeys("#text", `{"name": 1`))
		if script {
			b.await(`document.querySelector('#found').textContent.includes('1:')`)
		} else {
			b.do(chromedp.Click("button[formaction$='/check']"), chromedp.WaitVisible("#found .state.bad"))
		}
		b.fill("#text", document)
		b.do(chromedp.Click("button[formaction$='/save']"))
		b.await(`document.querySelector('.note-line')?.innerText.includes('Saved as a draft')`)
		b.do(chromedp.Click("button[formaction$='/pass']"), chromedp.WaitVisible("#pass ~ .facts"))
		if said := b.text("#found"); !strings.Contains(said, "Hello Ada!") {
			t.Errorf("the pass says %q", said)
		}
		b.do(chromedp.Click("button[formaction$='/publish']"))
		b.await(`document.querySelector('.note-line')?.innerText.includes('Published')`)
		text, err := os.ReadFile(s.dir + "/specs/" + name + ".json")
		if err != nil || !strings.Contains(string(text), `"draft": false`) {
			t.Errorf("the file has %s, %v", text, err)
		}
		// The server watches the folder, and serves what was published.
		for b.open(base + "tools?state=served&q=" + name); b.text("#tools-box") == "" || !strings.Contains(b.text("#tools-box"), "Welcomes"); b.open(base + "tools?state=served&q=" + name) {
			if b.ctx.Err() != nil {
				t.Fatal("it is not served")
			}
		}
		b.clean()
	}
}
