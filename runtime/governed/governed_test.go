package governed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// echo is a tool that returns its arguments, unless it is told to do otherwise.
type echo struct {
	about governed.About
	run   func(*governed.Permit) governed.Output
	wait  func(context.Context) error

	mu   sync.Mutex
	runs int
}

func newEcho(level risk.Level) *echo {
	return &echo{about: governed.About{Source: "test", Name: "echo", Hash: risk.ToolHash{1}, Level: level, Standing: "all"}}
}

func (e *echo) About() *governed.About { return &e.about }

func (e *echo) Check(arguments []byte) (json.RawMessage, catalog.Problems) {
	if string(arguments) == "bad" {
		return nil, catalog.Problems{{Pointer: "/a", Message: "it is bad"}}
	}
	return arguments, nil
}

func (e *echo) Run(ctx context.Context, p *governed.Permit) (out governed.Output) {
	if err := p.Check(e.about.Hash); err != nil {
		out.Failure = &governed.Failure{Kind: governed.NotCleared, Cause: err}
		return out
	}
	e.mu.Lock()
	e.runs++
	e.mu.Unlock()
	if e.wait != nil {
		if err := e.wait(ctx); err != nil {
			out.Failure = &governed.Failure{Kind: governed.Cancelled, Cause: err}
			return out
		}
	}
	if e.run != nil {
		return e.run(p)
	}
	out.Value = p.Arguments
	return out
}

