package budget

import (
	"context"
	"math"
	"runtime"
)

// lookEvery is how much fuel an account spends between two looks at its context
// and at the ledger: 0.1 to 0.2 ms of work.
const lookEvery = 1_000_000

// Account is the budget of one host function while it runs. The zero Account
// allows nothing. It is used by one goroutine at a time, and not after the
// function has returned.
type Account struct {
	ctx    context.Context
	ledger *Ledger

	limit, spent uint64
	next         uint64 // spent at the next look
	posted       uint64 // the part of spent that the ledger knows
	held         int64  // bytes that Close gives back
	failed       error
	yielded      uint64 // spent when other goroutines were last let run
}

// yieldEvery is how much fuel a host function spends before it lets other
// goroutines run: some 2 ms of work, as long as a guest runs. Go's own time slice
// is 10 ms, and beside several of those a short call or a timer waits for all.
const yieldEvery = 16 * lookEvery

// Open readies an account, which may have served another call before.
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

// look spends units and asks whether the call may go on.
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
	// Functions that run at the same time may not spend the whole budget each.
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
	a.next = 0 // every later charge looks
	return a.failed
}

// Check looks at the deadline now. Functions call it before work that cannot be
// interrupted.
func (a *Account) Check() error { return a.look(0) }

// Hold reserves memory until the function returns. It is called before the memory
// is allocated.
func (a *Account) Hold(bytes int) error {
	if err := a.Keep(bytes); err != nil {
		return err
	}
	a.held += int64(bytes)
	return nil
}

// Drop gives back memory that Hold has reserved.
func (a *Account) Drop(bytes int) {
	n := min(int64(bytes), a.held)
	a.held -= n
	a.Forget(int(n))
}

// Keep reserves memory for what outlives the function, such as a document with
// handles: until Forget, or the end of the call.
func (a *Account) Keep(bytes int) error {
	switch {
	case a.failed != nil:
		return a.failed
	case a.ledger == nil || !a.ledger.Reserve(int64(bytes)):
		return a.fail(ErrMemory)
	}
	return nil
}

// Forget gives back memory that Keep has reserved.
func (a *Account) Forget(bytes int) {
	if a.ledger != nil && bytes > 0 {
		a.ledger.Release(int64(bytes))
	}
}

// Free is how many more bytes may be held now.
func (a *Account) Free() int {
	if a.ledger == nil {
		return 0
	}
	return int(a.ledger.Free())
}

// Spent is the fuel that was charged, at most the limit.
func (a *Account) Spent() uint64 { return a.spent }

// Left is the fuel that may still be charged.
func (a *Account) Left() uint64 { return a.limit - a.spent }

// Err says why the call must end; nil while it may go on. Whoever calls a host
// function asks afterwards, whatever the function itself returned.
func (a *Account) Err() error { return a.failed }

// HoldOnly makes what the function holds bytes, in place of whatever it held: the
// reply that is left of its work.
func (a *Account) HoldOnly(bytes int) error {
	if more := int64(bytes) - a.held; more > 0 {
		return a.Hold(int(more))
	}
	a.Drop(int(a.held - int64(bytes)))
	return nil
}

// Settle returns what was spent, once: it is the caller's to count from here on.
func (a *Account) Settle() uint64 {
	if a.ledger != nil {
		a.ledger.unsettled.Add(-a.posted)
	}
	a.posted = 0
	return a.spent
}

// Close gives back what is held.
func (a *Account) Close() { a.Drop(int(a.held)) }

// NewAccount returns an account on its own, for a host function that is not
// called by a guest.
func NewAccount(ctx context.Context, fuel, memory uint64) *Account {
	return NewLedger(memory, 0).Open(ctx, fuel)
}
