package admission

import (
	"container/list"
	"context"
	"sync"
)

// Lane runs a few at a time, in turn among principals: for work that is done before
// a message is known to be a call, such as reading a large one. The memory the
// waiters hold bounds their number.
type Lane struct {
	mu     sync.Mutex
	free   int
	queues map[string]*list.List // of chan struct{}, the oldest first
	turns  list.List             // of string: principals with a queue, next turn first
}

// NewLane returns a lane with the given number of slots.
func NewLane(wide int) *Lane { return &Lane{free: max(1, wide), queues: map[string]*list.List{}} }

// Enter waits for a turn; the caller must call leave afterwards unless there is an
// error, which is the reason ctx ended.
func (l *Lane) Enter(ctx context.Context, principal string) (leave func(), err error) {
	l.mu.Lock()
	if l.free > 0 {
		l.free--
		l.mu.Unlock()
		return sync.OnceFunc(l.leave), nil
	}
	queue := l.queues[principal]
	if queue == nil {
		queue = list.New()
		l.queues[principal] = queue
		l.turns.PushBack(principal)
	}
	turn := make(chan struct{})
	place := queue.PushBack(turn)
	l.mu.Unlock()
	select {
	case <-turn:
		return sync.OnceFunc(l.leave), nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-turn: // at the same moment
		return sync.OnceFunc(l.leave), nil
	default:
	}
	if queue.Remove(place); queue.Len() == 0 {
		delete(l.queues, principal)
		for e := l.turns.Front(); e != nil; e = e.Next() {
			if e.Value == principal {
				l.turns.Remove(e)
				break
			}
		}
	}
	return nil, context.Cause(ctx)
}

// leave passes the slot on.
func (l *Lane) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := l.turns.Front()
	if first == nil {
		l.free++
		return
	}
	principal := first.Value.(string)
	queue := l.queues[principal]
	close(queue.Remove(queue.Front()).(chan struct{}))
	if queue.Len() > 0 {
		l.turns.MoveToBack(first)
		return
	}
	l.turns.Remove(first)
	delete(l.queues, principal)
}
