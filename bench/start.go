package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// measureStart starts the command on a small spec, with and without its cache.
func measureStart(o options, r *report) error {
	if o.glovebox == "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "glovebox-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	spec := filepath.Join(o.root, "examples", "word-count.json")
	start := func(cache string) (time.Duration, error) {
		cmd := exec.Command(o.glovebox, "run", spec, "--arg", "text=one fish two fish")
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
		began := time.Now()
		out, err := cmd.CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", out, err)
		}
		return time.Since(began), nil
	}
	var cold, warm sample
	for i := range o.cold {
		took, err := start(filepath.Join(dir, fmt.Sprint("cache", i)))
		if err != nil {
			return err
		}
		cold = append(cold, took)
	}
	for range o.warm {
		took, err := start(filepath.Join(dir, "cache0"))
		if err != nil {
			return err
		}
		warm = append(warm, took)
	}
	r.Sections = append(r.Sections, section{
		Title: "From the start of the process to its end with the result of a small spec, ms", Columns: []string{"cache", "p50", "p95", "p99", "starts"},
		Rows: [][]string{
			{"cold", millis(cold.percentile(50)), cold.tail(95, millis), cold.tail(99, millis), fmt.Sprint(len(cold))},
			{"warm", millis(warm.percentile(50)), warm.tail(95, millis), warm.tail(99, millis), fmt.Sprint(len(warm))},
		},
	})
	r.bar("start to result, warm cache, p50", warm.percentile(50).Seconds()*1000, 50, " ms")
	r.bar("start to result, cold cache, p50", cold.percentile(50).Seconds()*1000, 1000, " ms")
	return nil
}
