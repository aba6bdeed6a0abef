package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// offering is a judge that asks about each call and offers more.
type offering struct {
	rest string
	seen atomic.Pointer[governed.Seen]
}

func (o *offering) Judge(governed.Case) governed.Judgement {
	return governed.Judgement{Verdict: risk.Ask, Reason: "it is so", Rest: o.rest, Record: json.RawMessage(`{}`)}
}

func (o *offering) Saw(s governed.Seen) (json.RawMessage, error) {
	o.seen.Store(&s)
	return nil, nil
}

// TestTheRestOfATask: a person can tick a box, in every era and over both transports, and
// only a tick is one. Where nothing is offered there is no box, and a tick is nothing.
func TestTheRestOfATask(t *testing.T) {
	for _, row := range []struct {
		offered string
		ticked  any
		want    bool
	}{{"three more calls", true, true}, {"three more calls", false, false}, {"three more calls", nil, false}, {"", nil, false}, {"", true, false}} {
		t.Run(fmt.Sprint(row.offered, row.ticked), func(t *testing.T) {
			judge := &offering{rest: row.offered}
			f := newFixture(t, mcpserver.Config{Calls: governed.Config{Terms: governed.Terms{Judge: judge}}}, wipe)
			endpoint := f.http(t)
			options := person(func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				schema, _ := json.Marshal(r.Params.RequestedSchema)
				want := `{"properties":{},"type":"object"}`
				if row.offered != "" {
					want = `{"properties":{"rest":{"default":false,"description":"Allow as well: three more calls","title":"And the rest of this task","type":"boolean"}},"type":"object"}`
				}
				if string(schema) != want {
					t.Errorf("the form is %s", schema)
				}
				form := map[string]any{}
				if row.ticked != nil {
					form["rest"] = row.ticked
				}
				return &mcp.ElicitResult{Action: "accept", Content: form}, nil
			})
			for _, version := range asking {
				for name, client := range map[string]*mcp.ClientSession{"stdio": f.stdio(t, version, options), "http": f.overHTTP(t, endpoint.URL, version, options)} {
					judge.seen.Store(nil)
					call(t, client, "wipe", `{"disk": "a"}`)
					if seen := judge.seen.Load(); seen == nil || !seen.Approved || seen.Rest != row.want || seen.By != "client" || string(seen.Judged) != "{}" {
						t.Errorf("%s over %s: %+v", version, name, seen)
					}
				}
			}
			for _, r := range f.records(t) {
				if r.Approval.Outcome == "approved" && r.Approval.Rest != row.want {
					t.Errorf("on record is %+v", r.Approval)
				}
			}
		})
	}
}

// TestAnOperatorTicks: from outside the same can be said, where it is offered.
func TestAnOperatorTicks(t *testing.T) {
	d := desk(t, t.TempDir(), approve.Settings{})
	judge := &offering{rest: "three more calls"}
	f := newFixture(t, mcpserver.Config{Desk: d, Calls: governed.Config{Terms: governed.Terms{Judge: judge}}}, wipe)
	client := f.stdio(t, sessions, &mcp.ClientOptions{})
	result := called(t, client, `{"disk":"a"}`)
	e := waitingFor(t, d)
	if e.Rest != judge.rest || e.ForRest {
		t.Errorf("the question is %+v", e)
	}
	if err := d.Resolve(t.Context(), e.ID, approve.Resolution{Approve: true, Rest: true, By: "uid 7"}); err != nil {
		t.Fatal(err)
	}
	<-result
	if seen := judge.seen.Load(); seen == nil || !seen.Rest || seen.By != "uid 7" {
		t.Errorf("%+v", seen)
	}
	judge.rest = ""
	result = called(t, client, `{"disk":"b"}`)
	e = waitingFor(t, d)
	if err := d.Resolve(t.Context(), e.ID, approve.Resolution{Approve: true, Rest: true}); err != approve.ErrNoRest {
		t.Errorf("a box that there is not: %v", err)
	}
	resolve(t, d, e.ID, false)
	<-result
}
