package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

// The most that is buffered of one message, in bytes. A longer one passes through
// in pieces that are not inspected; the owner refuses one from the client, as it
// does without a relay.
const (
	maxFromClient = wire.MaxMessage
	maxFromOwner  = 64 << 20 // four times a tool's largest result, as text and as value
)

// Relay carries messages between this process's client and an owner, and to the
// next owner when that one is gone. It buffers one message each way.
type Relay struct {
	lines chan piece // from the client; closed when it disconnects
	out   io.Writer

	mu      sync.Mutex
	session session

	// Used only by Run.
	unsent *piece // not taken by the last owner
	hungUp bool   // the client disconnected
}

// piece is a line, or a part of a line that is too long.
type piece struct {
	text  []byte
	whole bool
}

// NewRelay returns a relay for the client behind a pair of streams.
func NewRelay(in io.Reader, out io.Writer) *Relay {
	r := &Relay{lines: make(chan piece), out: out, session: newSession()}
	go func() {
		defer close(r.lines)
		_ = eachPiece(wire.NewLines(in, maxFromClient), func(p piece) error { r.lines <- p; return nil })
	}()
	return r
}

// eachPiece reads until the end of the stream.
func eachPiece(in *wire.Lines, do func(piece) error) error {
	for {
		line, err := in.Next()
		if len(line.Text) > 0 {
			if err := do(piece{line.Text, line.Whole()}); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// errClient means that the client no longer accepts messages.
var errClient = errors.New("the client is gone")

// Run relays until the client disconnects or ctx ends; both return nil. An error
// means that the connection is lost; the next Run, with the next session, settles
// requests in flight.
func (r *Relay) Run(ctx context.Context, s *Session) error {
	defer s.Close()
	defer context.AfterFunc(ctx, func() { s.Close() })()
	if err := r.resume(s.conn); err != nil {
		return r.ended(ctx, err)
	}
	answers := make(chan error, 1)
	go func() { answers <- eachPiece(wire.NewLines(s.in, maxFromOwner), r.toClient) }()
	lines := r.lines
	for {
		select {
		case p, ok := <-lines:
			if !ok {
				lines, r.hungUp = nil, true
				_ = s.conn.CloseWrite() // reading reports the error again
				continue
			}
			if err := r.toOwner(s.conn, p); err != nil {
				lines = make(chan piece) // no more input; the owner's last messages are still to come
			}
		case err := <-answers:
			return r.ended(ctx, err)
		case <-ctx.Done():
			return nil
		}
	}
}

// ended interprets the end of a connection.
func (r *Relay) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, errClient) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hungUp && r.session.settled() {
		return nil
	}
	return fmt.Errorf("the connection to the server is lost: %w", err)
}

func (r *Relay) toOwner(w io.Writer, p piece) error {
	text := p.text
	if p.whole {
		r.mu.Lock()
		text = r.session.fromClient(p.text)
		r.mu.Unlock()
	}
	if len(text) == 0 {
		return nil
	}
	if _, err := w.Write(text); err != nil {
		r.unsent = &p
		return err
	}
	return nil
}

func (r *Relay) toClient(p piece) error {
	text := p.text
	if p.whole {
		if text[len(text)-1] != '\n' {
			return nil // the owner was killed while it wrote
		}
		var err error
		r.mu.Lock()
		text, err = r.session.fromOwner(p.text)
		r.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return r.tell(text)
}

func (r *Relay) tell(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if _, err := r.out.Write(text); err != nil {
		return fmt.Errorf("%w: %w", errClient, err)
	}
	return nil
}

// resume replays the session to a new owner and tells the client what is lost. With
// the first owner it does nothing.
func (r *Relay) resume(w io.Writer) error {
	r.mu.Lock()
	client, owner := r.session.resume(r.unsent)
	r.mu.Unlock()
	if err := r.tell(client); err != nil {
		return err
	}
	if len(owner) > 0 {
		if _, err := w.Write(owner); err != nil {
			return err
		}
	}
	if p := r.unsent; p != nil {
		r.unsent = nil
		return r.toOwner(w, *p)
	}
	return nil
}
