package host

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/host/internal/web"
)

// Transcript records what a guest asked of the host during one call.
type Transcript struct {
	Operations map[string]Usage `json:"operations"`
	// Blocked counts refusals of kind SECURITY, counted in the metric glovebox_guard_blocked_total.
	Blocked map[Block]int `json:"blocked,omitempty"`
	// Hosts are the hosts that requests were sent to, sorted.
	Hosts []string `json:"hosts,omitempty"`
	// Calls are the first calls in the order in which they ended.
	Calls []CallRecord `json:"-"`
}

// Usage counts the calls of one operation.
type Usage struct {
	Calls    int           `json:"calls"`
	Failed   int           `json:"failed"`
	BytesIn  int64         `json:"bytes_in"`  // from the guest
	BytesOut int64         `json:"bytes_out"` // to the guest
	Time     time.Duration `json:"time_ns"`
}

// Block is a reason why a guard stopped a call.
type Block struct {
	Category string // "fs", "fetch"
	Reason   string
}

func (b Block) String() string { return b.Category + "/" + b.Reason }

// MarshalText makes a Block a key of a JSON object.
func (b Block) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// CallRecord is one call.
type CallRecord struct {
	Operation string
	Outcome   string // "ok", a reason, or "failed"
}

// maxRecords is how many calls are kept one by one; the counters go on.
const maxRecords = 256

// journal gathers a Transcript from calls that may overlap.
type journal struct {
	mu    sync.Mutex
	usage map[string]*Usage
	block map[Block]int
	hosts map[string]struct{}
	calls []CallRecord
}

func newJournal() *journal {
	return &journal{usage: map[string]*Usage{}, block: map[Block]int{}, hosts: map[string]struct{}{}}
}

// ended records one call.
func (j *journal) ended(op string, err error, in, out int, took time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	u := j.usage[op]
	if u == nil {
		u = &Usage{}
		j.usage[op] = u
	}
	u.Calls++
	u.BytesIn += int64(in)
	u.BytesOut += int64(out)
	u.Time += took
	outcome := "ok"
	if err != nil {
		u.Failed++
		outcome = "failed"
		if e, ok := err.(*hostcall.Error); ok {
			outcome = e.Reason
			if e.Kind == hostcall.Security {
				j.block[Block{categories[e.Helper], e.Reason}]++
			}
		}
	}
	if len(j.calls) < maxRecords {
		j.calls = append(j.calls, CallRecord{op, outcome})
	}
}

// categories are the words of the metric for the helpers that can block.
var categories = map[string]string{files.Helper: "fs", web.Helper: "fetch"}

func (j *journal) reached(host string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.hosts[host] = struct{}{}
}

func (j *journal) transcript() Transcript {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := Transcript{
		Operations: map[string]Usage{},
		Blocked:    maps.Clone(j.block),
		Hosts:      slices.Sorted(maps.Keys(j.hosts)),
		Calls:      slices.Clone(j.calls),
	}
	for op, u := range j.usage {
		t.Operations[op] = *u
	}
	return t
}
