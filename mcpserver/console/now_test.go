package console_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

func TestNowWithNothingSaysWhatToDo(t *testing.T) {
	p := staged(t).signedIn("local:ada", "look").get("now")
	text := p.Find("main").Text()
	for _, want := range []string{"Nobody waits", "glovebox connect claude-code", "glovebox upstream add", "Nothing was refused", "http://127.0.0.1:8282/mcp"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

func TestNowShowsWhatHappens(t *testing.T) {
	s := staged(t)
	s.Checks = []console.Check{{"GBD01", "state folder", true, "fine"}, {"GBD06", "token", false, "anybody can read it"}}
	s.Trouble = errors.New("the disk is full")
	s.asked("bearer", "wipe", risk.L5, `{}`, "")
	s.asked("bearer", "read", risk.L1, `{}`, "")
	s.recorded(audit.Record{Tool: "wipe", RiskLevel: "L5", Caller: "bearer", Outcome: audit.Refused, Cause: &audit.Cause{Kind: "not_cleared", Message: "above the ceiling"}})
	tool := s.Seen.Upstream(telemetry.Upstream{Alias: "fetch", Final: mcp.L3})
	for range 40 {
		call := tool.Begin("id", telemetry.Origin{Transport: "http"})
		call.Ended(&governed.Result{})
		call.End()
	}
	for _, kind := range []governed.Kind{governed.NotCleared, governed.NotCleared, governed.Timeout} {
		call := tool.Begin("id", telemetry.Origin{Transport: "http"})
		call.Ended(&governed.Result{Output: governed.Output{Failure: &governed.Failure{Kind: kind}}})
		call.End()
	}
	if _, err := s.Gateway.Add(t.Context(), exposure.Registration{Origin: exposure.ByCommand, Config: upstream.Config{Name: "notes", Kind: upstream.HTTP, URL: "https://notes.example/mcp"}}); err != nil {
		t.Fatal(err)
	}
	b := s.signedIn("local:ada", "look")
	p := b.get("now")
	for selector, want := range map[string]string{
		"section[aria-labelledby=t-open] .big": "2", "[role=alert]": "the disk is full", "#refused-box li": "above the ceiling",
		"#servers-box li": "quarantined", "#calls-box tbody:last-of-type th": "fetch",
	} {
		if got := p.Find(selector).Text(); !strings.Contains(got, want) {
			t.Errorf("%s is %q, want %q", selector, got, want)
		}
	}
	if got := p.Find("#calls-box .scroll").Last().Find("td").Eq(1).Text(); got != "43" {
		t.Errorf("the calls are %q", got)
	}
	// How long calls took is told for each way in which they ended.
	var ended []string
	p.Find("[aria-label='Calls by outcome'] tbody tr").Each(func(_ int, row *goquery.Selection) {
		ended = append(ended, strings.Join(strings.Fields(row.Find("th").Text()+" "+row.Find("td").First().Text()), " "))
		if p50 := row.Find("td").Eq(2).Text(); row.Find("td").Length() != 5 || !strings.HasSuffix(p50, "s") {
			t.Errorf("of %s p50 is %q", row.Text(), p50)
		}
	})
	if got := strings.Join(ended, "; "); got != "ok 40; refused denied 2 2; failed timeout 1 1" {
		t.Errorf("calls ended as %q", got)
	}
	if first := p.Find("#tiles .chip").First().Text(); !strings.HasPrefix(first, "L5") {
		t.Errorf("the first that waits is %q", first)
	}
	if p.Find("svg rect.ok").Length() == 0 || p.Find("svg[aria-label]").Length() != 1 || p.Find("details table tbody tr").Length() == 0 {
		t.Error("the chart has no bar, no name or no table beside it")
	}
	for began := time.Now(); ; p = b.get("now") {
		if text := p.Find("#checks-box").Text(); strings.Contains(text, "anybody can read it") && !strings.Contains(text, "fine") {
			break
		}
		if time.Since(began) > 2*time.Minute {
			t.Fatal(p.Find("#checks-box").Text())
		}
	}
}
