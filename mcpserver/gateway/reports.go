package gateway

import (
	"context"
	"errors"

	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/risk/score"
)

var errOther = errors.New("the verb answers something else")

// Scanned is the last scan of a server, and the one before.
type Scanned struct {
	Last scans.Record
	// Before is nil if there was one scan only; Compared then has nothing.
	Before   *scans.Record
	Compared score.Comparison
}

// LastScan returns the last scan of a server, nil if it was never scanned.
func (g *Gateway) LastScan(ctx context.Context, name string) (*Scanned, error) {
	r := g.registry.Now().Upstream(name)
	if r == nil {
		return nil, g.noServer(name)
	}
	target := scans.TargetOf(&r.Config)
	last, err := g.options.Scores.Of(target)
	if err != nil || last == nil {
		return nil, err
	}
	history, done, err := g.options.Scans(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	scanned := &Scanned{}
	if scanned.Last, err = history.Get(ctx, last.Scan); err != nil {
		return nil, err
	}
	rows, err := history.Rows(ctx)
	if err != nil {
		return nil, err
	}
	before := ""
	for _, row := range rows { // oldest first
		if row.Of == "" && row.Target.Identity() == target.Identity() && row.ID != last.Scan && row.Made.Before(scanned.Last.Made) {
			before = row.ID
		}
	}
	if before != "" {
		old, err := history.Get(ctx, before)
		if err != nil {
			return nil, err
		}
		scanned.Before = &old
		scanned.Compared = score.Compare(&old.Report, &scanned.Last.Report, &old.Observation, &scanned.Last.Observation)
	}
	return scanned, nil
}
