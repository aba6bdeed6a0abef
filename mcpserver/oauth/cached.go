package oauth

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// cached is a document from the issuer, fetched on first use. Concurrent callers
// share one request, and callers that can use the current value do not wait.
type cached[T any] struct {
	fetch func(context.Context) (T, error)
	now   func() time.Time
	fresh time.Duration // how long it is used before it is fetched again
	stale time.Duration // how long it is used while the issuer is unreachable

	asking singleflight.Group

	mu     sync.Mutex
	value  T
	at     time.Time // when value was fetched; zero if never
	tried  time.Time // when the last request ended
	failed error     // the error of the last request
}

// get returns the document. With again it is fetched although it is fresh, because
// it lacks something; but not more often than every retryIssuer.
func (c *cached[T]) get(ctx context.Context, again bool) (T, error) {
	value, usable, due, err := c.look(again)
	if !due {
		return value, err
	}
	came := c.asking.DoChan("", func() (any, error) {
		if _, _, due, _ := c.look(again); due { // another request may just have ended
			c.refresh(context.WithoutCancel(ctx))
		}
		return nil, nil
	})
	if usable && !again {
		return value, nil
	}
	select {
	case <-came:
		value, _, _, err = c.look(false)
		return value, err
	case <-ctx.Done():
		return value, fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
	}
}

// look returns the current value, or why none is usable, and whether a request is
// due.
func (c *cached[T]) look(again bool) (value T, usable, due bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	age := now.Sub(c.at)
	usable = !c.at.IsZero() && age < c.stale
	due = (again || !usable || age >= c.fresh) && (c.tried.IsZero() || now.Sub(c.tried) >= retryIssuer)
	if usable {
		return c.value, usable, due, nil
	}
	return value, usable, due, fmt.Errorf("%w: %w", ErrUnavailable, c.failed)
}

func (c *cached[T]) refresh(ctx context.Context) {
	value, err := c.fetch(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tried, c.failed = c.now(), err; err == nil {
		c.value, c.at = value, c.tried
	}
}
