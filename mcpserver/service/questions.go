package service

import (
	"context"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
)

const (
	// countedFor is how long a count of the open questions holds: counting reads the
	// questions of everybody, and scrapes come from several places.
	countedFor = 10 * time.Second
	// countTime bounds a count; a scrape must not wait for a store that does not answer.
	countTime = 2 * time.Second
)

// questions counts the questions that wait for an answer.
type questions struct {
	desk  *approve.Desk
	mu    sync.Mutex
	open  int
	ok    bool
	until time.Time
}

func (q *questions) count() (open int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now := time.Now(); now.After(q.until) {
		ctx, cancel := context.WithTimeout(context.Background(), countTime)
		defer cancel()
		all, err := q.desk.List(ctx)
		q.open, q.ok, q.until = 0, err == nil, now.Add(countedFor)
		for _, e := range all {
			if e.State == approve.Open {
				q.open++
			}
		}
	}
	return q.open, q.ok
}
