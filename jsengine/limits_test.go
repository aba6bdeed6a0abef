package jsengine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestCancellationReachesASpinningGuest(t *testing.T) {
	image := testImage(t, testEngine(t), `try { for (;;); } finally { console.log('escaped') }`)
	endless := Limits{Statements: 1 << 50, Fuel: 1 << 50, Time: time.Minute}
	reason := errors.New("the client went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(reason) })
	out := image.Call(ctx, Call{Limits: endless})
	if out.Failure == nil || out.Failure.Kind != Cancelled || len(out.Logs) != 0 {
		t.Errorf("failure %v, logs %v", out.Failure, out.Logs)
	}
	if out = image.Call(ctx, Call{Limits: endless}); out.Failure == nil || out.Failure.Kind != Cancelled || out.Usage.Operations != 0 {
		t.Errorf("a call that nobody wants: %v, %+v", out.Failure, out.Usage)
	}
	late, cancelLate := context.WithDeadline(t.Context(), time.Now().Add(20*time.Millisecond))
	defer cancelLate()
	if out = image.Call(late, Call{Limits: endless}); out.Failure == nil || out.Failure.Kind != Timeout {
		t.Errorf("the caller's own deadline: %v", out.Failure)
	}
}

func TestConsoleIsBounded(t *testing.T) {
	image := testImage(t, testEngine(t), `
		for (let n = 0; n < 10; n++) console.log('line', n, { n }, [null], undefined, true);
		console.error('x'.repeat(100)); console.warn('w')`)
	out := image.Call(t.Context(), Call{Limits: Limits{ConsoleLines: 4}})
	if len(out.Logs) != 4 || out.LogsDropped != 8 || out.Logs[3] != (Line{"log", `line 3 {"n":3} [null] null true`}) {
		t.Errorf("lines %q, dropped %d", out.Logs, out.LogsDropped)
	}
	out = image.Call(t.Context(), Call{Limits: Limits{ConsoleBytes: 400}})
	total := 0
	for _, line := range out.Logs {
		total += len(line.Text)
	}
	if len(out.Logs) != 11 || total > 400 || out.LogsDropped != 1 || out.Logs[10] != (Line{"warn", "w"}) {
		t.Errorf("lines %q, %d bytes, dropped %d", out.Logs, total, out.LogsDropped)
	}
	out = testImage(t, testEngine(t), `console.log('\ud800'); console.log('\u4e16\u754c'); console.log('e\u0301\u00e9')`).Call(t.Context(), Call{})
	if len(out.Logs) != 3 || out.Logs[0].Text != "\ufffd" || out.Logs[1].Text != "世界" || out.Logs[2].Text != "e\u0301é" {
		t.Errorf("lines %q", out.Logs)
	}
}

// A limit is exact: with what a call has spent it passes, with less it does not.
func TestBudgetsAreExact(t *testing.T) {
	image := testImage(t, testEngine(t), `let s = 0; for (let n = 0; n < 1000; n++) s += n; return s`)
	run := func(l Limits) Outcome {
		return image.Call(t.Context(), Call{Limits: l, Seed: 1, Clock: VirtualClock(bootTime)})
	}
	spent := run(Limits{}).Usage
	if out := run(Limits{Fuel: spent.Fuel, Statements: spent.Statements}); out.Failure != nil {
		t.Errorf("with %+v: %v", spent, out.Failure)
	}
	if out := run(Limits{Statements: spent.Statements - 1}); out.Failure == nil || out.Failure.Kind != StatementLimit || out.Usage.Statements != spent.Statements-1 {
		t.Errorf("one statement less: %v, %+v", out.Failure, out.Usage)
	}
	// Fuel is looked at where functions and loops begin, so a little less may do.
	if out := run(Limits{Fuel: spent.Fuel - spent.Fuel/20}); out.Failure == nil || out.Failure.Kind != FuelLimit {
		t.Errorf("less fuel: %v", out.Failure)
	}
	for range 20 {
		if a, b := run(Limits{Fuel: spent.Fuel / 2}), run(Limits{Fuel: spent.Fuel / 2}); a.Usage.Fuel != b.Usage.Fuel || a.Usage.Operations != b.Usage.Operations {
			t.Fatalf("stopped at %+v and at %+v", a.Usage, b.Usage)
		}
	}
}

func TestOutputLimit(t *testing.T) {
	e := testEngine(t)
	for body, size := range map[string]int{
		`return 'x'.repeat(100)`:      102,
		`return '\u00e9'.repeat(100)`: 202,
		`return '\u4e16'.repeat(100)`: 302,
		`return '\n'.repeat(100)`:     202,
	} {
		image := testImage(t, e, body)
		if out := image.Call(t.Context(), Call{Limits: Limits{Output: size}}); len(out.Result) != size {
			t.Errorf("%s: %d bytes, %v", body, len(out.Result), out.Failure)
		}
		if out := image.Call(t.Context(), Call{Limits: Limits{Output: size - 1}}); out.Failure == nil || out.Failure.Kind != OutputTooLarge || out.Result != nil {
			t.Errorf("%s: %d bytes, %v", body, len(out.Result), out.Failure)
		}
	}
}

// What a program leaves undone ends with its call.
func TestWhatIsLeftUndoneIsDropped(t *testing.T) {
	image := testImage(t, testEngine(t), `
		Promise.reject(new Error('nobody listens'));
		setTimeout(() => console.log('late'), 1);
		setInterval(() => { throw 1 }, 1);
		Promise.resolve().then(() => console.log('job'));
		return 'done'`)
	out := image.Call(t.Context(), Call{})
	if string(out.Result) != `"done"` || len(out.Logs) != 1 || !strings.Contains(out.Logs[0].Text, "job") {
		t.Errorf("result %s, logs %q, failure %v", out.Result, out.Logs, out.Failure)
	}
}

// Large code may run once from its beginning to its end; a loop in it may not run
// longer than elsewhere.
func TestLoadingALibraryIsNotALoop(t *testing.T) {
	e := testEngine(t)
	var library strings.Builder
	for n := range 20_000 {
		fmt.Fprintf(&library, "o.f%d = (a) => a + %d; o.v%d = o.f%d(1) * 2;\n", n, n, n, n)
	}
	limits := Limits{Statements: 10_000}
	out := testImage(t, e, "const o = {};\n"+library.String()+"return o.v7;").Call(t.Context(), Call{Limits: limits})
	if out.Failure != nil || string(out.Result) != "16" || out.Usage.Statements <= limits.Statements {
		t.Errorf("%s, %v after %d statements", out.Result, out.Failure, out.Usage.Statements)
	}
	out = testImage(t, e, "const o = {};\n"+library.String()+"for (;;);").Call(t.Context(), Call{Limits: limits})
	if out.Failure == nil || out.Failure.Kind != StatementLimit || out.Usage.Statements > limits.Statements+forLoading(library.Len()+100) {
		t.Errorf("%v after %d statements", out.Failure, out.Usage.Statements)
	}
	out = testImage(t, e, strings.Repeat(" ", freeCode-20)+"for (;;);").Call(t.Context(), Call{Limits: limits})
	if out.Failure == nil || out.Usage.Statements > limits.Statements {
		t.Errorf("%v after %d statements", out.Failure, out.Usage.Statements)
	}
	out = testImage(t, e, "return 1").Call(t.Context(), Call{Limits: Limits{Statements: 1<<64 - 1}})
	if out.Failure != nil {
		t.Error(out.Failure)
	}
}
