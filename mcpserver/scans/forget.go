package scans

import (
	"cmp"
	"context"
	"time"
)

// Old returns the scans of rows that are not among the newest keep of their server and
// were made before a moment; the zero moment means any. At least one scan of a server
// stays: the next one is compared with it. Later scores are not among them: they go with
// their scan.
func Old(rows []Row, keep int, before time.Time) []Row {
	newer := map[string]int{}
	var old []Row
	for i := len(rows) - 1; i >= 0; i-- { // rows are oldest first
		r := rows[i]
		if r.Of != "" {
			continue
		}
		of := target(r.ID)
		if newer[of] >= max(keep, 1) && (before.IsZero() || r.Made.Before(before)) {
			old = append(old, r)
		}
		newer[of]++
	}
	return old
}

// Forget removes a scan with all its scores, for good. What was said about it stays, and
// so does the board: it tells how the last scan ended, whatever is remembered of it.
// A full history still forgets.
func (h *History) Forget(ctx context.Context, row Row) error {
	id := cmp.Or(row.Of, row.ID)
	all, err := h.of(ctx, target(id))
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.ID == id || r.Of == id {
			if err := h.bucket.Erase(ctx, r.key); err != nil {
				return err
			}
		}
	}
	return h.bucket.Erase(ctx, "seen."+key(id)) // last, so that every scan that is listed is whole
}
