package load

import (
	"time"

	"golang.org/x/sys/windows"
)

// processorTime is what this process took so far.
func processorTime() time.Duration {
	var started, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &started, &exited, &kernel, &user); err != nil {
		return 0
	}
	ticks := func(t windows.Filetime) time.Duration { // of 100 ns
		return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
	}
	return ticks(kernel) + ticks(user)
}
