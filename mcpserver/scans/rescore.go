package scans

import (
	"cmp"
	"context"
	"sync"

	"github.com/glovebox-run/glovebox/risk/score"
	"github.com/glovebox-run/glovebox/risk/score/advisory"
)

// rescorers is how many servers are scored again at the same time. Writing waits for the
// disk as long as scoring computes, so it is more than the cores of most machines.
const rescorers = 16

// RescoreAll scores scans by the rules of this version and keeps each score as another
// record. each is called for one at a time, in the order of the rows, with the row as it
// was and as it is now; an error of it ends the rest.
func (h *History) RescoreAll(ctx context.Context, rows []Row, p score.Profile, known advisory.List, each func(before, after Row) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		row Row
		err error
	}
	results := make([]chan result, len(rows))
	// The scores of one server are kept one after the other: the last one counts.
	servers := map[string][]int{}
	var order []string
	for i, r := range rows {
		results[i] = make(chan result, 1)
		first := target(r.ID)
		if servers[first] == nil {
			order = append(order, first)
		}
		servers[first] = append(servers[first], i)
	}
	work := make(chan []int)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	for range min(rescorers, len(order)) {
		wait.Go(func() {
			for indices := range work {
				for _, i := range indices {
					row, err := h.rescore(ctx, rows[i], p, known)
					results[i] <- result{row, err}
				}
			}
		})
	}
	wait.Go(func() {
		defer close(work)
		for _, first := range order {
			select {
			case work <- servers[first]:
			case <-ctx.Done():
				return
			}
		}
	})
	for i, r := range rows {
		select {
		case done := <-results[i]:
			if done.err != nil {
				return done.err
			}
			if err := each(r, done.row); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (h *History) rescore(ctx context.Context, of Row, p score.Profile, known advisory.List) (Row, error) {
	o, err := h.seen(ctx, of)
	if err != nil {
		return Row{}, err
	}
	made := h.now().UTC()
	rec := Record{Version: version, ID: newID(o.Target, made), Of: cmp.Or(of.Of, of.ID), Made: made, Observation: o,
		Report: score.Evaluate(o, p, score.Background{Advisories: known})}
	if err := h.add(ctx, &rec); err != nil {
		return Row{}, err
	}
	row, err := rowOf(keyOf(&rec))
	row.Target = o.Target
	return row, err
}
