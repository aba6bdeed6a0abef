package runtime

import (
	"context"
	"errors"
	"testing"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/internal/budgettest"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

func TestDifference(t *testing.T) {
	same := func() *Result {
		return &Result{Output: governed.Output{Value: []byte(`1`), Logs: []jsengine.Line{{Level: "log", Text: "a"}}}}
	}
	for name, change := range map[string]func(*Result){
		"the result":     func(r *Result) { r.Value = []byte(`2`) },
		"no result":      func(r *Result) { r.Value = nil },
		"a line":         func(r *Result) { r.Logs[0].Text = "b" },
		"a line's level": func(r *Result) { r.Logs[0].Level = "warn" },
		"fewer lines":    func(r *Result) { r.Logs = nil },
	} {
		b := same()
		change(b)
		if f := difference(same(), b); f == nil || f.Kind != NotRepeatable {
			t.Errorf("%s: %v", name, f)
		}
	}
	if f := difference(same(), same()); f != nil {
		t.Error(f)
	}
}

func TestReplayAnswersWithoutAskingAgain(t *testing.T) {
	asked := 0
	world := callerFunc(func(_ context.Context, _ *budget.Account, op string, text, blob []byte) ([]byte, []byte, error) {
		asked++
		if op == "fail" {
			return nil, nil, errors.New("down")
		}
		return []byte{byte('0' + asked)}, blob, nil
	})
	tape := newTape()
	record, replay := tape.record(world), tape.replay(world)
	ask := func(c jsengine.Caller, op, text string) string {
		reply, _, err := c.Call(t.Context(), budgettest.Ample(), op, []byte(text), nil)
		if err != nil {
			return err.Error()
		}
		return string(reply)
	}
	first := []string{ask(record, "now", ""), ask(record, "now", ""), ask(record, "get", "x"), ask(record, "fail", "")}
	second := []string{ask(replay, "now", ""), ask(replay, "now", ""), ask(replay, "get", "x"), ask(replay, "fail", "")}
	for i := range first {
		if first[i] != second[i] {
			t.Errorf("answer %d: %s, then %s", i, first[i], second[i])
		}
	}
	if asked != 4 {
		t.Errorf("the world was asked %d times", asked)
	}
	for _, c := range [][2]string{{"now", ""}, {"get", "y"}, {"put", "x"}} {
		if _, _, err := replay.Call(t.Context(), budgettest.Ample(), c[0], []byte(c[1]), nil); err == nil {
			t.Errorf("%v was answered although the first run did not ask it", c)
		}
	}
}
