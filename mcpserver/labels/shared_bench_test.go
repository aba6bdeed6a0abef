package labels_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// BenchmarkSharedCheck measures what a call waits for what is shared, with a store of its own
// on the disk of one machine and with one of three members there, in turn: the median of each
// in microseconds, how much more the cluster takes, and messages to and from it. write is one
// write of a value, the least that anything takes that a majority has to know of.
func BenchmarkSharedCheck(b *testing.B) {
	for _, disk := range []string{"page cache", "synced"} {
		members := natstest.Three(b, func(o *server.Options) { o.SyncAlways = disk == "synced" })
		cluster, err := store.Connect(b.Context(), store.Cluster{URL: natstest.URL(members...), Replicas: 3})
		if err != nil {
			b.Fatal(err)
		}
		defer cluster.Close()
		own, err := store.Open(b.Context(), b.TempDir(), nil)
		if err != nil {
			b.Fatal(err)
		}
		defer own.Close()
		both := [2]*checks{newChecks(b, own), newChecks(b, cluster)}
		for _, kind := range []struct {
			name string
			call func(*checks, testing.TB, int) func()
		}{
			{"write", (*checks).write},
			{"judged", (*checks).judged},
			{"judged and kept", (*checks).kept},
			{"the same with an object", (*checks).read},
			{"by a rule", (*checks).ruled},
			{"a yes is spent", (*checks).spent},
		} {
			b.Run(disk+"/"+kind.name, func(b *testing.B) {
				var took [2][]time.Duration
				var messages uint64
				for n := 0; b.Loop(); n++ {
					for i, at := range both {
						call := kind.call(at, b, n)
						before, began := at.store.Traffic(), time.Now()
						call()
						took[i] = append(took[i], time.Since(began))
						if after := at.store.Traffic(); i == 1 {
							messages += after.MessagesIn + after.MessagesOut - before.MessagesIn - before.MessagesOut
						}
					}
				}
				var p50 [2]float64
				for i := range took {
					slices.Sort(took[i])
					p50[i] = float64(took[i][len(took[i])/2].Microseconds())
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(p50[0], "own-us")
				b.ReportMetric(p50[1], "cluster-us")
				b.ReportMetric(p50[1]-p50[0], "more-us")
				b.ReportMetric(float64(messages)/float64(len(took[1])), "messages")
			})
		}
	}
}

// checks is what a server asks its store about calls.
type checks struct {
	store  *store.Store
	values *store.Bucket
	judge  *labels.Judge
	desk   *approve.Desk
}

func newChecks(tb testing.TB, s *store.Store) *checks {
	tb.Helper()
	at := &checks{store: s}
	shelf, err := labels.OpenShelf(tb.Context(), s)
	if err == nil {
		at.desk, err = approve.OpenDesk(tb.Context(), s, approve.Settings{}, time.Now)
	}
	if err == nil {
		at.values, err = s.Bucket(tb.Context(), store.BucketConfig{Name: "values"})
	}
	if err != nil {
		tb.Fatal(err)
	}
	file, err := live.ParseFile([]byte(officeFile))
	if err != nil {
		tb.Fatal(err)
	}
	at.judge = labels.New(governed.ByLevel{Policy: risk.LevelPolicy{Ceiling: risk.L5, Trusted: risk.L5}}, labels.NewSessions(shelf, time.Now), labels.Settings{Mode: live.Enforce, File: file, Now: time.Now})
	return at
}

func (at *checks) write(tb testing.TB, n int) func() {
	return func() {
		if _, err := at.values.Create(tb.Context(), fmt.Sprint("k", time.Now().UnixNano()), []byte("a value")); err != nil {
			tb.Fatal(err)
		}
	}
}

func (at *checks) judged(tb testing.TB, n int) func() {
	return at.called(tb, n, "write_note", `{"text":"chair %d"}`, false)
}

func (at *checks) kept(tb testing.TB, n int) func() {
	return at.called(tb, n, "write_note", `{"text":"chair %d"}`, true)
}

// read names something that may have been written by somebody else.
func (at *checks) read(tb testing.TB, n int) func() {
	return at.called(tb, n, "read_note", `{"place":"shelf %d"}`, true)
}

// called is a call whose session allows it, and whose result becomes part of it. The session
// is one that has begun.
func (at *checks) called(tb testing.TB, n int, tool, values string, kept bool) func() {
	c := governed.Case{ID: fmt.Sprint("c", n), Tool: &governed.About{Name: tool, Source: "notes", Level: risk.L1}, Caller: fmt.Sprint(tool, " ", n/64), Values: json.RawMessage(fmt.Sprintf(values, n))}
	run := func(keeping bool) {
		j := at.judge.Judge(c)
		if j.Verdict != risk.Allow {
			tb.Fatal(j.Verdict, j.Words, j.Cause)
		}
		if !keeping {
			return
		}
		if _, err := at.judge.Saw(governed.Seen{Case: c, Value: json.RawMessage(fmt.Sprintf(`{"found":"%d chairs of oak"}`, n)), Judged: j.Record}); err != nil {
			tb.Fatal(err)
		}
	}
	if n%64 == 0 {
		run(true)
	}
	return func() { run(kept) }
}

// question is one about a call, of a principal of its own each.
func question(n int) approve.Question {
	c := approve.Call{Principal: fmt.Sprint("token:", n), Arguments: risk.HashArguments([]byte("{}")), Policy: "p"}
	return approve.Question{Call: c, Tool: "t", Level: risk.L3, Arguments: []byte("{}"), Text: "May it?", Valid: time.Hour}
}

// answered leaves the yes of an operator.
func (at *checks) answered(tb testing.TB, n int, scope *approve.Scope) approve.Call {
	q := question(n)
	e, _, err := at.desk.Ask(tb.Context(), q)
	if err == nil {
		err = at.desk.Resolve(tb.Context(), e.ID, approve.Resolution{Approve: true, By: "ada", Scope: scope})
	}
	if err != nil {
		tb.Fatal(err)
	}
	return q.Call
}

// used asks whether the call was approved and uses that up, as a server does.
func (at *checks) used(tb testing.TB, c approve.Call) {
	for _, step := range []string{"granted", "used"} {
		look := at.desk.Granted
		if step == "used" {
			look = at.desk.Use
		}
		if _, ok, err := look(tb.Context(), c); err != nil || !ok {
			tb.Fatal(step, ok, err)
		}
	}
}

func (at *checks) ruled(tb testing.TB, n int) func() {
	c := question(-1).Call
	if n == 0 {
		at.answered(tb, -1, &approve.Scope{For: time.Hour})
		if _, _, err := at.desk.Use(tb.Context(), c); err != nil { // the yes itself
			tb.Fatal(err)
		}
	}
	return func() { at.used(tb, c) }
}

func (at *checks) spent(tb testing.TB, n int) func() {
	c := at.answered(tb, n, nil)
	return func() { at.used(tb, c) }
}
