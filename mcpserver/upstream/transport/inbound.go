package transport

import (
	"context"
	"sync"

	"golang.org/x/time/rate"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

// inbound is what all connections do with what arrives: it finds the request that a
// message answers, hands on what asks or notifies, and counts the rest.
type inbound struct {
	handle  Handle
	dropped func(Drop)
	rate    *rate.Limiter

	life   context.Context // ends with the connection
	end    context.CancelCauseFunc
	ending sync.Once
	done   chan struct{}

	mu   sync.Mutex
	open map[int64]chan *wire.Message
}

func newInbound(handle Handle, dropped func(Drop)) *inbound {
	in := &inbound{handle: handle, dropped: dropped, rate: rate.NewLimiter(messagesPerSecond, messageBurst), done: make(chan struct{}), open: map[int64]chan *wire.Message{}}
	in.life, in.end = context.WithCancelCause(context.Background())
	return in
}

// fail ends the connection with a reason; only the first one counts.
func (in *inbound) fail(err error) {
	in.ending.Do(func() {
		in.end(err)
		close(in.done)
	})
}

func (in *inbound) Done() <-chan struct{} { return in.done }

// Err returns why the connection ended, nil while it lives.
func (in *inbound) Err() error { return context.Cause(in.life) }

// because says why a request failed whose context also ends with the connection.
func (in *inbound) because(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil && Unsent(err):
		return &Error{Kind: Stalled, Unsent: true, Err: ctx.Err()}
	case ctx.Err() != nil:
		return ctx.Err()
	case in.Err() != nil:
		return &Error{Kind: Closed, Unsent: Unsent(err), Err: in.Err()}
	}
	return err
}

// expect registers a request. Its answer is put into the channel, which has room for
// it.
func (in *inbound) expect(id int64) chan *wire.Message {
	answer := make(chan *wire.Message, 1)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.open[id] = answer
	return answer
}

// forget gives a request up; its answer will be dropped.
func (in *inbound) forget(id int64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.open, id)
}

func (in *inbound) take(m *wire.Message) chan *wire.Message {
	id, ok := idOf(m)
	if !ok {
		return nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	answer := in.open[id]
	delete(in.open, id)
	return answer
}

// arrived deals with the text of one message of a stream that several requests share.
// It waits when the server sends too much.
func (in *inbound) arrived(text []byte) error {
	m, err := in.read(text)
	if err != nil || m == nil {
		return err
	}
	if m.Answer {
		if answer := in.take(m); answer != nil {
			answer <- m
			return nil
		}
		in.dropped(UnknownID)
		return in.pace(len(text))
	}
	in.handle(0, m)
	return in.pace(len(text))
}

// read parses one message; nil if it was none and has been counted.
func (in *inbound) read(text []byte) (*wire.Message, error) {
	body, err := wire.Parse(text)
	switch {
	case err != nil:
		in.dropped(NoMessage)
	case body.Batch:
		in.dropped(Batched)
	default:
		return &body.Messages[0], nil
	}
	return nil, in.pace(len(text))
}

// pace waits until the server may send the next message that nobody asked for.
func (in *inbound) pace(size int) error {
	return in.rate.WaitN(in.life, min(1+size/bytesPerToken, messageBurst))
}

// idOf returns the id that an answer repeats, if it can be one of ours.
func idOf(m *wire.Message) (int64, bool) {
	raw := m.ID.Raw()
	if len(raw) == 0 || len(raw) > 18 {
		return 0, false
	}
	var id int64
	for _, c := range raw {
		if c < '0' || c > '9' {
			return 0, false
		}
		id = id*10 + int64(c-'0')
	}
	return id, id > 0
}
