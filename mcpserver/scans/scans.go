// Package scans keeps the scans of MCP servers: what was seen, how it was scored, and
// what people said about the result.
//
//	History  a bucket of the store; Add, Rescore and Say append to it
//	Board    a folder with the last score of every server, for a gateway to read
//	Record   one scan, immutable: scoring again makes another record
//
// Records are versioned. The scanner and the rules know nothing of all this.
package scans

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/score"
)

const (
	// maxValue bounds one record, compressed: the store takes messages of 1 MiB. The
	// largest server known has 400 KB of tools, 40 KB compressed.
	maxValue = 900 << 10
	// maxOpened bounds a record that is read: what score.MaxItems items of every list
	// within score.MaxBody a page can take, with its report.
	maxOpened = 64 << 20
	// maxBytes of all records: about 20,000 scans of servers of usual size.
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
	Observation score.Observation `json:"observation"`
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

// History is all scans. It is safe for concurrent use.
type History struct {
	bucket *store.Bucket
	board  Board
	now    func() time.Time
}

// Open opens the history in a store. What becomes of every scan is put on the board.
func Open(ctx context.Context, s *store.Store, b Board, now func() time.Time) (*History, error) {
	bucket, err := s.Bucket(ctx, store.BucketConfig{Name: "glovebox-scans", MaxValue: maxValue, MaxBytes: maxBytes})
	if err != nil {
		return nil, err
	}
	return &History{bucket, b, now}, nil
}

// server is the first part of the keys of one target.
func server(t score.Target) string {
	sum := sha256.Sum256([]byte(t.Identity()))
	return hex.EncodeToString(sum[:8])
}

// Add keeps a scan.
func (h *History) Add(ctx context.Context, o score.Observation, r score.Report) (Record, error) {
	return h.add(ctx, Record{Observation: o, Report: r})
}

// Rescore keeps another score of a scan that stays as it is.
func (h *History) Rescore(ctx context.Context, of Record, r score.Report) (Record, error) {
	return h.add(ctx, Record{Of: cmp.Or(of.Of, of.ID), Observation: of.Observation, Report: r})
}

func (h *History) add(ctx context.Context, r Record) (Record, error) {
	r.Version, r.Made = version, h.now().UTC()
	// Keys of one target sort by time; the random end keeps two of one moment apart.
	r.ID = server(r.Observation.Target) + "-" + r.Made.Format("20060102T150405.000000") + "-" + strings.ToLower(rand.Text()[:4])
	r.ID = strings.ReplaceAll(r.ID, ".", "_")
	if err := h.create(ctx, "scan."+key(r.ID), r); err != nil {
		return r, err
	}
	return r, h.board.put(&r)
}

// key turns an id into the rest of a key: target, then the scan.
func key(id string) string { return strings.Replace(id, "-", ".", 1) }

func (h *History) create(ctx context.Context, key string, value any) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(value); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if b.Len() > maxValue {
		return fmt.Errorf("the scan has %d bytes compressed; at most %d are kept", b.Len(), maxValue)
	}
	_, err := h.bucket.Create(ctx, key, b.Bytes())
	return err
}

func open(value []byte, into any) error {
	z, err := gzip.NewReader(bytes.NewReader(value))
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(io.LimitReader(z, maxOpened))
	if err != nil {
		return err
	}
	if v := gjson.GetBytes(raw, "version").Int(); v != version {
		return fmt.Errorf("the record has version %d; this program reads %d", v, version)
	}
	return json.Unmarshal(raw, into)
}

// Get returns a scan by its id, or by a beginning of it that only one scan has.
func (h *History) Get(ctx context.Context, id string) (Record, error) {
	entries, err := h.bucket.List(ctx, "scan."+store.All)
	if err != nil {
		return Record{}, err
	}
	var found []store.Entry
	for _, e := range entries {
		name := strings.Replace(strings.TrimPrefix(e.Key, "scan."), ".", "-", 1)
		if name == id {
			found = []store.Entry{e}
			break
		}
		if strings.HasPrefix(name, id) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return Record{}, fmt.Errorf("%w: %q", ErrNone, id)
	case 1:
		var r Record
		return r, open(found[0].Value, &r)
	}
	return Record{}, fmt.Errorf("%w: %q is the beginning of %d", ErrNone, id, len(found))
}

// List returns the scans of a target, or all of them for nil, oldest first.
func (h *History) List(ctx context.Context, of *score.Target) ([]Record, error) {
	keys := "scan." + store.All
	if of != nil {
		keys = "scan." + server(*of) + "." + store.All
	}
	entries, err := h.bucket.List(ctx, keys)
	if err != nil {
		return nil, err
	}
	all := make([]Record, len(entries))
	for i, e := range entries {
		if err := open(e.Value, &all[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Key, err)
		}
	}
	slices.SortFunc(all, func(a, b Record) int { return a.Made.Compare(b.Made) })
	return all, nil
}

// Background returns what the history knows for scoring a target: its last scan, nil if
// there is none, and the descriptions that other servers have.
func (h *History) Background(ctx context.Context, of score.Target) (score.Background, *Record, error) {
	all, err := h.List(ctx, nil)
	if err != nil {
		return score.Background{}, nil, err
	}
	var before *Record
	bg := score.Background{Elsewhere: map[string][]score.Elsewhere{}}
	last := map[string]*score.Observation{}
	for i := range all {
		if o := &all[i].Observation; all[i].Of == "" && o.Hello != nil {
			last[o.Target.Identity()] = o
			if o.Target.Identity() == of.Identity() {
				before = &all[i]
			}
		}
	}
	for identity, o := range last {
		if identity == of.Identity() {
			bg.Previous = o
			continue
		}
		name := gjson.GetBytes(o.Hello.Server, "name").Str
		for _, raw := range o.Tools.Items {
			if d := gjson.GetBytes(raw, "description").Str; d != "" {
				hash := score.DescriptionHash(d)
				bg.Elsewhere[hash] = append(bg.Elsewhere[hash], score.Elsewhere{Identity: identity, Name: name})
			}
		}
	}
	for _, list := range bg.Elsewhere {
		slices.SortFunc(list, func(a, b score.Elsewhere) int { return strings.Compare(a.Identity, b.Identity) })
	}
	return bg, before, nil
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
	at := strings.ReplaceAll(f.Made.Format("20060102T150405.000000"), ".", "_")
	if err := h.create(ctx, "said."+key(r.ID)+"."+at+"-"+strings.ToLower(rand.Text()[:4]), f); err != nil {
		return Feedback{}, err
	}
	if kind == FalsePositive {
		err = h.board.forgive(r.Observation.Target, r.ID, rule)
	}
	return f, err
}

// Said returns all opinions, oldest first.
func (h *History) Said(ctx context.Context) ([]Feedback, error) {
	entries, err := h.bucket.List(ctx, "said."+store.All)
	if err != nil {
		return nil, err
	}
	all := make([]Feedback, len(entries))
	for i, e := range entries {
		if err := open(e.Value, &all[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Key, err)
		}
	}
	slices.SortFunc(all, func(a, b Feedback) int { return a.Made.Compare(b.Made) })
	return all, nil
}
