package service

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

const (
	// recordStream has a copy of the records of every server, each under a subject of its
	// own; signBucket their signs of life.
	recordStream, recordSubject, signBucket = "glovebox-audit", "glovebox.audit", "glovebox-audit-writers"
	// maxSign and maxSigns bound one sign, of which 500 bytes are usual, and the bucket.
	maxSign, maxSigns = 4 << 10, 64 << 20
	// noteHeader and keyHeader are what comes with the lines of a part.
	noteHeader, keyHeader = "Glovebox-Note", "Glovebox-Key"
)

// recordMirror copies the record of this server to the cluster. One goroutine uses it.
type recordMirror struct {
	settings *config.Loaded
	opened   func() (*store.Store, error)
	records  *store.Stream
	signs    *store.Bucket
	signed   uint64 // the revision of our sign; 0 if it is not known
}

// copying has the record of this server copied to the cluster.
func (s *Service) copying(o *audit.Options) {
	log := s.observed.Logger()
	o.Mirror = &recordMirror{settings: s.started, opened: s.kept.opened}
	o.Name = writerName(s.started, s.options.Place)
	o.Mirrored = func(err error) {
		if err != nil {
			log.Warn("audit.publishing_delayed", "cause", err)
		} else {
			log.Info("audit.publishing_resumed")
		}
	}
	o.Uncopied = func(records uint64) {
		s.observed.Unpublished(int(records))
		log.Warn("audit.unpublished", "lost", records)
	}
	o.Forked = func(copied uint64) { log.Error("audit.forked", "copied", copied) }
}

// writerName says whose record it is, for people.
func writerName(l *config.Loaded, p Place) string {
	if l.Audit.Name != "" {
		return l.Audit.Name
	}
	host, _ := os.Hostname() // without one, the path has to do
	return host + " " + p.Audit(l)
}

func (m *recordMirror) open(ctx context.Context) error {
	if m.signs != nil {
		return nil
	}
	s, err := m.opened()
	if err != nil {
		return err
	}
	n := m.settings.State.NATS
	if m.records, err = s.Stream(ctx, store.StreamConfig{Name: recordStream, Subject: recordSubject + ".*", MaxAge: n.AuditAge, MaxBytes: int64(n.AuditSize)}); err != nil {
		return err
	}
	m.signs, err = s.Bucket(ctx, store.BucketConfig{Name: signBucket, MaxValue: maxSign, MaxBytes: maxSigns})
	return err
}

// Last implements [audit.Mirror].
func (m *recordMirror) Last(ctx context.Context, writer string) ([]byte, uint64, error) {
	if err := m.open(ctx); err != nil {
		return nil, 0, err
	}
	newest, err := m.records.Newest(ctx, recordSubject+"."+writer)
	if errors.Is(err, store.NotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	return partOf(newest).Note, newest.Sequence, nil
}

// Add implements [audit.Mirror].
func (m *recordMirror) Add(ctx context.Context, writer string, p audit.Part, after uint64) (uint64, error) {
	sequence, err := m.records.Append(ctx, store.Message{Subject: recordSubject + "." + writer, Data: p.Lines, Header: map[string]string{
		noteHeader: base64.StdEncoding.EncodeToString(p.Note), keyHeader: p.Key,
	}}, after)
	if errors.Is(err, store.Conflict) {
		return 0, audit.ErrMoved
	}
	return sequence, err
}

// partOf reads a message. Whether its note can be read is found out with its signature.
func partOf(m store.Message) audit.Part {
	note, _ := base64.StdEncoding.DecodeString(m.Header[noteHeader])
	return audit.Part{Lines: m.Data, Sign: audit.Sign{Note: note, Key: m.Header[keyHeader]}}
}

// Sign implements [audit.Mirror]. Of two processes with one key, the later sign stays.
func (m *recordMirror) Sign(ctx context.Context, writer string, s audit.Sign) (err error) {
	if err := m.open(ctx); err != nil {
		return err
	}
	value := []byte(s.Key + "\n" + string(s.Note))
	if m.signed == 0 {
		e, err := m.signs.Latest(ctx, writer)
		if err != nil && !errors.Is(err, store.NotFound) {
			return err
		}
		m.signed = e.Revision // 0 creates
	}
	if m.signed, err = m.signs.Update(ctx, writer, value, m.signed); err != nil {
		m.signed = 0
	}
	return err
}

// Copies is what was found of the records of all servers of a cluster.
type Copies struct {
	Writers []audit.Copy   `json:"writers"`
	Store   store.Standing `json:"store"`
}

// maxWriters bounds the writers of a cluster: whoever can write to it makes them up.
const maxWriters = 10_000

// CheckCopies reads the records of all servers that the cluster has. known are copies as
// somebody has kept an earlier answer. It changes nothing.
func CheckCopies(ctx context.Context, l *config.Loaded, known []audit.Copy) (all Copies, err error) {
	s, err := store.Connect(ctx, Cluster(l, nil))
	if err != nil {
		return all, err
	}
	defer s.Close()
	records, err := s.ExistingStream(ctx, recordStream)
	if err != nil {
		return all, err
	}
	if all.Store, err = records.Standing(ctx); err != nil {
		return all, err
	}
	var signs []store.Entry // before the records, which grow past them meanwhile
	bucket, err := s.ExistingBucket(ctx, signBucket)
	if err == nil {
		signs, err = bucket.List(ctx, store.All)
	}
	if err != nil && !errors.Is(err, store.NotFound) {
		return all, err
	}
	kept := all.Store.MaxAge
	if all.Store.Pushes {
		kept = 0
	}
	check, writers := audit.NewCopies(kept), map[string]bool{}
	err = records.Each(ctx, recordSubject+".*", func(m store.Message) error {
		writer := strings.TrimPrefix(m.Subject, recordSubject+".")
		if writers[writer] = true; len(writers) > maxWriters {
			return fmt.Errorf("the stream %s has more than %d writers", recordStream, maxWriters)
		}
		check.Part(writer, partOf(m), all.Store.Now)
		return nil
	})
	if err != nil {
		return all, err
	}
	for _, e := range signs {
		key, note, _ := strings.Cut(string(e.Value), "\n")
		check.Sign(e.Key, audit.Sign{Note: []byte(note), Key: key}, e.Time, all.Store.Now)
	}
	for _, before := range known {
		check.Known(before)
	}
	all.Writers = check.All()
	return all, nil
}
