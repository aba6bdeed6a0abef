package labels_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/live"
)

// person answers every question with a yes, and ticks the box or not.
func person(asked *atomic.Int32, tick bool) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		asked.Add(1)
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"rest": tick}}, nil
	}}
}

// TestTheRestOfATask: one yes answers the questions of a task, and no others.
func TestTheRestOfATask(t *testing.T) {
	dir := t.TempDir()
	start := func(now func() time.Time) (*gateway, *labels.Sessions, func()) {
		s, err := store.Open(t.Context(), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		keeper, err := labels.OpenShelf(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return newGateway(t, options{file: officeFile, keeper: keeper, now: now}, office()...), labels.NewSessions(keeper, now), s.Close
	}
	now := time.Now()
	clock := func() time.Time { return now }
	g, _, stop := start(clock)
	var asked atomic.Int32
	mail := func(c *client, to, body string, questions int32) answer {
		t.Helper()
		before := asked.Load()
		a := c.call("send_mail", "to", to, "body", body)
		if got := asked.Load() - before; got != questions || !a.ran {
			t.Errorf("a mail to %s: %d questions, want %d; ran %v: %s", to, got, questions, a.ran, a.record.Flow)
		}
		return a
	}
	c := g.clientOf("ada", person(&asked, true))
	c.call("read_ticket", "number", "7").wants(t, "the untrusted read", "allow", true)
	given := mail(c, "kim@corp.example", "It is on its way.", 1)
	if l := given.flow.Leave; l == nil || l.Recipient != "kim@corp.example" || l.By != "client" || l.Left != live.LeaveCalls || l.ID != given.record.ID {
		t.Errorf("on record is %+v", given.flow.Leave)
	}
	a := mail(c, "Kim@corp.example", "It arrives on Monday.", 0)
	if !a.fired("F90") || !strings.Contains(string(a.record.Flow), given.record.ID) {
		t.Errorf("the second mail: %s", a.record.Flow)
	}
	mail(g.clientOf("ada", person(&asked, false)), "lee@corp.example", "It arrives on Monday.", 1)
	mail(c, "lee@corp.example", "No box was ticked.", 1)
	c.call("send_mail", "to", "audit@collector.example", "body", "hi").wants(t, "what is denied", "deny", false)

	// It outlives the process, and an operator can take it back.
	stop()
	var sessions *labels.Sessions
	g, sessions, stop = start(clock)
	defer stop()
	c = g.clientOf("ada", person(&asked, false))
	mail(c, "kim@corp.example", "It has arrived.", 0)
	all, err := sessions.List(t.Context())
	if err != nil || len(all) != 1 || len(all[0].Leaves) != 2 || all[0].Leaves[0].Left != live.LeaveCalls-2 {
		t.Fatalf("the list says %+v, %v", all, err)
	}
	if n, err := sessions.Revoke(t.Context(), "ada", given.record.ID); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	mail(c, "kim@corp.example", "Was it right?", 1)

	// Time ends it, and so does a label that got worse.
	c = g.clientOf("bob", person(&asked, true))
	c.call("read_ticket", "number", "7")
	mail(c, "kim@corp.example", "one", 1)
	now = now.Add(live.LeaveTime)
	mail(c, "kim@corp.example", "two", 1)
	c.call("find_record", "customer", "Ada")
	mail(c, "kim@corp.example", "three", 1)
}
