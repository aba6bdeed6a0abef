//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Roles of the processes of a deployment.
const (
	clients = iota
	servers
	members
	roles
)

// usage is what the processes had of the processors.
type usage struct {
	ran     [roles]time.Duration
	elapsed time.Duration
}

func (u *usage) add(o usage) {
	for i := range u.ran {
		u.ran[i] += o.ran[i]
	}
	u.elapsed += o.elapsed
}

func (u usage) since(before usage) usage {
	for i := range u.ran {
		u.ran[i] -= before.ran[i]
	}
	return u
}

func (u usage) all() (ran time.Duration) {
	for _, d := range u.ran {
		ran += d
	}
	return ran
}

// share is how many processors were busy.
func (u usage) share() float64 { return float64(u.all()) / float64(u.elapsed) }

// of is the share of a role, in percent.
func (u usage) of(role int) float64 { return float64(u.ran[role]) / float64(u.all()) * 100 }

// each is what one of n calls took, without an upkeep.
func (u usage) each(upkeep float64, n int) time.Duration {
	return time.Duration((float64(u.all()) - upkeep*float64(u.elapsed)) / float64(max(n, 1)))
}

// now reads what processes had since they began.
func now(processes [roles][]int) (u usage, err error) {
	for role, pids := range processes {
		for _, pid := range pids {
			threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
			if err != nil || len(threads) == 0 {
				return u, fmt.Errorf("process %d is gone (%v)", pid, err)
			}
			for _, name := range threads {
				text, err := os.ReadFile(name)
				if err != nil {
					continue // the thread has just ended
				}
				var ran int64
				if _, err := fmt.Sscan(string(text), &ran); err != nil {
					return u, fmt.Errorf("%s: %w", name, err)
				}
				u.ran[role] += time.Duration(ran)
			}
		}
	}
	return u, nil
}
