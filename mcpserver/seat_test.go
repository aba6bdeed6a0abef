package mcpserver

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

// seated gives a new session a seat.
func seated(t *testing.T, idleFor time.Duration) *seat {
	t.Helper()
	there, here := mcp.NewInMemoryTransports()
	session, err := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := here.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	slot, _, err := admission.NewGate(admission.Limits{}.WithDefaults()).Open("ada")
	if err != nil {
		t.Fatal(err)
	}
	slot.Keep(func() { session.Close() })
	var all seats
	all.take(&opening{Session: slot, idleFor: idleFor}, session)
	opened := all.get(session.ID())
	opened.rest()
	return opened
}

// TestASessionIsIdleBetweenItsRequests: it ends when nothing was asked for a while, and
// neither during a request nor sooner after one.
func TestASessionIsIdleBetweenItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := seated(t, time.Minute)
		for range 3 {
			time.Sleep(59 * time.Second)
			long, short := s.active(), s.active()
			short()
			time.Sleep(5 * time.Minute)
			long()
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
		s := seated(t, time.Minute)
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
		s.session.Close()
		synctest.Wait()
		if err := context.Cause(first); !errors.Is(err, errSessionEnded) {
			t.Error("after the session:", err)
		}
	})
}
