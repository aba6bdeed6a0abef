package labels

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/risk/live"
)

// TestServersThatRace: several servers of a cluster change one session at the same time.
// Nothing that one of them met, killed or used up is lost, and nothing is used twice.
func TestServersThatRace(t *testing.T) {
	shelf := ownShelf(t)
	for name, keeper := range map[string]Keeper{"memory": NewMemory(), "shelf": shelf} {
		t.Run(name, func(t *testing.T) {
			const servers, rounds = 4, 5
			ctx := t.Context()
			leave := live.Leave{ID: "c1", Left: rounds, Until: time.Now().Add(time.Hour)}
			if err := NewSessions(keeper, time.Now).with(ctx, "ada", func(o *open) error { return o.save(ctx, nil, leaves{give: &leave}) }); err != nil {
				t.Fatal(err)
			}
			var used atomic.Int32
			var all sync.WaitGroup
			for n := range servers {
				server := NewSessions(keeper, time.Now)
				all.Go(func() {
					for range rounds {
						switch err := server.with(ctx, "ada", func(o *open) error {
							return o.save(ctx, []live.Text{{Source: "web", Label: live.Label{Private: true, Origins: []string{string(rune('a' + n))}}, Words: "a text"}}, leaves{spend: "c1"})
						}); {
						case err == nil:
							used.Add(1)
						case !errors.Is(err, live.ErrNoLeave) && !errors.Is(err, errConflict):
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			heads, err := keeper.List(ctx)
			if err != nil || len(heads) != 1 {
				t.Fatal(heads, err)
			}
			left := 0
			for _, l := range heads[0].Leaves {
				left = l.Left
			}
			if int(used.Load())+left != rounds {
				t.Errorf("of %d calls %d were used and %d are left", rounds, used.Load(), left)
			}
		})
	}
}
