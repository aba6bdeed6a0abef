package systemd

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// now is the moment of a reload on the clock that systemd compares with.
func now() []string {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return nil
	}
	return []string{fmt.Sprintf("MONOTONIC_USEC=%d", t.Nano()/1000)}
}
