package console_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// numbers are the records that a page lists.
func (p *shown) numbers() (all []string) {
	p.Find("#found-box tbody tr").Each(func(_ int, row *goquery.Selection) { all = append(all, row.Find(".seq").Text()) })
	return all
}

// TestRecordIsSearched: each field of the form selects what audit query selects, and pages
// follow each other without a gap.
func TestRecordIsSearched(t *testing.T) {
	s := staged(t)
	for i := range 130 {
		r := audit.Record{Tool: fmt.Sprintf("tool%d", i%3), Caller: []string{"ada", "eve"}[i%2], RiskLevel: fmt.Sprintf("L%d", i%6), Outcome: audit.OK, Time: time.Now().Add(-time.Duration(130-i) * time.Hour), Parameters: raw(map[string]any{"n": i})}
		if i%10 == 0 {
			r.Outcome, r.Cause = audit.Refused, &audit.Cause{Kind: "not_cleared", Message: fmt.Sprintf("above the ceiling %d", i)}
		}
		s.recorded(r)
	}
	b := s.signedIn("local:ada", "look")
	for query, filter := range map[string]audit.Filter{
		"tool=tool1":                {Tool: "tool1"},
		"caller=eve&level=L3":       {Caller: "eve", Level: "L3"},
		"outcome=REFUSED":           {Outcome: audit.Refused},
		"text=ABOVE+the+ceiling+50": {Text: "above the ceiling 50"},
		"last=24h":                  {Since: time.Now().Add(-24 * time.Hour)},
		"from=" + time.Now().Add(-5*time.Hour).Format("2006-01-02T15:04") + "&tool=tool2": {Tool: "tool2", Since: time.Now().Add(-5 * time.Hour).Truncate(time.Minute)},
		"kind=not_cleared&caller=ada": {Kind: "not_cleared", Caller: "ada"},
	} {
		want, err := audit.Last(s.Chain, filter, 1000)
		if err != nil || len(want) == 0 {
			t.Fatal(query, len(want), err)
		}
		var got []string
		for at := "record?" + query; at != ""; {
			p := b.get(at)
			if p.status != 200 {
				t.Fatalf("%s is %d: %s", at, p.status, p.Find("main").Text())
			}
			got = append(got, p.numbers()...)
			next, _ := p.Find("a[rel=next]").Attr("href")
			at = strings.TrimPrefix(next, mustPath(t, b.Base))
		}
		if len(got) != len(want) {
			t.Fatalf("%s finds %d records, want %d", query, len(got), len(want))
		}
		for i, e := range want {
			if g := got[len(want)-1-i]; g != fmt.Sprint(e.Seq) {
				t.Errorf("%s: record %s, want %d", query, g, e.Seq)
			}
		}
	}
	for _, query := range []string{"outcome=MAYBE", "level=L9", "last=soon", "from=yesterday", "before=-1"} {
		if p := b.get("record?" + query); p.status != 400 || !strings.Contains(p.Find("main").Text(), "Go back") {
			t.Errorf("%s is answered with %d: %s", query, p.status, p.Find("main").Text())
		}
	}
	if p := b.get("record?text=nowhere"); !strings.Contains(p.Find("#found-box").Text(), "No record matches") {
		t.Error(p.Find("#found-box").Text())
	}
}

