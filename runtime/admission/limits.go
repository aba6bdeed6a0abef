package admission

import (
	"fmt"
	"math"
	"runtime"
	"time"
)

// Limits are set by the operator. Zero fields take defaults, so the zero value is
// safe to serve with.
type Limits struct {
	// Rate is how many messages a second one principal may send in the long run;
	// default 2000, which only a runaway program reaches. Negative means no limit.
	Rate float64
	// Burst is how many messages one principal may send at once; default five
	// seconds of Rate.
	Burst int
	// Parallel is how many calls run at one time; default four for each processor.
	// Each call uses at most its memory limit.
	Parallel int
	// PerPrincipal is how many running calls one principal may have; default three
	// quarters of Parallel, so that a second principal need not wait for the first.
	PerPrincipal int
	// Queue is how many calls of one principal may wait; default 128.
	Queue int
	// QueueInAll is how many calls may wait in total; default 1024.
	QueueInAll int
	// Sessions is how many sessions and streams one principal may have open; default
	// 64. An unused one makes room for a new one.
	Sessions int
	// SessionsInAll is how many may be open in total; default 1024.
	SessionsInAll int
	// Connections is how many TCP connections may be open; default 1024. Further ones
	// wait to be accepted. One principal may have at most three quarters of them. The
	// first request shows whose a connection is, and one over the limit is closed then.
	Connections int
	// Bytes is how much memory messages may take in total, from before they are read
	// until they are answered; default 256 MiB. See [Sizing] for a default based on the
	// available memory.
	Bytes Size
	// BytesEach is how much of Bytes one principal may take; default half. See [Gate.Hold].
	BytesEach Size
}

// Size is a number of bytes.
type Size uint64

// maxBurst keeps the time that a bucket takes to fill within a time.Duration.
const maxBurst = 1_000_000

// WithDefaults returns the limits with every field set.
func (l Limits) WithDefaults() Limits {
	set := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	switch {
	case l.Rate < 0:
		l.Rate = math.Inf(1)
	case l.Rate == 0 || math.IsNaN(l.Rate):
		l.Rate = 2000
	}
	l.Rate = max(l.Rate, 0.01) // one message in 100 s; less would not fit a time
	set(&l.Burst, int(min(5*l.Rate+1, maxBurst)))
	l.Burst = min(l.Burst, maxBurst)
	set(&l.Parallel, 4*runtime.GOMAXPROCS(0))
	set(&l.PerPrincipal, max(1, l.Parallel*3/4))
	set(&l.Queue, 128)
	set(&l.QueueInAll, 1024)
	set(&l.Sessions, 64)
	set(&l.SessionsInAll, 1024)
	set(&l.Connections, 1024)
	if l.Bytes == 0 {
		l.Bytes = 256 << 20
	}
	l.Bytes = min(l.Bytes, math.MaxInt64)
	if l.BytesEach == 0 {
		l.BytesEach = l.Bytes / 2
	}
	return l
}

// Reason names the limit that was exceeded; its values are stable.
type Reason string

const (
	TooFast         Reason = "rate"       // messages of this principal
	TooManyWaiting  Reason = "queue"      // calls, of this principal or in total
	TooManySessions Reason = "sessions"   // sessions, of this principal or in total
	TooManyClients  Reason = "principals" // active principals
	// TooManyConnections means too many connections of this principal are open.
	TooManyConnections Reason = "connections"
	TooManyBytes       Reason = "bytes" // of messages, of this principal or in total
)

// Refusal is the error for a principal that has to retry later.
type Refusal struct {
	Reason Reason
	// Retry is how long to wait before retrying.
	Retry time.Duration
}

func (r *Refusal) Error() string {
	what := map[Reason]string{
		TooFast:            "too many messages",
		TooManyWaiting:     "too many calls are waiting",
		TooManySessions:    "too many sessions are open",
		TooManyClients:     "too many clients",
		TooManyConnections: "too many connections are open",
		TooManyBytes:       "too many bytes of messages are under way",
	}[r.Reason]
	return fmt.Sprintf("%s; try again in %d s", what, r.Seconds())
}

// Seconds returns Retry in whole seconds, at least one, as in a Retry-After header.
func (r *Refusal) Seconds() int { return max(1, int(math.Ceil(r.Retry.Seconds()))) }
