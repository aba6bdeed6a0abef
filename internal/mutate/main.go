// Command mutate changes one operator or condition of a package at a time and runs
// the package's tests on it. A mutant that no test notices is a line that no test
// holds; it fails the run unless it stands in survivors.txt with a reason.
//
//	go run ./internal/mutate ./runtime/governed ./host/netguard
//
// Files are never written to: the compiler gets each mutant as an overlay.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// perMutant bounds the tests of one mutant; one that loops is noticed by it.
const perMutant = 2 * time.Minute

func main() {
	accepted := flag.String("survivors", "internal/mutate/survivors.txt", "mutants that may live, each with its reason")
	least := flag.Float64("least", 95, "percentage of mutants that have to die")
	flag.Parse()
	reasons, err := readReasons(*accepted)
	if err == nil {
		err = run(flag.Args(), reasons, *least)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(packages []string, reasons map[string]string, least float64) error {
	scratch, err := os.MkdirTemp("", "glovebox-mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	killed, total, unexplained := 0, 0, 0
	for _, dir := range packages {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return err
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			source, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			mutants, err := mutantsOf(name, source)
			if err != nil {
				return err
			}
			for _, m := range mutants {
				total++
				died, err := dies(scratch, dir, name, m)
				if err != nil {
					return err
				}
				if died {
					killed++
					continue
				}
				id := filepath.ToSlash(filepath.Clean(name)) + ": " + m.what
				if reason, known := reasons[id]; known {
					fmt.Printf("lives  %s:%d (%s)\n", id, m.line, reason)
				} else {
					unexplained++
					fmt.Printf("LIVES  %s:%d\n", id, m.line)
				}
			}
		}
	}
	if total == 0 {
		return fmt.Errorf("there is nothing to change in %s", strings.Join(packages, " "))
	}
	share := 100 * float64(killed) / float64(total)
	fmt.Printf("%d of %d mutants die (%.1f %%), %d live without a reason\n", killed, total, share, unexplained)
	if share < least {
		return fmt.Errorf("%.1f %% die, want %.1f", share, least)
	}
	return nil
}

// dies runs the tests of a package on one mutant.
func dies(scratch, dir, name string, m mutant) (bool, error) {
	changed := filepath.Join(scratch, "mutant.go")
	if err := os.WriteFile(changed, m.source, 0o600); err != nil {
		return false, err
	}
	real, err := filepath.Abs(name)
	if err != nil {
		return false, err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {real: changed}})
	if err != nil {
		return false, err
	}
	list := filepath.Join(scratch, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), perMutant)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-overlay", list, "-count=1", "-failfast", "-timeout", perMutant.String(), "./"+filepath.ToSlash(filepath.Clean(dir)))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd.Run() != nil, nil // also a mutant that does not compile: the compiler noticed
}

// readReasons reads lines of "file: what | reason".
func readReasons(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	reasons := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, reason, found := strings.Cut(line, " | ")
		if !found || strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s: %q has no reason", path, line)
		}
		reasons[id] = reason
	}
	return reasons, nil
}
