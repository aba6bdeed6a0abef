package scans

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

const (
	// idKey is under which the history of a cluster has its id, and broughtKey followed by
	// that id is under which a machine's has how far it was brought in: each scan once, so
	// that what was forgotten there does not come back.
	idKey, broughtKey = "id", "brought."
)

// BringIn copies what a machine has scanned by itself into the history of a cluster, from
// where the copy before ended, and returns how many scans that were. The machine's history
// stays as it is. A copy that was interrupted is begun again: what is there is not written
// twice.
func (h *History) BringIn(ctx context.Context, own *History, last Folder) (brought int, err error) {
	id, err := h.id(ctx)
	if err != nil {
		return 0, err
	}
	mark, err := own.bucket.Get(ctx, broughtKey+id)
	if err != nil && !errors.Is(err, store.NotFound) {
		return 0, err
	}
	from := uint64(0)
	if err == nil {
		if from, err = strconv.ParseUint(string(mark.Value), 10, 64); err != nil {
			return 0, fmt.Errorf("%s: %w", mark.Key, err)
		}
	}
	keys, newest, err := own.bucket.KeysAfter(ctx, "*.*."+store.All, from) // neither marks nor servers
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	if err := h.bringLast(ctx, last); err != nil {
		return 0, err
	}
	servers := map[string]bool{}
	for _, key := range keys { // oldest first, so what was seen comes before its score
		isScan, err := h.bringOne(ctx, own, key)
		if err != nil {
			return brought, err
		}
		if isScan {
			brought++
			servers["server."+strings.Split(key, ".")[1]] = true
		}
	}
	for key := range servers {
		if err := h.copy(ctx, own, key); err != nil {
			return brought, err
		}
	}
	done := []byte(strconv.FormatUint(newest, 10))
	if mark.Revision == 0 {
		_, err = own.bucket.Create(ctx, broughtKey+id, done)
	} else {
		_, err = own.bucket.Update(ctx, broughtKey+id, done, mark.Revision)
	}
	return brought, err
}

// id returns what tells this history from those of other clusters.
func (h *History) id(ctx context.Context) (string, error) {
	_, err := h.bucket.Create(ctx, idKey, []byte(rand.Text()))
	if err != nil && !errors.Is(err, store.Conflict) {
		return "", err
	}
	e, err := h.bucket.Latest(ctx, idKey)
	return string(e.Value), err
}

// copy copies one value, unless there is one already.
func (h *History) copy(ctx context.Context, own *History, key string) error {
	e, err := own.bucket.Get(ctx, key)
	if errors.Is(err, store.NotFound) {
		return nil // forgotten meanwhile
	}
	if err == nil {
		_, err = h.bucket.Create(ctx, key, e.Value)
	}
	if errors.Is(err, store.Conflict) {
		err = nil
	}
	return err
}

// bringOne copies one value, and does what Add and Say do beside keeping it.
func (h *History) bringOne(ctx context.Context, own *History, key string) (isScan bool, err error) {
	if err := h.copy(ctx, own, key); err != nil {
		return false, err
	}
	switch kind, rest, _ := strings.Cut(key, "."); kind {
	case "scan":
		return true, h.bringScan(ctx, own, key)
	case "said":
		e, err := own.bucket.Get(ctx, key)
		var f Feedback
		if err == nil {
			err = h.unpack(e.Value, &f)
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", key, err)
		}
		if f.Kind == FalsePositive {
			of, _, _ := strings.Cut(rest, ".")
			return false, forgive(ctx, h.board, of, f.Scan, f.Rule)
		}
	}
	return false, nil
}

func (h *History) bringScan(ctx context.Context, own *History, key string) error {
	row, err := rowOf(key)
	if err != nil {
		return err
	}
	r, err := own.read(ctx, row)
	if errors.Is(err, store.NotFound) {
		return nil // forgotten meanwhile
	}
	if err == nil {
		err = put(ctx, h.board, &r)
	}
	return err
}

// bringLast copies how the last scans ended where the cluster knows nothing newer: the
// history may have forgotten those scans, and the board has not.
func (h *History) bringLast(ctx context.Context, folder Folder) error {
	files, err := os.ReadDir(string(folder))
	if errors.Is(err, fs.ErrNotExist) || folder == "" {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		of, is := strings.CutSuffix(f.Name(), ".json")
		if !is {
			continue
		}
		last, err := folder.of(of)
		if err != nil || last == nil {
			continue // it counts for nobody here either, and is said where it is asked for
		}
		err = h.board.change(ctx, of, func(before *Last) *Last {
			if before == nil {
				return last
			}
			if !last.Seen.After(before.Seen) {
				return nil
			}
			return last.after(before, false)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
