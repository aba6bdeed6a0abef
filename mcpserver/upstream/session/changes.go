package session

import (
	"sync"
	"time"
)

// A change is told after changeFirst, so that several lists that change together are one
// change, and then not again for changeAgain: whoever is told reads the lists anew.
const (
	changeFirst = 50 * time.Millisecond
	changeAgain = 5 * time.Second
)

// coalescer makes few calls of many notifications.
type coalescer struct {
	fire func(Changes)

	mu      sync.Mutex
	waiting Changes
	timer   *time.Timer
	last    time.Time
	stopped bool
}

func (c *coalescer) add(more Changes) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fire == nil || c.stopped || more == (Changes{}) {
		return
	}
	c.waiting.Tools = c.waiting.Tools || more.Tools
	c.waiting.Resources = c.waiting.Resources || more.Resources
	c.waiting.Prompts = c.waiting.Prompts || more.Prompts
	if c.timer == nil {
		c.timer = time.AfterFunc(max(changeFirst, changeAgain-time.Since(c.last)), c.tell)
	}
}

func (c *coalescer) tell() {
	c.mu.Lock()
	changes, stopped := c.waiting, c.stopped
	c.waiting, c.timer, c.last = Changes{}, nil, time.Now()
	c.mu.Unlock()
	if !stopped {
		c.fire(changes)
	}
}

func (c *coalescer) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	if c.timer != nil {
		c.timer.Stop()
	}
}
