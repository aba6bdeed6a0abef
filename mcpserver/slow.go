package mcpserver

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"
)

// The timeouts of http.Server cover a whole request and response, and a stream
// may stay open for hours. So deadlines are set for each step here instead.

// timed gives a client bodyTime to send its request and writeTime to take each
// piece of the answer.
func timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		steps := http.NewResponseController(w)
		// Errors mean a writer without deadlines, such as a test's.
		_ = steps.SetReadDeadline(time.Now().Add(bodyTime))
		_ = steps.SetWriteDeadline(time.Time{}) // that of an earlier response
		next.ServeHTTP(&timedWriter{w, steps}, r)
	})
}

type timedWriter struct {
	http.ResponseWriter
	steps *http.ResponseController
}

func (w *timedWriter) Write(p []byte) (int, error) {
	_ = w.steps.SetWriteDeadline(time.Now().Add(writeTime))
	return w.ResponseWriter.Write(p)
}

// FlushError is what [http.ResponseController] calls.
func (w *timedWriter) FlushError() error {
	_ = w.steps.SetWriteDeadline(time.Now().Add(writeTime))
	return w.steps.Flush()
}

func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// wholeBody reads the request to its end, at most maxMessage bytes, before
// anything is done with it, and then lifts the deadline: from here on the client
// only has to wait.
func (s *Server) wholeBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			http.Error(w, "the request is larger than 4 MiB", http.StatusRequestEntityTooLarge)
			return
		}
		if err != nil {
			http.Error(w, "the request did not arrive as a whole", http.StatusBadRequest)
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		r.Body = &whole{Reader: bytes.NewReader(body), text: body}
		if bytes.Contains(body, []byte("tools/call")) { // a stream, which holds no answer, never says so
			defer s.answering()()
		}
		next.ServeHTTP(w, r)
	})
}

// whole is a body that was read already.
type whole struct {
	*bytes.Reader
	text []byte
}

func (*whole) Close() error { return nil }
