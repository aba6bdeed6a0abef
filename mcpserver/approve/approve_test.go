package approve_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk"
)

func theCall() approve.Call {
	return approve.Call{Principal: "token:a", Tool: risk.ToolHash{1}, Arguments: risk.HashArguments([]byte(`{"a":1}`)), Policy: "p"}
}

// clock is a clock that a test advances.
type clock struct{ ns atomic.Int64 }

func (c *clock) now() time.Time       { return time.Unix(1_700_000_000, c.ns.Load()) }
func (c *clock) pass(d time.Duration) { c.ns.Add(int64(d)) }

const valid = time.Minute

// newDesk opens a desk with a clock in its own store.
func newDesk(t testing.TB) (*approve.Desk, *clock) {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c := &clock{}
	return deskIn(t, s, c), c
}

func deskIn(t testing.TB, s *store.Store, c *clock) *approve.Desk {
	t.Helper()
	d, err := approve.OpenDesk(t.Context(), s, approve.Settings{}, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func ask(t *testing.T, d *approve.Desk, c approve.Call) string {
	t.Helper()
	_, state, err := d.Ask(t.Context(), question(c))
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func question(c approve.Call) approve.Question {
	return approve.Question{Call: c, Tool: "wipe", Level: risk.L4, Arguments: []byte(`{"a":1}`), Text: "Wipe?", Valid: valid}
}

// redeem submits a client's yes and spends it.
func redeem(d *approve.Desk, state string, c approve.Call) error {
	_, err := d.Answer(context.Background(), state, c, approve.Approved, false)
	if err != nil {
		return err
	}
	_, granted, err := d.Use(context.Background(), c)
	if err == nil && !granted {
		err = approve.ErrSpent
	}
	return err
}

func TestAnAnswerCountsOnce(t *testing.T) {
	d, _ := newDesk(t)
	state := ask(t, d, theCall())
	if err := redeem(d, state, theCall()); err != nil {
		t.Fatal(err)
	}
	if err := redeem(d, state, theCall()); !errors.Is(err, approve.ErrSpent) {
		t.Errorf("the second time: %v", err)
	}
}

func TestAnAnswerCountsOnceAmongMany(t *testing.T) {
	d, _ := newDesk(t)
	state := ask(t, d, theCall())
	var counted atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if redeem(d, state, theCall()) == nil {
				counted.Add(1)
			}
		})
	}
	wg.Wait()
	if counted.Load() != 1 {
		t.Errorf("it counted %d times", counted.Load())
	}
}

// changes are ways in which a call can differ from theCall.
var changes = map[string]func(*approve.Call){
	"another principal":      func(c *approve.Call) { c.Principal = "token:b" },
	"another tool":           func(c *approve.Call) { c.Tool = risk.ToolHash{2} },
	"other arguments":        func(c *approve.Call) { c.Arguments = risk.HashArguments([]byte(`{"a":2}`)) },
	"the same, spelled else": func(c *approve.Call) { c.Arguments = risk.HashArguments([]byte(`{"a": 1}`)) },
	"another policy":         func(c *approve.Call) { c.Policy = "q" },
	"a shifted border":       func(c *approve.Call) { c.Principal, c.Policy = "token:", "ap" },
}

