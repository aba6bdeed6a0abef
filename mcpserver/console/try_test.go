package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// ran returns the records of calls that ended, oldest first.
func (s *stage) ran() (all []audit.Entry) {
	s.t.Helper()
	err := audit.Read(s.Chain, audit.Filter{}, func(e audit.Entry) error {
		if e.Category != "operator" && e.Outcome != audit.Asked {
			all = append(all, e)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// TestTryIt: a person calls a tool through the form, in the pipeline of all calls.
func TestTryIt(t *testing.T) {
	s := staged(t)
	s.equipped(spec("echo", `console.log("hello " + room); console.error("bad"); return {room, times, fast, names};`, params))
	b := s.signedIn("local:ada", "manage")
	p := b.get("tools/library~echo/try")
	if got := p.Find("textarea[name='a/room']").Text(); strings.TrimPrefix(got, "\n") != "hall" {
		t.Errorf("the form begins with %q, not with the author's value", got)
	}
	p = b.submit(p, "form[action$='/try']", url.Values{"a/room": {"<b>kitchen</b>"}, "a/times": {"12345678901234567"}, "a/fast": {"1"}, "a/names": {"[\"x\",{\"y\":1}]"}})
	text := p.Find("#came-box").Text()
	for _, want := range []string{"<b>kitchen</b>", "12345678901234567", "false", "hello <b>kitchen</b>", "error", "bad", "Fuel", "Statements", "allow"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	calls := s.ran()
	if len(calls) != 1 || calls[0].Caller != "local:ada" || calls[0].Outcome != audit.OK || calls[0].Tool != "echo" {
		t.Fatalf("on record are %+v", calls)
	}
	if want := `{"room":"<b>kitchen</b>","times":12345678901234567,"fast":false,"names":["x",{"y":1}]}`; string(calls[0].Parameters) != want {
		t.Errorf("called with %s, want %s", calls[0].Parameters, want)
	}
	if !strings.Contains(text, calls[0].ID) {
		t.Error("the page does not name the record")
	}
	acts := s.acts()
	if last := acts[len(acts)-1]; last.Tool != "console/try" || last.Caller != "local:ada" || !strings.Contains(string(last.Parameters), calls[0].ID) {
		t.Errorf("the act is on record as %+v", last)
	}
	// What was filled in is there again.
	if got := p.Find("textarea[name='a/room']").Text(); strings.TrimPrefix(got, "\n") != "<b>kitchen</b>" {
		t.Errorf("the form has %q", got)
	}
	if got := p.Find("select[name='a/fast'] option[selected]").Text(); got != "false" {
		t.Errorf("chosen is %q", got)
	}
	// Another person sees nothing of it.
	if other := s.signedIn("local:eve", "manage").get(p.at); strings.Contains(other.body, "kitchen") {
		t.Error("another person sees the result")
	}
}

func TestAFormWithProblemsCallsNothing(t *testing.T) {
	s := staged(t)
	s.equipped(spec("echo", "return room", params))
	b := s.signedIn("local:ada", "manage")
	p := b.get("tools/library~echo/try")
	for field, value := range map[string]string{"a/times": "twelve", "a/fast": "7", "a/names": "[1", "raw": "[]"} {
		p := b.submit(p, "form[action$='/try']", url.Values{field: {value}})
		if got := p.Find("[role=alert]").Text(); !strings.Contains(got, "Nothing was called") || !strings.Contains(got, "want") {
			t.Errorf("%s=%s: the page says %q", field, value, got)
		}
	}
	if calls := s.ran(); len(calls) != 0 {
		t.Errorf("%d calls", len(calls))
	}
	p = b.submit(p, "form[action$='/try']", url.Values{"raw": {`{"room": 7}`}})
	if got := p.Find("#came-box").Text(); !strings.Contains(got, "/room") {
		t.Errorf("wrong arguments are told as %q", got)
	}
}

// TestATryThatNeedsAYes: it does not wait; the person is asked in the inbox, or answers
// here, and the record has both.
func TestATryThatNeedsAYes(t *testing.T) {
	s := staged(t)
	s.equipped(spec("tidy", "return 'tidied ' + room", params+`, "sandboxOverrides": {"fileWrite": true}`))
	b := s.signedIn("local:ada", "manage")
	p := b.submit(b.get("tools/library~tidy/try"), "form[action$='/try']", url.Values{})
	if got := p.Find("#came-box").Text(); !strings.Contains(got, "approve this call first") || strings.Contains(got, "tidied") {
		t.Fatalf("the page says %q", got)
	}
	open, err := s.Desk.List(t.Context())
	if err != nil || len(open) != 1 || open[0].State != approve.Open || open[0].Principal != "local:ada" {
		t.Fatalf("the questions are %+v, %v", open, err)
	}
	p = b.submit(p, "#came-box form", nil)
	if got := p.Find("#came-box").Text(); !strings.Contains(got, "tidied hall") {
		t.Fatalf("after the yes: %q", got)
	}
	calls := s.ran()
	last := calls[len(calls)-1]
	if last.Outcome != audit.OK || last.Approval == nil || last.Approval.ID != open[0].ID || last.Approval.By != "local:ada" {
		t.Errorf("on record as %+v", last.Approval)
	}
	// The same call again is asked about again.
	p = b.submit(b.get("tools/library~tidy/try"), "form[action$='/try']", url.Values{})
	if p.Find("#came-box input[name=yes]").Length() != 1 {
		t.Error("a yes held twice")
	}
	// Answered in the inbox by somebody else, it runs when it is made again.
	open, err = s.Desk.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Desk.Resolve(t.Context(), open[0].ID, approve.Resolution{Approve: true, By: "local:eve"}); err != nil {
		t.Fatal(err)
	}
	p = b.submit(b.get("tools/library~tidy/try"), "form[action$='/try']", url.Values{})
	if got := p.Find("#came-box").Text(); !strings.Contains(got, "tidied hall") {
		t.Errorf("after another's yes: %q", got)
	}
}

// TestWhoMayTry: the role, the token and the origin count as for every act.
func TestWhoMayTry(t *testing.T) {
	s := staged(t)
	s.equipped(spec("echo", "return 1", ""))
	for _, role := range []string{"look", "answer"} {
		b := s.signedIn("local:eve", role)
		if got := b.get("tools/library~echo/try").status; got != http.StatusForbidden {
			t.Errorf("%s sees the form: %d", role, got)
		}
		if got := b.post("tools/library~echo/try", url.Values{"token": {b.get("now").token()}}).status; got != http.StatusForbidden {
			t.Errorf("%s may call: %d", role, got)
		}
	}
	b := s.signedIn("local:ada", "manage")
	if got := b.post("tools/library~echo/try", nil).status; got != http.StatusForbidden {
		t.Errorf("without a token: %d", got)
	}
	if got := b.post("tools/library~echo/try", url.Values{"token": {b.get("now").token()}}, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }).status; got != http.StatusForbidden {
		t.Errorf("from elsewhere: %d", got)
	}
	if calls := s.ran(); len(calls) != 0 {
		t.Errorf("%d calls were made", len(calls))
	}
}

func TestATryOfAnothersTool(t *testing.T) {
	s := staged(t)
	s.equipped()
	gatewayed(t, s, "Reads a note.")
	var b *browser
	for _, tool := range s.Tools {
		if tool.About().Source != "notes" {
			continue
		}
		b = s.signedIn("local:ada", "manage")
		key := "tools/notes~" + tool.About().Name + "/try"
		p := b.submit(b.get(key), "form[action$='/try']", url.Values{"a/title": {"Ada"}})
		if yes := p.Find("#came-box input[name=yes]"); yes.Length() == 1 {
			p = b.submit(p, "#came-box form", nil)
		}
		if got := p.Find("#came-box pre").First().Text(); got != "about Ada" {
			t.Errorf("the result is %q in %s", got, p.Find("#came-box").Text())
		}
	}
	if b == nil {
		t.Error("nothing is re-published")
	}
}
