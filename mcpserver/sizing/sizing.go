// Package sizing divides the memory that there is among what a server does: the
// calls, the messages on their way, and the program itself. The page docs/sizing.md
// says the same to operators, and a test holds the two together.
//
//	Available  how much there is: what the cgroup allows, else what the machine has
//	Fit        the limits that fit into it, beside those that an operator has set
//	Plan.Check why they do not fit, and what would
package sizing

import (
	"errors"
	"fmt"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
)

const (
	mib = 1 << 20
	// Program is what the process takes before its first call, in bytes: 57 MiB
	// resident, of which 40 are the program's own pages.
	Program = 64 * mib
	// CallMemory is the limit of a call's memory where there is room for two.
	CallMemory = 64 * mib
	// leastMemory is that of a machine where there is not; less would refuse half of
	// the bundled tools their pages.
	leastMemory = 16 * mib
	// perOutput is by how much the result of a call is multiplied while it is cleaned,
	// recorded and sent, beside the account of the call.
	perOutput = 4
	// mostMessages and leastMessages bound the memory for messages. The least is what
	// lets one client send the largest message, since nobody gets more than half.
	mostMessages, leastMessages = 256 * mib, 16 * mib
	perProcessor                = 4
)

// Source says where a size of memory is from.
type Source string

const (
	FromCgroup  Source = "cgroup"
	FromMachine Source = "machine"
)

// Available is how many bytes this process may take.
func Available() (uint64, Source, error) {
	machine, err := memlimit.FromSystem()
	limit, limitErr := memlimit.FromCgroup()
	switch {
	case limitErr == nil && limit > 0 && (err != nil || limit < machine):
		return limit, FromCgroup, nil
	case err != nil:
		return 0, "", errors.Join(err, limitErr)
	}
	return machine, FromMachine, nil
}

// Asked is what an operator has set; zero is to be found.
type Asked struct {
	Parallel int   // calls at one time
	Memory   int64 // of a call
	Output   int64 // of a call, never zero
	Messages int64 // altogether
}

// Plan is how memory is divided, in bytes.
type Plan struct {
	Total    int64
	Reserve  int64 // for the kernel's part and for what nobody foresaw: a tenth
	Messages int64
	Memory   int64 // of each call, its instance and what is held for it in Go
	Output   int64 // of each call, beside it
	Parallel int
	GoLimit  int64 // of Go's own memory, which does not know that of the instances
}

// Fit divides memory for so many processors.
func Fit(total int64, processors int, asked Asked) Plan {
	p := Plan{Total: total, Reserve: total / 10, Messages: asked.Messages, Memory: asked.Memory, Parallel: asked.Parallel, Output: asked.Output * perOutput}
	if p.Messages <= 0 {
		p.Messages = min(max(total/8, leastMessages), mostMessages)
	}
	calls := total - Program - p.Reserve - p.Messages
	if p.Memory <= 0 {
		p.Memory = min(CallMemory, max(leastMemory, calls/2-p.Output)/mib*mib)
	}
	if p.Parallel <= 0 {
		p.Parallel = int(min(int64(perProcessor*processors), max(1, calls/(p.Memory+p.Output))))
	}
	p.GoLimit = max(total-p.Reserve-int64(p.Parallel)*p.Memory, Program+p.Messages)
	return p
}

// Takes is the most that all of it takes together.
func (p Plan) Takes() int64 {
	return Program + p.Reserve + p.Messages + int64(p.Parallel)*(p.Memory+p.Output)
}

// Check says what does not fit, and the ways out that work.
func (p Plan) Check() error {
	if p.Takes() <= p.Total {
		return nil
	}
	err := fmt.Errorf("%d calls of %s, their results and messages may take %s, and there are %s",
		p.Parallel, size(p.Memory), size(p.Takes()), size(p.Total))
	room := p.Total - Program - p.Reserve - p.Messages
	if n := room / (p.Memory + p.Output); n > 0 {
		err = fmt.Errorf("%w; limits.parallel: %d fits", err, n)
	}
	if each := (room/int64(p.Parallel) - p.Output) / mib * mib; each >= leastMemory {
		err = fmt.Errorf("%w; limits.memory: %dMiB fits", err, each/mib)
	}
	return fmt.Errorf("%w; %s of memory are enough", err, size(p.enough()))
}

// enough is the memory in which the plan fits, in whole MiB.
func (p Plan) enough() int64 {
	without := Program + p.Messages + int64(p.Parallel)*(p.Memory+p.Output)
	total := (without*10/9/mib + 1) * mib
	for total-total/10 < without {
		total += mib
	}
	return total
}

func size(n int64) string { return humanize.IBytes(uint64(n)) }
