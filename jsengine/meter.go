package jsengine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/glovebox-run/glovebox/budget"
)

// slice is the fuel the guest gets at a time: 0.03 to 0.1 ms of work, and up to 4 ms on a
// busy machine where deep recursion touches the pages of its native stack for the first time. Between two slices deadlines and cancellation
// are checked and Go's collector can stop the world, which it cannot while Wasm
// code runs.
const slice = 150_000

// yieldAfter is how long a guest runs before it yields to other goroutines. Go's
// own time slice is 10 ms: with two guests and two host calls running on two
// processors, a timer would wait for several of those.
const yieldAfter = 2 * time.Millisecond

// errStopped passes through wazero as a panic and ends the guest there; the reason
// is in execution.stopped.
var errStopped = errors.New("jsengine: the call was stopped")

// meter is the work one call may still do.
type meter struct {
	fuelLimit, fuelGranted uint64
	operationLimit         uint64
	deadline               time.Time
	yielded                time.Time // when the guest last yielded
}

func (i *instance) startMeter(statements, fuel uint64, deadline time.Time) {
	operations := uint64(math.MaxInt64)
	if statements < math.MaxInt64/OperationsPerStatement {
		operations = statements * OperationsPerStatement
	}
	fuel = min(fuel, math.MaxInt64)
	i.run.meter = meter{fuelLimit: fuel, operationLimit: operations, deadline: deadline}
	first := min(slice, fuel)
	i.run.fuelGranted = first
	i.fuel.Set(-first)
	i.bulk.Set(0)
	i.statements.Set(-operations)
}

// refuel is called by the guest when its slice is used up.
func (i *instance) refuel(stack []uint64) uint64 {
	r := &i.run
	if failure := r.overdueAt(r.yield()); failure != nil {
		i.stop(failure)
	}
	if r.fuelGranted == r.fuelLimit {
		i.stop(outOfFuel(""))
	}
	more := min(slice, r.fuelLimit-r.fuelGranted)
	r.fuelGranted += more
	return stack[0] - more
}

// yield lets other goroutines run when they are due, and returns the time.
func (r *execution) yield() time.Time {
	now := time.Now()
	if now.Sub(r.yielded) >= yieldAfter {
		if !r.yielded.IsZero() {
			runtime.Gosched()
			now = time.Now()
		}
		r.yielded = now
	}
	return now
}

// overdue returns the failure when time is up or the call was cancelled, or nil.
func (r *execution) overdue() *Failure { return r.overdueAt(time.Now()) }

func (r *execution) overdueAt(now time.Time) *Failure {
	if err := r.ctx.Err(); err != nil {
		return interrupted(err)
	}
	if !now.Before(r.deadline) {
		return timedOut()
	}
	return nil
}

func timedOut() *Failure {
	return &Failure{Kind: Timeout, Message: "the call took longer than it may take"}
}

func interrupted(err error) *Failure {
	if errors.Is(err, context.DeadlineExceeded) {
		return timedOut()
	}
	return &Failure{Kind: Cancelled, Message: "the call was cancelled", Cause: err}
}

// stop ends the guest from inside a host function.
func (i *instance) stop(failure *Failure) {
	i.run.stopped = failure
	panic(errStopped)
}

// fuelUsed is what the call has spent, in the guest and on the host.
func (i *instance) fuelUsed() uint64 { return i.run.fuelGranted + i.fuel.Get() }

// openAccount readies the account of a host call.
func (i *instance) openAccount(a *budget.Account) *budget.Account {
	r := &i.run
	used := min(i.fuelUsed(), r.fuelLimit)
	a.Open(r.hostContext(), i.memory.Share(), r.fuelLimit-used)
	return a
}

// settleAccount adds what a host call has spent to the guest's total, and ends the
// call when nothing is left.
func (i *instance) settleAccount(a *budget.Account, op string) {
	r := &i.run
	spent := a.Settle()
	r.fuelGranted += spent
	if over := r.fuelGranted - min(r.fuelGranted, r.fuelLimit); over > 0 {
		// The rest of the guest's slice exceeds what is left.
		r.fuelGranted = r.fuelLimit
		if left := -i.fuel.Get(); over > left {
			i.fuel.Set(0)
			i.stop(outOfFuel(op))
		}
		i.fuel.Set(i.fuel.Get() + over)
	}
	if err := a.Err(); err != nil {
		i.stop(r.exhausted(err, op))
	}
}

// exhausted returns the failure for an error of a host call's account.
func (r *execution) exhausted(err error, op string) *Failure {
	switch {
	case errors.Is(err, budget.ErrFuel):
		return outOfFuel(op)
	case errors.Is(err, budget.ErrMemory):
		return &Failure{Kind: MemoryLimit, Message: fmt.Sprintf("the call needs more than %d bytes of memory; it was in the host call %s", r.limits.Memory, op)}
	}
	return r.whyDone()
}

// hostCallPrefix precedes the name of a host call in messages.
const hostCallPrefix = "; it was in the host call "

// outOfFuel names the host call that spent the last fuel; empty means the guest.
func outOfFuel(op string) *Failure {
	message := "the call has used all the fuel it may use"
	if op != "" {
		message += hostCallPrefix + op
	}
	return &Failure{Kind: FuelLimit, Message: message}
}

// measure reads what has been spent.
func (i *instance) measure(u *Usage) {
	r := &i.run
	u.Fuel = i.fuelUsed()
	u.Bulk = i.bulk.Get()
	u.Operations = min(r.operationLimit, r.operationLimit+i.statements.Get())
	u.Statements = (u.Operations + OperationsPerStatement - 1) / OperationsPerStatement
	u.PeakMemory = i.memory.Peak()
	u.HostCalls, u.HostBytes = r.hostCalls, r.hostBytes
}

// stoppedBy says why the guest trapped.
func (i *instance) stoppedBy() *Failure {
	switch {
	case i.run.stopped != nil:
		return i.run.stopped
	case int64(i.statements.Get()) > 0:
		return &Failure{Kind: StatementLimit, Message: "the call has executed all the statements it may execute"}
	default:
		return &Failure{Kind: Internal, Message: "the guest stopped in a way it should not", Cause: i.trapped}
	}
}
