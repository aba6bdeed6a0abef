package egress

import (
	"strings"
	"testing"
	"time"
)

// Sixteen times the text may take sixteen times as long; two hundred times is
// quadratic whatever else the machine does meanwhile. The bound is that wide so
// that a busy machine does not fail it.
func FuzzTimePerByte(f *testing.F) {
	for _, unit := range hostile() {
		f.Add(unit)
	}
	s := New(builtin(f), DefaultPolicy())
	session := session()
	f.Fuzz(func(t *testing.T, unit string) {
		if unit == "" || len(unit) > 256 {
			return
		}
		const short, times = 8 << 10, 16
		measure := func(size, tries int) time.Duration {
			text := []byte(strings.Repeat(unit, size/len(unit)+1)[:size])
			best := time.Hour
			for range tries {
				start := time.Now()
				s.Bytes(session, Place{}, text)
				best = min(best, time.Since(start))
			}
			return best
		}
		slow := func(small, large time.Duration) bool { return large > 200*small && large > 50*time.Millisecond }
		small, large := measure(short, 5), measure(short*times, 1)
		for try := 0; try < 10 && slow(small, large); try++ {
			large = min(large, measure(short*times, 1))
		}
		if slow(small, large) {
			t.Errorf("%q: %v for %d bytes, %v for %d times as many", unit, small, short, large, times)
		}
	})
}
