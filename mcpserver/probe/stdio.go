package probe

import (
	"context"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/session"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
)

// Process connects to a program, which it starts: ask whoever runs the scan first. The
// program ends with the connection, with everything that it started.
func Process(s process.Supervisor, c process.Config) session.Dial {
	return func(ctx context.Context, handle transport.Handle, dropped func(transport.Drop)) (transport.Conn, error) {
		p, err := s.Start(ctx, c)
		if err != nil {
			return nil, &transport.Error{Kind: transport.Unreachable, Unsent: true, Err: err}
		}
		return transport.NewStdio(p.Stdin(), p.Stdout(), func() { p.Close() }, handle, dropped), nil
	}
}
