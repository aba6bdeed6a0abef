package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glovebox-run/glovebox/jsengine"
)

// densities are the numbers of instances at which the curve is drawn.
var densities = []int{0, 10, 50, 100, 200, 400, 800, 1600}

// measureDensity holds more and more instances alive, each in the middle of a call, and
// calls a small tool beside them: until its p99 doubles, or the list ends.
func measureDensity(o options, r *report) error {
	tools, err := loadTools(o.root + "/bench/tools")
	if err != nil {
		return err
	}
	own, err := openGlovebox()
	if err != nil {
		return err
	}
	defer own.Close()
	waiting, err := own.engine.Image(context.Background(), jsengine.Program{
		File: "wait.js", Body: "safety.fs.workspace(); return null;", Operations: fileOperations,
	})
	if err != nil {
		return err
	}
	arrived, release := make(chan struct{}), make(chan struct{})
	var holding sync.WaitGroup
	var failed atomic.Pointer[jsengine.Failure]
	defer holding.Wait()
	defer close(release)
	host := callerFunc(func(string, []byte, []byte) ([]byte, []byte, error) {
		arrived <- struct{}{}
		<-release
		return []byte(`"/"`), nil, nil
	})
	s := section{Title: "Instances alive, and a call of the json tool beside them, us", Columns: []string{"instances", "p50", "p99", "calls", "private KiB each"},
		Note: "the instances are in the middle of a call; each has been touched"}
	if _, err := own.Fresh(tools[1], o.fresh/5); err != nil {
		return err
	}
	empty, err := privateMemory()
	if err != nil {
		return err
	}
	doubled, alive := 0, 0
	var first time.Duration
	for _, n := range densities {
		for ; alive < n; alive++ {
			holding.Go(func() {
				out := waiting.Call(context.Background(), jsengine.Call{Caller: host, Limits: jsengine.Limits{Time: time.Hour}})
				if out.Failure != nil && failed.CompareAndSwap(nil, out.Failure) {
					select {
					case arrived <- struct{}{}:
					case <-release:
					}
				}
			})
			<-arrived
			if f := failed.Load(); f != nil {
				return f
			}
		}
		held, err := privateMemory()
		if err != nil {
			return err
		}
		// The middle of five: one pause of the machine is not a curve.
		var p50, p99 sample
		calls := 0
		for range 5 {
			got, err := own.Fresh(tools[1], o.fresh/5)
			if err != nil {
				return err
			}
			calls += len(got)
			p50, p99 = append(p50, got.percentile(50)), append(p99, got.percentile(99))
		}
		each := "-"
		if n > 0 {
			each = fmt.Sprintf("%.0f", float64(held-empty)/float64(n)/1024)
		}
		worst := p99.percentile(50)
		s.Rows = append(s.Rows, []string{fmt.Sprint(n), micros(p50.percentile(50)), micros(worst), fmt.Sprint(calls), each})
		if n == 0 {
			first = worst
		} else if worst > 2*first {
			doubled = n
			break
		}
	}
	last := densities[len(densities)-1]
	s.Note += fmt.Sprintf("; p99 has not doubled at %d", last)
	if doubled > 0 {
		s.Note = fmt.Sprintf("the instances are in the middle of a call; p99 had doubled at %d, and not at %d", doubled, densities[slices.Index(densities, doubled)-1])
	}
	s.Curve = &curve{X: 0, Y: []int{1, 2}, Across: "instances alive", Up: "us"}
	r.Sections = append(r.Sections, s)
	return nil
}
