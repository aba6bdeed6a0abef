package scans

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/score"
)

// Row is what a list shows of one scan.
type Row struct {
	ID      string
	Of      string // the scan that was scored again
	Made    time.Time
	Target  score.Target
	Profile score.Profile
	Score   int
	Grade   string // empty: nothing proved that it is an MCP server
	Verdict score.Verdict
	Spoke   bool // the handshake completed

	key string
}

// Keys of the bucket. A scan's key says what a Row shows, so that listing ten thousand
// scans reads no record; what was seen and how its server is called have keys of their
// own.
//
//	seen.SERVER.SCAN                                              score.Observation
//	scan.SERVER.SCAN.PROFILE.SCORE.GRADE.VERDICT.SPOKE.OF         Record
//	server.SERVER                                                 known
//	said.SERVER.SCAN.TIME                                         Feedback
//	id, brought.ID                                                see BringIn
//
// SERVER and SCAN are the parts of an id; OF is the SCAN that was scored again.
const nothing = "-" // a part of a key that has no value

// server is the first part of the ids of one target.
func server(t score.Target) string {
	return keyOfIdentity(t.Identity())
}

func keyOfIdentity(of string) string {
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:8])
}

// newID makes the id of a scan. Those of one target sort by time; the random end keeps
// two of one moment apart.
func newID(t score.Target, made time.Time) string {
	return server(t) + "-" + moment(made) + "-" + strings.ToLower(rand.Text()[:4])
}

const momentLayout = "20060102T150405.000000"

func moment(t time.Time) string { return strings.Replace(t.Format(momentLayout), ".", "_", 1) }

// key turns an id into two parts of a key: target, then the scan.
func key(id string) string { return strings.Replace(id, "-", ".", 1) }

// target is the server of an id, or all of them for what does not begin with one.
func target(id string) string {
	if first, _, cut := strings.Cut(id, "-"); cut && first != "" && strings.Trim(first, "0123456789abcdef") == "" {
		return first
	}
	return "*"
}

func keyOf(r *Record) string {
	_, of, _ := strings.Cut(r.Of, "-")
	return strings.Join([]string{"scan", key(r.ID), string(r.Report.Profile), strconv.Itoa(r.Report.Score), cmp.Or(r.Report.Grade, nothing),
		string(r.Report.Verdict), strconv.FormatBool(r.Observation.Hello != nil), cmp.Or(of, nothing)}, ".")
}

// rowOf reads a key that keyOf made; the target is not in it.
func rowOf(key string) (Row, error) {
	parts := strings.Split(key, ".")
	if len(parts) != 9 {
		return Row{}, fmt.Errorf("%q is no key of a scan", key)
	}
	r := Row{ID: parts[1] + "-" + parts[2], Profile: score.Profile(parts[3]), Grade: strings.TrimPrefix(parts[5], nothing), Verdict: score.Verdict(parts[6]), key: key}
	when, _, _ := strings.Cut(parts[2], "-")
	var errs [3]error
	r.Made, errs[0] = time.Parse(momentLayout, strings.Replace(when, "_", ".", 1))
	r.Score, errs[1] = strconv.Atoi(parts[4])
	r.Spoke, errs[2] = strconv.ParseBool(parts[7])
	if parts[8] != nothing {
		r.Of = parts[1] + "-" + parts[8]
	}
	if err := errors.Join(errs[:]...); err != nil {
		return Row{}, fmt.Errorf("%q is no key of a scan: %w", key, err)
	}
	return r, nil
}

// of returns the rows of one server, or with * of all, oldest first and without targets.
func (h *History) of(ctx context.Context, server string) ([]Row, error) {
	keys, err := h.bucket.LatestKeys(ctx, "scan."+server+"."+store.All)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(keys))
	for i, k := range keys {
		if rows[i], err = rowOf(k); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Or(a.Made.Compare(b.Made), strings.Compare(a.ID, b.ID)) })
	return rows, nil
}

