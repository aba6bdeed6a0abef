package jsengine

import (
	"context"
	"runtime"
	"time"

	"github.com/glovebox-run/glovebox/guest/prelude"
)

// Config configures an engine. The zero value works.
type Config struct {
	// CacheDir holds the linked guest and its machine code between processes. Empty
	// means no cache: a process then starts in about a second instead of 30 ms. The
	// first engine of a process decides: later ones share its guest.
	CacheDir string
	// Idle is the number of instances kept ready, over all images; 0 means four for
	// each processor and at least 8. One costs about 280 KiB.
	Idle int
	// Operations are the host calls that every program holds. Stand-ins for prelude
	// files that need no others are then made once, not for each program.
	Operations []string
	// Prepared, if not nil, is told how long the making or the reset of an instance took.
	// It is called on the goroutine that did it, of a call or of the engine itself, once
	// the instance can be used or, after a reset beside calls, is back among the idle
	// ones. It must not block.
	Prepared func(Preparation, time.Duration)
}

// Preparation is what is done to an instance before a call can have it.
type Preparation int

const (
	Made  Preparation = iota // for a call that found none to reset
	Reset                    // made clean again, after a call or for one of another image
)

// Engine makes images and keeps their instances. It is safe for concurrent use.
type Engine struct {
	machine *machine
	prelude []prelude.File
	base    *Image
	pool    *pool

	compiler *compiler

	operations []string // that every program holds
}

// Open compiles the guest, or finds it compiled, and boots it. A second Open in
// a process shares the compiled guest.
func Open(ctx context.Context, config Config) (*Engine, error) {
	m, err := sharedMachine(ctx, config.CacheDir)
	if err != nil {
		return nil, err
	}
	idle := config.Idle
	if idle <= 0 {
		idle = max(8, 4*runtime.GOMAXPROCS(0))
	}
	files, err := prelude.Files()
	if err != nil {
		return nil, err
	}
	e := &Engine{machine: m, prelude: files, pool: newPool(m, idle, restAfter, config.Prepared), operations: config.Operations}
	e.compiler = &compiler{machine: m, pool: e.pool}
	if e.base, err = e.boot(); err != nil {
		e.pool.close()
		return nil, err
	}
	return e, nil
}

// Idle returns the number of instances that are ready or waiting to be cleaned.
func (e *Engine) Idle() int { return e.pool.size() }

// Close releases the idle instances and waits until that is done. Running calls
// end as they would have.
func (e *Engine) Close() {
	e.compiler.close()
	e.pool.close()
}
