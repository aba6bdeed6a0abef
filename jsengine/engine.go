package jsengine

import (
	"context"
	"runtime"

	"github.com/glovebox-run/glovebox/guest/prelude"
)

// Config is how an engine is set up. The zero value works.
type Config struct {
	// CacheDir holds the linked guest and its machine code between processes;
	// empty means none, and then a process starts in about a second instead of
	// 30 ms. The first engine of a process decides: later ones share its guest.
	CacheDir string
	// Idle is how many instances are kept ready, over all images; 0 means four for
	// each processor and at least 8. One costs about 280 KiB.
	Idle int
	// Operations are the host calls that every program holds. The stand-ins of
	// prelude files that need no others are then made once and not for each program.
	Operations []string
}

// Engine makes images and keeps their instances. It is safe for concurrent use.
type Engine struct {
	machine *machine
	prelude []prelude.File
	base    *Image
	pool    *pool

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
	e := &Engine{machine: m, prelude: files, pool: newPool(m, idle), operations: config.Operations}
	if e.base, err = e.boot(); err != nil {
		e.pool.close()
		return nil, err
	}
	return e, nil
}

// Idle returns how many instances wait for a call or to be cleaned for one.
func (e *Engine) Idle() int { return e.pool.size() }

// Close gives the idle instances back and waits until that is done. Calls that
// are running end as they would have.
func (e *Engine) Close() { e.pool.close() }
