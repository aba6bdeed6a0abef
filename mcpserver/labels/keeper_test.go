package labels

import (
	"errors"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/live"
)

// ownShelf is a shelf in a store of its own.
func ownShelf(t *testing.T) *Shelf {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	shelf, err := OpenShelf(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return shelf
}

// TestKeepers holds both keepers to the same: a change that somebody else made first is
// noticed, and what was dropped to make room is not clean when it comes back.
func TestKeepers(t *testing.T) {
	shelf := ownShelf(t)
	memory := NewMemory()
	shelf.most, memory.most = 3, 3
	for name, keeper := range map[string]Keeper{"memory": memory, "shelf": shelf} {
		t.Run(name, func(t *testing.T) {
			ctx, now := t.Context(), time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
			first, err := keeper.Put(ctx, keyOf("a"), Head{Principal: "a", Used: now}, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := keeper.Put(ctx, keyOf("a"), Head{}, first+100); !errors.Is(err, errConflict) {
				t.Errorf("an old revision: %v", err)
			}
			if h, _, err := keeper.Head(ctx, keyOf("new")); err != nil || h.Forgot {
				t.Errorf("a new principal is %+v, %v", h, err)
			}
			for i, principal := range []string{"b", "c", "d"} {
				if _, err := keeper.Put(ctx, keyOf(principal), Head{Principal: principal, Used: now.Add(time.Duration(i+1) * time.Minute)}, 0); err != nil {
					t.Fatal(err)
				}
			}
			shelf.settled()
			all, err := keeper.List(ctx)
			if err != nil || len(all) > 3 || all[0].Principal != "d" {
				t.Errorf("%+v, %v", all, err)
			}
			h, revision, err := keeper.Head(ctx, keyOf("a"))
			if err != nil || revision != 0 || !h.Forgot || !h.Label.Untrusted || !h.Label.Private {
				t.Errorf("what was dropped comes back as %+v, %v", h, err)
			}
			object := []live.Object{"00ff"}
			for _, l := range []live.Label{{Untrusted: true}, {Private: true, Origins: []string{"x"}}} {
				if err := keeper.Mark(ctx, object, l); err != nil {
					t.Fatal(err)
				}
			}
			if l, err := keeper.Objects(ctx, object); err != nil || !l.Untrusted || !l.Private {
				t.Errorf("an object is %s, %v", l, err)
			}
		})
	}
}

// TestASessionRestsAndEnds: a day without a call ends a session, unless it was killed.
func TestASessionRestsAndEnds(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	s := NewSessions(NewMemory(), func() time.Time { return now })
	label := func(principal string) (l live.Label, killed bool) {
		t.Helper()
		if err := s.with(t.Context(), principal, func(o *open) error { l, killed = o.Label(), len(o.Killed()) > 0; return nil }); err != nil {
			t.Fatal(err)
		}
		return l, killed
	}
	for _, principal := range []string{"ada", "killed"} {
		if err := s.Met(t.Context(), principal, live.Text{Source: "host/shell", Label: live.Label{Untrusted: true}, Words: "hello"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.with(t.Context(), "killed", func(o *open) error { o.Kill(live.ByOperator, ""); return o.save(t.Context(), nil, leaves{}) }); err != nil {
		t.Fatal(err)
	}
	now = now.Add(IdleTime)
	if l, _ := label("ada"); !l.Untrusted {
		t.Error("the session ended early")
	}
	now = now.Add(time.Second)
	if l, _ := label("ada"); l.Untrusted {
		t.Error("the session did not end")
	}
	if _, killed := label("killed"); !killed {
		t.Error("a killed session ended by itself")
	}
}

// TestNoCallWaitsForRoom: a session beyond those that are remembered is kept at once, also
// while others are being dropped, and what comes while room is made is counted.
func TestNoCallWaitsForRoom(t *testing.T) {
	shelf := ownShelf(t)
	shelf.most = 3
	busy := make(chan struct{})
	shelf.room = busy // somebody makes room and does not get on
	put := func(principal string) {
		t.Helper()
		if _, err := shelf.Put(t.Context(), keyOf(principal), Head{Principal: principal}, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, principal := range []string{"a", "b", "c", "d", "e"} {
		put(principal)
	}
	if all, err := shelf.List(t.Context()); err != nil || len(all) != 5 {
		t.Errorf("%d sessions, %v", len(all), err)
	}
	shelf.mu.Lock()
	shelf.room = nil
	shelf.mu.Unlock()
	put("f")
	shelf.settled()
	all, err := shelf.List(t.Context())
	if err != nil || len(all) != 3 || shelf.count != 3 {
		t.Errorf("%d sessions, %d counted, %v", len(all), shelf.count, err)
	}
	for _, h := range all {
		if h.Principal < "d" {
			t.Errorf("%s is older than what was dropped", h.Principal)
		}
	}
	if h, _, err := shelf.Head(t.Context(), keyOf("a")); err != nil || !h.Forgot {
		t.Errorf("%+v, %v", h, err)
	}
}
