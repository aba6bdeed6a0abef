package approve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
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
	places   *store.Bucket // the key of the tray that a question is in, by its id

	lanes [lanes]lane

	// reading holds a value while known is used.
	reading chan struct{}
	known   known
}

const (
	// traysName and secretName are the buckets. The first forgets a principal's
	// questions when none has changed for traysKept.
	traysName, secretName = "glovebox-approvals", "glovebox-approval-secret"
	traysKept             = 30 * 24 * time.Hour
	// maxTray and maxTrays bound the bytes kept for one principal and for all. The
	// first is below the message limit of a cluster, 1 MiB.
	maxTray, maxTrays = 900 << 10, 128 << 20
	secretKey         = "secret"
	// placesName is a bucket that finds a question without reading all of them. A
	// question missing there, because it is older or the bucket is full, is searched
	// for.
	placesName          = "glovebox-approval-places"
	placesKept          = 24 * time.Hour
	maxPlace, maxPlaces = 1 << 10, 8 << 20
	// electionTime is how long a change waits for a cluster to elect a leader; again is
	// the pause between two attempts.
	electionTime, again = 5 * time.Second, 100 * time.Millisecond
	// readTime bounds one read, so that there is time for a retry.
	readTime = time.Second
	// changeTime bounds a change: two operations of an unresponsive cluster, or one of a
	// disk that is.
	changeTime = 30 * time.Second
)

// OpenDesk opens the desk in a store. now is its clock.
func OpenDesk(ctx context.Context, s *store.Store, settings Settings, now func() time.Time) (*Desk, error) {
	secrets, err := s.Bucket(ctx, store.BucketConfig{Name: secretName, MaxBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	if err := checkFormat(ctx, secrets); err != nil {
		return nil, err
	}
	secret := make([]byte, keyLength)
	rand.Read(secret)
	_, err = secrets.Create(ctx, secretKey, secret)
	if errors.Is(err, store.Conflict) { // at every start but the first
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
	d := &Desk{settings: settings.WithDefaults(), now: now, keys: newKeys(secret), reading: make(chan struct{}, 1)}
	for i := range d.lanes {
		d.lanes[i] = newLane()
	}
	d.trays, err = s.Bucket(ctx, store.BucketConfig{Name: traysName, TTL: traysKept, MaxValue: maxTray, MaxBytes: maxTrays})
	if err == nil {
		d.places, err = s.Bucket(ctx, store.BucketConfig{Name: placesName, TTL: placesKept, MaxValue: maxPlace, MaxBytes: maxPlaces})
	}
	return d, err
}

// formatKey holds the version of everything the desk keeps in its buckets. It grows
// when an older program must not touch them.
const (
	formatKey     = "format"
	formatVersion = 1
)

// checkFormat refuses buckets that a newer program has written.
func checkFormat(ctx context.Context, secrets *store.Bucket) error {
	_, err := secrets.Create(ctx, formatKey, []byte(strconv.Itoa(formatVersion)))
	if !errors.Is(err, store.Conflict) {
		return err
	}
	e, err := secrets.Latest(ctx, formatKey)
	if err != nil {
		return err
	}
	version, err := strconv.Atoi(string(e.Value))
	if err != nil || version > formatVersion {
		return fmt.Errorf("the approvals have format %q, and this program knows %d: a newer one has written them; use that one, or restore the backup from before", e.Value, formatVersion)
	}
	return nil
}

// Check returns why no question can be stored now, or nil. It writes to the bucket of
// the questions.
func (d *Desk) Check(ctx context.Context) error { return d.trays.Check(ctx) }

// Settings returns the time limits of this desk.
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
	// errUnchanged means that nothing is to be changed; it is no failure.
	errUnchanged = errors.New("nothing to change")
	// errEnough is errUnchanged of a change that does not need to know what is newest.
	errEnough = errors.New("nothing to change, and nothing rests on it")
)

// change lets f change the questions of one principal. After a conflict with another
// process, f is called again and its earlier changes are discarded. An error of f
// leaves everything unchanged. So does an error of the store, unless the change was
// made and only its acknowledgement got lost: then a yes may be spent although
// nothing has run, never the other way round.
func (d *Desk) change(ctx context.Context, principal string, f func(*tray, time.Time) error) error {
	// An unresponsive store delays all changes, so the timeout includes the wait for
	// the turn.
	ctx, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()
	key := d.keys.tray(principal)
	l := d.lane(key)
	select {
	case l.changing <- struct{}{}:
		defer func() { <-l.changing }()
	case <-ctx.Done():
		return fmt.Errorf("the approvals are busy: %w", context.Cause(ctx))
	}
	election := d.elected()
	for latest := false; ; {
		unchanged, err := d.attempt(ctx, l, key, latest, f)
		switch {
		case errors.Is(err, store.Conflict):
			latest = true // another process changed it first
		case errors.Is(err, store.Unreachable) && election(ctx):
		case !latest && (unchanged || err != nil) && !errors.As(err, new(*store.Error)):
			// The read may be stale, and a refusal must not rest on stale data.
			latest = true
		default:
			return err
		}
	}
}

// elected returns a function that waits a moment for a leader and reports whether
// there is time for another attempt.
func (d *Desk) elected() func(context.Context) bool {
	until := time.Now().Add(electionTime)
	return func(ctx context.Context) bool {
		select {
		case <-time.After(again):
		case <-ctx.Done():
		}
		return ctx.Err() == nil && time.Now().Before(until)
	}
}

// attempt makes a change once, on questions read from the leader (latest) or from any
// member of a cluster.
func (d *Desk) attempt(ctx context.Context, l *lane, key string, latest bool, f func(*tray, time.Time) error) (unchanged bool, err error) {
	get := d.trays.Latest
	if !latest {
		get = func(ctx context.Context, key string) (store.Entry, error) { return l.recent(ctx, d.trays, key) }
	}
	// A request to a member that has just gone gets no reply; a retry does.
	soon, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	e, err := get(soon, key)
	fresh := errors.Is(err, store.NotFound)
	if err != nil && !fresh {
		return false, err
	}
	t, err := d.read(e)
	if err != nil {
		return false, err
	}
	now := d.now()
	if err := f(t, now); errors.Is(err, errEnough) {
		return false, nil
	} else if errors.Is(err, errUnchanged) {
		return true, nil
	} else if err != nil {
		return true, err
	}
	t.prune(now)
	t.Version = trayVersion
	text, err := json.Marshal(t)
	if err != nil {
		return false, err
	}
	if fresh {
		e.Revision, err = d.trays.Create(ctx, key, text)
	} else {
		e.Revision, err = d.trays.Update(ctx, key, text, e.Revision)
	}
	delete(l.written, key)
	if err == nil {
		e.Key, e.Value = key, text
		l.wrote(e)
	}
	return false, err
}

// read decodes a tray and closes expired questions.
func (d *Desk) read(e store.Entry) (*tray, error) {
	t := &tray{}
	if len(e.Value) == 0 {
		return t, nil
	}
	if err := json.Unmarshal(e.Value, t); err != nil {
		return nil, fmt.Errorf("the questions in %s cannot be read: %w", e.Key, err)
	}
	if t.Version > trayVersion {
		return nil, fmt.Errorf("the questions in %s have version %d, and this program knows %d; a newer one has written them", e.Key, t.Version, trayVersion)
	}
	t.expire(d.now())
	return t, nil
}
