package replay_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/internal/replay"
)

// said is a call that is over at once.
func said(text []byte) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) { return text, nil }
}

func never(context.Context) ([]byte, error) { panic("it ran twice") }

// TestACallIsKeptForAMinute: from the end of the last wait on, and then it may run again.
func TestACallIsKeptForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := replay.New()
		c := replay.NewCalls(s, time.Minute)
		ada := replay.Name{Owner: "ada", Text: "x"}
		do := func(name replay.Name, same byte, run func(context.Context) ([]byte, error)) string {
			text, err := c.Do(t.Context(), name, [32]byte{same}, run)
			if err != nil {
				return err.Error()
			}
			return string(text)
		}
		expect := func(got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		expect(do(ada, 1, said([]byte("one"))), "one")
		time.Sleep(59 * time.Second)
		expect(do(ada, 1, never), "one")
		time.Sleep(59 * time.Second) // it was asked for meanwhile
		expect(do(ada, 1, never), "one")
		expect(do(ada, 2, never), replay.ErrOther.Error())
		expect(do(replay.Name{Owner: "bob", Text: "x"}, 1, said([]byte("two"))), "two")
		time.Sleep(61 * time.Second)
		expect(do(ada, 2, said([]byte("three"))), "three")
		failed := errors.New("a protocol error")
		expect(do(replay.Name{Owner: "ada", Text: "y"}, 1, func(context.Context) ([]byte, error) { return nil, failed }), failed.Error())
		expect(do(replay.Name{Owner: "ada", Text: "y"}, 1, never), failed.Error())
		time.Sleep(61 * time.Second)
		if s.Size() != 0 {
			t.Errorf("%d bytes are left", s.Size())
		}
	})
}

// TestACallGoesOn while its client is away, for a minute, and everybody who waits gets its
// answer.
func TestACallGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := replay.NewCalls(replay.New(), time.Minute)
		run := func(ctx context.Context) ([]byte, error) {
			select {
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			case <-time.After(100 * time.Second):
				return []byte("done"), nil
			}
		}
		name := replay.Name{Owner: "ada", Text: "x"}
		hungUp := errors.New("hung up")
		for _, after := range []time.Duration{10 * time.Second, 20 * time.Second} {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(after, func() { cancel(hungUp) })
			if _, err := c.Do(ctx, name, [32]byte{}, run); err != hungUp {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
		}
		answers := make(chan string, 2)
		for range 2 {
			go func() {
				text, _ := c.Do(t.Context(), name, [32]byte{}, never)
				answers <- string(text)
			}()
		}
		if one, two := <-answers, <-answers; one != "done" || two != "done" {
			t.Errorf("%q and %q", one, two)
		}
		time.Sleep(61 * time.Second)

		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		time.AfterFunc(time.Second, cancel)
		_, err := c.Do(ctx, name, [32]byte{}, func(ctx context.Context) ([]byte, error) {
			_, err := run(ctx)
			ended <- err
			return nil, err
		})
		if err == nil {
			t.Error("the client has hung up")
		}
		began := time.Now()
		if err := <-ended; err == nil || time.Since(began) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if text, err := c.Do(t.Context(), name, [32]byte{}, said([]byte("anew"))); err != nil || string(text) != "anew" {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// TestNamedCallsAreBounded: in bytes, where the oldest goes first and one that is gone does
// not run again, and in number, where no further one is made.
func TestNamedCallsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := replay.New()
		c := replay.NewCalls(s, time.Minute)
		do := func(owner string, n int, run func(context.Context) ([]byte, error)) error {
			_, err := c.Do(t.Context(), replay.Name{Owner: owner, Text: fmt.Sprint(n)}, [32]byte{}, run)
			return err
		}
		for n := range 100 {
			if err := do("ada", n, said(make([]byte, 100_000))); err != nil {
				t.Fatal(err)
			}
			if s.Size() > 4<<20 {
				t.Fatalf("%d bytes of one principal after %d", s.Size(), n)
			}
		}
		if err := do("ada", 99, never); err != nil {
			t.Error(err)
		}
		if err := do("ada", 0, never); err != replay.ErrDropped {
			t.Error(err)
		}
		if err := do("ada", 100, said(make([]byte, 5<<20))); err != nil {
			t.Errorf("whoever waits gets it, however large: %v", err)
		}
		if err := do("ada", 100, never); err != replay.ErrDropped {
			t.Error(err)
		}
		for n := 101; n < 1000; n++ {
			if err := do("ada", n, said([]byte("x"))); err != nil {
				t.Fatal(n, err)
			}
		}
		if err := do("ada", 1000, never); err != replay.ErrMany {
			t.Error(err)
		}
		if err := do("ada", 999, never); err != nil {
			t.Error(err)
		}
		for n := range 9000 {
			if err := do(fmt.Sprint("owner", n), 0, said([]byte("x"))); err != nil {
				t.Fatal(n, err)
			}
		}
		if err := do("bob", 0, never); err != replay.ErrMany {
			t.Error(err)
		}
		time.Sleep(61 * time.Second)
		if err := do("ada", 0, said(nil)); s.Size() > 2000 {
			t.Errorf("%d bytes are left, %v", s.Size(), err)
		}
	})
}
