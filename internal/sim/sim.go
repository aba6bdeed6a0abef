// Package sim is a discrete-event simulation of servers that share a store: what throughput
// and which times a number of them would have, from what one call costs. The same seed gives
// the same run. It is checked against the formulas of queueing theory.
package sim

import (
	"container/heap"
	"math/rand/v2"
	"slices"
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
	Writes        int // to the store, one after the other; each waits for a majority of the copies
}

// System is a number of servers behind a balancer that gives each the next call in turn,
// and a store with copies.
type System struct {
	Servers    int
	Processors int // of each server
	Members    int // of the store, each with one writer; 0 if no kind writes
	Copies     int // of what is written
	Write      Work
	Hop        time.Duration // between two machines, one way
	Rate       float64       // of calls a second, a Poisson process
	Kinds      []Kind
}

// Result is what a run says; times are from arrival to answer.
type Result struct {
	Calls         int
	Throughput    float64 // answers a second
	Mean          time.Duration
	P50, P99      time.Duration
	Inside        float64 // calls in the system at the mean, over time
	ServerBusy    float64 // share of the time that a processor of a server works
	StoreBusy     float64 // likewise a writer of the store
	MeanWaited    time.Duration
	ShareOfWaited float64 // calls that waited for a processor
}

// Run simulates calls until n have their answer.
func Run(s System, n int, seed uint64) Result {
	w := &world{System: s, random: rand.New(rand.NewPCG(seed, 0))}
	for range s.Servers {
		w.servers = append(w.servers, &station{free: s.Processors})
	}
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
		w.call(w.servers[w.arrived%len(w.servers)], w.kind())
		w.arrived++
		w.arrive()
	})
}

func (w *world) kind() *Kind {
	drawn := w.random.Float64() * w.shares
	for i := range w.Kinds {
		if drawn -= w.Kinds[i].Share; drawn < 0 {
			return &w.Kinds[i]
		}
	}
	return &w.Kinds[len(w.Kinds)-1]
}

func (w *world) call(at *station, k *Kind) {
	began := w.now
	w.present++
	answered := func() {
		w.present--
		w.took = append(w.took, w.now-began)
	}
	nothing := func() {}
	w.use(at, k.Before, func() {
		if waited := w.now - began; waited > 0 {
			w.waited += waited
			w.waiters++
		}
	}, func() {
		w.write(k.Writes, func() {
			if k.After == nil {
				answered()
				return
			}
			w.use(at, k.After, nothing, answered)
		})
	})
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

func (w *world) result() Result {
	r := Result{Calls: len(w.took), Throughput: float64(len(w.took)) / w.now.Seconds(), Inside: w.inside / float64(w.now)}
	var sum time.Duration
	for _, d := range w.took {
		sum += d
	}
	r.Mean, r.MeanWaited = sum/time.Duration(len(w.took)), w.waited/time.Duration(len(w.took))
	r.ShareOfWaited = float64(w.waiters) / float64(len(w.took))
	slices.Sort(w.took)
	r.P50, r.P99 = w.took[len(w.took)/2], w.took[len(w.took)*99/100]
	r.ServerBusy = busy(w.servers, w.Processors, w.now)
	r.StoreBusy = busy(w.members, 1, w.now)
	return r
}

func busy(all []*station, each int, now time.Duration) float64 {
	if len(all) == 0 {
		return 0
	}
	var sum time.Duration
	for _, s := range all {
		sum += s.busy
	}
	return float64(sum) / float64(now) / float64(len(all)*each)
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
