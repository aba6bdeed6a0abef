package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Entry is a record and its place in the chain.
type Entry struct {
	Seq uint64 `json:"seq"`
	Record
	Hash string `json:"hash"`
}

// Filter selects records; a zero field selects all.
type Filter struct {
	ID      string
	Tool    string // name or id
	Outcome Outcome
	Level   string // such as "L3"
	Kind    string // of the cause
	Since   time.Time
	Until   time.Time // exclusive
}

func (f Filter) match(r Record) bool {
	switch {
	case f.ID != "" && r.ID != f.ID,
		f.Tool != "" && r.Tool != f.Tool && r.ToolID != f.Tool,
		f.Outcome != "" && r.Outcome != f.Outcome,
		f.Level != "" && r.RiskLevel != f.Level,
		f.Kind != "" && (r.Cause == nil || r.Cause.Kind != f.Kind),
		!f.Since.IsZero() && r.Time.Before(f.Since),
		!f.Until.IsZero() && !r.Time.Before(f.Until):
		return false
	}
	return true
}

// ErrStop ends Read early without an error.
var ErrStop = errors.New("stop")

// Read calls f for every matching record, oldest first. It verifies nothing, and skips
// a line that is no record; Verify reports such lines.
func Read(path string, filter Filter, f func(Entry) error) error {
	chain, err := takeSnapshot(path)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	defer chain.close()
	err = chain.each(func(_ string, _ int, text []byte) error {
		l, err := parseWhole(text)
		if errors.Is(err, errNewer) {
			return err
		}
		if err != nil {
			return nil
		}
		e := Entry{Seq: l.seq, Hash: l.hash.String()}
		if json.Unmarshal(l.record, &e.Record) != nil || !filter.match(e.Record) {
			return nil
		}
		return f(e)
	})
	if err != nil && !errors.Is(err, ErrStop) {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// Last returns the newest n records that match, oldest first.
func Last(path string, filter Filter, n int) ([]Entry, error) {
	var ring []Entry
	next := 0
	err := Read(path, filter, func(e Entry) error {
		if len(ring) < n {
			ring = append(ring, e)
		} else if n > 0 {
			ring[next] = e
			next = (next + 1) % n
		}
		return nil
	})
	return append(ring[next:len(ring):len(ring)], ring[:next]...), err
}
