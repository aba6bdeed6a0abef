package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

func TestInboxShowsTheGreatestDangerFirst(t *testing.T) {
	s := staged(t)
	s.asked("a", "low", risk.L2, `{}`, "")
	s.asked("a", "high", risk.L5, `{}`, "")
	s.asked("a", "middle", risk.L4, `{}`, "")
	p := s.signedIn("local:ada", "answer").get("inbox")
	if got := p.Find(".question h2").Text(); got != "highmiddlelow" {
		t.Errorf("the order is %s", got)
	}
	if got := p.Find("nav .count").Text(); !strings.HasPrefix(got, "3") {
		t.Errorf("the navigation counts %q", got)
	}
}

func TestInboxShowsWhyAndWhatDiffers(t *testing.T) {
	s := staged(t)
	s.recorded(audit.Record{Tool: "send", Outcome: audit.OK, Approval: &audit.Approval{Outcome: "approved"}, Parameters: raw(map[string]any{"to": "ada@example.com", "cc": "bob@example.com", "body": "hello"})})
	s.recorded(audit.Record{Tool: "send", Outcome: audit.OK, Parameters: raw(map[string]any{"to": "not approved"})})
	if err := s.Labels.Met(t.Context(), "bearer", live.Text{Source: "host/x", Label: live.Label{Untrusted: true, Private: true, Origins: []string{"mail"}}, Words: "x"}); err != nil {
		t.Fatal(err)
	}
	s.asked("bearer", "send", risk.L4, `{"to":"eve@example.com","body":"hello","bcc":"x@example.com"}`,
		"Run this tool?\nTool: send\nSource: library\nRisk level: L4 High\nReason: it sends mail\nText of strangers names the recipient.\nArguments:\nto: \"eve@example.com\"\n")
	q := s.signedIn("local:ada", "answer").get("inbox").Find(".question")
	if got := q.Find(".why").Text(); !strings.Contains(got, "it sends mail") || !strings.Contains(got, "Text of strangers names the recipient") || strings.Contains(got, "eve@") {
		t.Errorf("the reason is %q", got)
	}
	for class, want := range map[string]string{"changed": "was ada@example.com", "new": "bcc", "gone": "bob@example.com", "same": "hello"} {
		if got := q.Find(".json ." + class).Text(); !strings.Contains(got, want) {
			t.Errorf("%s is %q, want %q", class, got, want)
		}
	}
	if got := q.Find(".met").Text(); !strings.Contains(got, "text of strangers") || !strings.Contains(got, "mail") {
		t.Errorf("what the caller met is %q", got)
	}
	if q.Find("time[data-until]").Length() != 1 || !strings.Contains(q.Find(".left").Text(), "left") {
		t.Error("the time left is not shown")
	}
}

