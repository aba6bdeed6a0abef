package governed

import (
	"context"
	"errors"
	"sync"
)

// ErrStopped is the reason calls end when their pipeline stops.
var ErrStopped = errors.New("the server was stopped")

// open tracks the calls in progress, and ends them when the pipeline drains.
type open struct {
	ctx  context.Context // of all calls
	stop context.CancelCauseFunc

	mu       sync.Mutex
	draining bool
	calls    sync.WaitGroup // added to under mu and only while not draining
}

// enter registers a call as in progress until leave is called.
func (o *open) enter(ctx context.Context) (_ context.Context, leave func(), stopping *Failure) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.draining {
		return nil, nil, &Failure{Kind: Stopping, Message: "the server is stopping", Advice: "Try again later.", Cause: ErrStopped}
	}
	o.calls.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	unlink := context.AfterFunc(o.ctx, func() { cancel(ErrStopped) })
	return ctx, func() {
		unlink()
		cancel(nil)
		o.calls.Done()
	}, nil
}

// Drain refuses new calls and returns when those in progress have ended and are
// recorded. If ctx ends first they are cancelled; they then end within moments.
func (p *Pipeline) Drain(ctx context.Context) {
	o := &p.open
	o.mu.Lock()
	o.draining = true
	o.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		o.calls.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	o.stop(ErrStopped)
	<-ended
}
