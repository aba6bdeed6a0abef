package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/glovebox-run/glovebox/internal/osfile"
)

// maxFiles bounds the files of an embedded store in bytes; the buckets' bounds are
// far below it.
const maxFiles = 1 << 30

// Open opens the store in a folder and creates the folder if needed. The folder is
// locked until Close: JetStream would not notice a second process. A damaged folder
// is refused, not repaired.
func Open(ctx context.Context, dir string, log *slog.Logger) (*Store, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, failed("open", dir, err)
	}
	s := &Store{place: dir, replicas: 1, notes: newNotes(log), heads: &heads{dir: dir, open: map[string]*head{}}}
	s.heads.marks = &s.marks
	s.room = s.hasRoom
	if err := s.embed(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) embed(ctx context.Context) error {
	if err := os.MkdirAll(s.place, 0o700); err != nil {
		return s.unopened(err)
	}
	var err error
	if err = os.Chmod(s.place, 0o700); err != nil {
		return s.unopened(err)
	}
	if s.lock, err = os.OpenFile(filepath.Join(s.place, "lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return s.unopened(err)
	}
	if err := osfile.TryLock(s.lock); err != nil {
		return &Error{Code: Busy, Op: "open", Place: s.place}
	}
	if err := s.mark(""); err != nil {
		return err
	}
	return s.run(ctx)
}

// run starts the server in the folder, which we have locked.
func (s *Store) run(ctx context.Context) error {
	before, err := streams(s.place)
	if err != nil {
		return s.unopened(err)
	}
	// With an index JetStream does not read the messages, so it would notice damage
	// only on a read, if then. Without it JetStream reads them and rebuilds it.
	for _, name := range before {
		err := os.Remove(filepath.Join(streamDir(s.place, name), "msgs", "index.db"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return s.unopened(err)
		}
	}
	s.server, err = server.NewServer(&server.Options{
		ServerName: "glovebox", DontListen: true, NoSigs: true, NoLog: true, DisableJetStreamBanner: true,
		JetStream: true, StoreDir: s.place, JetStreamMaxMemory: 1 << 20, JetStreamMaxStore: maxFiles,
		SyncAlways: true,
	})
	if err != nil {
		return s.unopened(err)
	}
	s.server.SetLoggerV2(s.notes, false, false, false)
	s.server.Start()
	if !s.server.ReadyForConnections(longestOpening) || !s.server.JetStreamEnabled() {
		return s.unopened(errors.Join(errors.New("the embedded server does not start"), s.notes.worst()))
	}
	if err := s.whole(before); err != nil {
		return &Error{Code: Damaged, Op: "open", Place: s.place, Cause: err}
	}
	if s.conn, err = nats.Connect("", nats.InProcessServer(s.server), nats.Timeout(longestOpening)); err != nil {
		return s.unopened(err)
	}
	return s.begin(ctx)
}

// unopened returns an error of opening; an unexplained failure counts as damage.
func (s *Store) unopened(err error) error {
	e := &Error{Code: codeOf(err), Op: "open", Place: s.place, Cause: err}
	if e.Code == Failed {
		e.Code = Damaged
	}
	return e
}

// streams lists the streams in the folder: those that have files, and those with
// acknowledged writes.
func streams(dir string) (names []string, err error) {
	for _, pattern := range []string{filepath.Join(dir, "jetstream", "$G", "streams", "*"), filepath.Join(dir, "*.head")} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			names = append(names, strings.TrimSuffix(filepath.Base(f), ".head"))
		}
	}
	return names, nil
}

// whole checks that everything in the folder was read: JetStream skips what it
// cannot read, and would start an empty stream under the same name.
func (s *Store) whole(before []string) error {
	state, err := s.server.Jsz(&server.JSzOptions{Streams: true})
	if err != nil {
		return err
	}
	read := map[string]server.StreamState{}
	for _, account := range state.AccountDetails {
		for _, stream := range account.Streams {
			read[stream.Name] = stream.State
		}
	}
	for _, name := range before {
		state, ok := read[name]
		if !ok {
			if worst := s.notes.worst(); worst != nil {
				return fmt.Errorf("%s cannot be read: %w", name, worst)
			}
			return fmt.Errorf("%s is gone", name)
		}
		if state.Lost != nil && len(state.Lost.Msgs) > 0 {
			return fmt.Errorf("%s has lost %d values", name, len(state.Lost.Msgs))
		}
		if err := s.heads.behind(name, state.LastSeq); err != nil {
			return err
		}
	}
	return nil
}

// notes is the log of an embedded server. It forwards to ours, and keeps the last
// complaint to explain failures.
type notes struct {
	log *slog.Logger
	// full ends when the disk is full, or fails a write: from then on writes get no reply.
	full    context.Context
	setFull context.CancelCauseFunc

	mu   sync.Mutex
	last error
}

func newNotes(log *slog.Logger) *notes {
	n := &notes{log: log}
	n.full, n.setFull = context.WithCancelCause(context.Background())
	return n
}

func (n *notes) worst() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last
}

func (n *notes) keep(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = errors.New(text)
	if strings.Contains(text, syscall.ENOSPC.Error()) || strings.Contains(text, syscall.EDQUOT.Error()) {
		n.setFull(fmt.Errorf("%s: %w", text, syscall.ENOSPC))
	} else if strings.Contains(strings.ToLower(text), "critical write error") {
		n.setFull(errors.New(text)) // such as a quota on the size of files; the server never tries again
	}
}

func (n *notes) Noticef(string, ...any) {}
func (n *notes) Debugf(string, ...any)  {}
func (n *notes) Tracef(string, ...any)  {}

func (n *notes) Warnf(format string, v ...any) {
	text := strings.TrimSpace(fmt.Sprintf(format, v...))
	n.keep(text)
	n.log.Info("store.notice", "says", text)
}

func (n *notes) Errorf(format string, v ...any) {
	text := strings.TrimSpace(fmt.Sprintf(format, v...))
	n.keep(text)
	n.log.Error("store.trouble", "says", text)
}

// Fatalf does not end the process, as the server's own does: the server gives up,
// and opening fails.
func (n *notes) Fatalf(format string, v ...any) { n.Errorf(format, v...) }
