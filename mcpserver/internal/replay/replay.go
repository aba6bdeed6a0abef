// Package replay keeps what was said to clients, so that one whose connection broke gets the
// rest over another one.
//
//	Store   all of it, within bounds; the SDK's event store
//	Stream  one answer that is not the SDK's; Store.Follow gives its rest to a client
//	Calls   calls without a session, which their clients find again by a name
//
// An event has an id, its stream's and its number in the stream. What was dropped for
// lack of room cannot be had again, and then nothing of that stream can.
package replay

import (
	"container/list"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
)

// The bounds of a store. Every event is charged eventCost bytes beside its own, every
// stream streamCost.
const (
	maxSession = 4 << 20  // bytes of one session: the largest result that is kept
	maxStore   = 32 << 20 // bytes of all sessions
	eventCost  = 256
	streamCost = 512
)

// Why something cannot be had again.
var (
	errDropped = errors.New("events after this id are not kept any more")
	errUnknown = errors.New("there is no such stream in this session")
)

// Store keeps events. It is safe for concurrent use.
type Store struct {
	mu       sync.Mutex
	size     int
	sessions map[string]*session
	oldest   list.List // of *item, all that is kept
}

type session struct {
	size    int
	streams map[string]*Stream
	oldest  list.List // of *item
}

// item is an event, or the place of a stream that was opened.
type item struct {
	of     *Stream
	cost   int
	event  bool
	all    *list.Element
	within *list.Element
}

// New returns an empty store.
func New() *Store { return &Store{sessions: map[string]*session{}} }

// Stream is one answer.
type Stream struct {
	store       *Store
	session, id string

	// Guarded by the store's mu.
	first   int // number of data[0]
	data    [][]byte
	ended   bool
	changed chan struct{} // closed and replaced when something was added
}

// prefix begins the ids of streams that are not the SDK's, whose ids are upper case.
const prefix = "own"

// Open implements the SDK's event store.
func (s *Store) Open(_ context.Context, sessionID, streamID string) error {
	s.open(sessionID, streamID)
	return nil
}

// Begin opens a stream of its own.
func (s *Store) Begin(sessionID string) *Stream { return s.open(sessionID, prefix+rand.Text()) }

func (s *Store) open(sessionID, streamID string) *Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.sessions[sessionID]
	if of == nil {
		of = &session{streams: map[string]*Stream{}}
		s.sessions[sessionID] = of
	}
	if t := of.streams[streamID]; t != nil {
		return t
	}
	t := &Stream{store: s, session: sessionID, id: streamID, changed: make(chan struct{})}
	of.streams[streamID] = t
	s.keep(t, &item{of: t, cost: streamCost})
	return t
}

// keep adds an item and drops the oldest ones for it. mu must be held.
func (s *Store) keep(t *Stream, i *item) {
	of := s.sessions[t.session]
	i.all, i.within = s.oldest.PushBack(i), of.oldest.PushBack(i)
	s.size += i.cost
	of.size += i.cost
	for of.size > maxSession && of.oldest.Len() > 0 {
		s.drop(of.oldest.Front().Value.(*item))
	}
	for s.size > maxStore && s.oldest.Len() > 0 {
		s.drop(s.oldest.Front().Value.(*item))
	}
}

// drop forgets an item, and a stream of which nothing is left. mu must be held.
func (s *Store) drop(i *item) {
	of := s.sessions[i.of.session]
	s.oldest.Remove(i.all)
	of.oldest.Remove(i.within)
	s.size -= i.cost
	of.size -= i.cost
	if i.event {
		i.of.data[0] = nil
		i.of.data = i.of.data[1:]
		i.of.first++
	}
	// The stream without a name is open for as long as its session.
	if len(i.of.data) == 0 && i.of.id != "" && of.streams[i.of.id] == i.of {
		delete(of.streams, i.of.id)
	}
	if len(of.streams) == 0 {
		delete(s.sessions, i.of.session)
	}
}

// Append implements the SDK's event store. What belongs to a stream that was dropped is
// not kept.
func (s *Store) Append(_ context.Context, sessionID, streamID string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.sessions[sessionID]; of != nil && of.streams[streamID] != nil {
		s.append(of.streams[streamID], data)
	}
	return nil
}

