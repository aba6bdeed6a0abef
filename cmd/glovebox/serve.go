package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// serveCommand is the flags of serve, and what counts with them.
type serveCommand struct {
	settings
	stdio   bool
	verbose bool
	counts  *config.Loaded
}

func newServe() *cobra.Command { return new(serveCommand).command() }

func (c *serveCommand) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the published tools over MCP",
		Long: `Serve the published tools over MCP: over HTTP on /mcp, or with --stdio to the
program that started it. One process at a time serves from a state folder; with
--stdio a further one lets its client share the server that runs.

A spec is published when it is no draft and has its Local Pass (glovebox test
--write). The folders are watched: what changes is served at once, and a spec that
is broken is withheld without touching the others.

Clients over HTTP send a bearer token: the one in --token-file or GLOVEBOX_TOKEN,
else one that is made at the first start. With --oauth-issuer they send access
tokens of that authorization server instead.`,
		Example: `  glovebox serve
  glovebox serve --folder ~/tools
  glovebox serve --stdio --folder ~/tools --unasked L4`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	f := cmd.Flags()
	f.BoolVar(&c.stdio, "stdio", false, "serve one client over standard input and output")
	f.BoolVar(&c.verbose, "verbose", false, "log what the server does to standard error; the same as --log-level info")
	var flagged []string
	for _, k := range config.Keys {
		if k.Flag != "" {
			flagged = append(flagged, k.Path)
		}
	}
	c.bind(cmd, flagged...)
	return cmd
}

func (c *serveCommand) run(cmd *cobra.Command) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if _, said := c.typed["telemetry.log_level"]; c.verbose && !said {
		c.typed["telemetry.log_level"] = []string{"info"}
	}
	var err error
	if c.counts, err = c.load(cmd); err != nil {
		return err
	}
	for _, stray := range config.Strays(os.Environ()) {
		fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %s\n", stray)
	}
	for _, idle := range c.counts.Idle() {
		fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %s is set and does nothing without %s\n", idle[0], idle[1])
	}
	state, err := stateDir()
	if err != nil {
		return exitWith(exitUsage, err)
	}
	if c.stdio {
		return c.runStdio(ctx, cmd, state)
	}
	return c.runHTTP(ctx, cmd, state)
}

// running is a server and what it works with.
type running struct {
	*live
	owner  *local.Owner
	desk   *approve.Desk
	logger *slog.Logger
	ready  func() error
}

// own serves as the owner of the state folder, which is free again afterwards.
// front is how clients reach the server; it returns when there are no more, or when
// the server has drained because ctx ended.
func (c *serveCommand) own(ctx context.Context, cmd *cobra.Command, state string, owner *local.Owner, front func(running) error) error {
	defer owner.Close() // last of all, when nothing in the folder is open
	observed, closeTelemetry, err := c.observe(cmd)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	stderr := cmd.ErrOrStderr()
	defer closeTelemetry()
	kept := c.keep(ctx, state, observed)
	defer kept.close()
	fitted, plan, _ := fit(c.counts)
	runConfig, closeAudit, err := openRuntimeConfig(fitted, stderr, kept.recorded())
	if err != nil {
		return exitWith(exitUsage, err)
	}
	defer closeAudit()
	world := systemWorld()
	world.AllowOpen = c.counts.World.AllowOpen
	closeWorld, err := lend(&world, string(c.counts.World.Workspace), c.counts.World.ReadRoots)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	defer closeWorld()
	lendOwn, closeOwn := c.ownWorkspaces(state)
	defer closeOwn()
	stock, err := openStock(c.counts)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	riskContract, err := c.riskContract()
	if err != nil {
		return exitWith(exitUsage, err)
	}
	rt, err := runtime.Open(cmd.Context(), runConfig)
	if err != nil {
		return exitWith(exitIncomplete, err)
	}
	defer rt.Close()

	desk, err := kept.wait()
	if err != nil {
		return exitWith(exitIncomplete, err)
	}
	server := mcpserver.New(mcpserver.Config{
		Version: readBuildInfo().Version, Limits: sized(c.counts, plan, stderr),
		Calls: governed.Config{Terms: termsOf(c.counts, world, rt), Audit: runConfig.Audit, AuditOptional: runConfig.AuditOptional, Lend: lendOwn},
		Desk:  desk, Contract: riskContract, Logger: observed.Logger(), Telemetry: observed,
	})
	live := &live{
		stdio: c.stdio, state: state, stderr: stderr, server: server, observed: observed, engine: rt, world: world, started: c.counts,
		counts: c.counts, config: runConfig, rt: rt, stock: stock,
	}
	if err := live.start(ctx, cmd, &c.settings); err != nil {
		return err
	}
	defer owner.Stop()
	ready := func() error { return errors.Join(runConfig.Audit.Failed(), kept.ready()) }
	return front(running{live, owner, desk, observed.Logger(), ready})
}

// termsOf are the terms of calls under a configuration.
func termsOf(l *config.Loaded, world host.World, rt *runtime.Runtime) governed.Terms {
	return governed.Terms{Judge: governed.ByLevel{Policy: l.Policy}, World: world, Sanitiser: rt.Sanitiser()}
}

func (c *serveCommand) serveHTTP(ctx context.Context, cmd *cobra.Command, r running) error {
	stderr, l := cmd.ErrOrStderr(), c.counts
	over := mcpserver.HTTP{
		Open: l.Token.None, Now: r.door, SessionTimeout: l.Limits.SessionIdle, DrainTimeout: l.Limits.Drain,
		Ready: r.ready, OpenMetrics: l.Telemetry.OpenMetrics, SSE: l.SSE,
	}
	if err := over.Check(l.Listen); err != nil {
		return exitWith(exitUsage, err)
	}
	listener, err := net.Listen("tcp", l.Listen)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	if over.OAuth, err = openGuard(l, listener.Addr().String()); err != nil {
		listener.Close()
		return exitWith(exitUsage, err)
	}
	url := "http://" + listener.Addr().String() + "/mcp"
	if err := c.share(r, url); err != nil {
		listener.Close()
		return err
	}
	// Last of all: a token that is made is shown once, so nothing may fail between.
	made, err := r.admit()
	if err != nil {
		listener.Close()
		return exitWith(exitUsage, err)
	}
	fmt.Fprintf(stderr, "%d tools at %s\n", r.server.Tools(), url)
	if l.OAuth.Issuer != "" {
		fmt.Fprintf(stderr, "access tokens of %s are admitted; made for %s\n", l.OAuth.Issuer, over.OAuth.Resource())
	}
	if made != "" {
		fmt.Fprintf(stderr, "token (shown this once): %s\n", made)
	}
	if next := nextCommand(l, url, made, r.tokenFile(l)); next != "" {
		fmt.Fprintf(stderr, "next: %s\n", next)
	}
	if err := r.server.ServeHTTP(ctx, listener, over); err != nil {
		return exitWith(exitIncomplete, err)
	}
	return nil
}
