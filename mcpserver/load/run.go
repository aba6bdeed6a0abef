package load

import (
	"bufio"
	"context"
	"io"
	"sync"
	"time"
)

// newLines reads lines that may be as long as an answer.
func newLines(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 8<<10), maxAnswer)
	return s
}

// openAtOnce is how many sessions or questions are opened at one time before a run.
const openAtOnce = 16

// Run does what the plan says, and reports what was measured until ctx ended. An error means
// that it could not begin.
func Run(ctx context.Context, p Plan) (*Report, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	c := newClients(&p)
	defer c.close()
	report := newReport(&p)
	nodes := newNodes(c)
	nodes.look(ctx, atStart)
	defer c.leave(ctx)
	if err := c.prepare(ctx); err != nil {
		return nil, err
	}
	nodes.look(ctx, withSessions)
	if err := c.hold(ctx); err != nil {
		return nil, err
	}
	nodes.look(ctx, withQuestions)
	c.load(ctx, report)
	report.finish()
	nodes.look(context.WithoutCancel(ctx), atEnd)
	report.Nodes = nodes.costs(report.good())
	return report, nil
}

// load makes the calls, each at its moment whatever the others do.
func (c *clients) load(ctx context.Context, report *Report) {
	places := make(chan struct{}, c.plan.InFlight)
	var calls sync.WaitGroup
	draws := newArrivals(c.plan)
	timer := time.NewTimer(0)
	defer timer.Stop()
	report.begin()
	for {
		a := draws.next()
		if a.at > c.plan.Duration {
			break
		}
		intended := report.started.Add(a.at)
		timer.Reset(time.Until(intended))
		select {
		case <-ctx.Done():
			report.Interrupted = true
			calls.Wait()
			return
		case <-timer.C:
		}
		full := false
		select {
		case places <- struct{}{}:
		default:
			full = true
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				report.Interrupted = true
				calls.Wait()
				return
			}
		}
		calls.Go(func() {
			defer func() { <-places }()
			sent := time.Now()
			err := c.call(ctx, a)
			if err != nil && ctx.Err() != nil {
				return // broken off by the end of the run, not by a server
			}
			report.note(a, full, sent.Sub(intended), time.Since(intended), time.Now(), err)
		})
	}
	calls.Wait()
}

// prepare opens the sessions.
func (c *clients) prepare(ctx context.Context) error {
	n := 0
	for _, era := range c.plan.Eras {
		if era == Sessions {
			n = c.plan.Sessions
		}
	}
	c.seats = make([]seat, n)
	return together(n, func(i int) (err error) {
		c.seats[i], err = c.open(ctx, i)
		return err
	})
}

// hold leaves questions open, each of one agent.
func (c *clients) hold(ctx context.Context) error {
	var asks *Kind
	for i := range c.plan.Kinds {
		if c.plan.Kinds[i].Asks {
			asks = &c.plan.Kinds[i]
		}
	}
	return together(c.plan.Hold, func(i int) error {
		_, err := c.stateless(ctx, asks, -1-i, "") // calls have numbers from 1
		return err
	})
}

// leave ends the sessions.
func (c *clients) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_ = together(len(c.seats), func(i int) error {
		if c.seats[i].session != "" && ctx.Err() == nil {
			c.end(ctx, c.seats[i])
		}
		return nil
	})
}

// together does something n times, a few at one time, until one fails.
func together(n int, do func(i int) error) error {
	work := make(chan int)
	failed := make(chan error, openAtOnce)
	var all sync.WaitGroup
	for range min(n, openAtOnce) {
		all.Go(func() {
			for i := range work {
				if err := do(i); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	var err error
	for i := 0; i < n && err == nil; i++ {
		select {
		case work <- i:
		case err = <-failed:
		}
	}
	close(work)
	all.Wait()
	if err == nil && len(failed) > 0 {
		err = <-failed
	}
	return err
}
