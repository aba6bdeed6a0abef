// Package scans keeps the scans of MCP servers: what was seen, how it was scored, and
// what people said about the result.
//
//	History  a bucket of the store; Add, Rescore and Say append to it, Forget removes
//	Row      what a list shows of one scan; it is read from keys alone
//	Record   one scan, immutable: scoring again makes another record of what was seen
//	Board    the last score of every server, for a gateway to read: a Folder of one
//	         machine, or Shared by the servers of a cluster
//	Opener   opens a history where it is: Local, or In a cluster
//
// Records are versioned. The scanner and the rules know nothing of all this.
package scans

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/score"
)

const (
	// maxValue bounds one value, compressed: the store takes messages of 1 MiB. The
	// largest server known has 400 KB of tools, 40 KB compressed.
	maxValue = 900 << 10
	// maxOpened bounds a value that is read: what score.MaxItems items of every list
	// within score.MaxBody a page can take, with its report.
	maxOpened = 64 << 20
	// maxBytes of everything: about 50,000 scans of servers of usual size.
	maxBytes = 512 << 20
	version  = 1
)

// ErrNone means that there is no such scan.
var ErrNone = errors.New("there is no such scan")

// Record is one scored scan.
type Record struct {
	Version     int               `json:"version"`
	ID          string            `json:"id"`
	Of          string            `json:"of,omitempty"` // the record that was scored again
	Made        time.Time         `json:"made"`
	Observation score.Observation `json:"-"` // kept once for all scores of it
	Report      score.Report      `json:"report"`
}

// Kind is what somebody says about a result.
type Kind string

const (
	FalsePositive Kind = "false-positive"
	FalseNegative Kind = "false-negative"
	Confirmed     Kind = "confirmed"
)

// Kinds in the order of messages.
var Kinds = []Kind{FalsePositive, FalseNegative, Confirmed}

// Feedback is one opinion on one rule of one scan.
type Feedback struct {
	Version int       `json:"version"`
	Scan    string    `json:"scan"`
	Rule    string    `json:"rule"`
	Kind    Kind      `json:"kind"`
	Note    string    `json:"note,omitempty"`
	Made    time.Time `json:"made"`
}

// History is all scans. It is safe for concurrent use; in a cluster, what one server has
// kept all others find.
type History struct {
	bucket *store.Bucket
	board  Board
	now    func() time.Time
	packer
}

// Open opens the history in a store. What becomes of every scan is put on the board.
func Open(ctx context.Context, s *store.Store, b Board, now func() time.Time) (*History, error) {
	bucket, err := s.Bucket(ctx, store.BucketConfig{Name: "glovebox-scans", MaxValue: maxValue, MaxBytes: maxBytes})
	if err != nil {
		return nil, err
	}
	p, err := newPacker()
	return &History{bucket, b, now, p}, err
}

// Add keeps a scan.
func (h *History) Add(ctx context.Context, o score.Observation, r score.Report) (Record, error) {
	made := h.now().UTC()
	rec := Record{Version: version, ID: newID(o.Target, made), Made: made, Observation: o, Report: r}
	// What is scored comes before its score, so that every scan that is listed is whole.
	err := h.create(ctx, "seen."+key(rec.ID), o)
	if err == nil {
		err = h.note(ctx, &rec)
	}
	if err != nil {
		return rec, err
	}
	return rec, h.add(ctx, &rec)
}

func (h *History) add(ctx context.Context, r *Record) error {
	if err := h.create(ctx, keyOf(r), r); err != nil {
		return err
	}
	return put(ctx, h.board, r)
}

func (h *History) create(ctx context.Context, key string, value any) error {
	packed, err := h.pack(value)
	if err == nil {
		_, err = h.bucket.Create(ctx, key, packed)
	}
	if errors.Is(err, store.Full) {
		err = fmt.Errorf("%w; glovebox scan forget --keep 5 removes old scans", err)
	}
	return err
}

// Get returns a scan by its id, or by a beginning of it that only one scan has.
func (h *History) Get(ctx context.Context, id string) (Record, error) {
	row, err := h.Find(ctx, id)
	if err != nil {
		return Record{}, err
	}
	return h.read(ctx, row)
}

// read returns the scan of a row.
func (h *History) read(ctx context.Context, row Row) (Record, error) {
	entry, err := h.bucket.Latest(ctx, row.key)
	if err != nil {
		return Record{}, err
	}
	var r Record
	if err := h.unpack(entry.Value, &r); err != nil {
		return Record{}, fmt.Errorf("scan %s: %w", row.ID, err)
	}
	r.Observation, err = h.seen(ctx, row)
	return r, err
}

// seen returns what the scan of a row saw.
func (h *History) seen(ctx context.Context, row Row) (score.Observation, error) {
	entry, err := h.bucket.Latest(ctx, "seen."+key(cmp.Or(row.Of, row.ID)))
	if err != nil {
		return score.Observation{}, err
	}
	var o score.Observation
	if err := h.unpack(entry.Value, &o); err != nil {
		return score.Observation{}, fmt.Errorf("scan %s: %w", row.ID, err)
	}
	return o, nil
}

// Background returns what the history knows for scoring what was seen: the last scan of
// the same server, nil if there is none, and the descriptions that other servers have too.
func (h *History) Background(ctx context.Context, o *score.Observation) (score.Background, *Record, error) {
	bg := score.Background{}
	rows, err := h.of(ctx, server(o.Target))
	if err != nil {
		return bg, nil, err
	}
	var before *Record
	for _, row := range slices.Backward(rows) {
		if row.Of != "" || !row.Spoke {
			continue
		}
		r, err := h.read(ctx, row)
		if err != nil {
			return bg, nil, err
		}
		before, bg.Previous = &r, &r.Observation
		break
	}
	bg.Elsewhere, err = h.elsewhere(ctx, o)
	return bg, before, err
}

// Say appends an opinion on a rule of a scan. Nothing is ever changed or removed.
func (h *History) Say(ctx context.Context, scan, rule string, kind Kind, note string) (Feedback, error) {
	r, err := h.Get(ctx, scan)
	if err != nil {
		return Feedback{}, err
	}
	if !slices.Contains(Kinds, kind) {
		return Feedback{}, fmt.Errorf("kind %q: want one of %v", kind, Kinds)
	}
	if !slices.ContainsFunc(r.Report.Rules, func(f score.Result) bool { return f.ID == rule }) {
		return Feedback{}, fmt.Errorf("the scan has no rule %q", rule)
	}
	f := Feedback{Version: version, Scan: r.ID, Rule: rule, Kind: kind, Note: note, Made: h.now().UTC()}
	if err := h.create(ctx, "said."+key(r.ID)+"."+moment(f.Made)+"-"+strings.ToLower(rand.Text()[:4]), f); err != nil {
		return Feedback{}, err
	}
	if kind == FalsePositive {
		err = forgive(ctx, h.board, server(r.Observation.Target), r.ID, rule)
	}
	return f, err
}

// Said returns all opinions, oldest first.
func (h *History) Said(ctx context.Context) ([]Feedback, error) {
	entries, err := h.bucket.LatestList(ctx, "said."+store.All)
	if err != nil {
		return nil, err
	}
	all := make([]Feedback, len(entries))
	for i, e := range entries {
		if err := h.unpack(e.Value, &all[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Key, err)
		}
	}
	slices.SortFunc(all, func(a, b Feedback) int { return a.Made.Compare(b.Made) })
	return all, nil
}
