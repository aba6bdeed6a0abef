package load

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Report is what a run measured. Times are in milliseconds.
type Report struct {
	Rate        float64        `json:"rate"`     // intended, calls a second
	Achieved    float64        `json:"achieved"` // good answers a second, while calls arrived
	Seconds     float64        `json:"seconds"`  // for which calls arrived
	Seed        uint64         `json:"seed"`
	Interrupted bool           `json:"interrupted,omitempty"`
	Kinds       []Row          `json:"kinds"`
	Generator   Generator      `json:"generator"`
	Nodes       []Node         `json:"nodes,omitempty"`
	Examples    map[string]any `json:"examples,omitempty"` // the first error of each code

	mu      sync.Mutex
	plan    *Plan
	rows    map[rowKey]*Row
	started time.Time
	cpu     time.Duration // of this process, when calls began
	late    []time.Duration
	full    int
	within  int // good answers while calls arrived
	end     time.Time
}

type rowKey struct {
	kind int
	era  string
}

// Row is one kind of call in one era.
type Row struct {
	Kind   string         `json:"kind"`
	Era    string         `json:"era"`
	Calls  int            `json:"calls"` // with a good answer; the times are theirs
	P50    float64        `json:"p50Ms"`
	P99    float64        `json:"p99Ms"`
	P999   float64        `json:"p999Ms"`
	Max    float64        `json:"maxMs"`
	Errors map[string]int `json:"errors,omitempty"`

	took []time.Duration
}

// Took is how long each call with a good answer took, the shortest first.
func (r Row) Took() []time.Duration { return r.took }

// Generator is what the generator itself needed.
type Generator struct {
	Processors float64  `json:"processors"` // that it kept busy
	Of         int      `json:"of"`
	LateP99    float64  `json:"lateP99Ms"`       // calls began so late; it is part of their times
	Full       int      `json:"full,omitempty"`  // calls that waited since too many were under way
	Limits     []string `json:"limit,omitempty"` // why it may have been the limit itself
}

func newReport(p *Plan) *Report {
	return &Report{Rate: p.Rate, Seed: p.Seed, plan: p, rows: map[rowKey]*Row{}, Examples: map[string]any{}}
}

func (r *Report) begin() {
	r.started, r.cpu = time.Now(), processorTime()
	r.end = r.started.Add(r.plan.Duration)
}

// note counts one call. late is how long after its moment it began.
func (r *Report) note(a arrival, full bool, late, took time.Duration, at time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := rowKey{a.kind, a.era}
	row := r.rows[key]
	if row == nil {
		row = &Row{Kind: r.plan.Kinds[a.kind].Name, Era: a.era}
		r.rows[key] = row
	}
	if full {
		r.full++
	} else {
		r.late = append(r.late, late)
	}
	if err != nil {
		code := "internal"
		var f *failure
		if errors.As(err, &f) {
			code = f.code
		}
		if row.Errors == nil {
			row.Errors = map[string]int{}
		}
		row.Errors[code]++
		if r.Examples[code] == nil {
			r.Examples[code] = err.Error()
		}
		return
	}
	row.took = append(row.took, took)
	if at.Before(r.end) {
		r.within++
	}
}

// finish makes the numbers.
func (r *Report) finish() {
	now := time.Now()
	r.Generator.Of = runtime.GOMAXPROCS(0)
	r.Generator.Processors = float64(processorTime()-r.cpu) / float64(now.Sub(r.started))
	if now.Before(r.end) { // interrupted
		r.end = now
	}
	r.Seconds = r.end.Sub(r.started).Seconds()
	r.Achieved = float64(r.within) / r.Seconds
	for i := range r.plan.Kinds {
		for _, era := range []string{Sessions, Stateless} {
			if row := r.rows[rowKey{i, era}]; row != nil {
				row.finish()
				r.Kinds = append(r.Kinds, *row)
			}
		}
	}
	slices.Sort(r.late)
	r.Generator.LateP99, r.Generator.Full = milliseconds(quantile(r.late, .99)), r.full
	r.Generator.judge(r.Kinds)
}

// lateMs is how late a call may begin whatever it takes, in milliseconds: what a timer is
// late on a machine with something to do.
const lateMs = 1

// busy is the share of the processors from which the generator is one of those who want
// more than there is.
const busy = .8

// judge says why the generator may have been the limit.
func (g *Generator) judge(rows []Row) {
	if g.Processors > busy*float64(g.Of) {
		g.Limits = append(g.Limits, "its processor time")
	}
	tail := math.Inf(1)
	for _, row := range rows {
		if row.Calls > 0 {
			tail = min(tail, row.P99)
		}
	}
	if g.LateP99 > max(lateMs, tail/2) {
		g.Limits = append(g.Limits, "it began calls late")
	}
	if g.Full > 0 {
		g.Limits = append(g.Limits, "too many calls were under way")
	}
}

func (row *Row) finish() {
	slices.Sort(row.took)
	row.Calls = len(row.took)
	row.P50, row.P99, row.P999 = milliseconds(quantile(row.took, .5)), milliseconds(quantile(row.took, .99)), milliseconds(quantile(row.took, .999))
	row.Max = milliseconds(quantile(row.took, 1))
}

// quantile returns the smallest value that a share of all does not exceed.
func quantile(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	at := int(share*float64(len(sorted))+.9999999) - 1
	return sorted[min(max(at, 0), len(sorted)-1)]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// good is how many calls had a good answer.
func (r *Report) good() (n int) {
	for _, row := range r.Kinds {
		n += row.Calls
	}
	return n
}

// Failed is how many had none.
func (r *Report) Failed() (n int) {
	for _, row := range r.Kinds {
		for _, errors := range row.Errors {
			n += errors
		}
	}
	return n
}
