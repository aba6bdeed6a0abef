package jsengine

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/guest"
	"github.com/glovebox-run/glovebox/jsengine/internal/jsvalue"
)

// Call is one run of an image's program.
type Call struct {
	Arguments []byte // a JSON object; its members are bound to the program's names. nil is {}
	Limits    Limits
	Caller    Caller // nil: there are no host calls
	Clock     *Clock // nil: the machine's
	Seed      uint64 // of Math.random; 0 draws one
	Buffer    []byte // Result is appended to Buffer[:0]; nil allocates
	// Printed, if not nil, receives each console line at once, on the call's
	// goroutine, which blocks until it returns.
	Printed func(Line)
}

// Outcome is the result of a call. Result holds JSON; it is nil when the program
// returned undefined or another value that JSON cannot express.
type Outcome struct {
	Result      []byte
	Logs        []Line
	LogsDropped int // lines over the limits
	Usage       Usage
	Failure     *Failure // nil when the program returned
}

// execution is the state of the running call.
type execution struct {
	meter
	ctx     context.Context
	limits  Limits
	caller  Caller
	console *console
	clock   *Clock
	started time.Time // on clock
	stopped *Failure  // why a host function ended the guest

	hostCtx              context.Context // see hostContext
	cancel               context.CancelFunc
	hostCalls, hostBytes int
	account              budget.Account // of the synchronous host call that is running
	flight               *flight
	armed                bool
	alarm                time.Time // on clock
}

// Call runs the program on a fresh instance. It returns when the program has ended
// or was stopped; the context of asynchronous host calls still in flight is then
// cancelled.
func (image *Image) Call(ctx context.Context, call Call) Outcome {
	started := time.Now()
	i, err := image.instance()
	if err != nil {
		return Outcome{Failure: &Failure{Kind: Internal, Message: "no instance can be made", Cause: err}}
	}
	var out Outcome
	i.execute(ctx, image, &call, started, &out)
	out.Usage.Elapsed = time.Since(started)
	image.engine.pool.put(i)
	image.spend(out.Usage.Fuel)
	return out
}

// instance is one with compiled loops, if there are any.
func (image *Image) instance() (*instance, error) {
	if faster := image.heat.faster.Load(); faster != nil {
		if i, err := image.engine.pool.take(faster); err == nil {
			return i, nil
		}
		image.heat.faster.Store(nil)
	}
	return image.engine.pool.take(image)
}

// execute contains panics: one below it fails this call alone.
func (i *instance) execute(ctx context.Context, image *Image, call *Call, started time.Time, out *Outcome) {
	defer func() {
		if i.run.cancel != nil {
			i.run.cancel()
		}
		if p := recover(); p != nil {
			i.trap(fmt.Errorf("panic: %v", p))
			out.Result, out.Failure = nil, &Failure{Kind: Internal, Message: "the engine failed", Cause: i.trapped}
		}
	}()
	r := &i.run
	*r = execution{ctx: ctx, limits: call.Limits.withDefaults(), caller: call.Caller, console: &i.console, clock: call.Clock}
	i.console = console{printed: call.Printed}
	if smallest := image.pages.Size(); r.limits.Memory < uint64(smallest) {
		out.Failure = &Failure{Kind: Refused, Message: fmt.Sprintf("a memory limit of %d bytes is less than the %d bytes of an empty guest", r.limits.Memory, smallest)}
		return
	}
	i.memory.Limit(r.limits.Memory)
	statements := min(r.limits.Statements, math.MaxInt64) + forLoading(len(image.body))
	i.startMeter(statements, r.limits.Fuel, started.Add(r.limits.Time))
	i.lendTime(call.Seed)
	if out.Failure = r.overdue(); out.Failure == nil {
		out.Result, out.Failure = i.evaluate(call)
	}
	if out.Failure != nil {
		out.Failure.locate(image.file, image.prefix)
		out.Failure.explain(image.file, image.body)
		i.deep = out.Failure.Kind == StackLimit
	}
	out.Logs, out.LogsDropped = i.console.lines, i.console.dropped
	i.measure(&out.Usage)
	i.locateStop(out.Failure, image.file)
}

// lendTime sets the clock and the randomness of this call.
func (i *instance) lendTime(seed uint64) {
	r := &i.run
	r.started = r.clock.Now()
	origin := float64(r.started.UnixNano()) / 1e6
	for seed == 0 { // the generator's one fixed point
		seed = rand.Uint64()
	}
	i.poke64(uint32(i.realm.context)+guest.TimeOriginOffset, math.Float64bits(origin))
	i.poke64(i.realm.timeOrigin, uint64(jsvalue.Float(origin)))
	i.poke64(uint32(i.realm.context)+guest.RandomStateOffset, seed)
}

// evaluate runs the program to its end and reads its result.
func (i *instance) evaluate(call *Call) ([]byte, *Failure) {
	arguments, failure := i.parseArguments(call.Arguments)
	if failure != nil {
		return nil, failure
	}
	promise := i.call(i.realm.enter, arguments)
	if failure := i.failureOf(promise); failure != nil {
		return nil, failure
	}
	result, failure := i.settle(promise)
	if failure != nil {
		return nil, failure
	}
	return i.appendResult(call.Buffer[:0], result)
}

