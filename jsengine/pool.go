package jsengine

import "sync"

// pool keeps instances between calls. They are returned as they are and cleaned on
// the pool's own goroutine, after the answer is out.
type pool struct {
	machine *machine
	idle    int

	mu     sync.Mutex
	clean  []*instance
	dirty  []*instance
	closed bool

	work chan struct{} // has one element when something is dirty
	done chan struct{}
}

func newPool(m *machine, idle int) *pool {
	p := &pool{machine: m, idle: idle, work: make(chan struct{}, 1), done: make(chan struct{})}
	go p.tidy()
	return p
}

// take returns an instance whose memory is that of the image.
func (p *pool) take(image *Image) (*instance, error) {
	i := p.pick(image)
	if i == nil {
		i, err := p.machine.newInstance(image.engine.base.pages, uint64(image.pages.Size()), DefaultLimits.Memory)
		if err != nil {
			return nil, err
		}
		i.fill(image)
		return i, nil
	}
	if i.image != image || !i.fresh {
		i.reset(image)
	}
	return i, nil
}

// pick prefers a clean instance of the image, then any other that can be reset to
// it: a reset costs a twentieth of a new instance.
func (p *pool) pick(image *Image) *instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := len(p.clean) - 1; n >= 0; n-- {
		if p.clean[n].image == image {
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

// tidy resets reusable instances and closes the rest.
func (p *pool) tidy() {
	defer close(p.done)
	for range p.work {
		for {
			p.mu.Lock()
			if len(p.dirty) == 0 {
				p.mu.Unlock()
				break
			}
			i := remove(&p.dirty, len(p.dirty)-1)
			keep := i.reusable() && len(p.clean) < p.idle
			p.mu.Unlock()
			if !keep {
				i.close()
				continue
			}
			i.reset(i.image)
			p.mu.Lock()
			p.clean = append(p.clean, i)
			p.mu.Unlock()
		}
	}
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