func TestAnAnswerIsBoundToTheCall(t *testing.T) {
	d, _ := newDesk(t)
	state := ask(t, d, theCall())
	for name, change := range changes {
		other := theCall()
		change(&other)
		if err := redeem(d, state, other); !errors.Is(err, approve.ErrOtherCall) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := redeem(d, state, theCall()); err != nil {
		t.Errorf("after all that: %v", err)
	}
}

func TestQuestionsExpire(t *testing.T) {
	d, clock := newDesk(t)
	early, late := ask(t, d, theCall()), ""
	clock.pass(valid - 1)
	if err := redeem(d, early, theCall()); err != nil {
		t.Errorf("just in time: %v", err)
	}
	late = ask(t, d, theCall())
	clock.pass(valid)
	if err := redeem(d, late, theCall()); !errors.Is(err, approve.ErrExpired) {
		t.Errorf("too late: %v", err)
	}
}

func TestForgedStates(t *testing.T) {
	d, _ := newDesk(t)
	state := ask(t, d, theCall())
	elsewhere, _ := newDesk(t)
	for name, forged := range map[string]string{
		"nothing": "", "nonsense": "!!!", "zeros": base64.RawURLEncoding.EncodeToString(make([]byte, 84)), "shorter": state[:len(state)-1], "longer": state + "A",
		"of another store": ask(t, elsewhere, theCall()),
	} {
		if err := redeem(d, forged, theCall()); !errors.Is(err, approve.ErrForged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	raw, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw { // no bit may be turned
		for bit := range 8 {
			raw[i] ^= 1 << bit
			if err := redeem(d, base64.RawURLEncoding.EncodeToString(raw), theCall()); !errors.Is(err, approve.ErrForged) {
				t.Errorf("byte %d bit %d: %v", i, bit, err)
			}
			raw[i] ^= 1 << bit
		}
	}
	if err := redeem(d, state, theCall()); err != nil {
		t.Errorf("the genuine one: %v", err)
	}
}

func TestTheSameQuestionIsOpenOnce(t *testing.T) {
	d, _ := newDesk(t)
	first, second := ask(t, d, theCall()), ask(t, d, theCall())
	if err := redeem(d, first, theCall()); err != nil {
		t.Errorf("the first answer: %v", err)
	}
	if err := redeem(d, second, theCall()); !errors.Is(err, approve.ErrSpent) {
		t.Errorf("the second: %v", err)
	}
}

// TestAYesIsNotHiddenByAQuestion: a call that looked for a yes just before it was given asks,
// and gets the yes instead of a new question.
func TestAYesIsNotHiddenByAQuestion(t *testing.T) {
	d, _ := newDesk(t)
	c := theCall()
	first, _, err := d.Ask(t.Context(), question(c))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Resolve(t.Context(), first.ID, approve.Resolution{Approve: true, By: "grace"}); err != nil {
		t.Fatal(err)
	}
	again, _, err := d.Ask(t.Context(), question(c))
	if err != nil || again.ID != first.ID || again.State != approve.Approved {
		t.Errorf("%+v, %v", again, err)
	}
	if e, granted, err := d.Use(t.Context(), c); err != nil || !granted || e.ID != first.ID {
		t.Errorf("the yes cannot be used: %+v, %v", e, err)
	}
	if next, _, err := d.Ask(t.Context(), question(c)); err != nil || next.ID == first.ID || next.State != approve.Open {
		t.Errorf("after the yes was used: %+v, %v", next, err)
	}
}

func TestFloodsAreHeldBack(t *testing.T) {
	d, clock := newDesk(t)
	asked := 0
	for i := range 100 {
		c := theCall()
		c.Arguments = risk.HashArguments([]byte{byte(i)})
		if _, _, err := d.Ask(t.Context(), question(c)); err == nil {
			asked++
		} else if !errors.Is(err, approve.ErrTooMany) {
			t.Fatal(err)
		}
	}
	if asked != 8 {
		t.Errorf("%d questions of one principal are open", asked)
	}
	other := theCall()
	other.Principal = "token:b"
	ask(t, d, other) // is not held back by that
	clock.pass(valid)
	ask(t, d, theCall()) // nor is anybody once they have expired
}

// FuzzStates submits states made up by a client.
func FuzzStates(f *testing.F) {
	s, err := store.Open(f.Context(), f.TempDir(), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.Close)
	d := deskIn(f, s, &clock{})
	_, genuine, err := d.Ask(f.Context(), question(theCall()))
	if err != nil {
		f.Fatal(err)
	}
	for _, state := range []string{"", genuine[1:], genuine + "=", genuine + genuine, strings.Repeat("A", len(genuine)), "\xff\x00"} {
		f.Add(state)
	}
	f.Fuzz(func(t *testing.T, state string) {
		if state == genuine {
			return
		}
		if err := redeem(d, state, theCall()); !errors.Is(err, approve.ErrForged) {
			t.Errorf("%q: %v", state, err)
		}
	})
}
