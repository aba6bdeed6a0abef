package mcpserver

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

// seated gives a new session a seat.
func seated(t *testing.T, after times) *seat {
	t.Helper()
	v := New(Config{}).content.view(mainView)
	slot, _, err := v.gate.Open("ada")
	if err != nil {
		t.Fatal(err)
	}
	o := &opening{Session: slot, times: after, transport: v.transport("id")}
	session, err := v.sdk.Connect(t.Context(), o.transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := v.take(o, session, nil)
	slot.Keep(s.close)
	t.Cleanup(s.close)
	s.leave(true)
	return s
}

// TestASessionIsIdleBetweenItsRequests: it ends when nothing was asked for a while, and
// neither during a request nor sooner after one.
func TestASessionIsIdleBetweenItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := seated(t, times{time.Hour, time.Minute})
		for range 3 {
			time.Sleep(59 * time.Second)
			s.enter(true)
			s.enter(true)
			s.leave(true)
			time.Sleep(5 * time.Minute)
			s.leave(true)
		}
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if s.ctx.Err() != nil {
			t.Fatal("the session ended although it was used")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if s.ctx.Err() == nil {
			t.Fatal("the session did not end")
		}
	})
}

// TestCallsEndWithTheirSession: and so does the call that its client cancels, alone.
func TestCallsEndWithTheirSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := seated(t, times{time.Hour, time.Minute})
		first, end := s.call(context.Background(), `"a`)
		defer end()
		second, end := s.call(context.Background(), wire.ParseID([]byte("2")).Key())
		defer end()
		for _, c := range []struct {
			text string
			want bool
		}{
			{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`, false},
			{`{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled","params":{"requestId":2}}`, false},
			{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"requestId":2}}`, false},
			{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2.0}}`, true},
		} {
			body, err := wire.Parse([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := s.cancel(&body.Messages[0]); got != c.want {
				t.Errorf("%s: %v, want %v", c.text, got, c.want)
			}
		}
		if err := context.Cause(second); !errors.Is(err, errCancelled) {
			t.Error("the cancelled call:", err)
		}
		if first.Err() != nil {
			t.Error("the other call ended too")
		}
		s.session().Close()
		synctest.Wait()
		if err := context.Cause(first); !errors.Is(err, errSessionEnded) {
			t.Error("after the session:", err)
		}
	})
}

// TestAnIdleSessionSleeps: not while it is in use, not before its client is ready, and it
// ends when it would have ended.
func TestAnIdleSessionSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := seated(t, times{time.Second, time.Minute})
		asleep := func(want bool, when string) {
			t.Helper()
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if s.asleep() != want {
				t.Errorf("%s: asleep is %v", when, !want)
			}
		}
		asleep(false, "before the client was ready")
		s.initialized.Store(true)
		s.enter(true)
		asleep(false, "during a request")
		answered := s.answering()
		s.leave(true)
		asleep(false, "while the SDK works on an answer")
		answered()
		asleep(true, "unused")
		s.enter(false)
		asleep(false, "with a stream")
		s.leave(false)
		asleep(true, "without the stream")
		time.Sleep(time.Minute)
		synctest.Wait()
		if s.ctx.Err() == nil || s.view.seats.get("id") != nil {
			t.Error("it did not end")
		}
		if s.enter(true) != nil {
			t.Error("it can be used after its end")
		}
	})
}

// TestASleeperIsToldWhatChanged: each list once, and what changes just before it would fall
// asleep keeps it awake until the SDK has announced it.
func TestASleeperIsToldWhatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := seated(t, times{time.Second, time.Hour})
		s.initialized.Store(true)
		s.enter(true)
		s.leave(true)
		time.Sleep(999 * time.Millisecond)
		s.view.toolsChanged()
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		if s.asleep() {
			t.Fatal("it slept before the change was announced")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !s.asleep() {
			t.Fatal("it does not sleep")
		}
		s.view.toolsChanged()
		s.view.toolsChanged()
		s.view.changed[promptList].Add(1)
		s.enter(true)
		var said []string
		for data, err := range s.view.kept.After(t.Context(), "id", "", -1) {
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, gjson.GetBytes(data, "method").Str)
		}
		if want := []string{"notifications/tools/list_changed", "notifications/tools/list_changed", "notifications/prompts/list_changed"}; !slices.Equal(said, want) {
			t.Errorf("awake once, and then asleep: %q, want %q", said, want)
		}
	})
}
