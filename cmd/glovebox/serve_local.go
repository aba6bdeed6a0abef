package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/local"
)

// runHTTP serves over HTTP, unless another process owns the state folder.
func (c *serveCommand) runHTTP(ctx context.Context, cmd *cobra.Command, state string) error {
	owner, err := local.Claim(state)
	if errors.Is(err, local.ErrOwned) {
		err = ownedBy(ctx, state)
	}
	if err != nil {
		return exitWith(exitUsage, err)
	}
	return c.own(ctx, cmd, state, owner, func(r running) error {
		return c.serveHTTP(ctx, cmd, r)
	})
}

// ownedBy says who owns a state folder, and the ways out.
func ownedBy(ctx context.Context, state string) error {
	const own = "or give this one a state folder of its own with XDG_STATE_HOME"
	peer, err := local.Find(state)
	if err != nil {
		return fmt.Errorf("%w, %s, and does not serve yet: try again, %s", local.ErrOwned, state, own)
	}
	status, err := peer.Status(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("process %d owns %s: end it, %s (%w)", peer.PID(), state, own, err)
	case status.Address != "":
		return fmt.Errorf("process %d owns %s and serves at %s: connect clients to that, stop it, %s", status.PID, state, status.Address, own)
	}
	return fmt.Errorf("process %d (glovebox serve --stdio, for a client) owns %s: end that client, start this server, and the client shares it when it is back, %s", status.PID, state, own)
}

// runStdio serves the client on the standard streams, by itself or through the
// process that owns the state folder.
func (c *serveCommand) runStdio(ctx context.Context, cmd *cobra.Command, state string) error {
	owner, session, err := local.Join(ctx, state)
	if errors.Is(err, local.ErrOwned) {
		return exitWith(exitIncomplete, err)
	}
	if err != nil {
		return exitWith(exitUsage, err)
	}
	// A client that is gone is an error when writing, and not the end of a process
	// that others are served by.
	signal.Ignore(syscall.SIGPIPE)
	if owner != nil {
		return c.ownStdio(ctx, cmd, state, owner, func(server *mcpserver.Server) error {
			in, ok := cmd.InOrStdin().(io.ReadCloser)
			if !ok {
				in = io.NopCloser(cmd.InOrStdin())
			}
			return server.ServeStdio(context.WithoutCancel(ctx), local.Principal(), in, unclosed{cmd.OutOrStdout()})
		})
	}
	stderr := cmd.ErrOrStderr()
	if others := c.differences(session.Owner.Flags); len(others) > 0 {
		fmt.Fprintf(stderr, "glovebox: process %d serves from this state folder already, and serves this client too, but with other flags than these: %s\n", session.Owner.PID, strings.Join(others, ", "))
	}
	relay := local.NewRelay(cmd.InOrStdin(), cmd.OutOrStdout())
	for {
		lost := relay.Run(ctx, session)
		if lost == nil {
			return nil
		}
		before := session.Owner
		if owner, session, err = local.Join(ctx, state); err != nil {
			return exitWith(exitIncomplete, errors.Join(lost, err))
		}
		if owner != nil {
			fmt.Fprintf(stderr, "glovebox: %v; this process takes its place\n", lost)
			return c.ownStdio(ctx, cmd, state, owner, func(*mcpserver.Server) error {
				return relayToSelf(context.WithoutCancel(ctx), relay, state)
			})
		}
		if session.Owner.PID == before.PID && session.Owner.Since.Equal(before.Since) {
			session.Close()
			return exitWith(exitIncomplete, fmt.Errorf("the server (process %d) ended the session of this client; it says why on its standard error", before.PID))
		}
		fmt.Fprintf(stderr, "glovebox: %v; process %d takes its place\n", lost, session.Owner.PID)
	}
}

// relayToSelf lets a client that came to another owner go on with this process,
// over the socket as before, so that it is the same principal.
func relayToSelf(ctx context.Context, relay *local.Relay, state string) error {
	peer, err := local.Find(state)
	if err != nil {
		return err
	}
	session, err := peer.Attach(ctx)
	if err != nil {
		return err
	}
	return relay.Run(ctx, session)
}

// ownStdio serves one client over the standard streams, and others through the
// socket, until all of them hung up. Only a signal ends it earlier: then the calls
// that run have their time, and who is left goes on with another owner.
func (c *serveCommand) ownStdio(ctx context.Context, cmd *cobra.Command, state string, owner *local.Owner, serve func(*mcpserver.Server) error) error {
	return c.own(ctx, cmd, state, owner, func(r running) error {
		if err := c.share(r, ""); err != nil {
			return err
		}
		drained := make(chan struct{})
		drain := func() {
			defer close(drained)
			limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.counts.Limits.Drain)
			defer cancel()
			r.server.Drain(limit)
		}
		notYet := context.AfterFunc(ctx, drain)
		served := make(chan error, 1)
		go func() { served <- serve(r.server) }()
		var err error
		select {
		case err = <-served:
			owner.Outlast(ctx)
		case <-drained: // the client does not take its last answers
		}
		if notYet() {
			drain()
		}
		<-drained
		if err != nil && ctx.Err() == nil {
			return exitWith(exitIncomplete, err)
		}
		return nil
	})
}

// unclosed keeps standard output open when the client hangs up: it is not the
// server's to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// share opens the socket for the other processes of this user. address is that of
// the endpoint over HTTP, if there is one.
func (c *serveCommand) share(r running, address string) error {
	about := local.About{Version: readBuildInfo().Version, Mode: "stdio", Address: address}
	if address != "" {
		about.Mode = "http"
	}
	err := r.owner.Start(local.Config{
		About: func() local.About {
			now := about
			now.Tools, now.Draining, now.Flags = r.server.Tools(), r.server.Draining(), r.shape()
			return now
		},
		Lines:  r.server.ServeStdio,
		Inbox:  r.desk,
		Logger: r.logger,
	})
	if err != nil {
		return exitWith(exitUsage, err)
	}
	return nil
}

// shaping are the keys that decide what clients get, whichever process they reach.
var shaping = []string{
	"specs.folders", "specs.bundle", "specs.preset", "policy.ceiling", "policy.unasked", "policy.trusted",
	"world.allow_open", "world.workspace", "world.read_roots", "world.secrets", "audit.file", "limits.timeout", "limits.memory",
}

// shapeOf is what the shaping keys are set to, by the name of the flag, such that it
// means the same to another process.
func shapeOf(l *config.Loaded) map[string]string {
	c := l.Config
	c.Specs.Preset = cmp.Or(c.Specs.Preset, defaultPreset(l))
	shape := map[string]string{}
	for _, path := range shaping {
		k, _ := config.Find(path)
		shape[k.Flag] = k.Show(&c)
	}
	return shape
}

// shape is that of the server at the moment.
func (v *live) shape() map[string]string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return shapeOf(v.counts)
}

// differences are the settings that were made for this process and say something
// else than those of the owner.
func (c *serveCommand) differences(owner map[string]string) []string {
	var found []string
	mine := shapeOf(c.counts)
	for _, path := range shaping {
		k, _ := config.Find(path)
		if c.counts.Origins[path] != config.FromDefault && owner[k.Flag] != mine[k.Flag] {
			found = append(found, fmt.Sprintf("--%s %s (it has %s)", k.Flag, mine[k.Flag], owner[k.Flag]))
		}
	}
	return found
}
