package process

import (
	"time"

	"golang.org/x/sys/unix"
)

// Clock is the time since the machine started. It does not stop while a process or the
// machine sleeps, is not set, and is the same in every process of the machine.
func Clock() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		panic(err) // cannot fail: the clock is there
	}
	return time.Duration(t.Nano())
}
