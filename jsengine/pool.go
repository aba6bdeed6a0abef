package jsengine

import (
	"sync"
	"time"
)

// restAfter is how long an instance waits for a call with its memory in place. Making
// it ready again takes some 35 us, half of what a new one takes, instead of under 10.
const restAfter = 5 * time.Second

// pool keeps instances between calls. They are returned as they are and cleaned on
// the pool's own goroutine, after the answer is out.
type pool struct {
	machine   *machine
	idle      int
	restAfter time.Duration
	prepared  func(Preparation, time.Duration) // of Config; may be nil

	mu     sync.Mutex
	clean  []*instance
	dirty  []*instance
	closed bool

	work chan struct{} // has one element when something is dirty
	done chan struct{}
}

func newPool(m *machine, idle int, restAfter time.Duration, prepared func(Preparation, time.Duration)) *pool {
	p := &pool{machine: m, idle: idle, restAfter: restAfter, prepared: prepared, work: make(chan struct{}, 1), done: make(chan struct{})}
	go p.tidy()
	return p
}

// take returns an instance of the image.
func (p *pool) take(image *Image) (*instance, error) {
	i, err := p.prepare(image)
	if err != nil {
		return nil, err
	}
	if err := i.attach(p.machine, image.loops); err != nil {
		i.close()
		return nil, err
	}
	return i, nil
}

// prepare returns an instance whose memory is that of the image.
func (p *pool) prepare(image *Image) (*instance, error) {
	i := p.pick(image)
	if i == nil {
		began := time.Now()
		i, err := p.machine.newInstance(image.engine.base.pages, uint64(image.pages.Size()), DefaultLimits.Memory)
		if err != nil {
			return nil, err
		}
		i.fill(image)
		p.tell(Made, time.Since(began))
		return i, nil
	}
	if i.image != image || !i.fresh {
		began := time.Now()
		i.reset(image)
		p.tell(Reset, time.Since(began))
	}
	return i, nil
}

func (p *pool) tell(what Preparation, took time.Duration) {
	if p.prepared != nil {
		p.prepared(what, took)
	}
}

// pick prefers a clean instance of the image, then any other that can be reset to
// it: a reset costs a twentieth of a new instance.
func (p *pool) pick(image *Image) *instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := len(p.clean) - 1; n >= 0; n-- {
		if p.clean[n].image == image && p.clean[n].fresh {
			return remove(&p.clean, n)
		}
	}
	for _, list := range []*[]*instance{&p.dirty, &p.clean} {
		for n := len(*list) - 1; n >= 0; n-- {
			if i := (*list)[n]; i.reusable() && i.memory.Size() == uint64(image.pages.Size()) {
				return remove(list, n)
			}
		}
	}
	return nil
}

func remove(list *[]*instance, n int) *instance {
	l := *list
	i := l[n]
	l[n] = l[len(l)-1]
	l[len(l)-1] = nil
	*list = l[:len(l)-1]
	return i
}

// put takes an instance back after a call.
func (p *pool) put(i *instance) {
	i.fresh = false
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		i.close()
		return
	}
	p.dirty = append(p.dirty, i)
	select {
	case p.work <- struct{}{}:
	default:
	}
}

func (p *pool) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.clean) + len(p.dirty)
}

// tidy resets reusable instances, closes the others, and lets those rest that no call
// has needed for a while.
func (p *pool) tidy() {
	defer close(p.done)
	var rest <-chan time.Time // nil while all instances rest, so that an idle process sleeps
	for {
		select {
		case _, open := <-p.work:
			if !open {
				p.empty()
				return
			}
			p.sweep()
			if rest == nil {
				rest = time.After(p.restAfter)
			}
		case now := <-rest:
			rest = nil
			if p.rest(now.Add(-p.restAfter)) {
				rest = time.After(p.restAfter)
			}
		}
	}
}

// sweep makes dirty instances clean, or closes them.
func (p *pool) sweep() {
	for {
		p.mu.Lock()
		if len(p.dirty) == 0 {
			p.mu.Unlock()
			return
		}
		i := remove(&p.dirty, len(p.dirty)-1)
		keep := i.reusable() && len(p.clean) < p.idle
		p.mu.Unlock()
		if !keep {
			i.close()
			continue
		}
		began := time.Now()
		i.reset(i.image)
		i.cleaned = time.Now()
		took := i.cleaned.Sub(began)
		p.mu.Lock()
		p.clean = append(p.clean, i)
		p.mu.Unlock()
		p.tell(Reset, took)
	}
}

// rest lets the instances rest that are clean since before then, and reports whether
// others are left.
func (p *pool) rest(before time.Time) (awake bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range p.clean {
		switch {
		case i.resting:
		case i.cleaned.After(before):
			awake = true
		default:
			i.rest()
		}
	}
	return awake
}

// empty closes all instances.
func (p *pool) empty() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range append(p.clean, p.dirty...) {
		i.close()
	}
	p.clean, p.dirty = nil, nil
}

func (p *pool) close() {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.work)
	}
	p.mu.Unlock()
	<-p.done
}