// appendResult appends the result as JSON; nil for a value that has none.
func (i *instance) appendResult(to []byte, result jsvalue.Value) ([]byte, *Failure) {
	if result == jsvalue.Undefined {
		return nil, nil
	}
	limit := i.run.limits.Output
	out, isPlain, fits := i.realm.layout.AppendJSON(to, i.memory.Bytes(), result, limit)
	if !isPlain {
		if path, found := i.realm.layout.Find(i.memory.Bytes(), result, i.realm.promiseClass); found {
			return nil, &Failure{Kind: Exception, Name: "TypeError", Message: fmt.Sprintf("the result holds a Promise at %q, which would arrive as {}: await it before it is returned", path)}
		}
		text := jsvalue.Value(i.invoke(fnStringify, i.realm.context, uint64(result), uint64(jsvalue.Undefined), uint64(jsvalue.Undefined)))
		if failure := i.failureOf(text); failure != nil {
			return nil, failure
		}
		if !text.IsString() {
			return nil, nil
		}
		if out, fits = i.appendText(to, text, limit); i.trapped != nil {
			return nil, i.stoppedBy()
		}
	}
	if !fits {
		return nil, &Failure{Kind: OutputTooLarge, Message: fmt.Sprintf("the result is larger than %d bytes", limit)}
	}
	return out, nil
}

var noArguments = []byte("{}")

func (i *instance) parseArguments(text []byte) (jsvalue.Value, *Failure) {
	if text == nil {
		text = noArguments
	}
	l, ok := i.lend(text)
	if !ok {
		return 0, i.outOfMemory()
	}
	defer i.giveBack(l)
	v := jsvalue.Value(i.invoke(fnParseJSON, i.realm.context, uint64(l.at), uint64(len(text)), uint64(i.realm.argumentsName)))
	if failure := i.failureOf(v); failure != nil {
		if failure.Kind == Exception {
			return 0, &Failure{Kind: Refused, Message: "the arguments are not JSON: " + failure.Message}
		}
		return 0, failure
	}
	if !v.IsObject() {
		return 0, &Failure{Kind: Refused, Message: "the arguments are not a JSON object"}
	}
	return v, nil
}

// States of a promise.
const (
	promisePending  = 0
	promiseRejected = 2
)

// settle runs jobs, timers and completions until the promise is settled.
func (i *instance) settle(promise jsvalue.Value) (jsvalue.Value, *Failure) {
	for {
		if failure := i.runJobs(); failure != nil {
			return 0, failure
		}
		state := uint32(i.invoke(fnPromiseState, i.realm.context, uint64(promise)))
		if i.trapped != nil {
			return 0, i.stoppedBy()
		}
		if state != promisePending {
			result := jsvalue.Value(i.invoke(fnPromiseResult, i.realm.context, uint64(promise)))
			if state == promiseRejected {
				return 0, i.thrown(result)
			}
			return result, nil
		}
		event, failure := i.run.next()
		if failure != nil {
			return 0, failure
		}
		if failure := i.dispatch(event); failure != nil {
			return 0, failure
		}
	}
}

// runJobs runs promise jobs until there are none.
func (i *instance) runJobs() *Failure {
	for {
		switch ran := int32(i.invoke(fnRunJob, i.realm.runtime, uint64(i.realm.cell))); {
		case i.trapped != nil:
			return i.stoppedBy()
		case ran < 0:
			return i.failureOf(jsvalue.Exception)
		case ran == 0:
			return nil
		}
	}
}

func (i *instance) dispatch(e event) *Failure {
	if !e.landed {
		return i.failureOf(i.call(i.realm.tick))
	}
	// replyValue may stop the call. No guest code is running here that could be
	// stopped, so the panic is recovered right here.
	answer, failed, failure := i.landingValue(e.landing)
	if failure != nil {
		return failure
	}
	flag := jsvalue.False
	if failed {
		flag = jsvalue.True
	}
	settled := i.call(i.realm.deliver, jsvalue.Int(int32(e.landing.id)), flag, answer)
	i.invoke(fnFreeValue, i.realm.context, uint64(answer))
	return i.failureOf(settled)
}

func (i *instance) landingValue(l landing) (v jsvalue.Value, failed bool, failure *Failure) {
	defer func() {
		if p := recover(); p != nil {
			if p != errStopped {
				panic(p)
			}
			failure = i.run.stopped
		}
	}()
	v, failed = i.replyValue(l.reply)
	if v.IsException() {
		v, failed = jsvalue.Value(i.invoke(fnGetException, i.realm.context)), true
	}
	if i.trapped != nil {
		failure = i.stoppedBy()
	}
	return v, failed, failure
}

// call calls a function of the guest with `this` undefined.
func (i *instance) call(function jsvalue.Value, arguments ...jsvalue.Value) jsvalue.Value {
	size := uint32(8 * len(arguments))
	l := i.lendStack(size)
	for n, argument := range arguments {
		i.poke64(l.at+uint32(8*n), uint64(argument))
	}
	result := jsvalue.Value(i.invoke(fnCall, i.realm.context, uint64(function), uint64(jsvalue.Undefined), uint64(len(arguments)), uint64(l.at)))
	if i.trapped == nil {
		i.giveBack(l)
	}
	return result
}

func (i *instance) eval(source, file string) jsvalue.Value {
	text, ok := i.lend([]byte(source))
	name, ok2 := i.lend([]byte(file))
	if !ok || !ok2 {
		return jsvalue.Exception
	}
	result := jsvalue.Value(i.invoke(fnEval, i.realm.context, uint64(text.at), uint64(len(source)), uint64(name.at), 0))
	i.giveBack(name)
	i.giveBack(text)
	return result
}
