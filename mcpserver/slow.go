package mcpserver

import (
	"cmp"
	"net/http"
	"time"
)

// The timeouts of http.Server cover a whole request and response, but a stream may
// stay open for hours. So each step gets its own deadline here.

// Patience holds the timeouts for each step of a client. Zero fields have
// defaults.
type Patience struct {
	Headers time.Duration // to send the headers; default 10 s
	Body    time.Duration // to send the whole request; default 30 s
	Piece   time.Duration // to read one piece of a response; default 30 s
	Idle    time.Duration // between two requests on a connection; default 2 minutes
}

func (p Patience) withDefaults() Patience {
	return Patience{
		Headers: cmp.Or(p.Headers, 10*time.Second), Body: cmp.Or(p.Body, 30*time.Second),
		Piece: cmp.Or(p.Piece, 30*time.Second), Idle: cmp.Or(p.Idle, 2*time.Minute),
	}
}

// timed sets deadlines for the request and for each piece of the answer.
func (p Patience) timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &timedWriter{w, http.NewResponseController(w), p.Piece}
		// An error means that the writer has no deadlines, such as a test's.
		_ = t.steps.SetReadDeadline(time.Now().Add(p.Body))
		_ = t.steps.SetWriteDeadline(time.Time{}) // clears an earlier response's
		next.ServeHTTP(t, r)
		t.piece() // for what net/http still has to send, if only the headers
	})
}

type timedWriter struct {
	http.ResponseWriter
	steps *http.ResponseController
	limit time.Duration
}

func (w *timedWriter) piece() { _ = w.steps.SetWriteDeadline(time.Now().Add(w.limit)) }

func (w *timedWriter) Write(p []byte) (int, error) {
	w.piece()
	return w.ResponseWriter.Write(p)
}

// FlushError is called by [http.ResponseController].
func (w *timedWriter) FlushError() error {
	w.piece()
	return w.steps.Flush()
}

func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
