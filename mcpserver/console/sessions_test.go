package console_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

func TestSessionsAreShownAndReset(t *testing.T) {
	s := staged(t)
	const hostile = `mallory<script>"\u202e`
	if err := s.Labels.Met(t.Context(), hostile, live.Text{Source: "host/x", Label: live.Label{Untrusted: true, Private: true, Origins: []string{"mail"}}, Words: "x"}); err != nil {
		t.Fatal(err)
	}
	b := s.signedIn("local:ada", "manage")
	p := b.get("sessions")
	if got := p.Find("article").Text(); !strings.Contains(got, "text that strangers can write") || !strings.Contains(got, "private data of mail") || p.Find("main script").Length() != 0 {
		t.Errorf("the session is %q", got)
	}
	p = b.submit(p, "form[action$=reset]", nil)
	if got := p.Find(".note-line.bad").Text(); !strings.Contains(got, "say why") {
		t.Errorf("without a reason the page says %q", got)
	}
	p = b.submit(p, "form[action$=reset]", url.Values{"reason": {"a new task"}})
	if got := p.Find("article").Text(); !strings.Contains(got, "nothing that matters") {
		t.Errorf("after the reset it is %q", got)
	}
	acts := s.acts()
	if last := acts[len(acts)-1]; last.Tool != "console/session-reset" || last.Outcome != "OK" || !strings.Contains(string(last.Parameters), "a new task") {
		t.Errorf("the record has %+v", last)
	}
	look := s.signedIn("local:eve", "answer")
	if p := look.get("sessions"); p.Find("form[action$=reset]").Length() != 0 {
		t.Error("who may answer is offered a reset")
	} else if p := look.post("sessions/reset", url.Values{"token": {p.token()}, "principal": {hostile}, "reason": {"x"}}); p.status != 403 {
		t.Errorf("a reset with the role answer is %d", p.status)
	}
}

func TestWithoutSessionsThePageSaysHow(t *testing.T) {
	s := staged(t, func(o *console.Options) { o.Sessions = func() *labels.Sessions { return nil } })
	if got := s.signedIn("local:ada", "manage").get("sessions").Find("main").Text(); !strings.Contains(got, "--session observe") {
		t.Error(got)
	}
}

// TestHowASessionCameAbout: which result brought what, and what spoke against a call, from
// the record; calls of others, and those that changed nothing, are not told.
func TestHowASessionCameAbout(t *testing.T) {
	s := staged(t)
	const who = "bearer<b>"
	if err := s.Labels.Met(t.Context(), who, live.Text{Source: "mail/read", Label: live.Label{Untrusted: true, Private: true, Origins: []string{"mail"}}, Words: "x"}); err != nil {
		t.Fatal(err)
	}
	met := live.Label{Untrusted: true, Private: true, Origins: []string{"mail"}}
	for _, r := range []audit.Record{
		{ID: "RAISED01", Tool: "read_mail", Caller: who, Outcome: audit.OK, Flow: raw(labels.Flow{Mode: "enforce", Verdict: "allow", Result: met})},
		{ID: "SAME0001", Tool: "read_more", Caller: who, Outcome: audit.OK, Flow: raw(labels.Flow{Mode: "enforce", Verdict: "allow", Session: met, Result: met})},
		{ID: "DENIED01", Tool: "send_mail", Caller: who, Outcome: audit.Refused, Flow: raw(labels.Flow{Mode: "enforce", Verdict: "deny", Session: met, Fired: []live.Fired{{Rule: "r", Does: "deny", Why: "it would send <i>private</i> data to strangers"}}, Kill: "too-many"})},
		{ID: "OTHER001", Tool: "other_tool", Caller: "somebody", Outcome: audit.OK, Flow: raw(labels.Flow{Mode: "enforce", Verdict: "allow", Result: met})},
	} {
		s.recorded(r)
	}
	b := s.signedIn("local:eve", "look")
	p := b.get("sessions")
	to := p.Find("article a[href*='/sessions/']").AttrOr("href", "")
	p = b.get(strings.TrimPrefix(to, mustPath(t, b.Base)))
	rows := p.Find("#steps-box li")
	if rows.Length() != 2 || p.Find("main i, main b").Length() > 0 {
		t.Fatalf("%d steps: %s", rows.Length(), p.Find("main").Text())
	}
	for i, want := range [][]string{{"send_mail", "denied", "it would send <i>private</i> data to strangers", "stopped", "too-many"}, {"read_mail", "brought text that strangers can write.", "brought private data of mail."}} {
		for _, w := range want {
			if got := rows.Eq(i).Text(); !strings.Contains(got, w) {
				t.Errorf("step %d is %q, without %q", i, got, w)
			}
		}
	}
	if got := rows.First().Find("a").AttrOr("href", ""); !strings.HasSuffix(got, "record/DENIED01") {
		t.Errorf("it leads to %q", got)
	}
	if p := b.get("sessions/nobody"); p.status != 404 {
		t.Errorf("an unknown session is %d", p.status)
	}
}
