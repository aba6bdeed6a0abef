package replica

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// ErrGone means that the member to which a request leads is no more. Nothing was done.
var ErrGone = errors.New("the server that has this session is gone")

// errSilent means that nothing was heard of the other member for too long.
var errSilent = errors.New("the server that has this session does not answer any more; what it did is not known")

// exchange is a request that another member answers, where its client is.
type exchange struct {
	subject string
	pieces  chan said
}

// mostOpening bounds the time until a member takes a request of Call, which it does at once: a
// link that was cut has lost the request or the answer, and a call may take minutes. It is as
// long as one operation of a store.
const mostOpening = 5 * time.Second

// said is a message of the other member. It waits until it is answered, so there are two
// at most: a part of the answer, and a wish for a part of the request.
type said struct {
	message []byte
	reply   func([]byte)
}

const mostSaid = 4

// Forward has another member answer a request whose body was read, and writes its answer.
// The error is ErrGone, or why the member did not take the request or fell silent before
// it said anything; nothing is written then. An answer that breaks off later ends with the
// connection.
func (m *Member) Forward(w http.ResponseWriter, r *http.Request, to string, body []byte) error {
	err := m.exchange(w, r, subjectOf(to), body, nil)
	if errors.As(err, new(*Broken)) { // what was written cannot be taken back, so the client must see this
		panic(http.ErrAbortHandler)
	}
	return err
}

// Call has another member answer a request that this one makes itself, as Forward does,
// except that an answer that breaks off is an error, a [*Broken]. The other one gets no
// byte of the body before it fetches it; if moved is closed until then, or the other one does
// not take the request within 5 s, the error is ErrGone. So a member that is frozen cannot come back to a request that was given up.
// moved must not be nil, and the body not be empty.
func (m *Member) Call(w http.ResponseWriter, r *http.Request, to string, body []byte, moved <-chan struct{}) error {
	return m.exchange(w, r, innerOf(to), body, moved)
}

// Broken is why an answer ended before its end.
type Broken struct{ Err error }

func (b *Broken) Error() string { return b.Err.Error() }

// Unwrap returns the cause.
func (b *Broken) Unwrap() error { return b.Err }

// exchange has the member that listens at a subject answer a request. moved is nil for a
// request whose body goes with its head.
func (m *Member) exchange(w http.ResponseWriter, r *http.Request, at string, body []byte, moved <-chan struct{}) error {
	e := &exchange{exchangePrefix + m.name + "." + rand.Text(), make(chan said, mostSaid)}
	m.mu.Lock()
	m.exchanges[e.subject] = e
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		delete(m.exchanges, e.subject)
		m.mu.Unlock()
	}()
	if moved == nil {
		if err := m.open(r.Context(), r, at, e.subject, body, body[:min(len(body), pieceSize)]); err != nil {
			return err
		}
		return e.copy(w, r.Context(), body, nil)
	}
	ctx, cancel := context.WithTimeout(r.Context(), mostOpening)
	defer cancel()
	opened := make(chan struct{})
	go func() {
		select {
		case <-moved:
			cancel()
		case <-opened:
		}
	}()
	err := m.open(ctx, r, at, e.subject, body, nil)
	close(opened)
	if err != nil {
		select {
		case <-moved:
			return ErrGone
		default:
		}
		if ctx.Err() != nil && r.Context().Err() == nil { // whoever takes it later gets no body
			return ErrGone
		}
		return err
	}
	return e.copy(w, r.Context(), body, moved)
}

// open asks a member to answer a request, and gives it the beginning of the body.
func (m *Member) open(ctx context.Context, r *http.Request, at, subject string, body, beginning []byte) error {
	answer, err := m.reach(ctx, at, packed(opening{
		Exchange: subject, Method: r.Method, URI: r.URL.RequestURI(), Host: r.Host, Header: r.Header, Length: len(body),
	}, beginning))
	if errors.Is(err, store.NotFound) {
		return ErrGone
	}
	if err != nil {
		return err
	}
	var t taken
	if _, err := unpack(answer, &t); err != nil {
		return err
	}
	if t.Refused != "" {
		return errors.New(t.Refused)
	}
	return nil
}

// heard hands a message to the request that it is for.
func (m *Member) heard(subject string, message []byte, reply func([]byte)) {
	m.mu.Lock()
	e := m.exchanges[subject]
	m.mu.Unlock()
	if e != nil {
		select {
		case e.pieces <- said{message, reply}:
			return
		default: // more than an honest member says at a time
		}
	}
	reply(packed(heard{Gone: true}, nil))
}

// copy writes the pieces of an answer, and gives pieces of the request's body. It gives up
// if moved is closed before it gave any.
func (e *exchange) copy(w http.ResponseWriter, ctx context.Context, body []byte, moved <-chan struct{}) error {
	silent := time.NewTimer(Silence)
	defer silent.Stop()
	begun := false
	broken := func(why error) error {
		if begun {
			return &Broken{why}
		}
		return why
	}
	for {
		select {
		case <-moved:
			return ErrGone
		case <-ctx.Done():
			return nil // the other member learns of it with its next message
		case <-silent.C:
			return broken(errSilent)
		case s := <-e.pieces:
			var p piece
			data, err := unpack(s.message, &p)
			if err != nil || p.Head != nil && (p.Head.Status < 200 || p.Head.Status > 599) {
				s.reply(packed(heard{Gone: true}, nil))
				return broken(errors.New("the server that has this session says what is not understood"))
			}
			if p.Body != nil {
				select {
				case <-moved: // both were there
					s.reply(packed(heard{Gone: true}, nil))
					return ErrGone
				default:
				}
				moved = nil
				s.reply(packed(heard{}, p.Body.of(body)))
				silent.Reset(Silence)
				continue
			}
			if p.Head != nil && !begun {
				for name, values := range p.Head.Header {
					w.Header()[name] = values
				}
				w.WriteHeader(p.Head.Status)
				begun = true
			}
			if _, err := w.Write(data); err != nil {
				s.reply(packed(heard{Gone: true}, nil))
				return nil // the client is gone
			}
			if !p.End {
				_ = http.NewResponseController(w).Flush() // a writer that cannot keeps it until the end
			}
			s.reply(packed(heard{}, nil))
			switch {
			case p.Cut != "":
				return broken(errors.New(p.Cut))
			case p.End:
				return nil
			}
			silent.Reset(Silence)
		}
	}
}

// of returns that part of a text; what lies beyond its ends is left out.
func (s span) of(text []byte) []byte {
	from := min(max(s.From, 0), len(text))
	return text[from:min(max(s.To, from), len(text))]
}
