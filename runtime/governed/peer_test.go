package governed_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// client is a peer that answers with the method it was asked for.
type client struct{}

func (client) Request(_ context.Context, asked ...governed.Asked) ([]json.RawMessage, error) {
	return []json.RawMessage{json.RawMessage(`{"asked":"` + asked[0].Method + `"}`)}, nil
}
func (client) Notify(string, json.RawMessage) {}
func (client) Can(string) bool                { return true }

// TestAToolSpeaksToItsClient: the peer of the request reaches the tool, and one with
// nobody behind it is nil.
func TestAToolSpeaksToItsClient(t *testing.T) {
	tool := newEcho(risk.L0)
	tool.run = func(p *governed.Permit) (out governed.Output) {
		if p.Peer != nil {
			if answers, err := p.Peer.Request(context.Background(), governed.Asked{Method: "roots/list"}); err == nil {
				out.Value = answers[0]
			}
		}
		return out
	}
	p := governed.New(governed.Config{Terms: governed.Terms{Judge: always(risk.Allow), Sanitiser: sanitiser(t)}})
	if got := p.Do(t.Context(), governed.Request{Tool: tool, Peer: client{}}); string(got.Value) != `{"asked":"roots/list"}` {
		t.Errorf("%s, %v", got.Value, got.Failure)
	}
	if got := p.Do(t.Context(), governed.Request{Tool: tool}); got.Failure != nil || got.Value != nil {
		t.Errorf("%s, %v", got.Value, got.Failure)
	}
}

// TestAnApprovalIsOfAToolThatTheCallerSees: the set that the request names counts, not
// the one of the configuration.
func TestAnApprovalIsOfAToolThatTheCallerSees(t *testing.T) {
	tool, everywhere, here := newEcho(risk.L3), &governed.Published{}, &governed.Published{}
	everywhere.Set([]governed.Tool{tool})
	p := governed.New(governed.Config{Published: everywhere, Terms: governed.Terms{Judge: always(risk.Ask), Sanitiser: sanitiser(t)}})
	yes := approver(func(context.Context, governed.Question) governed.Ruling {
		return governed.Ruling{Outcome: governed.Approved}
	})
	for _, q := range []struct {
		published *governed.Published
		came      governed.Outcome
	}{{nil, governed.Approved}, {here, governed.Outdated}, {everywhere, governed.Approved}} {
		if got := p.Do(t.Context(), governed.Request{Tool: tool, Approver: yes, Published: q.published}); got.Approval != q.came {
			t.Errorf("%s, want %s", got.Approval, q.came)
		}
	}
}

// TestAnotherServersErrorIsCleaned: what it says is passed on without secrets.
func TestAnotherServersErrorIsCleaned(t *testing.T) {
	const secret = "ghp_0123456789abcdefABCDEF0123456789abcd"
	tool := newEcho(risk.L0)
	tool.run = func(*governed.Permit) (out governed.Output) {
		out.Failure = &governed.Failure{Kind: governed.Exception, Verbatim: json.RawMessage(`{"code":-32602,"message":"no ` + secret + `"}`)}
		return out
	}
	p := governed.New(governed.Config{Terms: governed.Terms{Judge: always(risk.Allow), Sanitiser: sanitiser(t)}})
	got := p.Do(t.Context(), governed.Request{Tool: tool}).Failure.Verbatim
	if !json.Valid(got) || strings.Contains(string(got), secret) || !strings.Contains(string(got), "-32602") {
		t.Errorf("%s", got)
	}
}

// oneSlot is a gate with one slot.
type oneSlot struct {
	one chan struct{}
}

func (g *oneSlot) Take(string, int) error { return nil }

func (g *oneSlot) Slot(ctx context.Context, _ string) (func(), error) {
	select {
	case g.one <- struct{}{}:
		return func() { <-g.one }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// asksOthers is a peer during whose questions another call runs.
type asksOthers struct {
	client
	during func()
}

func (a asksOthers) Request(ctx context.Context, asked ...governed.Asked) ([]json.RawMessage, error) {
	a.during()
	return a.client.Request(ctx, asked...)
}

// TestNobodyWaitsForAnotherClientsPerson: while a tool's question is with its client, the
// only slot is free, and afterwards it is taken again.
func TestNobodyWaitsForAnotherClientsPerson(t *testing.T) {
	g := &oneSlot{one: make(chan struct{}, 1)}
	p := governed.New(governed.Config{Gate: g, Terms: governed.Terms{Judge: always(risk.Allow), Sanitiser: sanitiser(t)}})
	asks := newEcho(risk.L0)
	asks.run = func(permit *governed.Permit) (out governed.Output) {
		for range 2 {
			if _, err := permit.Peer.Request(t.Context(), governed.Asked{Method: "roots/list"}); err != nil {
				t.Error(err)
			}
			if len(g.one) != 1 {
				t.Error("it goes on without a slot")
			}
		}
		return out
	}
	others := 0
	got := p.Do(t.Context(), governed.Request{Tool: asks, Peer: asksOthers{during: func() {
		if other := p.Do(t.Context(), governed.Request{Tool: newEcho(risk.L0)}); other.Failure != nil {
			t.Error(other.Failure)
		}
		others++
	}}})
	if got.Failure != nil || others != 2 {
		t.Errorf("%v, %d others ran", got.Failure, others)
	}
	if len(g.one) != 0 {
		t.Error("a slot was not given back")
	}
}
