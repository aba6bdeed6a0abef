package response

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

var (
	// ErrEnded means that the request was answered already.
	ErrEnded = errors.New("the request was answered")
	// ErrGone means that the client has hung up, so nothing can be said to it any more.
	ErrGone = errors.New("the client has hung up")
)

// Response is the answer to one request. It is safe for concurrent use.
type Response struct {
	id      wire.ID
	pending *Pending
	owner   string
	gone    <-chan struct{}

	mu     sync.Mutex
	w      http.ResponseWriter
	stream bool
	ended  bool
	kept   Kept        // nil if nothing is kept
	soon   *time.Timer // sends the first event
}

// Kept keeps the events of an answer for a client whose connection breaks.
type Kept interface {
	// Append adds an event and returns its id.
	Append(data []byte) (id string)
	// End says that no event follows.
	End()
}

const (
	// primeTime is after which a client gets an id to come back with. Most calls have
	// ended by then, and their answer is one packet.
	primeTime = 20 * time.Millisecond
	// awayTime is how long a question waits for a client whose connection broke.
	awayTime = 30 * time.Second
)

// Keep has the events of the answer kept. With prime the answer is a stream from the
// beginning, whose first event is empty and has an id: versions of the protocol from
// 2025-11-25 on know it.
func (e *Response) Keep(in Kept, prime bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kept = in
	if !prime {
		return
	}
	e.begin()
	_ = Event(e.w, in.Append(nil), nil) // who is gone has nothing to come back with
	e.soon = time.AfterFunc(primeTime, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.ended {
			_ = http.NewResponseController(e.w).Flush()
		}
	})
}

// begin makes the answer a stream. mu must be held.
func (e *Response) begin() {
	if !e.stream {
		e.stream = true
		e.w.Header().Set("Content-Type", "text/event-stream")
	}
}

// New begins the answer to r, which is the request with an id. Requests of the server
// are kept in pending until owner answers them.
func New(w http.ResponseWriter, r *http.Request, id wire.ID, pending *Pending, owner string) *Response {
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	return &Response{w: w, id: id, pending: pending, owner: owner, gone: r.Context().Done()}
}

// Notify sends a notification before the answer. params is JSON.
func (e *Response) Notify(method string, params []byte) error {
	return e.say(message(`"method":`, quoted(method), `,"params":`, params))
}

// Request asks the client and returns its result as JSON, or a [*Refused]. When ctx
// ends it takes the request back. It fails when the client hangs up.
func (e *Response) Request(ctx context.Context, method string, params []byte) ([]byte, error) {
	id, answer, forget := e.pending.open(e.owner)
	defer forget()
	if err := e.say(message(`"id":`, quoted(id), `,"method":`, quoted(method), `,"params":`, params)); err != nil {
		return nil, err
	}
	gone := e.gone
	var away <-chan time.Time
	for {
		select {
		case a := <-answer:
			return a.result, a.err
		case <-gone:
			if e.kept == nil {
				return nil, ErrGone
			}
			gone, away = nil, time.After(awayTime)
			continue
		case <-away:
			return nil, ErrGone
		case <-ctx.Done():
		}
		_ = e.say(message(`"method":"notifications/cancelled","params":{"requestId":`, quoted(id), "}")) // the client may be gone
		return nil, ctx.Err()
	}
}

// Result answers the request. result is JSON.
func (e *Response) Result(result []byte) error {
	return e.end(http.StatusOK, message(`"id":`, e.id.Raw(), `,"result":`, result))
}

// Error answers the request with an error. data is JSON; nil for none.
func (e *Response) Error(status int, code int64, text string, data []byte) error {
	problem, err := json.Marshal(struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{code, text, data})
	if err != nil {
		return err
	}
	return e.end(status, message(`"id":`, e.id.Raw(), `,"error":`, problem))
}

// say writes an event, and makes the answer a stream.
func (e *Response) say(text []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return ErrEnded
	}
	e.begin()
	err := e.event(text)
	if err == nil {
		err = http.NewResponseController(e.w).Flush()
	}
	if e.kept != nil {
		return nil // the client can come back for it
	}
	return err
}

func (e *Response) end(status int, text []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return ErrEnded
	}
	e.ended = true
	if e.soon != nil {
		e.soon.Stop()
	}
	if e.stream {
		err := e.event(text)
		if e.kept != nil {
			e.kept.End()
		}
		return err
	}
	if e.kept != nil {
		e.kept.End() // nobody has an id of it
	}
	e.w.Header().Set("Content-Type", "application/json")
	e.w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	e.w.WriteHeader(status)
	_, err := e.w.Write(text)
	return err
}

// event writes one message as an event, which is kept before.
func (e *Response) event(text []byte) error {
	text = oneLine(text)
	id := ""
	if e.kept != nil {
		id = e.kept.Append(text)
	}
	return Event(e.w, id, text)
}

// oneLine removes the line breaks of JSON; between its tokens they are space.
func oneLine(text []byte) []byte {
	if !bytes.ContainsAny(text, "\n\r") {
		return text
	}
	return bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, text)
}

// Event writes one message, which is one line, as an event; id is empty for none.
func Event(w io.Writer, id string, text []byte) error {
	buffer := make([]byte, 0, 64+len(id)+len(text))
	if id != "" {
		buffer = append(append(append(buffer, "id: "...), id...), '\n')
	}
	if len(text) == 0 {
		buffer = append(buffer, "data:\n\n"...)
	} else {
		buffer = append(append(append(buffer, "event: message\ndata: "...), text...), "\n\n"...)
	}
	_, err := w.Write(buffer)
	return err
}

// message joins the members of a message. Empty parts that stand for a value become
// an empty object.
func message(parts ...any) []byte {
	const head = `{"jsonrpc":"2.0",`
	size := len(head) + 1
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			size += len(p)
		case []byte:
			size += max(len(p), 2)
		}
	}
	text := append(make([]byte, 0, size), head...)
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			text = append(text, p...)
		case []byte:
			if len(p) == 0 {
				p = []byte("{}")
			}
			text = append(text, p...)
		}
	}
	return append(text, '}')
}

func quoted(s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		return []byte(`""`) // cannot happen: every string can be written
	}
	return text
}
