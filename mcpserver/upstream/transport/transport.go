package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
	"github.com/glovebox-run/glovebox/risk/unseen"
)

const (
	// MaxMessage bounds one message of a server in bytes. The largest results in use are
	// screenshots and pages of tool lists, of one or two megabytes.
	MaxMessage = 8 << 20
	// MessageTime bounds the time from the first byte of a message to its last. A
	// message that arrives slower than this holds memory and, on a shared stream, the
	// answers of others.
	MessageTime = 60 * time.Second
	// MaxText bounds what is quoted of a server's plain words, such as the body of an
	// HTTP error, in bytes.
	MaxText = 1 << 10
	// messagesPerSecond and messageBurst bound the messages a server may send that
	// answer no request. A token is one message or 4 KiB of one. The busiest server
	// seen sends some hundred reports of progress a second; reading 2,000 small messages
	// takes a hundredth of a core.
	messagesPerSecond = 2000
	messageBurst      = 4000
	bytesPerToken     = 4 << 10
)

// Conn is a connection to one server. It is safe for concurrent use.
type Conn interface {
	// Do sends a request and returns its answer, which is a result or an error of
	// JSON-RPC. If it fails, the error is an [*Error] or one of the context.
	Do(ctx context.Context, m *Message) (*wire.Message, error)
	// Send sends a notification or an answer.
	Send(ctx context.Context, m *Message) error
	// Listen opens the stream for what a server sends on its own, if the transport has
	// one that must be opened. It does not wait for it.
	Listen(version string)
	// Abandoning reports whether ending the context of Do tells the server that nobody
	// waits any more.
	Abandoning(version string) bool
	// Done is closed when the connection has ended; Err says why.
	Done() <-chan struct{}
	Err() error
	// Close ends the connection and waits until nothing of it is left, for about as long
	// as ctx allows.
	Close(ctx context.Context)
}

// Message is what is sent, and what HTTP repeats of it in headers.
type Message struct {
	Body    []byte
	ID      int64       // of a request; 0 for a notification or an answer
	Method  string      // empty for an answer
	Name    string      // of the tool, the prompt or the resource that a request is about
	Version string      // protocol version; empty before it is agreed on
	Header  http.Header // arguments of a tool that its schema wants repeated; nil for none
}

// Modern is the first protocol version without sessions. Versions are dates and
// compare as text.
const Modern = "2026-07-28"

// Handle takes what a server sends besides answers: its requests and notifications.
// from is the request on whose stream it came, 0 if that cannot be told. Handle must
// not block.
type Handle func(from int64, m *wire.Message)

// Drop is why something that a server sent was dropped.
type Drop uint8

const (
	NoMessage Drop = iota // no JSON-RPC message: a stray line, bad UTF-8, too deep
	TooLarge              // longer than MaxMessage
	Batched               // a batch, which no server has reason to send
	UnknownID             // the answer to no request: wrong, repeated or late
	drops                 // how many there are
	DropCount = int(drops)
)

func (d Drop) String() string {
	return [...]string{"no message", "too large", "batch", "unknown id"}[d]
}

// Kind is how an exchange failed.
type Kind uint8

const (
	Closed       Kind = iota // the connection ended
	Unreachable              // no connection came about
	Status                   // HTTP said no
	Unauthorized             // HTTP 401 or 403
	SessionGone              // the server has forgotten the session
	Malformed                // the server did not keep to the protocol
	Stalled                  // a message did not end in time, or was not taken
)

func (k Kind) String() string {
	return [...]string{"connection closed", "unreachable", "http status", "unauthorized", "session gone", "malformed", "stalled"}[k]
}

// Error is why an exchange failed.
type Error struct {
	Kind Kind
	// Unsent is set if the server certainly did not act on the request: no byte of it
	// was sent, or the server refused it as a whole.
	Unsent     bool
	Code       int           // HTTP status, if there was one
	RetryAfter time.Duration // what the server asked for, at most an hour
	Text       string        // the server's words, bounded; hostile
	Err        error
}

func (e *Error) Error() string {
	text := e.Kind.String()
	if e.Code != 0 {
		text += fmt.Sprintf(" (%d)", e.Code)
	}
	if e.Text != "" {
		text += ": " + unseen.Spell(strings.Join(strings.Fields(e.Text), " "))
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Unsent reports whether the request certainly had no effect.
func Unsent(err error) bool {
	e := (*Error)(nil)
	return errors.As(err, &e) && e.Unsent
}

func malformed(format string, args ...any) *Error {
	return &Error{Kind: Malformed, Err: fmt.Errorf(format, args...)}
}
