package jsengine

import (
	"slices"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/jsengine/internal/jsvalue"
)

// flight holds the asynchronous host calls of one guest call. It is made at the
// first of them and lives on after the guest's call until every Caller has
// returned, so nothing in it is reused.
type flight struct {
	inAir  int // touched only on the guest's goroutine
	lastID uint32

	mu     sync.Mutex
	landed []landing
	ready  chan struct{} // has one element when a call may have landed
}

// landing is a finished asynchronous call.
type landing struct {
	id    uint32
	reply reply
}

// startHost starts an asynchronous host call and returns its id.
func (i *instance) startHost(a arguments) jsvalue.Value {
	// A separate account: it stays open until the call has landed.
	req, instead, ok := i.takeRequest(a, new(budget.Account))
	if !ok {
		return instead
	}
	r := &i.run
	if r.flight == nil {
		r.flight = &flight{ready: make(chan struct{}, 1)}
	}
	f := r.flight
	if f.inAir >= r.limits.InFlight {
		return i.throw(i.newString([]byte(tooManyInFlight)))
	}
	f.inAir++
	f.lastID++
	id, ctx, caller := f.lastID, r.hostContext(), r.caller
	go func() { f.land(landing{id, ask(ctx, caller, req)}) }()
	return jsvalue.Int(int32(id))
}

const tooManyInFlight = `{"kind":"SECURITY","helper":"host","reason":"too-many-in-flight","message":"too many asynchronous calls are in flight; await some of them first"}`

func (f *flight) land(l landing) {
	f.mu.Lock()
	f.landed = append(f.landed, l)
	f.mu.Unlock()
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// take removes one landing: the one with the given id, or the first when id is 0.
func (f *flight) take(id uint32) (landing, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n, l := range f.landed {
		if id == 0 || l.id == id {
			f.landed = slices.Delete(f.landed, n, n+1)
			f.inAir--
			return l, true
		}
	}
	return landing{}, false
}

// waitHost blocks the guest until the call with that id has ended.
func (i *instance) waitHost(id uint32) jsvalue.Value {
	r := &i.run
	if id == 0 || r.flight == nil || id > r.flight.lastID {
		return i.throwRefusal("wait", "no such call is in flight")
	}
	for {
		if l, ok := r.flight.take(id); ok {
			return i.reply(l.reply)
		}
		select {
		case <-r.flight.ready:
		case <-r.hostContext().Done():
			i.stop(r.whyDone())
		}
	}
}

// whyDone says why hostContext ended.
func (r *execution) whyDone() *Failure {
	if err := r.ctx.Err(); err != nil {
		return interrupted(err)
	}
	return timedOut()
}

// event is what a guest without pending jobs waits for: a landing, or else a tick.
type event struct {
	landing landing
	landed  bool
}

// next waits for the next event, until time is up or no event can come any more.
func (r *execution) next() (event, *Failure) {
	for {
		var landings <-chan struct{}
		if r.flight != nil && r.flight.inAir > 0 {
			if l, ok := r.flight.take(0); ok {
				return event{landing: l, landed: true}, nil
			}
			landings = r.flight.ready
		}
		if !r.armed && landings == nil {
			return event{}, &Failure{Kind: NeverSettles, Message: "the result waits for something that can never happen"}
		}
		var alarm <-chan time.Time
		if r.armed {
			wait := r.alarm.Sub(r.clock.Now())
			// A virtual clock advances only when nothing real is pending.
			if wait > 0 && r.clock.virtual() && landings == nil {
				r.clock.now = r.alarm
				if wait = 0; r.clock.now.Sub(r.started) > r.limits.Time {
					return event{}, timedOut()
				}
			}
			if wait <= 0 {
				r.armed = false
				return event{}, nil
			}
			if !r.clock.virtual() {
				timer := time.NewTimer(wait)
				defer timer.Stop()
				alarm = timer.C
			}
		}
		select {
		case <-landings:
		case <-alarm:
			r.armed = false
			return event{}, nil
		case <-r.hostContext().Done():
			return event{}, r.whyDone()
		}
	}
}
