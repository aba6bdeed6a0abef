package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// keys sends keys to what has the focus.
func (b *tab) keys(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// reach presses Tab until what a selector finds has the focus.
func (b *tab) reach(selector string) {
	b.t.Helper()
	b.await(`document.querySelector(` + quoted(selector) + `)`)
	for range 500 {
		b.keys(kb.Tab)
		if got(b, chromedp.Evaluate[bool](`document.activeElement.matches(`+quoted(selector)+`)`)) {
			return
		}
	}
	b.t.Fatalf("Tab never reaches %s", selector)
}

// strike presses Enter on a button and waits until the next page says something.
func (b *tab) strike(selector, says string) {
	b.t.Helper()
	b.reach(selector)
	got(b, chromedp.Evaluate[any](`window.before = true;0`))
	b.keys(kb.Enter)
	b.await(`!window.before && document.querySelector('main')?.innerText.includes(` + quoted(says) + `)`)
}

// tick checks a box.
func (b *tab) tick(selector string) {
	b.t.Helper()
	b.reach(selector)
	b.keys(" ")
	b.await(`document.querySelector(` + quoted(selector) + `).checked`)
}

// write writes into a field.
func (b *tab) write(selector, text string) {
	b.t.Helper()
	b.reach(selector)
	b.keys(text)
}

// TestEveryActByKeyboard does with Tab, Enter, Space and letters whatever can be done in
// the console, and finds each act in the record with who did it.
func TestEveryActByKeyboard(t *testing.T) {
	s := started(t)
	up := serving(t, tool("read_note", "Reads a note and returns its text."), tool("list_notes", "Lists the names of all notes."))
	if err := os.MkdirAll(s.dir+"/.cursor", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.dir+"/.cursor/mcp.json", []byte(`{"mcpServers": {"files": {"command": "true", "args": ["<b>--root</b>"]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	b := browsing(t)
	base := b.enter(s.link("manage"))

	// The inbox: no with a reason, yes and taken back, a rule and its end.
	answer := s.call("kitchen")
	b.open(base + "inbox")
	b.write(".question input[name=note]", "not today")
	b.tick(".question input[name=tell]")
	b.strike(".question button.no", "Denied.")
	if said := <-answer; !strings.Contains(said, "not today") {
		t.Errorf("the model is told %s", said)
	}
	try := func(room, says string) {
		t.Helper()
		b.open(base + "tools/library~tidy/try")
		b.fill("[name='a/room']", room)
		b.strike("form[action$='/try'] button.yes", says)
		b.open(base + "inbox")
	}
	const asks = "approve this call first"
	try("attic", asks)
	b.strike(".question button.yes", "Approved.")
	b.strike("#answered-box form[action$='/revoke'] button", "Taken back.")
	try("cellar", asks)
	b.reach(".question select[name=longer]")
	b.keys(kb.ArrowDown)
	b.await(`document.querySelector('.question select[name=longer]').value == 'hour-same'`)
	b.keys("\x1b") // a list that opened closes
	b.strike(".question button.yes", "for an hour")
	try("cellar", "tidied cellar")
	s.look(b, "inbox-rule")
	b.strike("#rules-box form[action$='/revoke'] button", "The rule is revoked.")
	try("cellar", asks) // as before the rule
	b.await(`document.querySelectorAll('.question').length == 1`)

	// Sessions.
	b.open(base + "sessions")
	b.reach("article details summary")
	b.keys(kb.Enter)
	b.write("article input[name=reason]", "a new task")
	b.strike("article form[action$='/reset'] button", "The session was reset.")

	// Servers.
	b.open(base + "servers/import")
	b.tick("input[name=server]")
	b.strike("form[action$='/import'] button", "1 imported, in quarantine")
	b.open(base + "servers/add")
	b.write("#add-form input[name=name]", "notes")
	b.write("#add-form input[name=url]", up.at)
	b.tick("#add-form input[name=private]")
	b.strike("#add-form button.yes", "It was added")
	b.strike("form[action$='/test'] button", "It answers")
	b.open(base + "servers/notes/review")
	b.tick("input[name='accept.0']")
	b.tick("input[name='accept.1']")
	b.strike("form[action$='/accept'] button", "2 accepted")
	b.open(base + "servers/notes/expose")
	b.tick("input[name='offer.0']")
	b.strike("#expose-form button.yes", "Saved")
	b.strike("form[action$='/unexpose'] button", "Nothing of it is offered")
	b.open(base + "servers/notes/review?tool=read_note")
	s.look(b, "review-tool")
	b.write("form[action$='/revoke'] input[name=reason]", "it lies")
	b.strike("form[action$='/revoke'] button", "It is withdrawn.")
	b.open(base + "servers/notes/review?tool=read_note")
	b.strike("form[action$='/forget'] button", "for the first time again")
	b.open(base + "servers/notes")
	b.strike("form[action$='/scan'] button", "First things to fix")
	b.open(base + "compositions")
	b.write("input[name=name]", "reading")
	b.write("textarea[name=members]", "notes/list_notes")
	b.strike("form[action$='/create'] button", "It was made")
	b.write("form[action$='/update'] input[name=description]", "Notes to read.")
	b.strike("form[action$='/update'] button", "Notes to read.")
	b.reach("form[action$='/update'] select[name=cap]")
	b.keys("L5")
	b.await(`document.querySelector("form[action$='/update'] select[name=cap]").value == 'L5'`)
	b.strike("form[action$='/update'] button", "L5")
	b.strike("form[action$='/enable'] button", "enabled")
	b.strike("form[action$='/disable'] button", "disabled")
	b.strike("form[action$='/drop'] button", "It has no tools.")
	b.strike("form[action$='/delete'] button", "There is no composition yet.")
	b.open(base + "servers/notes")
	b.strike("form[action$='/quarantine'] button", "quarantined")
	b.strike("form[action$='/enable'] button", "It is enabled now.")
	b.strike("form[action$='/disable'] button", "It is disabled now.")
	b.reach("details summary")
	b.keys(kb.Enter)
	b.write("form[action$='/remove'] input[name=sure]", "notes")
	b.strike("form[action$='/remove'] button", "The server was removed.")

	// A spec.
	b.open(base + "write?file=greet.json")
	b.strike("button[formaction$='/check']", "Problems")
	b.strike("button[formaction$='/save']", "Saved as a draft")
	b.strike("button[formaction$='/pass']", "It passed")
	b.strike("button[formaction$='/publish']", "Published")

	// The record: one call, and the export of what is filtered.
	b.open(base + "record?tool=tidy&outcome=OK")
	b.reach("#found-box tbody a")
	b.keys(kb.Enter)
	b.await(`document.querySelector('.story')?.innerText.includes('The call was made.')`)
	s.look(b, "call")
	b.open(base + "record?tool=tidy&outcome=OK")
	dir := t.TempDir()
	tell(b, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir})
	b.reach("form[action$='/export'] button")
	b.keys(kb.Enter)
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(dir, "glovebox-record.jsonl"))
		if err == nil {
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			for _, line := range lines {
				var r struct{ Name, Outcome string }
				if err := json.Unmarshal([]byte(line), &r); err != nil || r.Name != "tidy" || r.Outcome != "OK" {
					t.Errorf("exported is %s", line)
				}
			}
			break
		}
		if time.Since(began) > patience {
			t.Fatal("nothing was exported")
		}
	}
	b.open(base + "now")
	b.reach("form[action$='/leave'] button")
	b.keys(kb.Enter)
	b.await(`document.querySelector('h1')?.textContent == 'Signed out'`)
	b.clean()

	done := map[string]bool{}
	for line := range strings.Lines(s.run("audit", "export", "--format", "jsonl")) {
		var r struct{ Name, Caller, Outcome string }
		if json.Unmarshal([]byte(line), &r) == nil && strings.HasPrefix(r.Name, "console/") && strings.HasPrefix(r.Caller, "local:") && r.Outcome == "OK" {
			done[strings.TrimPrefix(r.Name, "console/")] = true
		}
	}
	for _, act := range []string{
		"sign-in", "deny", "approve", "revoke", "revoke-rule", "try", "session-reset", "server-import", "server-add", "server-test", "pin-accept", "expose", "unexpose", "pin-revoke", "pin-forget", "server-scan",
		"composition-create", "composition-update", "composition-enable", "composition-disable", "composition-delete", "server-quarantine", "server-enable", "server-disable", "server-remove", "spec-save", "spec-pass", "spec-publish", "export", "sign-out",
	} {
		if !done[act] {
			t.Errorf("console/%s is not on record", act)
		}
	}
	if t.Failed() {
		var have []string
		for act := range done {
			have = append(have, act)
		}
		slices.Sort(have)
		t.Log("on record are ", have)
	}
}
