package labels

import (
	"context"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/risk/live"
)

// TestWhatOthersDidMeanwhile: a server that keeps what came of a call, without another look
// at the session, loses nothing that another server has kept since the call was judged; and
// no call is judged by what is old.
func TestWhatOthersDidMeanwhile(t *testing.T) {
	for name, keeper := range map[string]Keeper{"memory": NewMemory(), "shelf": ownShelf(t)} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			here, there := NewSessions(keeper, time.Now), NewSessions(keeper, time.Now)
			text := func(words string) []live.Text {
				return []live.Text{{Source: "web", Label: live.Label{Untrusted: true}, Words: words}}
			}
			save := func(in func(context.Context, string, func(*open) error) error, texts []live.Text, end func(*live.Session)) {
				t.Helper()
				if err := in(ctx, "ada", func(o *open) error { return o.save(ctx, texts, leaves{end: end}) }); err != nil {
					t.Fatal(err)
				}
			}
			save(here.with, text("the first"), nil)
			save(there.with, text("the second"), func(s *live.Session) { s.Kill(live.ByOperator, "") })
			save(here.as, text("the third"), nil) // knows nothing of the second
			for at, s := range map[string]*Sessions{"here": here, "there": there, "a new server": NewSessions(keeper, time.Now)} {
				if err := s.with(ctx, "ada", func(o *open) error {
					if h := o.Head(); len(h.Killed) != 1 || h.Forgot || o.kept.Texts != 3 || o.Texts() != 3 {
						t.Errorf("%s: %+v, %d of %d texts", at, h, o.Texts(), o.kept.Texts)
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// late is a keeper whose texts arrive after the head that counts them.
type late struct {
	Keeper
	left int // looks until they are there
}

func (l *late) Texts(ctx context.Context, key string, round int) ([]live.Text, error) {
	if l.left--; l.left >= 0 {
		return nil, nil
	}
	return l.Keeper.Texts(ctx, key, round)
}

// TestTextsOnTheirWay: a server that sees the head first waits for the texts, and believes
// after a moment that they are gone, which makes the session worse.
func TestTextsOnTheirWay(t *testing.T) {
	for looks, forgot := range map[int]bool{0: false, 2: false, arrivals: true} {
		keeper := &late{Keeper: NewMemory()}
		if err := NewSessions(keeper, time.Now).Met(t.Context(), "ada", live.Text{Source: "web", Words: "a text"}); err != nil {
			t.Fatal(err)
		}
		keeper.left = looks
		if err := NewSessions(keeper, time.Now).with(t.Context(), "ada", func(o *open) error {
			if o.Forgot() != forgot {
				t.Errorf("after %d looks it is forgotten: %v", looks, o.Forgot())
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}
