package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// TestVerbsBesideStarts: verbs that open the state folder for a moment, and servers that
// start and stop, do not make each other fail, in whichever order they come.
func TestVerbsBesideStarts(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	var stop atomic.Bool
	var verbs sync.WaitGroup
	for i := range 3 {
		verbs.Go(func() {
			for n := 0; !stop.Load(); n++ {
				name := fmt.Sprintf("u%d-%d", i, n)
				if out, err := m.command("upstream", "add", name, "--quarantine", "--", "true").CombinedOutput(); err != nil {
					t.Errorf("upstream add %s: %v: %s", name, err, out)
				}
				if out, err := m.command("upstream", "remove", name).CombinedOutput(); err != nil {
					t.Errorf("upstream remove %s: %v: %s", name, err, out)
				}
			}
		})
	}
	for range 6 {
		m.serve(t).terminate()
	}
	stop.Store(true)
	verbs.Wait()
}
