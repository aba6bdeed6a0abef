//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/load"
	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// measured is what came of one load, over all rounds.
type measured struct {
	rate float64
	good int
	over time.Duration
	took [kinds][]time.Duration
	used usage
}

func (m measured) answered() float64 { return float64(m.good) / m.over.Seconds() }

// load makes calls at a rate, of which a share asks a person.
func (f *fleet) load(ctx context.Context, rate, asked float64) (m measured, err error) {
	before, err := now(f.processes)
	if err != nil {
		return m, err
	}
	began := time.Now()
	f.seed++
	plan := load.Plan{URLs: f.urls, Agents: f.tokens, Eras: []string{load.Stateless}, Rate: rate, Duration: *each, Seed: f.seed, InFlight: inFlight, Timeout: time.Minute}
	var kind []int
	for k, share := range [kinds]float64{1 - asked, asked} {
		if share > 0 {
			kind = append(kind, k)
			plan.Kinds = append(plan.Kinds, [kinds]load.Kind{
				{Name: "add", Tool: "add", Arguments: json.RawMessage(`{"a":{n}}`), Share: share},
				{Name: "tidy", Tool: "tidy", Arguments: json.RawMessage(`{"n":{n}}`), Share: share, Asks: true},
			}[k])
		}
	}
	report, err := load.Run(ctx, plan)
	if err != nil {
		return m, err
	}
	if n := report.Failed(); n > 0 {
		return m, fmt.Errorf("%d calls failed: %v", n, report.Examples)
	}
	after, err := now(f.processes)
	if err != nil {
		return m, err
	}
	m = measured{rate: rate, good: int(report.Achieved * report.Seconds), over: *each, used: after.since(before)}
	m.used.elapsed = time.Since(began)
	for _, r := range report.Kinds {
		for i, k := range kind {
			if plan.Kinds[i].Name == r.Kind {
				m.took[k] = append(m.took[k], r.Took()...)
			}
		}
	}
	return m, ctx.Err()
}

// more makes a load once more.
func (f *fleet) more(ctx context.Context, m *measured, rate, asked float64) error {
	next, err := f.load(ctx, rate, asked)
	m.rate = rate
	m.good += next.good
	m.over += next.over
	for k := range m.took {
		m.took[k] = append(m.took[k], next.took[k]...)
	}
	m.used.add(next.used)
	return err
}

// write is how long one write takes at the median, one after the other.
func (f *fleet) write(ctx context.Context) (time.Duration, error) {
	s, err := store.Connect(ctx, store.Cluster{URL: f.cluster, Replicas: size})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	values, err := s.Bucket(ctx, store.BucketConfig{Name: "calibrate", MaxBytes: 1 << 20})
	if err != nil {
		return 0, err
	}
	var took []time.Duration
	for n := range 100 {
		began := time.Now()
		if _, err := values.Create(ctx, fmt.Sprint(began.UnixNano(), ".", n), make([]byte, 1000)); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// idle is what the processes take without calls.
func (f *fleet) idle(ctx context.Context) (usage, error) {
	before, err := now(f.processes)
	if err != nil {
		return usage{}, err
	}
	select {
	case <-time.After(*each):
	case <-ctx.Done():
		return usage{}, ctx.Err()
	}
	after, err := now(f.processes)
	u := after.since(before)
	u.elapsed = *each
	return u, err
}
