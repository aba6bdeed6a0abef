package promise

import (
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// TestHistoriesThatCannotBe: the model finds what must never happen, and nothing else.
func TestHistoriesThatCannotBe(t *testing.T) {
	op := func(client int, a Act, to State, out Outcome, call, back int64) porcupine.Operation {
		return porcupine.Operation{ClientId: client, Input: Step{a, to}, Output: out, Call: call, Return: back}
	}
	type ops = []porcupine.Operation
	for name, row := range map[string]struct {
		first State
		ops   ops
		want  bool
	}{
		"used after it was revoked":   {There, ops{op(0, Change, Gone, Done, 0, 1), op(1, Use, 0, Allowed, 2, 3)}, false},
		"used while it is revoked":    {There, ops{op(0, Change, Gone, Done, 0, 2), op(1, Use, 0, Allowed, 1, 3)}, true},
		"perhaps revoked":             {There, ops{op(0, Change, Gone, Unknown, 0, 9), op(1, Use, 0, Allowed, 1, 2), op(1, Use, 0, Forbidden, 3, 4)}, true},
		"revoked, and back by itself": {There, ops{op(0, Change, Gone, Unknown, 0, 9), op(1, Use, 0, Forbidden, 1, 2), op(1, Use, 0, Allowed, 3, 4)}, false},
		"refused though it is there":  {There, ops{op(1, Use, 0, Forbidden, 1, 2)}, false},
		"run before a yes":            {Open, ops{op(1, Use, 0, Allowed, 0, 1), op(0, Answer, Yes, Done, 2, 3)}, false},
		"run twice by one yes":        {Open, ops{op(0, Answer, Yes, Done, 0, 1), op(1, Use, 0, Allowed, 2, 3), op(2, Use, 0, Allowed, 2, 3)}, false},
		"run by a no":                 {Open, ops{op(0, Answer, No, Done, 0, 1), op(1, Use, 0, Allowed, 2, 3)}, false},
		"two answers":                 {Open, ops{op(0, Answer, No, Done, 0, 1), op(1, Answer, Yes, Done, 0, 1), op(2, Use, 0, Allowed, 2, 3), op(3, Use, 0, Forbidden, 0, 9)}, false},
		"a yes taken back":            {Open, ops{op(0, Answer, Yes, Done, 0, 1), op(1, Answer, No, Done, 2, 3), op(2, Use, 0, Forbidden, 4, 5)}, true},
		"used, then taken back":       {Open, ops{op(0, Answer, Yes, Done, 0, 1), op(1, Use, 0, Allowed, 2, 3), op(1, Answer, No, Done, 4, 5)}, false},
		"late for nobody":             {Open, ops{op(0, Answer, Yes, Late, 0, 1), op(1, Use, 0, Forbidden, 2, 3)}, false},
		"asked again after a yes":     {Open, ops{op(0, Answer, Yes, Done, 0, 1), op(1, Use, 0, Forbidden, 2, 3)}, false},
		"a yes that perhaps was used": {Open, ops{op(0, Answer, Yes, Done, 0, 1), op(1, Use, 0, Unknown, 2, 9), op(2, Use, 0, Forbidden, 3, 4)}, true},
		"an answer that perhaps came": {Open, ops{op(0, Answer, Yes, Unknown, 0, 9), op(1, Use, 0, Forbidden, 1, 2), op(2, Use, 0, Allowed, 3, 4)}, true},
		"as it should be":             {Open, ops{op(0, Use, 0, Forbidden, 0, 1), op(0, Answer, Yes, Done, 2, 5), op(1, Answer, No, Late, 2, 5), op(1, Use, 0, Allowed, 4, 6), op(1, Use, 0, Forbidden, 7, 8)}, true},
	} {
		if got := porcupine.CheckOperations(model(row.first), row.ops); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestWhatAServerKnows: an answer may be older than its call by what is promised, but not at
// the server that has acknowledged the change.
func TestWhatAServerKnows(t *testing.T) {
	for server, want := range map[int]bool{0: false, 1: true, -1: true} {
		h := New("x", There)
		h.began = time.Now().Add(-10 * time.Second)
		h.Add(9, 0, Step{Change, Gone}, 9*time.Second, Done)
		h.Add(server, server, Step{Act: Use}, h.Since(server, 5*time.Second, h.Now()), Allowed)
		if err := h.Check(t.TempDir()); (err == nil) != want {
			t.Errorf("server %d: %v", server, err)
		}
	}
	h := New("y", There)
	h.began = time.Now().Add(-20 * time.Second)
	h.Add(9, 0, Step{Change, Gone}, time.Second, Done)
	h.ops[0].Return = (2 * time.Second).Nanoseconds()
	h.Add(1, 1, Step{Act: Use}, h.Since(1, 5*time.Second, 8*time.Second), Allowed)
	if err := h.Check(t.TempDir()); err == nil {
		t.Error("an answer that is too old passes")
	}
}
