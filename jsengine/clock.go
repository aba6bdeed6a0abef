package jsengine

import "time"

// Clock is the time source of one call: Date and performance.now read it, and
// timers wait on it. A nil Clock is the machine's. Limits.Time is always measured
// on the machine's.
type Clock struct{ now time.Time }

// VirtualClock returns a clock that stands still while the guest works and jumps
// ahead when the guest only waits for a timer. A call that starts with the same
// virtual time, seed and host answers repeats bit for bit. It serves one call at a
// time.
func VirtualClock(start time.Time) *Clock { return &Clock{now: start} }

func (c *Clock) virtual() bool { return c != nil }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	if c == nil {
		return time.Now()
	}
	return c.now
}
