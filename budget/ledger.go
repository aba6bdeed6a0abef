package budget

import (
	"context"
	"errors"
	"sync/atomic"
)

// The reasons why a call ends. Deadlines and cancellation are reported as the
// context's own error.
var (
	ErrFuel   = errors.New("budget: the call has used all the fuel it may use")
	ErrMemory = errors.New("budget: the call holds all the memory it may hold")
)

// Ledger is shared by one tool call and every function that works for it. It is
// safe for concurrent use.
type Ledger struct {
	limit int64 // bytes
	used  atomic.Int64
	peak  atomic.Int64

	unsettled atomic.Uint64 // fuel spent by accounts that are not closed yet
}

// NewLedger returns the ledger of a call that may hold limit bytes, of which used
// are already taken.
func NewLedger(limit, used uint64) *Ledger {
	l := &Ledger{limit: int64(min(limit, 1<<62))}
	l.used.Store(int64(used))
	l.peak.Store(int64(used))
	return l
}

// Reserve takes n bytes, or returns an error if fewer are left.
func (l *Ledger) Reserve(n int64) bool {
	if n < 0 {
		return false
	}
	for {
		used := l.used.Load()
		if n > l.limit-used {
			return false
		}
		if l.used.CompareAndSwap(used, used+n) {
			l.raisePeak(used + n)
			return true
		}
	}
}

func (l *Ledger) raisePeak(used int64) {
	for {
		peak := l.peak.Load()
		if used <= peak || l.peak.CompareAndSwap(peak, used) {
			return
		}
	}
}

// Release returns n bytes.
func (l *Ledger) Release(n int64) { l.used.Add(-n) }

// Free returns how many bytes may still be taken.
func (l *Ledger) Free() int64 { return max(0, l.limit-l.used.Load()) }

// Peak returns the most bytes ever taken at one time.
func (l *Ledger) Peak() uint64 { return uint64(l.peak.Load()) }

// Open returns the account of one host function that may spend up to fuel units.
// ctx ends with the call.
func (l *Ledger) Open(ctx context.Context, fuel uint64) *Account {
	a := &Account{}
	a.Open(ctx, l, fuel)
	return a
}
