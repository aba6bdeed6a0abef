package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
	Since   time.Time
	Until   time.Time // exclusive
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
	if filter == (Filter{}) {
		err = chain.each(func(_ string, _ int, text []byte) error {
			e, ok, err := entryOf(text)
			if err != nil || !ok {
				return err
			}
			return f(e)
		})
	} else {
		for i, file := range chain.files {
			if err == nil {
				err = search(path, file, chain.sizes[i], filter, false, f)
			}
		}
	}
	if err != nil && !errors.Is(err, ErrStop) {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// Last returns the newest n records that match, oldest first.
func Last(path string, filter Filter, n int) ([]Entry, error) {
	var found []Entry
	if n <= 0 {
		return found, nil
	}
	chain, err := takeSnapshot(path)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	defer chain.close()
	for i, file := range slices.Backward(chain.files) {
		err := search(path, file, chain.sizes[i], filter, true, func(e Entry) error {
			if found = append(found, e); len(found) == n {
				return ErrStop
			}
			return nil
		})
		if errors.Is(err, ErrStop) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("audit: %w", err)
		}
	}
	slices.Reverse(found)
	return found, nil
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

// search calls f for the matching records of one file, newest first if backward.
func search(path string, file *os.File, size int64, filter Filter, backward bool, f func(Entry) error) error {
	x, err := openIndex(path, file, size)
	if err != nil {
		return err
	}
	want := wantedBy(filter)
	var text []byte
	for i := range x.len() {
		if backward {
			i = x.len() - 1 - i
		}
		r := x.row(i)
		if !want.fits(r) {
			continue
		}
		if r.offset < 0 || r.size > maxLine || r.offset+int64(r.size) > x.covered {
			return fmt.Errorf("the index of %s is damaged: delete %s, it is built again", file.Name(), indexName(path, x.first))
		}
		text = slices.Grow(text[:0], int(r.size))[:r.size]
		if _, err := file.ReadAt(text, r.offset); err != nil {
			return err
		}
		e, ok, err := entryOf(text)
		if err != nil {
			return err
		}
		if ok && filter.match(e) {
			if err := f(e); err != nil {
				return err
			}
		}
	}
	return nil
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
