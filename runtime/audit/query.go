package audit

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
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
	Seq     uint64 // the number of one record
	ID      string
	Tool    string // name or id
	Outcome Outcome
	Level   string // such as "L3"
	Kind    string // of the cause
	Caller  string // the principal
	// Text stands somewhere in the record, as the file has it. The letters A to Z are
	// the same as a to z.
	Text   string
	Since  time.Time
	Until  time.Time // exclusive
	After  uint64    // numbers above this one
	Before uint64    // numbers below this one
}

func (f Filter) match(e Entry) bool {
	r := e.Record
	switch {
	case f.Seq != 0 && e.Seq != f.Seq,
		f.ID != "" && r.ID != f.ID,
		f.Tool != "" && r.Tool != f.Tool && r.ToolID != f.Tool,
		f.Outcome != "" && r.Outcome != f.Outcome,
		f.Level != "" && r.RiskLevel != f.Level,
		f.Kind != "" && (r.Cause == nil || r.Cause.Kind != f.Kind),
		f.Caller != "" && r.Caller != f.Caller,
		f.After != 0 && e.Seq <= f.After,
		f.Before != 0 && e.Seq >= f.Before,
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
	return NewSearcher(path).Read(filter, f)
}

// Last returns the newest n records that match, oldest first.
func Last(path string, filter Filter, n int) ([]Entry, error) {
	page, err := NewSearcher(path).Search(context.Background(), filter, n)
	slices.Reverse(page.Entries)
	return page.Entries, err
}

// Find calls f for the records of one invocation, oldest first: those with an id, or
// the one with a number.
func Find(path, reference string, f func(Entry) error) error {
	if number, err := strconv.ParseUint(reference, 10, 64); err == nil && number > 0 {
		if err := Read(path, Filter{Seq: number}, f); err != nil {
			return err
		}
	}
	return Read(path, Filter{ID: reference}, f)
}

// entryOf reads a line. ok is false if it is no record.
func entryOf(text []byte) (e Entry, ok bool, err error) {
	l, err := parseWhole(text)
	if errors.Is(err, errNewer) {
		return e, false, err
	}
	if err != nil {
		return e, false, nil
	}
	e = Entry{Seq: l.seq, Hash: l.hash.String()}
	return e, json.Unmarshal(l.record, &e.Record) == nil, nil
}
