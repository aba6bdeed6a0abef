package response

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"

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
	select {
	case a := <-answer:
		return a.result, a.err
	case <-e.gone:
		return nil, ErrGone
	case <-ctx.Done():
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
	if !e.stream {
		e.stream = true
		e.w.Header().Set("Content-Type", "text/event-stream")
	}
	if err := e.event(text); err != nil {
		return err
	}
	return http.NewResponseController(e.w).Flush()
}

func (e *Response) end(status int, text []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return ErrEnded
	}
	e.ended = true
	if e.stream {
		return e.event(text)
	}
	e.w.Header().Set("Content-Type", "application/json")
	e.w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	e.w.WriteHeader(status)
	_, err := e.w.Write(text)
	return err
}

// event writes one message as an event. The message is one line: it is compact JSON,
// or has had its line breaks removed.
func (e *Response) event(text []byte) error {
	const before, after = "event: message\ndata: ", "\n\n"
	buffer := make([]byte, 0, len(before)+len(text)+len(after))
	buffer = append(buffer, before...)
	for _, c := range text {
		if c != '\n' && c != '\r' { // between the tokens of JSON they are space
			buffer = append(buffer, c)
		}
	}
	_, err := e.w.Write(append(buffer, after...))
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