// Rows returns all scans, oldest first.
func (h *History) Rows(ctx context.Context) ([]Row, error) {
	rows, err := h.of(ctx, "*")
	if err != nil {
		return nil, err
	}
	servers, err := h.servers(ctx)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].Target = servers[rows[i].ID[:strings.IndexByte(rows[i].ID, '-')]].Target
	}
	return rows, nil
}

// Find returns the row of a scan by its id, or by a beginning of it that only one scan
// has. The row is without its target.
func (h *History) Find(ctx context.Context, id string) (Row, error) {
	all, err := h.of(ctx, target(id))
	if err != nil {
		return Row{}, err
	}
	var found []Row
	for _, row := range all {
		if row.ID == id {
			return row, nil
		}
		if strings.HasPrefix(row.ID, id) {
			found = append(found, row)
		}
	}
	switch len(found) {
	case 0:
		return Row{}, fmt.Errorf("%w: %q", ErrNone, id)
	case 1:
		return found[0], nil
	}
	return Row{}, fmt.Errorf("%w: %q is the beginning of %d", ErrNone, id, len(found))
}

// known is what is kept of a server beside its scans.
type known struct {
	Version int          `json:"version"`
	Target  score.Target `json:"target"`
	Name    string       `json:"name,omitempty"` // serverInfo.name
	// Descriptions are the hashes of those of its last scan, shortened.
	Descriptions []string `json:"descriptions,omitempty"`
}

// hashed is how much of a score.DescriptionHash is kept: 128 bits.
const hashed = 32

func (h *History) servers(ctx context.Context) (map[string]known, error) {
	entries, err := h.bucket.LatestList(ctx, "server.*")
	if err != nil {
		return nil, err
	}
	all := make(map[string]known, len(entries))
	for _, e := range entries {
		var k known
		if err := h.unpack(e.Value, &k); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Key, err)
		}
		all[strings.TrimPrefix(e.Key, "server.")] = k
	}
	return all, nil
}

// note keeps what the last scan of a server says of it. Of two at once the later write
// stays.
func (h *History) note(ctx context.Context, r *Record) error {
	o := &r.Observation
	at := "server." + server(o.Target)
	k := known{Version: version, Target: o.Target}
	if o.Hello != nil {
		k.Name = gjson.GetBytes(o.Hello.Server, "name").Str
		for _, raw := range o.Tools.Items {
			if d := gjson.GetBytes(raw, "description").Str; d != "" {
				k.Descriptions = append(k.Descriptions, score.DescriptionHash(d)[:hashed])
			}
		}
	}
	for {
		old, err := h.bucket.Latest(ctx, at)
		var packed []byte
		switch {
		case errors.Is(err, store.NotFound):
			err = h.create(ctx, at, k)
		case err == nil:
			if o.Hello == nil {
				return nil // what it said before still counts
			}
			if packed, err = h.pack(k); err == nil {
				_, err = h.bucket.Update(ctx, at, packed, old.Revision)
			}
		}
		if !errors.Is(err, store.Conflict) {
			return err
		}
	}
}

// elsewhere returns which of the descriptions in o other servers have.
func (h *History) elsewhere(ctx context.Context, o *score.Observation) (map[string][]score.Elsewhere, error) {
	wanted := map[string]string{}
	for _, raw := range o.Tools.Items {
		if d := gjson.GetBytes(raw, "description").Str; d != "" {
			whole := score.DescriptionHash(d)
			wanted[whole[:hashed]] = whole
		}
	}
	servers, err := h.servers(ctx)
	if err != nil {
		return nil, err
	}
	delete(servers, server(o.Target))
	all := map[string][]score.Elsewhere{}
	for _, k := range servers {
		for _, short := range k.Descriptions {
			if whole, ok := wanted[short]; ok {
				all[whole] = append(all[whole], score.Elsewhere{Identity: k.Target.Identity(), Name: k.Name})
			}
		}
	}
	for _, list := range all {
		slices.SortFunc(list, func(a, b score.Elsewhere) int { return strings.Compare(a.Identity, b.Identity) })
	}
	return all, nil
}
