package approve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/risk"
)

// opened asks about a call and returns the question's id and its state.
func opened(t *testing.T, d *approve.Desk, c approve.Call) (id, state string) {
	t.Helper()
	e, state, err := d.Ask(t.Context(), question(c))
	if err != nil {
		t.Fatal(err)
	}
	return e.ID, state
}

func answer(t *testing.T, d *approve.Desk, id string, yes bool) {
	t.Helper()
	if err := d.Resolve(t.Context(), id, approve.Resolution{Approve: yes, By: "uid 7", Note: "why not"}); err != nil {
		t.Fatal(err)
	}
}

func use(t *testing.T, d *approve.Desk, c approve.Call) bool {
	t.Helper()
	_, granted, err := d.Use(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return granted
}

func steps(e approve.Entry) string {
	var all []string
	for _, s := range e.History {
		all = append(all, strings.TrimSpace(string(s.State)+" "+s.By))
	}
	return strings.Join(all, ", ")
}

func TestWhatAnOperatorSees(t *testing.T) {
	d, clock := newDesk(t)
	if all, err := d.List(t.Context()); err != nil || all == nil || len(all) > 0 {
		t.Errorf("at first: %v, %v", all, err)
	}
	id, _ := opened(t, d, theCall())
	e, err := d.Show(t.Context(), strings.ToLower(id))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	at := clock.now().UTC().Format(time.RFC3339Nano)
	want := fmt.Sprintf(`{"id":%q,"state":"open","asked":%q,"expires":%q,"principal":"token:a","source":"","tool":"wipe","toolHash":"01%062d","level":"L4","policy":"p",`+
		`"arguments":{"a":1},"question":"Wipe?","history":[{"time":%q,"state":"open"}]}`, id, at, clock.now().Add(valid).UTC().Format(time.RFC3339Nano), 0, at)
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if _, err := d.Show(t.Context(), "nonsense"); !errors.Is(err, approve.ErrNoSuch) {
		t.Errorf("an id that nobody has: %v", err)
	}
	if err := d.Resolve(t.Context(), "nonsense", approve.Resolution{}); !errors.Is(err, approve.ErrNoSuch) {
		t.Errorf("an answer to it: %v", err)
	}
}

func TestAnOperatorsYesCountsOnce(t *testing.T) {
	d, _ := newDesk(t)
	if use(t, d, theCall()) {
		t.Fatal("a call that nobody was asked about")
	}
	id, _ := opened(t, d, theCall())
	if use(t, d, theCall()) {
		t.Fatal("before the answer")
	}
	answer(t, d, id, true)
	for name, change := range changes {
		other := theCall()
		change(&other)
		if use(t, d, other) {
			t.Errorf("%s can use it", name)
		}
	}
	if !use(t, d, theCall()) {
		t.Error("it does not count")
	}
	if use(t, d, theCall()) {
		t.Error("it counts again")
	}
	if err := d.Resolve(t.Context(), id, approve.Resolution{Approve: true}); !errors.Is(err, approve.ErrSpent) {
		t.Errorf("a second answer: %v", err)
	}
	if e, err := d.Show(t.Context(), id); err != nil || steps(e) != "open, approved uid 7, used" || e.AnsweredBy() != "uid 7" || e.History[1].Note != "why not" {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestAGrantExpires(t *testing.T) {
	d, clock := newDesk(t)
	id, _ := opened(t, d, theCall())
	answer(t, d, id, true)
	clock.pass(d.Settings().Grant - 1)
	if e, _ := d.Show(t.Context(), id); e.State != approve.Approved {
		t.Errorf("just in time it is %s", e.State)
	}
	clock.pass(1)
	if use(t, d, theCall()) {
		t.Error("used too late")
	}
	if e, _ := d.Show(t.Context(), id); e.State != approve.Expired {
		t.Errorf("too late it is %s", e.State)
	}
}

func TestAnOperatorMayBeTooLate(t *testing.T) {
	d, clock := newDesk(t)
	id, _ := opened(t, d, theCall())
	clock.pass(valid)
	if err := d.Resolve(t.Context(), id, approve.Resolution{Approve: true}); !errors.Is(err, approve.ErrExpired) {
		t.Error(err)
	}
}

// TestANoOfAnOperatorHolds: a model that retries does not get a person asked again
// until the question would have expired.
func TestANoOfAnOperatorHolds(t *testing.T) {
	d, clock := newDesk(t)
	id, state := opened(t, d, theCall())
	answer(t, d, id, false)
	if _, _, err := d.Ask(t.Context(), question(theCall())); !errors.Is(err, approve.ErrDenied) {
		t.Errorf("asked again: %v", err)
	}
	if err := redeem(d, state, theCall()); !errors.Is(err, approve.ErrDenied) {
		t.Errorf("a client's yes: %v", err)
	}
	clock.pass(valid)
	opened(t, d, theCall())
}

// TestANoIsNotPushedOut: a client that opens and closes its own questions cannot make
// the desk forget an operator's no; only questions that no longer count are forgotten.
func TestANoIsNotPushedOut(t *testing.T) {
	d, clock := newDesk(t)
	id, state := opened(t, d, theCall())
	answer(t, d, id, false)
	other := func(n int) approve.Call {
		c := theCall()
		c.Arguments = risk.HashArguments(fmt.Append(nil, n))
		return c
	}
	for n := range 40 {
		if _, err := d.Answer(t.Context(), ask(t, d, other(n)), other(n), approve.Cancelled, false); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := d.Ask(t.Context(), question(theCall())); !errors.Is(err, approve.ErrDenied) {
		t.Errorf("asked again: %v", err)
	}
	if err := redeem(d, state, theCall()); !errors.Is(err, approve.ErrDenied) {
		t.Errorf("a client's yes: %v", err)
	}
	clock.pass(valid)
	for n := range 20 {
		if _, err := d.Answer(t.Context(), ask(t, d, other(n)), other(n), approve.Cancelled, false); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := d.List(t.Context()); err != nil || len(all) != 16 {
		t.Errorf("%d questions are kept, %v", len(all), err)
	}
}

func TestAYesCanBeTakenBack(t *testing.T) {
	d, _ := newDesk(t)
	id, _ := opened(t, d, theCall())
	answer(t, d, id, true)
	answer(t, d, id, false)
	if use(t, d, theCall()) {
		t.Error("it counts")
	}
	if err := d.Resolve(t.Context(), id, approve.Resolution{Approve: true}); !errors.Is(err, approve.ErrSpent) {
		t.Errorf("and yes again: %v", err)
	}
}

// TestWhoIsFirst answers one question as a client and as an operator.
func TestWhoIsFirst(t *testing.T) {
	for _, row := range []struct {
		operator bool
		client   approve.State
		err      error
		steps    string
	}{
		{true, approve.Approved, nil, "open, approved uid 7"},              // once, and not spent yet
		{true, approve.Denied, nil, "open, approved uid 7, denied client"}, // nothing has run, so a no still counts
		{false, approve.Approved, approve.ErrDenied, "open, denied uid 7"},
		{false, approve.Denied, approve.ErrDenied, "open, denied uid 7"},
	} {
		t.Run(fmt.Sprint(row.operator, row.client), func(t *testing.T) {
			d, _ := newDesk(t)
			id, state := opened(t, d, theCall())
			answer(t, d, id, row.operator)
			e, err := d.Answer(t.Context(), state, theCall(), row.client, false)
			if !errors.Is(err, row.err) || e.ID != id {
				t.Errorf("%v about %q", err, e.ID)
			}
			if e, err := d.Show(t.Context(), id); err != nil || steps(e) != row.steps {
				t.Errorf("%s, %v; want %s", steps(e), err, row.steps)
			}
			if spent := use(t, d, theCall()); spent != (row.operator && row.client == approve.Approved) || use(t, d, theCall()) {
				t.Errorf("spent %v, and then again", spent)
			}
			d, _ = newDesk(t)
			id, state = opened(t, d, theCall())
			if _, err := d.Answer(t.Context(), state, theCall(), row.client, false); err != nil {
				t.Error(err)
			}
			if use(t, d, theCall()) != (row.client == approve.Approved) {
				t.Error("the client's answer does not count")
			}
			if err := d.Resolve(t.Context(), id, approve.Resolution{Approve: row.operator}); !errors.Is(err, approve.ErrSpent) {
				t.Errorf("the operator after the client: %v", err)
			}
		})
	}
}

func TestWaiting(t *testing.T) {
	d, _ := newDesk(t)
	id, _ := opened(t, d, theCall())
	answered := make(chan approve.Entry)
	go func() {
		e, err := d.Wait(context.Background(), "token:a", id)
		if err != nil {
			t.Error(err)
		}
		answered <- e
	}()
	answer(t, d, id, true)
	if e := <-answered; e.State != approve.Approved || e.AnsweredBy() != "uid 7" {
		t.Errorf("%+v", e)
	}
	if e, err := d.Wait(t.Context(), "token:a", id); err != nil || e.State != approve.Approved {
		t.Errorf("afterwards: %v, %v", e.State, err)
	}
	other := theCall()
	other.Policy = "q"
	id, _ = opened(t, d, other)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Wait(ctx, "token:a", id); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestWhatIsKept: the questions of a principal stay few, and the open ones are
// first in the list.
func TestWhatIsKept(t *testing.T) {
	d, clock := newDesk(t)
	var ids []string
	for i := range 40 {
		c := theCall()
		c.Arguments = risk.HashArguments([]byte{byte(i)})
		id, state := opened(t, d, c)
		ids = append(ids, id)
		if i < 35 {
			if err := redeem(d, state, c); err != nil {
				t.Fatal(err)
			}
		}
		clock.pass(1)
	}
	other := theCall()
	other.Principal = "token:b"
	elsewhere, _ := opened(t, d, other)
	all, err := d.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range all {
		got = append(got, e.ID)
	}
	want := []string{elsewhere}
	for i := 39; i >= 35-16; i-- {
		want = append(want, ids[i])
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
