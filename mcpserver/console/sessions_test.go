package console_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/risk/live"
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
