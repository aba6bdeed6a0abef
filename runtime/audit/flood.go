package audit

import (
	"errors"
	"maps"
	"time"
)

// The records that one caller's refused calls may write: refusedBurst at once, then
// one every refusedEvery. With [maxValue] and its like, a record has at most about
// 20 KiB, so a caller that is refused endlessly takes 10 MiB at first and at most 170
// MiB a day; short calls take a twentieth of that. Further refusals are counted in the
// caller's next record, or in a record of their own within heldTime, which is how much
// of the count a killed process can lose.
const (
	refusedBurst = 500
	refusedEvery = 10 * time.Second
	heldTime     = 10 * time.Second
	// maxCallers bounds the memory; callers beyond it share one allowance.
	maxCallers = 1000
)

// Coalesced counts refused calls of the same caller that precede a record and have
// none of their own.
type Coalesced struct {
	Calls uint64            `json:"calls"`
	Since time.Time         `json:"since"`
	Kinds map[string]uint64 `json:"kinds,omitempty"` // by the kind of the cause
}

// maxKinds bounds Coalesced.Kinds.
const maxKinds = 32

// flood is the remaining allowance for one caller's refused calls.
type flood struct {
	left   int
	since  time.Time  // when left was last refilled
	last   *Record    // the newest that was not written
	counts *Coalesced // the ones before it
}

// callerOf returns the allowance of a caller.
func (l *Log) callerOf(caller string, now time.Time) *flood {
	f, ok := l.floods[caller]
	if !ok && len(l.floods) >= maxCallers {
		for name, old := range l.floods {
			if old.fill(now); old.last == nil && old.left == refusedBurst {
				delete(l.floods, name)
			}
		}
		if len(l.floods) >= maxCallers {
			caller = ""
			f, ok = l.floods[caller]
		}
	}
	if !ok {
		f = &flood{left: refusedBurst, since: now}
		if l.floods == nil {
			l.floods = map[string]*flood{}
		}
		l.floods[caller] = f
	}
	f.fill(now)
	return f
}

func (f *flood) fill(now time.Time) {
	if n := int(now.Sub(f.since) / refusedEvery); n > 0 {
		f.left = min(f.left+n, refusedBurst)
		f.since = f.since.Add(time.Duration(n) * refusedEvery)
	}
}

// hold keeps a refused call for which its caller has no allowance left.
func (f *flood) hold(r Record) {
	f.counts = f.held()
	f.last = &r
}

// held returns the count that the record of another call has to include.
func (f *flood) held() *Coalesced {
	if f.last == nil {
		return f.counts
	}
	c := Coalesced{Since: f.last.Time, Kinds: map[string]uint64{}}
	if f.counts != nil {
		c = Coalesced{f.counts.Calls, f.counts.Since, maps.Clone(f.counts.Kinds)}
	}
	c.Calls++
	if cause := f.last.Cause; cause != nil {
		kind := cause.Kind
		if _, known := c.Kinds[kind]; !known && len(c.Kinds) >= maxKinds {
			kind = "other"
		}
		c.Kinds[kind]++
	}
	return &c
}

func (f *flood) written() { f.counts, f.last = nil, nil }

// admit returns the allowance that r is written under, or nil if r is only counted.
// Records of calls that were not refused are always written.
func (l *Log) admit(r Record) *flood {
	now := time.Now()
	if r.Outcome != Refused {
		if f := l.floods[r.Caller]; f != nil {
			return f
		}
		return &flood{}
	}
	f := l.callerOf(r.Caller, now)
	if f.left > 0 {
		f.left--
		return f
	}
	f.hold(r)
	if l.heldDue == nil {
		l.heldDue = time.AfterFunc(heldTime, l.writeHeld)
	}
	return nil
}

// writeHeld writes the counts that no later record has included.
func (l *Log) writeHeld() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heldDue = nil
	if l.closed {
		return
	}
	if err := l.flushHeld(); err != nil {
		l.fail(err)
		l.heldDue = time.AfterFunc(heldTime, l.writeHeld)
	}
}

// flushHeld writes one record for each caller with calls that were only counted: the
// newest of them, which counts the others.
func (l *Log) flushHeld() error {
	var errs []error
	for _, f := range l.floods {
		if f.last == nil {
			continue
		}
		if _, err := l.write(*f.last, f.counts); err != nil {
			errs = append(errs, err)
			continue
		}
		f.written()
	}
	return errors.Join(errs...)
}
