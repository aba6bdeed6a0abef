// Package events tells browsers that something changed, over server-sent events. What
// changed is a topic; a browser fetches the page again to see it.
package events

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// calm is the least time between two messages to one browser, however much changes.
	calm = 200 * time.Millisecond
	// beat is how often a comment is sent, so that a lost connection is noticed.
	beat = 15 * time.Second
	// writeTime is how long a browser may take to accept a message.
	writeTime = 10 * time.Second
	// maxStreams bounds the streams of all browsers: a browser has a few tabs.
	maxStreams = 512
)

// Hub passes topics on. The zero value is ready.
type Hub struct {
	mu      sync.Mutex
	streams map[*stream]struct{}
}

// stream is one browser's connection and the topics it has not been told yet.
type stream struct {
	mu    sync.Mutex
	fresh map[string]bool
	wake  chan struct{}
}

// Tell passes a topic to all browsers. It never waits.
func (h *Hub) Tell(topic string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams {
		s.mu.Lock()
		s.fresh[topic] = true
		s.mu.Unlock()
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// Streams returns how many browsers listen.
func (h *Hub) Streams() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams)
}

func (h *Hub) enter() *stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.streams) >= maxStreams {
		return nil
	}
	if h.streams == nil {
		h.streams = map[*stream]struct{}{}
	}
	s := &stream{fresh: map[string]bool{}, wake: make(chan struct{}, 1)}
	h.streams[s] = struct{}{}
	return s
}

func (h *Hub) leave(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, s)
}

// Serve sends topics to one browser until it leaves, ctx ends or ended is closed. After
// ended it says "bye", so that the browser does not come back.
func (h *Hub) Serve(ctx context.Context, w http.ResponseWriter, ended <-chan struct{}) {
	s := h.enter()
	if s == nil {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer h.leave(s)
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	send := func(text string) bool {
		if err := control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return false
		}
		_, err := fmt.Fprint(w, text)
		return err == nil && control.Flush() == nil
	}
	// A browser that comes back may have missed something, so it begins with a change.
	if !send("retry: 2000\n\nevent: hello\ndata: \n\n") {
		return
	}
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
			send("event: bye\ndata: \n\n")
			return
		case <-tick.C:
			if !send(": still here\n\n") {
				return
			}
		case <-s.wake:
			if !send("event: changed\ndata: " + strings.Join(s.take(), " ") + "\n\n") {
				return
			}
			select {
			case <-time.After(calm):
			case <-ctx.Done():
				return
			}
		}
	}
}

// take returns the topics that were not told yet.
func (s *stream) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	topics := slices.Sorted(maps.Keys(s.fresh))
	clear(s.fresh)
	return topics
}
