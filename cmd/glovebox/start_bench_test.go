package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkFirstStart is the first minute of a new user: glovebox serve, without
// configuration and state, until the address, the token and the next command are
// on the screen. The caches of the machine are warm, as after one run of any tool.
// The bar is 300 ms at the median.
func BenchmarkFirstStart(b *testing.B) {
	program := filepath.Join(b.TempDir(), "glovebox")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%s\n%v", out, err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		b.Fatal(err)
	}
	start := func() time.Duration {
		cmd := exec.Command(program, "serve", "--listen", "127.0.0.1:0")
		cmd.Dir = b.TempDir()
		cmd.Env = []string{"HOME=" + b.TempDir(), "XDG_CACHE_HOME=" + cache, "PATH=" + os.Getenv("PATH")}
		stderr, err := cmd.StderrPipe()
		if err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "next: ") {
				return time.Since(began)
			}
		}
		b.Fatal("it did not start")
		return 0
	}
	start() // warms the caches
	var took []time.Duration
	for b.Loop() {
		took = append(took, start())
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*9/10].Microseconds())/1000, "p90-ms")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
}
