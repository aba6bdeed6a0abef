package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

const (
	// A stream that broke is taken up again after resumeFirst, then after half as long
	// again each time, up to resumeMost. What a server asks for is kept within the two.
	resumeFirst = 100 * time.Millisecond
	resumeMost  = time.Minute
	// maxResumes is how often the stream of a request is taken up without a new event.
	maxResumes = 5
)

// stream reads the events of a response until the answer to m. If the stream breaks and
// its server numbers events, it is taken up where it broke.
func (h *HTTP) stream(ctx context.Context, resp *http.Response, m *Message) (*wire.Message, io.ReadCloser, error) {
	from, tries := "", 0
	delay := resumeFirst
	for {
		answer, seen, err := h.follow(resp, m.ID)
		if answer != nil {
			return answer, resp.Body, nil
		}
		resp.Body.Close()
		if err != nil {
			return nil, nil, err
		}
		if seen.last != "" && seen.last != from {
			from, tries, delay = seen.last, 0, resumeFirst
		}
		tries++
		if from == "" || m.Version == "" || m.Version >= Modern || tries > maxResumes {
			return nil, nil, &Error{Kind: Closed, Err: errors.New("the stream ended before the answer")}
		}
		delay = pause(ctx, delay, seen.retry)
		if resp, err = h.get(ctx, m.Version, from); err != nil {
			return nil, nil, &Error{Kind: Closed, Err: fmt.Errorf("the stream ended before the answer and could not be taken up: %w", err)}
		}
	}
}

// seen is what a stream leaves for the one that takes it up.
type seen struct {
	last  string
	retry time.Duration
}

// follow hands on what comes on one stream until the answer to the request id or the end
// of the stream. An error means that the stream is not worth taking up.
func (h *HTTP) follow(resp *http.Response, id int64) (*wire.Message, seen, error) {
	var late atomic.Bool
	e := newEvents(resp.Body, func() { late.Store(true); resp.Body.Close() })
	defer e.close()
	for {
		now, err := e.next()
		state := seen{e.last, e.retry}
		switch {
		case late.Load() || errors.Is(err, errSlow):
			return nil, state, &Error{Kind: Stalled, Err: errSlow}
		case errors.Is(err, errTooLarge):
			h.dropped(TooLarge)
			return nil, state, &Error{Kind: Malformed, Err: err}
		case err != nil: // it ended, or broke
			return nil, state, nil
		}
		if now.name != "message" || len(now.data) == 0 {
			if h.pace(len(now.data)) != nil {
				return nil, state, nil
			}
			continue
		}
		m, err := h.read(now.data)
		switch {
		case err != nil:
			return nil, state, nil
		case m == nil:
			continue
		case !m.Answer:
			h.handle(id, m)
		default:
			if got, ok := idOf(m); ok && got == id && id != 0 {
				return m, state, nil
			}
			h.dropped(UnknownID)
		}
		if h.pace(len(now.data)) != nil {
			return nil, state, nil
		}
	}
}

// get opens a stream: the one for what the server sends on its own, or the rest of one
// that broke after an event.
func (h *HTTP) get(ctx context.Context, version, after string) (*http.Response, error) {
	header := h.headers(&Message{Version: version}, "text/event-stream")
	if after != "" {
		header.Set("Last-Event-ID", after)
	}
	resp, err := h.send(ctx, http.MethodGet, header, nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		_, err := h.refused(resp, 0)
		return nil, err
	}
	if kind, err := mediaType(resp); err != nil || kind != "text/event-stream" {
		resp.Body.Close()
		return nil, malformed("%.100q is no stream of events", kind)
	}
	return resp, nil
}

// pause waits before a stream is taken up, and returns how long to wait the next time.
func pause(ctx context.Context, delay, asked time.Duration) time.Duration {
	wait := max(delay, min(asked, resumeMost))
	timer := time.NewTimer(wait + rand.N(wait/4)) // so that the clients of a server that restarts do not come at once
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return min(delay*3/2, resumeMost)
}

// Gap is the method of a notification that comes from the transport: the stream of what a
// server sends on its own was away, and something may have been missed.
const Gap = "glovebox/gap"

// Listen implements [Conn]: with a version that has sessions it keeps a stream open. A
// server need not offer one.
func (h *HTTP) Listen(version string) {
	h.version.Store(&version)
	if version >= Modern {
		return
	}
	h.listening.Do(func() {
		h.streams.Add(1)
		go func() {
			defer h.streams.Done()
			h.listen(version)
		}()
	})
}

func (h *HTTP) listen(version string) {
	after, opened := "", false
	for delay := resumeFirst; h.Err() == nil; {
		var asked time.Duration
		resp, err := h.get(h.life, version, after)
		if e := (*Error)(nil); errors.As(err, &e) {
			switch {
			case e.Kind == SessionGone && opened:
				h.fail(e)
				return
			case !opened && e.Code != 0 || e.Kind == Malformed:
				return // it does not offer the stream
			}
		}
		if err == nil {
			if opened && after == "" { // nothing can be taken up
				h.handle(0, &wire.Message{Method: Gap})
			}
			var state seen
			_, state, err = h.follow(resp, 0)
			resp.Body.Close()
			if err != nil {
				return // what comes on it is not worth a second look
			}
			if opened = true; state.last != "" && state.last != after {
				after, delay = state.last, resumeFirst
			}
			asked = state.retry
		}
		delay = pause(h.life, delay, asked)
	}
}
