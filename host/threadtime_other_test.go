//go:build !linux

package host

import "time"

var began = time.Now()

// threadTime is the time that has passed: what there is everywhere.
func threadTime() time.Duration { return time.Since(began) }
