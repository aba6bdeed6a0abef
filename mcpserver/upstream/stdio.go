package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
)

// process is how the server's process is started, but for what is known only then.
func (c *Config) process() process.Config {
	return process.Config{
		Name:    c.Name,
		Command: c.Command,
		Dir:     c.Dir,
		Env:     c.Env,
		PassEnv: c.PassEnv,
		Sandbox: process.Sandbox(cmp.Or(c.Sandbox, string(process.None))),
		Require: c.Require,
		Read:    c.Files.Read,
		Write:   c.Files.Write,
		Limits:  process.Limits{Memory: c.Limits.Memory, CPU: time.Duration(c.Limits.CPU), Files: c.Limits.Files, Processes: c.Limits.Processes},
	}
}

// start starts the process of a server.
func (u *Upstream) start(ctx context.Context, resolved *Config, handle transport.Handle, dropped func(transport.Drop)) (transport.Conn, error) {
	c := resolved.process()
	said := &words{}
	c.Stderr = func(line string) {
		line = u.Secrets().String(line)
		said.hear(line)
		u.options.Log.LogAttrs(context.Background(), slog.LevelInfo, "upstream says", slog.String("upstream", u.config.Name), slog.String("line", line))
	}
	if u.options.Homes != "" && c.Sandbox != process.None {
		c.Home = filepath.Join(u.options.Homes, u.config.Name)
		if err := os.MkdirAll(c.Home, 0o700); err != nil {
			return nil, err
		}
	}
	var number uint64
	if u.shared != nil {
		var err error
		if number, err = u.shared.fence(&c); err != nil {
			return nil, err
		}
	}
	p, err := u.options.Processes.Start(ctx, c)
	if err != nil {
		return nil, &transport.Error{Kind: transport.Unreachable, Unsent: true, Err: err}
	}
	in := p.Stdin()
	if u.shared != nil {
		in = u.shared.started(p, number)
	}
	u.mu.Lock()
	u.measures = p.Measures()
	u.mu.Unlock()
	return transport.NewStdio(in, output{p, said, u.options.ExitTime}, func() { p.Close() }, handle, dropped), nil
}

// output is what a process writes. Its end says how the process ended, and why in its own
// words.
type output struct {
	*process.Process
	said     *words
	exitTime time.Duration
}

// exitTime is how long a process that closed its output may take to end before it is said
// that it only closed it: most take milliseconds, on a machine that is very busy seconds.
const exitTime = 5 * time.Second

func (o output) Read(p []byte) (int, error) {
	n, err := o.Stdout().Read(p)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	how := "closed its output"
	select {
	case <-o.Done():
		how = o.Exit().String()
	case <-time.After(o.exitTime):
	}
	if line := o.said.last(); line != "" {
		how += " and said: " + line
	}
	return n, fmt.Errorf("the process %s", how)
}
