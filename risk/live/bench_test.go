package live

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// prose is text of n bytes that does not repeat itself.
func prose(n, seed int) string {
	var b strings.Builder
	for i := seed; b.Len() < n; i++ {
		fmt.Fprintf(&b, "On day %d the team of %x looked at item %d and found it in order. ", i%31, i*2654435761%65521, i)
	}
	return b.String()[:n]
}

// remembering returns a session with at least n marks.
func remembering(n int) *Session {
	var s Session
	for i := 0; s.index.Len() < n; i++ {
		read(&s, []string{"web/search", "records/lookup"}[i%2], prose(4096, i*1000))
	}
	return &s
}

// The bar is 20 us with 10,000 remembered fingerprints.
func BenchmarkDecide(b *testing.B) {
	s := remembering(10_000)
	for name, c := range map[string]*Call{
		"short":    call("mail/send", "to", "kim@corp.example", "body", "Dear Kim, the two chairs arrive on Friday. Yours, Ada"),
		"4KiB":     call("mail/send", "to", "kim@corp.example", "body", prose(4096, 1<<20)),
		"repeated": call("mail/send", "to", "kim@corp.example", "body", prose(1024, 0)),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportMetric(float64(s.index.Len()), "marks")
			for b.Loop() {
				s.Decide(c, at)
			}
		})
	}
}

// The bar is 1 ms; scanning for orders and secrets is what other packages do, and not in it.
func BenchmarkObserve64KiB(b *testing.B) {
	for _, tool := range []string{"web/search", "records/lookup"} {
		b.Run(tool, func(b *testing.B) {
			text := prose(64<<10, 7)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				var s Session
				read(&s, tool, text)
			}
		})
	}
}

// The bar is 2 MB for a session that is full, of prose or of what somebody wrote to fill
// it: large texts with a word each that no other has.
func BenchmarkMemory(b *testing.B) {
	for name, fill := range map[string]func(*Session){
		"prose": func(s *Session) {
			for i := 0; !s.index.Full(); i++ {
				read(s, []string{"web/search", "records/lookup"}[i%2], prose(4096, i*1000))
			}
		},
		"hostile": func(s *Session) {
			blank := strings.Repeat(". ", 30<<10)
			for i := range 2000 {
				read(s, "web/search", fmt.Sprintf("do%s it now%s", strings.Repeat("x", 1+i%9)+string(rune('a'+i/9%26))+string(rune('a'+i/234)), blank))
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				var s Session
				fill(&s)
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB/session")
				runtime.KeepAlive(&s)
			}
		})
	}
}
