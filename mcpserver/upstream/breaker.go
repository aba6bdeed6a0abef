package upstream

import "time"

const (
	// A server that fails is tried again after backoffFirst, then after twice as long
	// each time up to backoffMost. Each wait is made up to a quarter longer, so that
	// gateways that lost the same server do not come back together.
	backoffFirst = time.Second
	backoffMost  = 5 * time.Minute
	// failuresInARow is how many calls may fail in a row before no more are made: one
	// broken tool or one lost packet is no broken server.
	failuresInARow = 5
)

// State of a breaker.
type State string

const (
	Closed   State = "closed"    // requests are made
	Open     State = "open"      // requests are refused until the next try
	HalfOpen State = "half-open" // one request is made, and decides
)

// breaker decides whether a server is tried. The zero breaker is closed. It is not safe
// for concurrent use.
type breaker struct {
	failed int // in a row
	opened int // times in a row, which lengthens the wait
	until  time.Time
	open   bool
	trying bool
	last   error
	jitter func() float64 // in [0, 1)
}

// allow reports whether a request may be made now. Of several after a wait, the first
// one is the try.
func (b *breaker) allow(now time.Time) bool {
	switch {
	case !b.open:
		return true
	case b.trying || now.Before(b.until):
		return false
	}
	b.trying = true
	return true
}

// connected closes the breaker for now. A server that can be connected and then fails is
// a failing server, so the failures before are not forgotten.
func (b *breaker) connected() { b.open, b.trying = false, false }

// succeeded closes the breaker: the server answered.
func (b *breaker) succeeded() {
	*b = breaker{jitter: b.jitter}
}

// gaveUp says that a try ended without saying anything about the server.
func (b *breaker) gaveUp() { b.trying = false }

// failedNow counts a failure. A failure to connect opens the breaker at once, for at
// least as long as the server asks for.
func (b *breaker) failedNow(now time.Time, err error, connecting bool, atLeast time.Duration) {
	b.failed++
	b.last = err
	if !connecting && !b.trying && b.failed < failuresInARow {
		return
	}
	wait := backoffFirst << min(b.opened, 20)
	wait = min(wait, backoffMost)
	wait = max(wait+time.Duration(b.jitter()*float64(wait/4)), atLeast)
	b.opened++
	b.open, b.trying, b.until = true, false, now.Add(wait)
}

func (b *breaker) state(now time.Time) State {
	switch {
	case !b.open:
		return Closed
	case b.trying || !now.Before(b.until):
		return HalfOpen
	}
	return Open
}
