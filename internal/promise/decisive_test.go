package promise

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// randomHistory is some steps of some clients, each of which does one after the other; what is
// of unknown outcome is under way until the end, as [History.Check] has it.
func randomHistory(r *rand.Rand, steps int) (first State, ops []porcupine.Operation) {
	first = []State{Gone, There, Open, Yes}[r.IntN(4)]
	const clients = 3
	var free [clients]int64
	for range steps {
		client := r.IntN(clients)
		call := free[client] + int64(r.IntN(3))
		o := porcupine.Operation{ClientId: client, Call: call, Return: call + 1 + int64(r.IntN(6))}
		free[client] = o.Return + 1
		kind := r.IntN(6)
		switch {
		case kind > 1:
			o.Input, o.Output = Step{Act: Use}, []Outcome{Unknown, Unknown, Allowed, Forbidden}[r.IntN(4)]
		case first <= There:
			o.Input, o.Output = Step{Change, State(r.IntN(2))}, []Outcome{Unknown, Done}[r.IntN(2)]
		case kind == 0 && r.IntN(4) == 0: // which nobody does to a question, and the proof covers
			o.Input, o.Output = Step{Change, []State{Open, Yes}[r.IntN(2)]}, []Outcome{Unknown, Done}[r.IntN(2)]
		default:
			o.Input, o.Output = Step{Answer, []State{Yes, No}[r.IntN(2)]}, []Outcome{Unknown, Done, Late}[r.IntN(3)]
		}
		ops = append(ops, o)
	}
	end := int64(1)
	for _, o := range ops {
		end = max(end, o.Return+1)
	}
	for i := range ops {
		if ops[i].Output.(Outcome) == Unknown {
			ops[i].Return = end
		}
	}
	return first, ops
}

// TestWhatIsLeftOutDecidesNothing: porcupine says the same of a history without the uses that
// are left out as of all of it. Both answers occur, and one use less would be wrong.
func TestWhatIsLeftOutDecidesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var verdicts [2]int
	fewer, wrong := 0, 0
	for range 10000 {
		first, ops := randomHistory(r, 3+r.IntN(8))
		m := model(first)
		want, left := porcupine.CheckOperations(m, ops), decisive(first, ops)
		if got := porcupine.CheckOperations(m, left); got != want {
			t.Fatalf("from state %d: %v, and %v without some of\n%+v", first, want, got, ops)
		}
		if want {
			verdicts[1]++
		} else {
			verdicts[0]++
		}
		if len(left) < len(ops) {
			fewer++
		}
		if n := len(left); n > 0 && left[n-1].Input.(Step).Act == Use && left[n-1].Output.(Outcome) == Unknown && porcupine.CheckOperations(m, left[:n-1]) != want {
			wrong++
		}
	}
	t.Logf("%d histories can be, %d cannot; %d have fewer operations, %d need each", verdicts[1], verdicts[0], fewer, wrong)
	if min(verdicts[0], verdicts[1], fewer) < 1000 || wrong < 20 {
		t.Error("the histories show nothing")
	}
}

// TestManyCallsOfUnknownOutcome: a question that nobody could answer for in a minute, with
// calls without an answer from its beginning to its end, is decided.
func TestManyCallsOfUnknownOutcome(t *testing.T) {
	for _, twice := range []bool{false, true} {
		h := New("question", Open)
		h.began = time.Now().Add(-time.Minute)
		add := func(client int, s Step, call, back time.Duration, out Outcome) {
			h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: s, Call: int64(call), Output: out, Return: int64(back)})
		}
		for at := time.Duration(0); at < 50*time.Second; at += 100 * time.Millisecond {
			for client := range 3 {
				out := []Outcome{Forbidden, Unknown, Unknown}[client]
				add(client, Step{Act: Use}, at+time.Duration(client), at+60*time.Millisecond, out)
			}
		}
		add(10, Step{Answer, Yes}, 10*time.Second, 40*time.Second, Unknown)
		add(11, Step{Answer, No}, 45*time.Second, 46*time.Second, Late)
		add(0, Step{Act: Use}, 51*time.Second, 52*time.Second, Forbidden)
		if twice {
			add(1, Step{Act: Use}, 20*time.Second, 21*time.Second, Allowed)
			add(2, Step{Act: Use}, 22*time.Second, 23*time.Second, Allowed)
		}
		if err := h.Check(t.TempDir()); (err != nil) != twice {
			t.Errorf("run twice %v: %v", twice, err)
		}
	}
}
