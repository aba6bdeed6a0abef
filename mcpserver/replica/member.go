package replica

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Line carries messages between the members of a cluster. See store.Store.
type Line interface {
	Ask(ctx context.Context, subject string, message []byte) (answer []byte, err error)
	Listen(subject string, heard func(subject string, message []byte, reply func([]byte))) (stop func(), err error)
}

// Silence is how long one end of a request waits for a sign of the other before it takes
// it for gone. A member that has nothing to send says so every third of it.
const Silence = 15 * time.Second

// maxUnderWay bounds the requests of others that a member answers at a time. Each is
// within the limits of its client as well.
const maxUnderWay = 2048

// nameLength is that of the name of a member, which begins the ids of its sessions: 50
// random bits.
const nameLength = 10

// Member is one server of a cluster. It is safe for concurrent use.
type Member struct {
	name string
	line Line
	log  *slog.Logger

	handler atomic.Pointer[http.Handler] // of requests of clients
	inner   atomic.Pointer[http.Handler] // of requests that members make themselves
	places  chan struct{}                // of requests that are answered for others
	working context.Context
	stop    context.CancelFunc
	retire  func()   // ends listening for requests
	deaf    []func() // end listening

	mu        sync.Mutex // also orders Leave and the beginning of work
	work      sync.WaitGroup
	exchanges map[string]*exchange // requests that others answer, by subject
	met       map[string]bool      // subjects at which another member answered
}

// Join makes this process a member. log is for what goes wrong on the way; nil discards
// it.
func Join(line Line, log *slog.Logger) (*Member, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	m := &Member{name: rand.Text()[:nameLength], line: line, log: log, places: make(chan struct{}, maxUnderWay), exchanges: map[string]*exchange{}, met: map[string]bool{}}
	m.working, m.stop = context.WithCancel(context.Background())
	for subject, heard := range map[string]func(string, []byte, func([]byte)){
		subjectOf(m.name):              m.opened(&m.handler),
		innerOf(m.name):                m.opened(&m.inner),
		exchangePrefix + m.name + ".*": m.heard,
	} {
		stop, err := line.Listen(subject, heard)
		if err != nil {
			m.Leave()
			return nil, err
		}
		m.deaf = append(m.deaf, stop)
		if subject == subjectOf(m.name) {
			m.retire = stop
		}
	}
	return m, nil
}

// exchangePrefix begins the subjects at which members hear the answers to requests.
const exchangePrefix = "glovebox.exchange."

// subjectOf is where a member listens.
func subjectOf(name string) string { return "glovebox.replica." + name }

// innerOf is where a member listens for what other members ask themselves. No client's
// request gets there.
func innerOf(name string) string { return "glovebox.inner." + name }

// Name is the name of the member, for ids that must lead to it.
func (m *Member) Name() string { return m.name }

// SessionID returns an id for a new session.
func (m *Member) SessionID() string { return m.name + "." + rand.Text() }

// OwnerOf returns the member that an id leads to, if it is another one.
func (m *Member) OwnerOf(id string) (name string, elsewhere bool) {
	name, _, ok := strings.Cut(id, ".")
	return name, ok && m.Other(name)
}

// Other reports whether a name can be that of another member. It may come from a client.
func (m *Member) Other(name string) bool {
	if len(name) != nameLength || name == m.name {
		return false
	}
	return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == "" // the letters of rand.Text
}

// Serve has a handler answer the requests that other members pass on, instead of an
// earlier one. Until then they are refused.
func (m *Member) Serve(handler http.Handler) { m.handler.Store(&handler) }

// ServeInner has a handler answer what other members ask with [Member.Call].
func (m *Member) ServeInner(handler http.Handler) { m.inner.Store(&handler) }

// Retire has the others told that this member is no more: clients whose sessions are here
// begin new ones elsewhere. What is under way goes on. It may be called several times.
func (m *Member) Retire() { m.retire() }

// Leave ends listening, cancels requests that are under way for others, and waits for
// them.
func (m *Member) Leave() {
	for _, stop := range m.deaf {
		stop()
	}
	m.mu.Lock()
	m.stop()
	m.mu.Unlock()
	m.work.Wait()
}

// begin reports whether the member takes on one more request; end must be called after it.
func (m *Member) begin() (end func(), ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.working.Err() != nil {
		return nil, false
	}
	select {
	case m.places <- struct{}{}:
	default:
		return nil, false
	}
	m.work.Add(1)
	return func() { <-m.places; m.work.Done() }, true
}