func TestAnswersCountOnceAndAreOnRecord(t *testing.T) {
	s := staged(t)
	yes := s.asked("a", "one", risk.L4, `{}`, "")
	no := s.asked("a", "two", risk.L4, `{}`, "")
	ada, eve := s.signedIn("local:ada", "answer"), s.signedIn("local:eve", "answer")
	before := eve.get("inbox")
	p := ada.submit(ada.get("inbox"), "form[action$='"+yes.ID+"/approve']", nil)
	if p.at != "inbox" || !strings.Contains(p.Find(".note-line").Text(), "Approved") || p.Find("#q-"+yes.ID).Length() != 0 {
		t.Errorf("after approving: %s %s", p.at, p.Find("main").Text())
	}
	p = eve.submit(before, "form[action$='"+yes.ID+"/deny']", nil)
	if got := p.Find(".note-line.bad").Text(); !strings.Contains(got, "already approved by local:ada") {
		t.Errorf("the second person is told %q", got)
	}
	p = eve.submit(before, "form[action$='"+no.ID+"/deny']", url.Values{"note": {"not today"}, "tell": {"yes"}})
	if got := p.Find("#answered-box").Text(); !strings.Contains(got, "not today") || !strings.Contains(got, "local:eve") {
		t.Errorf("answered: %q", got)
	}
	for id, want := range map[string]approve.State{yes.ID: approve.Approved, no.ID: approve.Denied} {
		e, err := s.Desk.Show(t.Context(), id)
		if err != nil || e.State != want {
			t.Errorf("%s is %s, want %s (%v)", id, e.State, want, err)
		}
		if want == approve.Denied && e.Reason() != "not today" {
			t.Errorf("the model is told %q", e.Reason())
		}
	}
	var got []string
	for _, a := range s.acts()[2:] {
		got = append(got, a.Caller+" "+a.Tool+" "+string(a.Outcome)+" "+string(a.Parameters))
	}
	want := []string{
		`local:ada console/approve OK {"question":"` + yes.ID + `"}`,
		`local:eve console/deny ERROR {"question":"` + yes.ID + `"}`,
		`local:eve console/deny OK {"question":"` + no.ID + `","note":"not today","tell":true}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the record has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestAYesForTheRestOfATask: it is offered where the question offers it, and only then.
func TestAYesForTheRestOfATask(t *testing.T) {
	s := staged(t)
	alone := s.asked("a", "one", risk.L4, `{}`, "")
	rest, _, err := s.Desk.Ask(t.Context(), approve.Question{Call: approve.Call{Principal: "a", Policy: "p"}, Tool: "two", Level: risk.L4, Arguments: []byte(`{}`), Rest: "20 calls to ada", Valid: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	b := s.signedIn("local:ada", "answer")
	p := b.get("inbox")
	if p.Find("#q-"+alone.ID+" input[name=rest]").Length() != 0 || !strings.Contains(p.Find("#q-"+rest.ID+" .yes-form").Text(), "20 calls to ada") {
		t.Error("the rest is offered for the wrong question")
	}
	b.submit(p, "form[action$='"+rest.ID+"/approve']", url.Values{"rest": {"yes"}})
	b.submit(p, "form[action$='"+alone.ID+"/approve']", nil)
	for id, want := range map[string]bool{rest.ID: true, alone.ID: false} {
		if e, _ := s.Desk.Show(t.Context(), id); e.State != approve.Approved || e.ForRest != want {
			t.Errorf("%s is %s, for the rest: %v", e.Tool, e.State, e.ForRest)
		}
	}
}

// TestAYesBecomesARule: it is offered within what the desk allows, counts for further calls
// until somebody revokes it, and both are on record.
func TestAYesBecomesARule(t *testing.T) {
	s := staged(t)
	plain, grave := s.asked("a", "one", risk.L4, `{"path":"old"}`, ""), s.asked("a", "two", risk.L5, `{}`, "")
	b := s.signedIn("local:ada", "answer")
	p := b.get("inbox")
	if got := p.Find("#q-" + plain.ID + " option").Length(); got != 5 {
		t.Errorf("%d answers are offered", got)
	}
	if got := p.Find("#q-" + grave.ID + " option[value=hour]").Length(); got != 0 {
		t.Error("any arguments are offered for what destroys")
	}
	if p := b.submit(p, "form[action$='"+grave.ID+"/approve']", url.Values{"longer": {"hour"}}); !strings.Contains(p.Find(".note-line.bad").Text(), "somebody has seen") {
		t.Errorf("said to any arguments of what destroys: %q", p.Find(".note-line").Text())
	}
	p = b.submit(p, "form[action$='"+plain.ID+"/approve']", url.Values{"longer": {"week-same"}})
	if got := p.Find(".note-line").Text(); !strings.Contains(got, "the same arguments, for a week") {
		t.Errorf("after approving: %q", got)
	}
	if got := p.Find("#rules-box tbody tr").Text(); !strings.Contains(got, "one") || !strings.Contains(got, "old") || !strings.Contains(got, "local:ada") {
		t.Errorf("the rule is %q", got)
	}
	rules, err := s.Desk.Rules(t.Context())
	if err != nil || len(rules) != 1 || rules[0].Arguments == nil || !rules[0].Counts(time.Now()) {
		t.Fatalf("%+v, %v", rules, err)
	}
	eve := s.signedIn("local:eve", "answer")
	if p := eve.submit(eve.get("inbox"), "form[action$='"+rules[0].ID+"/revoke']", nil); p.Find("#rules-box").Length() != 0 {
		t.Error("the revoked rule is still shown")
	}
	if rules, _ := s.Desk.Rules(t.Context()); rules[0].RevokedBy != "local:eve" || rules[0].Counts(time.Now()) {
		t.Errorf("%+v", rules)
	}
	var got []string
	for _, a := range s.acts() {
		if strings.HasPrefix(a.Tool, "console/approve") || a.Tool == "console/revoke-rule" {
			got = append(got, a.Caller+" "+string(a.Outcome)+" "+string(a.Parameters))
		}
	}
	want := []string{
		`local:ada ERROR {"question":"` + grave.ID + `","for":"1h0m0s"}`,
		`local:ada OK {"question":"` + plain.ID + `","for":"168h0m0s","same":true}`,
		`local:eve OK {"rule":"` + rules[0].ID + `"}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the record has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestANoteIsForThePersonsNextPage: another tab that fetches itself again in between does
// not take it.
func TestANoteIsForThePersonsNextPage(t *testing.T) {
	s := staged(t)
	s.asked("a", "one", risk.L4, `{}`, "")
	b := s.signedIn("local:ada", "answer")
	p := b.get("inbox")
	b.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	b.submit(p, "form[action$=approve]", nil)
	r, err := http.NewRequest(http.MethodGet, b.Base+"inbox", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Sec-Fetch-Dest", "empty")
	if got := b.send(r).Find(".note-line").Text(); got != "" {
		t.Errorf("the script was told %q", got)
	}
	if got := b.get("inbox").Find(".note-line").Text(); got != "Approved." {
		t.Errorf("the person is told %q", got)
	}
}

func TestAYesIsTakenBack(t *testing.T) {
	s := staged(t)
	e := s.asked("a", "one", risk.L4, `{}`, "")
	b := s.signedIn("local:ada", "answer")
	p := b.submit(b.get("inbox"), "form[action$=approve]", nil)
	p = b.submit(p, "form[action$=revoke]", nil)
	if now, _ := s.Desk.Show(t.Context(), e.ID); now.State != approve.Denied || p.Find("form[action$=revoke]").Length() != 0 {
		t.Errorf("it is %s", now.State)
	}
}

// TestAReasonIsForPeopleUnlessSaid: without the box, the model does not see it.
func TestAReasonIsForPeopleUnlessSaid(t *testing.T) {
	s := staged(t)
	e := s.asked("a", "one", risk.L4, `{}`, "")
	b := s.signedIn("local:ada", "answer")
	b.submit(b.get("inbox"), "form[action$=deny]", url.Values{"note": {"between us"}})
	if now, _ := s.Desk.Show(t.Context(), e.ID); now.State != approve.Denied || now.Reason() != "" {
		t.Errorf("it is %s, and the model is told %q", now.State, now.Reason())
	}
}
