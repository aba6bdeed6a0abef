package budget

import (
	"context"
	"math"
	"runtime"
)

// lookEvery is how much fuel an account spends between two checks of its context
// and the ledger: 0.1 to 0.2 ms of work.
const lookEvery = 1_000_000

// Account is the budget of one host function while it runs. The zero Account
// allows nothing. One goroutine at a time may use it, and none after the function
// has returned.
type Account struct {
	ctx    context.Context
	ledger *Ledger

	limit, spent uint64
	next         uint64 // spent at the next check
	posted       uint64 // the part of spent that the ledger has counted
	held         int64  // bytes that Close gives back
	failed       error
	yielded      uint64 // spent at the last yield to other goroutines
}

// yieldEvery is how much fuel a host function spends before it yields to other
// goroutines: some 2 ms of work, as long as a guest runs. Go's own time slice is
// 10 ms; behind several of those, a short call or a timer would wait too long.
const yieldEvery = 16 * lookEvery

// Open prepares an account, which may have served another call before.
func (a *Account) Open(ctx context.Context, l *Ledger, fuel uint64) {
	*a = Account{ctx: ctx, ledger: l, limit: fuel, next: min(fuel, lookEvery)}
}

// Charge spends units of fuel. Its error ends the call.
func (a *Account) Charge(units uint64) error {
	if spent := a.spent + units; spent >= units && spent <= a.next {
		a.spent = spent
		return nil
	}
	return a.look(units)
}

// ChargeEach spends rate units for each of n elements.
func (a *Account) ChargeEach(n int, rate uint64) error {
	if n <= 0 {
		return nil
	}
	if rate != 0 && uint64(n) > math.MaxUint64/rate {
		return a.fail(ErrFuel)
	}
	return a.Charge(uint64(n) * rate)
}

// look spends units and checks whether the call may continue.
func (a *Account) look(units uint64) error {
	switch {
	case a.failed != nil:
		return a.failed
	case a.ledger == nil || units > a.limit-a.spent:
		a.spent = a.limit
		return a.fail(ErrFuel)
	}
	a.spent += units
	a.next = a.spent + min(lookEvery, a.limit-a.spent)
	// Functions that run concurrently must not spend the whole budget each.
	if a.ledger.unsettled.Add(a.spent-a.posted) > a.limit {
		a.posted = a.spent
		return a.fail(ErrFuel)
	}
	a.posted = a.spent
	if a.spent-a.yielded >= yieldEvery {
		a.yielded = a.spent
		runtime.Gosched()
	}
	if err := a.ctx.Err(); err != nil {
		return a.fail(err)
	}
	return nil
}

func (a *Account) fail(err error) error {
	if a.failed == nil {
		a.failed = err
	}
	a.next = 0 // every later charge checks
	return a.failed
}

// Check checks the deadline now. Functions call it before work that cannot be
// interrupted.
func (a *Account) Check() error { return a.look(0) }

// Hold reserves memory until the function returns. Call it before allocating.
func (a *Account) Hold(bytes int) error {
	if err := a.Keep(bytes); err != nil {
		return err
	}
	a.held += int64(bytes)
	return nil
}

// Drop releases memory that Hold reserved.
func (a *Account) Drop(bytes int) {
	n := min(int64(bytes), a.held)
	a.held -= n
	a.Forget(int(n))
}

// Keep reserves memory that outlives the function, such as a document with
// handles, until Forget or the end of the call.
func (a *Account) Keep(bytes int) error {
	switch {
	case a.failed != nil:
		return a.failed
	case a.ledger == nil || !a.ledger.Reserve(int64(bytes)):
		return a.fail(ErrMemory)
	}
	return nil
}

// Forget releases memory that Keep reserved.
func (a *Account) Forget(bytes int) {
	if a.ledger != nil && bytes > 0 {
		a.ledger.Release(int64(bytes))
	}
}

// Free returns how many more bytes may be held now.
func (a *Account) Free() int {
	if a.ledger == nil {
		return 0
	}
	return int(a.ledger.Free())
}

// Spent returns the fuel charged so far, at most the limit.
func (a *Account) Spent() uint64 { return a.spent }

// Left returns the fuel that may still be charged.
func (a *Account) Left() uint64 { return a.limit - a.spent }

// Err returns why the call must end, or nil while it may continue. The caller of a
// host function checks it afterwards, whatever the function itself returned.
func (a *Account) Err() error { return a.failed }

// HoldOnly replaces everything the function holds with bytes: the reply, which is
// all that remains of its work.
func (a *Account) HoldOnly(bytes int) error {
	if more := int64(bytes) - a.held; more > 0 {
		return a.Hold(int(more))
	}
	a.Drop(int(a.held - int64(bytes)))
	return nil
}

// Settle returns the fuel spent, once; from then on the caller counts it.
func (a *Account) Settle() uint64 {
	if a.ledger != nil {
		a.ledger.unsettled.Add(-a.posted)
	}
	a.posted = 0
	return a.spent
}

// Close releases what is held.
func (a *Account) Close() { a.Drop(int(a.held)) }

// NewAccount returns a standalone account, for a host function that is not called
// by a guest.
func NewAccount(ctx context.Context, fuel, memory uint64) *Account {
	return NewLedger(memory, 0).Open(ctx, fuel)
}
