//go:build !linux

package guest_test

import "time"

var began = time.Now()

// threadTime is the time that has passed: what there is everywhere.
func threadTime() time.Duration { return time.Since(began) }
