package overlap

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Package time writes what is a moment, and reads nothing that is none.
func TestMoments(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	layouts := []string{time.DateOnly, time.DateTime, time.RFC3339, time.RFC3339Nano, time.TimeOnly, "15:04", "2006/01/02", "2006.01.02 15:04", "2006-01-02T15:04:05.000"}
	for range 2000 {
		s := time.Unix(random.Int64N(4e9), random.Int64N(1e9)).UTC().Format(layouts[random.IntN(len(layouts))])
		if !moment(s) {
			t.Fatalf("%q is none", s)
		}
		cut := s[:random.IntN(len(s))]
		read := false
		for _, layout := range append(layouts, "2006-01-02T15:04", "2006-01-02 15:04", "15:04Z", "15:04:05.0") {
			_, err := time.Parse(layout, cut)
			read = read || err == nil
		}
		// Beyond the minute anything that a time is written with may stand.
		if moment(cut) && !read && len(cut) < len("15:04:") {
			t.Fatalf("%q is one", cut)
		}
	}
	for _, s := range []string{"", "10.0.0.1", "555-123-4567", "DE44500105", "2026", "4711-23-12345", "20261123", "2026-11-23 secret", "12:30 at the door", "2026-11-23T12:30; rm", "12:30:00.4711471147114711471147114711", "1:2", "99-99-99"} {
		if moment(s) {
			t.Errorf("%q is one", s)
		}
	}
}
