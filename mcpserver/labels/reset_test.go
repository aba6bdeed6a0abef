package labels

import (
	"context"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/risk/live"
)

// overtaken is a keeper to which somebody else writes before each of the first puts.
type overtaken struct {
	Keeper
	by    func()
	times int
}

func (k *overtaken) Put(ctx context.Context, key string, h Head, revision uint64) (uint64, error) {
	if k.times--; k.times >= 0 {
		k.by()
	}
	return k.Keeper.Put(ctx, key, h, revision)
}

// TestAResetThatIsOvertaken ends the session too: what another server has kept of it
// meanwhile, such as that it was stopped, does not go on.
func TestAResetThatIsOvertaken(t *testing.T) {
	for name, keeper := range map[string]Keeper{"memory": NewMemory(), "shelf": ownShelf(t)} {
		t.Run(name, func(t *testing.T) {
			other := NewSessions(keeper, time.Now)
			keeps := func(l leaves) {
				t.Helper()
				if err := other.with(t.Context(), "ada", func(o *open) error {
					return o.save(t.Context(), []live.Text{{Source: "web", Label: live.Label{Untrusted: true}, Words: "a text"}}, l)
				}); err != nil {
					t.Fatal(err)
				}
			}
			keeps(leaves{end: func(s *live.Session) { s.Kill(live.ByOperator, "") }})
			here := NewSessions(&overtaken{Keeper: keeper, by: func() { keeps(leaves{}) }, times: 3}, time.Now)
			if err := here.Reset(t.Context(), "ada"); err != nil {
				t.Fatal(err)
			}
			for at, s := range map[string]*Sessions{"here": here, "there": other} {
				if err := s.with(t.Context(), "ada", func(o *open) error {
					if h := o.Head(); len(h.Killed) != 0 || h.Label.Untrusted || o.Texts() != 0 {
						t.Errorf("%s: %+v, %d texts", at, h, o.Texts())
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
