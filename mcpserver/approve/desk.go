package approve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// Desk holds the questions, in a store that outlives the process and that several
// processes may share. It is safe for concurrent use.
type Desk struct {
	settings Settings
	now      func() time.Time
	keys     keys
	trays    *store.Bucket

	// changing holds one while a change is made, so that within this process nobody
	// has to try again.
	changing chan struct{}
}

const (
	// traysName and secretName are the buckets. The first forgets the questions of a
	// principal who has not asked anything for so long.
	traysName, secretName = "glovebox-approvals", "glovebox-approval-secret"
	traysKept             = 30 * 24 * time.Hour
	// maxTray and maxTrays bound in bytes what is kept of one principal, and of all.
	// The first is under what a message to a cluster may hold, 1 MiB.
	maxTray, maxTrays = 900 << 10, 128 << 20
	secretKey         = "secret"
	// changeTime bounds a change: two operations of a store that does not answer.
	changeTime = 10 * time.Second
)

// OpenDesk opens the desk in a store. now is its clock.
func OpenDesk(ctx context.Context, s *store.Store, settings Settings, now func() time.Time) (*Desk, error) {
	secrets, err := s.Bucket(ctx, store.BucketConfig{Name: secretName, MaxBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	secret := make([]byte, keyLength)
	rand.Read(secret)
	_, err = secrets.Create(ctx, secretKey, secret)
	if errors.Is(err, store.Conflict) { // as at every start but the first
		var e store.Entry
		e, err = secrets.Get(ctx, secretKey)
		secret = e.Value
	}
	if err == nil && len(secret) != keyLength {
		err = fmt.Errorf("the secret of the approvals has %d bytes", len(secret))
	}
	if err != nil {
		return nil, err
	}
	d := &Desk{settings: settings.WithDefaults(), now: now, keys: newKeys(secret), changing: make(chan struct{}, 1)}
	d.trays, err = s.Bucket(ctx, store.BucketConfig{Name: traysName, TTL: traysKept, MaxValue: maxTray, MaxBytes: maxTrays})
	return d, err
}

// Settings returns how long everything lasts here.
func (d *Desk) Settings() Settings { return d.settings }

// Wait returns the question once it is no longer open.
func (d *Desk) Wait(ctx context.Context, principal, id string) (Entry, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changes, err := d.trays.Watch(ctx, d.keys.tray(principal))
	if ctx.Err() != nil {
		return Entry{}, context.Cause(ctx)
	}
	if err != nil {
		return Entry{}, err
	}
	for e := range changes {
		t, err := d.read(e)
		if err != nil {
			return Entry{}, err
		}
		if q := t.find(id); q == nil {
			return Entry{}, ErrNoSuch
		} else if q.State != Open {
			return q.Entry, nil
		}
	}
	return Entry{}, cmp.Or(context.Cause(ctx), errLost)
}

var (
	// errLost ends a wait whose store was closed.
	errLost = errors.New("the store was closed")
	// errUnchanged leaves everything as it was, and is no failure.
	errUnchanged = errors.New("nothing to change")
)

// change lets f change the questions of one principal. f is called again when
// another process was faster, and what it did before then is forgotten; an error
// of it leaves everything as it was. So does an error of the store, unless the
// change was made and only its acknowledgement got lost: then a yes may be used
// up although nothing has run, and never the other way round.
func (d *Desk) change(ctx context.Context, principal string, f func(*tray, time.Time) error) error {
	// All changes wait for a store that does not answer, so the wait for one's turn
	// counts.
	ctx, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()
	select {
	case d.changing <- struct{}{}:
		defer func() { <-d.changing }()
	case <-ctx.Done():
		return fmt.Errorf("the approvals are busy: %w", context.Cause(ctx))
	}
	key := d.keys.tray(principal)
	for {
		e, err := d.trays.Get(ctx, key)
		fresh := errors.Is(err, store.NotFound)
		if err != nil && !fresh {
			return err
		}
		t, err := d.read(e)
		if err != nil {
			return err
		}
		now := d.now()
		if err := f(t, now); errors.Is(err, errUnchanged) {
			return nil
		} else if err != nil {
			return err
		}
		t.prune(now)
		text, err := json.Marshal(t)
		if err != nil {
			return err
		}
		if fresh {
			_, err = d.trays.Create(ctx, key, text)
		} else {
			_, err = d.trays.Update(ctx, key, text, e.Revision)
		}
		if !errors.Is(err, store.Conflict) {
			return err
		}
	}
}

// read is a tray as it is now.
func (d *Desk) read(e store.Entry) (*tray, error) {
	t := &tray{}
	if len(e.Value) == 0 {
		return t, nil
	}
	if err := json.Unmarshal(e.Value, t); err != nil {
		return nil, fmt.Errorf("the questions in %s cannot be read: %w", e.Key, err)
	}
	t.expire(d.now())
	return t, nil
}
