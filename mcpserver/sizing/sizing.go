// Package sizing divides the available memory among the parts of a server: the calls,
// the messages in flight, and the program itself. The page docs/sizing.md tells
// operators the same, and a test keeps the two equal.
//
//	Available  the available memory: the cgroup's limit, else the machine's memory
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
	// CallMemory is the memory limit of a call if two such calls fit.
	CallMemory = 64 * mib
	// leastMemory is the limit where two do not fit; with less, half of the bundled
	// tools could not allocate their pages.
	leastMemory = 16 * mib
	// perOutput is the memory needed per byte of a call's result while it is
	// cleaned, recorded and sent, in addition to the call's own memory.
	perOutput = 4
	// mostMessages and leastMessages bound the memory for messages. The minimum
	// lets one client send the largest message, since no client gets more than
	// half.
	mostMessages, leastMessages = 256 * mib, 16 * mib
	perProcessor                = 4
)

// Source is where a memory size comes from.
type Source string

const (
	FromCgroup  Source = "cgroup"
	FromMachine Source = "machine"
)

// Available returns the number of bytes this process may use.
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

// Asked holds an operator's settings; Fit chooses those that are zero.
type Asked struct {
	Parallel int   // at one time
	Memory   int64 // per call
	Output   int64 // per call, never zero
	Messages int64 // in total
}

// Plan is a division of memory, in bytes.
type Plan struct {
	Total    int64
	Reserve  int64 // a tenth, for the kernel's share and the unforeseen
	Messages int64
	Memory   int64 // per call, for its instance and its data in Go
	Output   int64 // per call, in addition
	Parallel int
	GoLimit  int64 // for Go's own memory, which excludes the instances
}

// Fit divides memory for a number of processors.
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

// Takes is the maximum that everything takes together.
func (p Plan) Takes() int64 {
	return Program + p.Reserve + p.Messages + int64(p.Parallel)*(p.Memory+p.Output)
}

// Check reports what does not fit, and changes that would.
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
