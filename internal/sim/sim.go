// Package sim is a discrete-event simulation of servers that share a store: what throughput
// and which times a number of them would have, from what one call costs. The same seed gives
// the same run. It is checked against the formulas of queueing theory.
package sim

import (
	"container/heap"
	"math/rand/v2"
	"time"
)

// Work draws how long something takes.
type Work func(*rand.Rand) time.Duration

// Constant always takes the same.
func Constant(d time.Duration) Work { return func(*rand.Rand) time.Duration { return d } }

// Exponential takes d at the mean.
func Exponential(d time.Duration) Work {
	return func(r *rand.Rand) time.Duration { return time.Duration(r.ExpFloat64() * float64(d)) }
}

// Kind is one kind of call.
type Kind struct {
	Share float64 // of the calls, relative to the others
	// Before and After are the work at the server, around the writes to the store.
	Before, After Work
	// Turns is in how many parts Before is done, 1 if it is 0. Apart, which may be nil, is the
	// time in all in which nobody works for the call: wires, disks and what wakes up late.
	Turns  int
	Apart  Work
	Writes int // to the store, one after the other; each waits for a majority of the copies
}

// System is a number of servers behind a balancer that gives each the next call in turn,
// and a store with copies.
type System struct {
	Servers    int
	Processors int // of each server, or of the one machine that is all of them
	OneMachine bool
	Members    int // of the store, each with one writer; 0 if no kind writes
	Copies     int // of what is written
	Write      Work
	Hop        time.Duration // between two machines, one way
	Rate       float64       // of calls a second, a Poisson process
	Kinds      []Kind
	// Most is how many calls are under way at one time, others are turned away; 0 is no bound.
	Most int
}

// Run simulates calls until n have their answer.
func Run(s System, n int, seed uint64) Result {
	w := &world{System: s, random: rand.New(rand.NewPCG(seed, 0))}
	for i := range s.Servers {
		if i > 0 && s.OneMachine {
			w.servers = append(w.servers, w.servers[0])
			continue
		}
		w.servers = append(w.servers, &station{free: s.Processors})
	}
	w.kinds = make([][]time.Duration, len(s.Kinds))
	for range s.Members {
		w.members = append(w.members, &station{free: 1})
	}
	for _, k := range s.Kinds {
		w.shares += k.Share
	}
	w.arrive()
	for len(w.took) < n {
		next := heap.Pop(&w.events).(event)
		w.inside += float64(w.present) * float64(next.at-w.now)
		w.now = next.at
		next.do()
	}
	return w.result()
}

// world is a run. Times are since its start.
type world struct {
	System
	random           *rand.Rand
	events           events
	now              time.Duration
	number           uint64 // of events, which orders those of one moment
	servers, members []*station
	shares           float64
	arrived, present int
	inside           float64
	took             []time.Duration
	kinds            [][]time.Duration // likewise, by kind
	waited           time.Duration
	waiters          int
}

// station is a queue, first come first served, with one or more who serve.
type station struct {
	free  int
	queue []func()
	busy  time.Duration
}

func (w *world) after(d time.Duration, do func()) {
	w.number++
	heap.Push(&w.events, event{w.now + d, w.number, do})
}

// use queues at a station for some work, and goes on when it is done.
func (w *world) use(s *station, work Work, begun, done func()) {
	start := func() {
		begun()
		d := work(w.random)
		s.busy += d
		w.after(d, func() {
			s.free++
			if len(s.queue) > 0 {
				first := s.queue[0]
				s.queue = s.queue[1:]
				s.free--
				first()
			}
			done()
		})
	}
	if s.free > 0 {
		s.free--
		start()
		return
	}
	s.queue = append(s.queue, start)
}

// arrive lets a call begin, and the next one after it.
func (w *world) arrive() {
	w.after(time.Duration(w.random.ExpFloat64()/w.Rate*float64(time.Second)), func() {
		if w.Most == 0 || w.present < w.Most {
			w.call(w.servers[w.arrived%len(w.servers)], w.kind())
		}
		w.arrived++
		w.arrive()
	})
}

func (w *world) kind() int {
	drawn := w.random.Float64() * w.shares
	for i := range w.Kinds {
		if drawn -= w.Kinds[i].Share; drawn < 0 {
			return i
		}
	}
	return len(w.Kinds) - 1
}

func (w *world) call(at *station, kind int) {
	k, began := &w.Kinds[kind], w.now
	w.present++
	answered := func() {
		w.present--
		w.took = append(w.took, w.now-began)
		w.kinds[kind] = append(w.kinds[kind], w.now-began)
	}
	nothing := func() {}
	w.before(at, k, func() {
		w.write(k.Writes, func() {
			if k.After == nil {
				answered()
				return
			}
			w.use(at, k.After, nothing, answered)
		})
	})
}

// before does the work before the writes.
func (w *world) before(at *station, k *Kind, done func()) {
	turns := max(k.Turns, 1)
	each := time.Duration(0)
	if k.Apart != nil {
		each = k.Apart(w.random) / time.Duration(turns)
	}
	part := k.Before
	if turns > 1 {
		whole := k.Before(w.random)
		part = Constant(whole / time.Duration(turns))
	}
	came := w.now
	noted := func() {
		if waited := w.now - came; waited > 0 {
			w.waited += waited
			w.waiters++
		}
	}
	var turn func()
	turn = func() {
		turns--
		w.use(at, part, noted, func() {
			noted = func() {}
			switch {
			case turns > 0:
				w.after(each, turn)
			case each > 0:
				w.after(each, done)
			default:
				done()
			}
		})
	}
	turn()
}

// write writes n times: to the leader, which is another member for each write as keys are
// spread over streams, and then to the copies at the same time, until a majority has it.
func (w *world) write(n int, done func()) {
	if n == 0 {
		done()
		return
	}
	nothing := func() {}
	leader := w.random.IntN(len(w.members))
	w.after(w.Hop, func() {
		w.use(w.members[leader], w.Write, nothing, func() {
			missing := w.Copies / 2 // beside the leader
			stored := func() { w.after(w.Hop, func() { w.write(n-1, done) }) }
			if missing == 0 {
				stored()
				return
			}
			for i := 1; i < w.Copies; i++ {
				w.after(w.Hop, func() {
					w.use(w.members[(leader+i)%len(w.members)], w.Write, nothing, func() {
						w.after(w.Hop, func() {
							if missing--; missing == 0 {
								stored()
							}
						})
					})
				})
			}
		})
	})
}

// event is something that happens.
type event struct {
	at     time.Duration
	number uint64
	do     func()
}

// events is a heap by time.
type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].number < e[j].number
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}
