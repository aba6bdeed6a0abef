package sim

import (
	"slices"
	"time"
)

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
	Kinds         []Times // in the order of System.Kinds
}

// Times are those of one kind of call; 0 if there was none.
type Times struct {
	Calls    int
	P50, P99 time.Duration
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
	for _, took := range w.kinds {
		slices.Sort(took)
		t := Times{Calls: len(took)}
		if t.Calls > 0 {
			t.P50, t.P99 = took[t.Calls/2], took[t.Calls*99/100]
		}
		r.Kinds = append(r.Kinds, t)
	}
	if w.OneMachine {
		w.servers = w.servers[:1]
	}
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
