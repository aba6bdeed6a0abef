package runtime

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// PassReport is the result of a Local Pass. The tool passed when Failure is nil.
type PassReport struct {
	First  *Result // nil when a test value does not parse as its type
	Second *Result // nil when the first run failed
	// Failure is that of a run, or says how the second run differed.
	Failure *Failure
}

// NotRepeatable is the kind of a Local Pass whose two runs differ although the
// clock, the randomness and the host's answers were the same.
const NotRepeatable Kind = "not_repeatable"

// LocalPass runs the tool twice with its own test values, in the same sandbox and with
// the same posture as a published tool. The second run reuses the first one's clock,
// seed and host answers, so nothing outside is asked again. Both runs are recorded.
// LocalPass creates the invocation's arguments and clearance.
func (t *Tool) LocalPass(ctx context.Context, in Invocation) *PassReport {
	start := time.Now()
	tape := newTape()
	arguments, problems := t.spec.TestArguments()
	if problems.Err() != nil {
		return &PassReport{Failure: governed.BadArguments(problems)}
	}
	in.Arguments = arguments
	in.Decision = "local pass"
	in.Clearance = risk.Decide(risk.Allow, in.Decision, t.Hash(), risk.HashArguments(in.Arguments)).Clear(start.Add(passTime))
	if in.Seed == 0 {
		in.Seed = passSeed
	}

	in.Clock = jsengine.VirtualClock(start)
	in.through = tape.record
	report := &PassReport{First: t.Call(ctx, in)}
	if report.Failure = report.First.Failure; report.Failure != nil {
		return report
	}
	in.Clock = jsengine.VirtualClock(start)
	in.through = tape.replay
	report.Second = t.Call(ctx, in)
	report.Failure = report.Second.Failure
	if report.Failure == nil {
		report.Failure = difference(report.First, report.Second)
	}
	return report
}

const (
	// passTime is how long the clearance of a Local Pass is valid: two calls of the
	// default length and a margin.
	passTime = 5 * time.Minute
	// passSeed is any number but 0, which would draw one.
	passSeed = 1
)

func difference(a, b *Result) *Failure {
	differs := func(what string, first, second any) *Failure {
		return &Failure{Kind: NotRepeatable, Message: fmt.Sprintf("two runs with the same clock, randomness and answers differ in %s: %v, then %v", what, first, second)}
	}
	switch {
	case !bytes.Equal(a.Value, b.Value):
		return differs("the result", short(a.Value), short(b.Value))
	case len(a.Logs) != len(b.Logs):
		return differs("the number of log lines", len(a.Logs), len(b.Logs))
	}
	for i := range a.Logs {
		if a.Logs[i] != b.Logs[i] {
			return differs("a log line", short([]byte(a.Logs[i].Text)), short([]byte(b.Logs[i].Text)))
		}
	}
	return nil
}

// short cuts a value to what a person compares at a glance.
func short(text []byte) string {
	const most = 120 // bytes
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}

// tape stores the host's answers by request. Equal requests are answered in the order
// in which they were made.
type tape struct {
	mu      sync.Mutex
	answers map[[sha256.Size]byte][]answer
}

func newTape() *tape { return &tape{answers: map[[sha256.Size]byte][]answer{}} }

type answer struct {
	text, blob []byte
	err        error
	fuel       uint64 // charged again, so that both runs end at the same point
}

type callerFunc func(ctx context.Context, account *budget.Account, op string, text, blob []byte) ([]byte, []byte, error)

func (f callerFunc) Call(ctx context.Context, account *budget.Account, op string, text, blob []byte) ([]byte, []byte, error) {
	return f(ctx, account, op, text, blob)
}

// question identifies a request, however long it was.
func question(op string, text, blob []byte) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %d ", op, len(text), len(blob))
	h.Write(text)
	h.Write(blob)
	return [sha256.Size]byte(h.Sum(nil))
}

func (t *tape) record(next jsengine.Caller) jsengine.Caller {
	return callerFunc(func(ctx context.Context, account *budget.Account, op string, text, blob []byte) ([]byte, []byte, error) {
		asked := question(op, text, blob)
		var a answer
		a.text, a.blob, a.err = next.Call(ctx, account, op, text, blob)
		// The tape counts as memory of the call that is recorded.
		if err := account.Keep(len(a.text) + len(a.blob)); err != nil {
			return nil, nil, err
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.answers[asked] = append(t.answers[asked], answer{bytes.Clone(a.text), bytes.Clone(a.blob), a.err, account.Spent()})
		return a.text, a.blob, a.err
	})
}

func (t *tape) replay(jsengine.Caller) jsengine.Caller {
	return callerFunc(func(_ context.Context, account *budget.Account, op string, text, blob []byte) ([]byte, []byte, error) {
		asked := question(op, text, blob)
		t.mu.Lock()
		defer t.mu.Unlock()
		answers := t.answers[asked]
		if len(answers) == 0 {
			return nil, nil, fmt.Errorf("the second run asked the host for %s in a way that the first did not", op)
		}
		t.answers[asked] = answers[1:]
		if err := account.Charge(answers[0].fuel); err != nil {
			return nil, nil, err
		}
		return answers[0].text, answers[0].blob, answers[0].err
	})
}
