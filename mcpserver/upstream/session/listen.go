package session

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	// A subscription that ended is opened again after listenFirst, and each time after
	// twice as long up to listenMost; one that held for listenMost begins anew.
	listenFirst = time.Second
	listenMost  = 5 * time.Minute
	// relistenPause is between the end of a subscription and the one that takes its place.
	// Servers that keep subscriptions by connection, such as those of the Go SDK, forget
	// the new one when they get round to ending the old one.
	relistenPause = 250 * time.Millisecond
	// maxWatched bounds the resources subscribed to.
	maxWatched = 1000
)

// listen keeps the one subscription of a modern session open, if there is anything to
// subscribe to.
func (s *Session) listen() {
	defer s.work.Done()
	for delay, first := listenFirst, true; s.life.Err() == nil; first = false {
		wanted := s.wanted()
		if wanted == nil {
			select {
			case <-s.relisten:
			case <-s.life.Done():
			}
			continue
		}
		if !first { // nobody listened for a moment
			s.changes.add(s.anything())
		}
		ctx, cancel := context.WithCancel(s.life)
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			select {
			case <-s.relisten:
				cancel()
			case <-ctx.Done():
			}
		}()
		began := time.Now()
		_, err := s.ask(ctx, "subscriptions/listen", wanted)
		again := ctx.Err() != nil && s.life.Err() == nil
		cancel()
		<-stopped
		if again {
			s.sleep(relistenPause)
			continue // it is another subscription now
		}
		if _, ok := err.(*RPCError); ok || s.conn.Err() != nil {
			return // the server does not have it, or is gone
		}
		if time.Since(began) > listenMost {
			delay = listenFirst
		}
		s.sleep(delay + rand.N(delay/4))
		delay = min(2*delay, listenMost)
	}
}

// anything is every change that the server would tell.
func (s *Session) anything() Changes {
	info := s.Info()
	return Changes{Tools: info.Has("tools.listChanged"), Resources: info.Has("resources.listChanged"), Prompts: info.Has("prompts.listChanged")}
}

func (s *Session) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.life.Done():
	}
}

// wanted returns the parameters of the subscription, nil for none.
func (s *Session) wanted() json.RawMessage {
	want := map[string]any{}
	for capability, member := range map[string]string{"tools": "toolsListChanged", "prompts": "promptsListChanged", "resources": "resourcesListChanged"} {
		if s.options.Changed != nil && s.Info().Has(capability+".listChanged") {
			want[member] = true
		}
	}
	s.mu.Lock()
	if len(s.watched) > 0 {
		want["resourceSubscriptions"] = slices.Sorted(maps.Keys(s.watched))
	}
	s.mu.Unlock()
	if len(want) == 0 {
		return nil
	}
	params, _ := json.Marshal(map[string]any{"notifications": want})
	return params
}

// Subscribe asks to be told when a resource changes, and Unsubscribe no longer to be.
func (s *Session) Subscribe(ctx context.Context, uri string) error {
	s.mu.Lock()
	known, full := s.watched[uri], len(s.watched) == maxWatched
	if !known && !full {
		s.watched[uri] = true
	}
	s.mu.Unlock()
	switch {
	case known:
		return nil
	case full:
		return fmt.Errorf("more than %d resources are subscribed to", maxWatched)
	}
	err := s.rewatch(ctx, "resources/subscribe", uri)
	if err != nil {
		s.unwatch(uri)
	}
	return err
}

// Unsubscribe is the end of [Session.Subscribe].
func (s *Session) Unsubscribe(ctx context.Context, uri string) error {
	if !s.unwatch(uri) {
		return nil
	}
	return s.rewatch(ctx, "resources/unsubscribe", uri)
}

func (s *Session) unwatch(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.watched[uri]
	delete(s.watched, uri)
	return known
}

func (s *Session) rewatch(ctx context.Context, method, uri string) error {
	if s.Info().Era == Modern {
		select {
		case s.relisten <- struct{}{}:
		default: // it will read the new set anyway
		}
		return nil
	}
	params, _ := json.Marshal(map[string]string{"uri": uri})
	_, err := s.ask(ctx, method, params)
	return err
}
