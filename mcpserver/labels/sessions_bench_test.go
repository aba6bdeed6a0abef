package labels

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/live"
)

// BenchmarkAllSessions keeps as many sessions as are remembered, and then a thousand more,
// which have to find room. It reports what a session takes and how long the ones beyond
// take compared to those before: they must not each look through all.
func BenchmarkAllSessions(b *testing.B) {
	for _, kind := range []string{"memory", "shelf"} {
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				ctx, dir := context.Background(), b.TempDir()
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				var keeper Keeper = NewMemory()
				if kind == "shelf" {
					s, err := store.Open(ctx, dir, nil)
					if err != nil {
						b.Fatal(err)
					}
					defer s.Close()
					if keeper, err = OpenShelf(ctx, s); err != nil {
						b.Fatal(err)
					}
				}
				put := func(n int) {
					h := Head{Principal: fmt.Sprintf("token:%016x", n), Used: time.Unix(int64(n), 0), Head: live.Head{Label: live.Label{Untrusted: true, Private: true, Origins: []string{"mail", "records"}}}, Texts: 3}
					if _, err := keeper.Put(ctx, keyOf(h.Principal), h, 0); err != nil {
						b.Fatal(err)
					}
				}
				began := time.Now()
				for n := range MaxSessions {
					put(n)
				}
				filling := time.Since(began) / MaxSessions
				runtime.GC()
				runtime.ReadMemStats(&after)
				const more = 2000
				began = time.Now()
				for n := range more {
					put(MaxSessions + n)
				}
				beyond := time.Since(began) / more
				if s, ok := keeper.(*Shelf); ok {
					s.settled()
				}
				all, err := keeper.List(ctx)
				if err != nil || len(all) > MaxSessions+more || all[0].Principal != fmt.Sprintf("token:%016x", MaxSessions+more-1) {
					b.Fatal(len(all), err)
				}
				if h, _, err := keeper.Head(ctx, keyOf(fmt.Sprintf("token:%016x", 0))); err != nil || !h.Forgot || !h.Label.Untrusted {
					b.Fatalf("the oldest comes back as %+v, %v", h, err)
				}
				b.ReportMetric(float64(filling.Nanoseconds())/1e3, "us/session")
				b.ReportMetric(float64(beyond)/float64(filling), "beyond/before")
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/MaxSessions, "heapB/session")
				if kind == "shelf" {
					b.ReportMetric(float64(size(b, dir))/MaxSessions, "diskB/session")
				}
				runtime.KeepAlive(keeper)
			}
		})
	}
}

func size(b *testing.B, dir string) (n int64) {
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				n += info.Size()
			}
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}