// append adds an event. mu must be held.
func (s *Store) append(t *Stream, data []byte) {
	t.data = append(t.data, data)
	s.keep(t, &item{of: t, cost: eventCost + len(data), event: true})
	close(t.changed)
	t.changed = make(chan struct{})
}

// Append adds an event and returns its id. The data must not change any more.
func (t *Stream) Append(data []byte) (id string) {
	s := t.store
	s.mu.Lock()
	defer s.mu.Unlock()
	number := t.first + len(t.data)
	if s.kept(t) {
		s.append(t, data)
	}
	return t.id + "_" + strconv.Itoa(number)
}

// End says that no event follows.
func (t *Stream) End() {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if !t.ended {
		t.ended = true
		close(t.changed)
		t.changed = make(chan struct{})
	}
}

// kept reports whether the stream was not dropped. mu must be held.
func (s *Store) kept(t *Stream) bool {
	of := s.sessions[t.session]
	return of != nil && of.streams[t.id] == t
}

// After implements the SDK's event store.
func (s *Store) After(_ context.Context, sessionID, streamID string, index int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s.mu.Lock()
		t, err := s.find(sessionID, streamID)
		var rest [][]byte
		if err == nil {
			rest, err = t.after(index)
		}
		s.mu.Unlock()
		if err != nil {
			yield(nil, err)
			return
		}
		for _, data := range rest {
			if !yield(data, nil) {
				return
			}
		}
	}
}

// find returns a stream. mu must be held.
func (s *Store) find(sessionID, streamID string) (*Stream, error) {
	if of := s.sessions[sessionID]; of != nil && of.streams[streamID] != nil {
		return of.streams[streamID], nil
	}
	return nil, errUnknown
}

// after returns the events behind a number. Of the stream without a name, which says
// that lists have changed, those that are left are enough. mu must be held.
func (t *Stream) after(index int) ([][]byte, error) {
	from := index + 1 - t.first
	if from < 0 && t.id != "" {
		return nil, errDropped
	}
	from = max(from, 0)
	if from > len(t.data) {
		if t.id != "" {
			return nil, errUnknown // a number that no event had
		}
		from = len(t.data)
	}
	return append([][]byte(nil), t.data[from:]...), nil
}

// SessionClosed implements the SDK's event store.
func (s *Store) SessionClosed(_ context.Context, sessionID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.sessions[sessionID]
	if of == nil {
		return nil
	}
	for e := of.oldest.Front(); e != nil; e = of.oldest.Front() {
		s.drop(e.Value.(*item))
	}
	delete(s.sessions, sessionID)
	for _, t := range of.streams {
		t.ended = true
		close(t.changed)
		t.changed = make(chan struct{})
	}
	return nil
}

// Own reports whether an id is of a stream that is not the SDK's.
func Own(lastEventID string) bool { return strings.HasPrefix(lastEventID, prefix) }

// Follow hands on the events behind an id, and from then on those that are added, until
// the stream has ended or ctx has. It calls begin before, once it is sure that there is
// such a stream. The error is that of begin or say, or why nothing was said.
func (s *Store) Follow(ctx context.Context, sessionID, lastEventID string, begin func() error, say func(id string, data []byte) error) error {
	streamID, number, ok := strings.Cut(lastEventID, "_")
	at, err := strconv.Atoi(number)
	if !ok || err != nil || at < 0 {
		return errUnknown
	}
	s.mu.Lock()
	t, err := s.find(sessionID, streamID)
	if err == nil {
		_, err = t.after(at)
	}
	s.mu.Unlock()
	if err == nil {
		err = begin()
	}
	for err == nil {
		s.mu.Lock()
		var rest [][]byte
		rest, err = t.after(at)
		ended, changed := t.ended || !s.kept(t), t.changed
		s.mu.Unlock()
		for _, data := range rest {
			at++
			if err := say(fmt.Sprintf("%s_%d", streamID, at), data); err != nil {
				return err
			}
		}
		if len(rest) > 0 {
			continue
		}
		if ended || err != nil {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
	return err
}

// Size returns how many bytes are charged.
func (s *Store) Size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}