// TestOneCallsStory: what a person asks of a call is on its page, from the request to the
// answer, with both of its records.
func TestOneCallsStory(t *testing.T) {
	s := staged(t)
	s.recorded(audit.Record{ID: "CALL1234", Tool: "send", Caller: "bearer", RiskLevel: "L4", Decision: "a person is asked", Outcome: audit.Asked, Approval: &audit.Approval{ID: "Q1", Outcome: "open"}, Parameters: raw(map[string]any{"to": "ada@example.com"})})
	s.recorded(audit.Record{
		ID: "CALL1234", Trace: "4bf92f3577b34da6a3ce929d0e0e4736", Tool: "send", Caller: "bearer", RiskLevel: "L4", Decision: "a person is asked", Outcome: audit.Error, Elapsed: audit.Microseconds(1500 * time.Microsecond), Fuel: 12345,
		Approval: &audit.Approval{ID: "Q1", Outcome: "approved", By: "local:eve"}, Parameters: raw(map[string]any{"to": "ada@example.com"}),
		HostCalls: map[string]audit.HostCallSum{"http.fetch": {Calls: 2, Failed: 1, BytesOut: 100, BytesIn: 2048}}, Hosts: []string{"api.example"}, Blocked: map[string]int{"network/private-address": 1},
		Cause: &audit.Cause{Kind: "thrown", Message: "no route", Stack: "at tool.js:3"}, Redactions: raw([]string{"github-token"}),
	})
	b := s.signedIn("local:ada", "look")
	p := b.get("record/CALL1234")
	text := p.Find("main").Text()
	for _, want := range []string{"bearer called send", "A person was asked: approved by local:eve.", "The call was made and failed.", "no route", "4bf92f3577b34da6a3ce929d0e0e4736", "1.5 ms", "12,345", "http.fetch", "2.0 KiB", "api.example", "network/private-address", "github-token", "tool.js:3", "ada@example.com"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if first := p.Find(".story li").First().Text(); !strings.Contains(first, "a person was asked, question Q1") {
		t.Errorf("the story begins with %q", first)
	}
	if p := b.get("record/NOSUCH12"); p.status != 404 || !strings.Contains(p.Find("main").Text(), "no call with this reference") {
		t.Errorf("%d %s", p.status, p.Find("main").Text())
	}
	if n := b.get("record").Find("#found-box tbody a[href$='record/CALL1234']").Length(); n != 2 {
		t.Errorf("%d rows of the list lead to it", n)
	}
}

// verified waits until the record was verified, and returns what the page Now says.
func (s *stage) verified(b *browser) string {
	s.t.Helper()
	for began := time.Now(); ; {
		if text := b.get("now").Find("main").Text(); strings.Contains(text, "verified, ") {
			return text
		}
		if time.Since(began) > 2*time.Minute {
			s.t.Fatal("the record is never verified")
		}
	}
}

// TestTheChainIsVerifiedLive: the page says that the record is whole, and what is broken soon
// after somebody has changed it.
func TestTheChainIsVerifiedLive(t *testing.T) {
	s := staged(t)
	for i := range 20 {
		s.recorded(audit.Record{Tool: "read", Caller: "ada", Outcome: audit.OK, Parameters: raw(i)})
	}
	b := s.signedIn("local:ada", "look")
	says := func(path, want string) {
		t.Helper()
		for began := time.Now(); ; {
			text := b.get(path).Find("main").Text()
			if strings.Contains(text, want) {
				return
			}
			if time.Since(began) > 2*time.Minute {
				t.Fatalf("%s never says %q:\n%s", path, want, text)
			}
		}
	}
	says("record", "21 verified") // with the sign-in
	says("now", "21 verified")
	text, err := os.ReadFile(s.Chain)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Chain, bytes.Replace(text, []byte(`"name":"read"`), []byte(`"name":"eval"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := staged(t, func(o *console.Options) { o.Chain = s.Chain })
	b = fresh.signedIn("local:ada", "look")
	says("record", "The record was changed")
	says("record", "record 1: edited")
	says("now", "1 defect")
}

// TestExportIsWhatMatches: the file holds the records of the search, line by line, and who
// took it is on record.
func TestExportIsWhatMatches(t *testing.T) {
	s := staged(t)
	for i := range 300 {
		s.recorded(audit.Record{Tool: []string{"a", "b"}[i%2], Caller: "ada", Outcome: audit.OK, Parameters: raw(i)})
	}
	b := s.signedIn("local:ada", "look")
	p := b.submit(b.get("record?tool=b"), "form[action$='record/export']", nil)
	if p.status != 200 || p.header.Get("Content-Disposition") == "" {
		t.Fatal(p.status, p.header)
	}
	n := 0
	for lines := bufio.NewScanner(strings.NewReader(p.body)); lines.Scan(); n++ {
		var e audit.Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Tool != "b" {
			t.Fatalf("%v: %s", err, lines.Text())
		}
	}
	acts := s.acts()
	last := acts[len(acts)-1]
	if n != 150 || last.Tool != "console/export" || last.Caller != "local:ada" || !strings.Contains(string(last.Parameters), `"records":150`) || !strings.Contains(string(last.Parameters), `"tool":["b"]`) {
		t.Errorf("%d lines; on record is %+v %s", n, last, last.Parameters)
	}
	if p := b.post("record/export", url.Values{"tool": {"b"}}); p.status != 403 {
		t.Errorf("without a token it is %d", p.status)
	}
}