func sanitiser(t testing.TB) *egress.Sanitiser {
	t.Helper()
	engine, err := egress.NewEngine(rules.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	return egress.New(engine, egress.DefaultPolicy())
}

// journal opens a record and returns how to read it.
func journal(t testing.TB) (*audit.Log, func() []audit.Entry) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(path, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log, func() (all []audit.Entry) {
		t.Helper()
		if err := audit.Read(path, audit.Filter{}, func(e audit.Entry) error { all = append(all, e); return nil }); err != nil {
			t.Fatal(err)
		}
		return all
	}
}

// gate is made of two functions.
type gate struct {
	take func() error
	slot func(context.Context) (func(), error)
}

func (g gate) Take(string, int) error {
	if g.take == nil {
		return nil
	}
	return g.take()
}

func (g gate) Slot(ctx context.Context, _ string) (func(), error) { return g.slot(ctx) }

type judge func(governed.Case) governed.Judgement

func (j judge) Judge(c governed.Case) governed.Judgement { return j(c) }

func always(v risk.Verdict) judge {
	return func(governed.Case) governed.Judgement {
		return governed.Judgement{Verdict: v, Reason: "the test says so", Standing: "s"}
	}
}

type approver func(context.Context, governed.Question) governed.Ruling

func (a approver) Approve(ctx context.Context, q governed.Question) governed.Ruling { return a(ctx, q) }

func TestZeroValuesDeny(t *testing.T) {
	tool := newEcho(risk.L0)
	for name, config := range map[string]governed.Config{
		"no judge":     {Terms: governed.Terms{Sanitiser: sanitiser(t)}},
		"no sanitiser": {Terms: governed.Terms{Judge: always(risk.Allow)}},
		"zero policy":  {Terms: governed.Terms{Judge: governed.ByLevel{}, Sanitiser: sanitiser(t)}},
		"zero":         {},
		"nobody asks":  {Terms: governed.Terms{Judge: always(risk.Ask), Sanitiser: sanitiser(t)}},
	} {
		if r := governed.New(config).Do(t.Context(), governed.Request{Tool: tool, Arguments: []byte(`"x"`)}); r.Failure == nil || r.Value != nil || r.Ran {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if out := tool.Run(t.Context(), &governed.Permit{Arguments: []byte(`1`)}); out.Failure == nil {
		t.Error("a permit that nobody made was good")
	}
	if tool.runs != 0 {
		t.Errorf("it ran %d times", tool.runs)
	}
}

// TestADeniedCallTakesNothing: neither a slot nor the caller's workspace.
func TestADeniedCallTakesNothing(t *testing.T) {
	log, entries := journal(t)
	calls := governed.New(governed.Config{
		Terms: governed.Terms{Judge: always(risk.Deny), Sanitiser: sanitiser(t)}, Audit: log,
		Gate: gate{slot: func(context.Context) (func(), error) {
			t.Error("it took a slot")
			return func() {}, nil
		}},
		Lend: func(string, *host.World) (func(), error) {
			t.Error("a workspace was opened")
			return nil, nil
		},
	})
	r := calls.Do(t.Context(), governed.Request{Tool: newEcho(risk.L5), Arguments: []byte(`{}`), Caller: "a"})
	if r.Failure == nil || r.Failure.Kind != governed.NotCleared || r.Failure.Message != "the test says so" {
		t.Errorf("%+v", r.Failure)
	}
	if got := entries(); len(got) != 1 || got[0].Outcome != audit.Refused || got[0].Decision != "deny: the test says so" {
		t.Errorf("%+v", got)
	}
}

// TestAFullQueueKeepsTheYes: the yes is spent when the call has its turn, and not
// before.
func TestAFullQueueKeepsTheYes(t *testing.T) {
	log, entries := journal(t)
	full, spent := true, 0
	calls := governed.New(governed.Config{
		Terms: governed.Terms{Judge: always(risk.Ask), Sanitiser: sanitiser(t)}, Audit: log,
		Gate: gate{slot: func(context.Context) (func(), error) {
			if full {
				return nil, errors.New("too many calls are waiting")
			}
			return func() {}, nil
		}},
	})
	yes := approver(func(_ context.Context, q governed.Question) governed.Ruling {
		if err := q.Asked("Q1", "open"); err != nil {
			t.Error(err)
		}
		return governed.Ruling{Outcome: governed.Approved, ID: "Q1", By: "ada", Redeem: func(context.Context) governed.Ruling {
			spent++
			return governed.Ruling{Outcome: governed.Approved, ID: "Q1", By: "ada"}
		}}
	})
	q := governed.Request{Tool: newEcho(risk.L5), Arguments: []byte(`"x"`), Caller: "a", Approver: yes}
	if r := calls.Do(t.Context(), q); r.Failure == nil || r.Failure.Kind != governed.Throttled || spent != 0 {
		t.Errorf("%+v, spent %d times", r.Failure, spent)
	}
	full = false
	if r := calls.Do(t.Context(), q); r.Failure != nil || spent != 1 {
		t.Errorf("%+v, spent %d times", r.Failure, spent)
	}
	var outcomes []string
	for _, e := range entries() {
		outcomes = append(outcomes, fmt.Sprintf("%s %s by %s", e.Outcome, e.Approval.Outcome, e.Approval.By))
	}
	if got := strings.Join(outcomes, ", "); got != "ASKED open by , REFUSED approved by ada, ASKED open by , OK approved by ada" {
		t.Error(got)
	}
}

// TestOneMomentOfTerms: a call is judged and lent to under the same terms, also
// when they change in between; a yes counts under the terms of now or not at all.
func TestOneMomentOfTerms(t *testing.T) {
	terms := func(world string, v risk.Verdict, standing string) governed.Terms {
		return governed.Terms{
			Judge: judge(func(governed.Case) governed.Judgement {
				return governed.Judgement{Verdict: v, Reason: world, Standing: standing}
			}),
			World: host.World{DeniedHosts: []string{world}}, Sanitiser: sanitiser(t),
		}
	}
	for _, row := range []struct {
		name      string
		old, next governed.Terms
		world     string // that the call runs in; empty if it must not run
	}{
		{"allowed before the change", terms("old", risk.Allow, "s"), terms("new", risk.Deny, "s"), "old"},
		{"asked, and judged alike", terms("old", risk.Ask, "s"), terms("new", risk.Ask, "s"), "new"},
		{"asked, and bound to something else", terms("old", risk.Ask, "s"), terms("new", risk.Ask, "other"), ""},
		{"asked, and denied now", terms("old", risk.Ask, "s"), terms("new", risk.Deny, "s"), ""},
		{"asked, and trusted now", terms("old", risk.Ask, "s"), terms("new", risk.Allow, "s"), ""},
	} {
		var calls *governed.Pipeline
		calls = governed.New(governed.Config{Terms: row.old, Gate: gate{slot: func(context.Context) (func(), error) {
			calls.Govern(row.next)
			return func() {}, nil
		}}})
		tool, world := newEcho(risk.L5), ""
		tool.run = func(p *governed.Permit) (out governed.Output) {
			world = p.World.DeniedHosts[0]
			return out
		}
		r := calls.Do(t.Context(), governed.Request{Tool: tool, Arguments: []byte(`1`), Approver: approver(func(_ context.Context, q governed.Question) governed.Ruling {
			return governed.Ruling{Outcome: governed.Approved}
		})})
		if world != row.world || (r.Failure == nil) != (row.world != "") {
			t.Errorf("%s: ran in %q, %v", row.name, world, r.Failure)
		}
		if row.world == "" && r.Approval != governed.Outdated {
			t.Errorf("%s: %s", row.name, r.Approval)
		}
	}
}

// TestExactlyOneRecord makes calls under random schedules: every step may refuse,
// crash, be cancelled or be asked again. Whatever happens, the call has one record
// that ends it, it ran at most once, what was taken was given back, and a value
// comes only with a record that says OK.
func TestExactlyOneRecord(t *testing.T) {
	const calls = 4000
	clean := sanitiser(t)
	for _, seed := range []uint64{1, 2, 3} {
		log, entries := journal(t)
		random := rand.New(rand.NewPCG(seed, seed))
		results := map[string]*governed.Result{}
		ran := map[string]int{}
		for n := range calls {
			id := fmt.Sprintf("c%d", n)
			chance := func(percent int) bool { return random.IntN(100) < percent }
			crash := func(where string) {
				if chance(2) {
					panic(where)
				}
			}
			taken := 0
			take := func() func() { taken++; return func() { taken-- } }
			ctx, cancel := context.WithCancelCause(t.Context())
			tool := newEcho(risk.L3)
			tool.run = func(p *governed.Permit) (out governed.Output) {
				ran[id]++
				crash("run")
				if chance(10) {
					out.Failure = &governed.Failure{Kind: governed.Exception, Message: "no"}
					return out
				}
				out.Value = json.RawMessage(`{"ok":true}`)
				return out
			}
			var published governed.Published
			if !chance(5) { // the tool is taken back while the call is under way
				published.Set([]governed.Tool{tool})
			}
			pipeline := governed.New(governed.Config{
				Terms: governed.Terms{Sanitiser: clean, Judge: judge(func(governed.Case) governed.Judgement {
					crash("judge")
					return governed.Judgement{Verdict: []risk.Verdict{risk.Deny, risk.Ask, risk.Ask, risk.Allow}[random.IntN(4)], Reason: "r", Standing: "s"}
				})},
				Audit: log,
				Gate: gate{
					take: func() error {
						crash("take")
						if chance(10) {
							return errors.New("not now")
						}
						return nil
					},
					slot: func(ctx context.Context) (func(), error) {
						crash("slot")
						if chance(10) {
							cancel(errors.New("gone"))
							return nil, context.Cause(ctx)
						}
						if chance(15) {
							return nil, errors.New("full")
						}
						return take(), nil
					},
				},
				Lend: func(string, *host.World) (func(), error) {
					crash("lend")
					if chance(5) {
						return nil, errors.New("disk full")
					}
					return take(), nil
				},
				Published: &published,
			})
			if chance(3) {
				pipeline.Drain(ctx)
			}
			arguments := `{"a":1}`
			if chance(5) {
				arguments = "bad"
			}
			lacks := chance(5)
			// Many callers: the record of one that is refused too often has bounds.
			results[id] = pipeline.Do(ctx, governed.Request{
				ID: id, Tool: tool, Arguments: []byte(arguments), Caller: "p" + id[:min(len(id), 3)],
				Lacks: func(*governed.About) []string {
					if lacks {
						return []string{"s"}
					}
					return nil
				},
				Approver: approver(func(_ context.Context, q governed.Question) governed.Ruling {
					crash("approve")
					if chance(20) {
						return governed.Ruling{Outcome: governed.TooManyAsked}
					}
					if chance(90) { // a question that is put without a record must not count
						if err := q.Asked("Q", "open"); err != nil {
							t.Error(err)
						}
					}
					crash("asked")
					outcome := []governed.Outcome{governed.Approved, governed.Approved, governed.Declined, governed.AskTimedOut, governed.Pending, governed.ToBeAnswered}[random.IntN(6)]
					return governed.Ruling{Outcome: outcome, ID: "Q", Put: &governed.Put{Text: q.Text}, Redeem: func(context.Context) governed.Ruling {
						crash("redeem")
						return governed.Ruling{Outcome: []governed.Outcome{governed.Approved, governed.Approved, governed.NotBound}[random.IntN(3)], ID: "Q"}
					}}
				}),
			})
			if taken != 0 {
				t.Fatalf("%s: %d things were not given back: %v", id, taken, results[id].Failure)
			}
			cancel(nil)
		}
		ends, asks := map[string][]audit.Outcome{}, map[string]int{}
		for _, e := range entries() {
			if e.Outcome == audit.Asked {
				asks[e.ID]++
			} else {
				ends[e.ID] = append(ends[e.ID], e.Outcome)
			}
		}
		kinds := map[string]int{}
		for id, r := range results {
			switch {
			case r.Question != nil:
				kinds["question"]++
				if asks[id] != 1 || len(ends[id]) != 0 || r.Failure != nil || r.Ran {
					t.Errorf("%s: a question with %d and %v: %+v", id, asks[id], ends[id], r)
				}
				continue
			case len(ends[id]) != 1:
				t.Errorf("%s: %v end it", id, ends[id])
				continue
			}
			if r.Failure == nil {
				kinds["ok"]++
			} else {
				kinds[string(r.Failure.Kind)]++
			}
			if got := ends[id][0]; (got == audit.OK) != (r.Failure == nil) || (got == audit.Refused) == (ran[id] > 0) && r.Failure != nil && r.Failure.Kind != governed.Internal {
				t.Errorf("%s: the record says %s, ran %d times: %v", id, got, ran[id], r.Failure)
			}
			if ran[id] > 1 || (ran[id] == 1) != r.Ran || r.Failure == nil && ran[id] != 1 || r.Failure != nil && r.Value != nil {
				t.Errorf("%s: ran %d times: %+v", id, ran[id], r)
			}
		}
		for _, kind := range []string{"ok", "question", "not_cleared", "throttled", "stopping", "cancelled", "not_lent", "invalid_arguments", "exception", "internal"} {
			if kinds[kind] < 10 {
				t.Errorf("seed %d: only %d calls end in %s", seed, kinds[kind], kind)
			}
		}
	}
}

// TestNothingIsAskedWithoutARecord, and what a failing record costs.
func TestNothingIsAskedWithoutARecord(t *testing.T) {
	log, _ := journal(t)
	seen := false
	calls := governed.New(governed.Config{Terms: governed.Terms{Judge: always(risk.Ask), Sanitiser: sanitiser(t)}, Audit: log})
	r := calls.Do(t.Context(), governed.Request{Tool: newEcho(risk.L5), Approver: approver(func(_ context.Context, q governed.Question) governed.Ruling {
		log.Close() // in the middle of the call
		if err := q.Asked("Q", "open"); err == nil {
			seen = true
		}
		return governed.Ruling{Outcome: governed.AskFailed}
	})})
	if seen || r.Failure == nil || r.Failure.Kind != governed.AuditUnavailable {
		t.Errorf("seen %v, %v", seen, r.Failure)
	}
}

func TestPublishing(t *testing.T) {
	tool := func(source, name string, version byte) governed.Tool {
		return &echo{about: governed.About{Source: source, Name: name, Hash: risk.ToolHash{version}}}
	}
	var p governed.Published
	if p.Find("one") != nil || p.Len() != 0 {
		t.Error("the zero value has tools")
	}
	a1, a2, b := tool("a", "one", 1), tool("a", "two", 1), tool("b", "three", 1)
	c := p.Set([]governed.Tool{a1, a2, tool("b", "one", 1), b, tool("b", "three", 2)})
	if len(c) != 2 || c[0] != (governed.Clash{Name: "one", Source: "b", Holder: "a"}) || c[1] != (governed.Clash{Name: "three", Source: "b", Holder: "b"}) {
		t.Errorf("%+v", c)
	}
	if p.Find("one") != a1 || p.Of("b", "one") != nil || p.Of("a", "one") != a1 || p.Find("three") != b || p.Len() != 3 {
		t.Error("the wrong tools are published")
	}
	// The name is free once its holder is gone.
	next := tool("b", "one", 1)
	if c := p.Set([]governed.Tool{a2, next}); len(c) != 0 || p.Of("b", "one") != next || p.Find("three") != nil || p.Len() != 2 {
		t.Errorf("%+v", c)
	}
}

// TestDrain: calls under way end by themselves, or are cancelled when there is no
// time left; later ones are refused, and every one is on record before Drain returns.
func TestDrain(t *testing.T) {
	for _, patient := range []bool{true, false} {
		log, entries := journal(t)
		calls := governed.New(governed.Config{Terms: governed.Terms{Judge: always(risk.Allow), Sanitiser: sanitiser(t)}, Audit: log})
		running, release := make(chan struct{}), make(chan struct{})
		tool := newEcho(risk.L0)
		tool.wait = func(ctx context.Context) error {
			close(running)
			select {
			case <-release:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		result := make(chan *governed.Result, 1)
		go func() { result <- calls.Do(context.Background(), governed.Request{Tool: tool, Arguments: []byte(`1`)}) }()
		<-running
		limit, expire := context.WithCancel(t.Context())
		drained := make(chan struct{})
		go func() {
			calls.Drain(limit)
			close(drained)
		}()
		for {
			late := calls.Do(t.Context(), governed.Request{Tool: newEcho(risk.L0)})
			if late.Failure != nil && late.Failure.Kind == governed.Stopping {
				break
			}
		}
		if patient {
			close(release)
		} else {
			expire()
		}
		<-drained
		r := <-result
		if patient != (r.Failure == nil) || !patient && !errors.Is(r.Failure, governed.ErrStopped) {
			t.Errorf("patient %v: %v", patient, r.Failure)
		}
		ended := 0
		for _, e := range entries() {
			if e.ID == r.ID {
				ended++
			}
		}
		if ended != 1 {
			t.Errorf("%d records of the call that was under way", ended)
		}
		expire()
	}
}
