//go:build !linux && !darwin

package process

import (
	"context"
	"errors"
	"io"
	"time"
)

// Supervisor starts processes; not on this system.
type Supervisor struct{}

// Main does nothing on this system.
func Main() Supervisor { return Supervisor{} }

// Start reports that this system has no supervisor.
func (Supervisor) Start(context.Context, Config) (*Process, error) {
	return nil, errors.New("servers over standard input and output are started on Linux and macOS; use one over HTTP")
}

// Process is a running server; there is none on this system.
type Process struct{ none chan struct{} }

func (p *Process) Stdin() io.WriteCloser { return nil }
func (p *Process) Stdout() io.Reader     { return nil }
func (p *Process) PID() int              { return 0 }
func (p *Process) Measures() []Measure   { return nil }
func (p *Process) Done() <-chan struct{} { return p.none }
func (p *Process) Exit() Exit            { return Exit{} }
func (p *Process) Close() Exit           { return Exit{} }
func (p *Process) Kill() Exit            { return Exit{} }
func (p *Process) Extend(time.Duration)  {}

var started = time.Now()

// Clock is the time since some moment, which does not stop and is not set.
func Clock() time.Duration { return time.Since(started) }
