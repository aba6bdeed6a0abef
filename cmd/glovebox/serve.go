package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/mcpserver/systemd"
)

// serveCommand holds the flags of serve and the settings in effect.
type serveCommand struct {
	settings
	stdio   bool
	verbose bool
	from    config.Sources
	counts  *config.Loaded
	manager systemd.Manager
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
	inherited, err := c.inherit()
	if err != nil {
		return exitWith(exitUsage, err)
	}
	if c.counts, err = c.load(cmd); err != nil {
		return err
	}
	if c.from, err = c.sources(cmd); err != nil {
		return exitWith(exitUsage, err)
	}
	for _, stray := range config.Strays(os.Environ()) {
		fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %s\n", stray)
	}
	for _, idle := range c.counts.Idle() {
		fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %s is set and does nothing without %s\n", idle[0], idle[1])
	}
	p, err := place()
	if err != nil {
		return exitWith(exitUsage, err)
	}
	o := service.Options{Configuration: c.counts, Place: p, World: systemWorld(), Processes: systemProcesses(), Version: readBuildInfo().Version, Tell: tellOn(cmd.ErrOrStderr()), Listener: inherited}
	c.manager.Failed = func(err error) { fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %v\n", err) }
	if c.stdio {
		// A client that is gone causes a write error. It must not end a process that
		// serves others.
		signal.Ignore(syscall.SIGPIPE)
		return exitOf(service.Stdio(ctx, o, cmd.InOrStdin(), cmd.OutOrStdout(), func(o service.Options) (*service.Service, error) {
			return c.open(ctx, cmd, o)
		}))
	}
	return exitOf(c.overHTTP(ctx, cmd, o))
}

// inherit takes over the socket that a service manager has opened, nil if there is none. Its
// address is the one that is listened on, as if it had been typed.
func (c *serveCommand) inherit() (net.Listener, error) {
	if c.stdio {
		return nil, nil
	}
	listener, err := systemd.Listener()
	if listener == nil || err != nil {
		return nil, err
	}
	if _, said := c.typed["listen"]; said {
		listener.Close()
		return nil, fmt.Errorf("the service manager has opened %s, and --listen names an address too; leave one of them out", listener.Addr())
	}
	c.typed["listen"] = []string{listener.Addr().String()}
	return listener, nil
}

// open makes the service of this process.
func (c *serveCommand) open(ctx context.Context, cmd *cobra.Command, o service.Options) (*service.Service, error) {
	o.Log = cmd.ErrOrStderr()
	sayAsJSON(cmd, c.counts)
	o.Tell = c.tellManager(tellOn(cmd.ErrOrStderr()))
	o.Examine = examine(o.Place, o.Configuration)
	if _, set := os.LookupEnv("GOMEMLIMIT"); !set {
		o.LimitMemory = debug.SetMemoryLimit
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	o.Watch = &config.Watched{Sources: c.from, Again: c.manager.Reloads(ctx, hangup)}
	if folder := configDir(); folder != "" {
		o.Watch.Default = filepath.Join(folder, "config.yaml")
	}
	return service.Open(ctx, o)
}

func (c *serveCommand) overHTTP(ctx context.Context, cmd *cobra.Command, o service.Options) error {
	// What is shared is followed until the last call has ended.
	working, rest := context.WithCancel(context.WithoutCancel(ctx))
	defer rest()
	opened := context.AfterFunc(ctx, rest)
	s, err := c.open(working, cmd, o)
	opened()
	if err != nil {
		return err
	}
	defer s.Close()
	endpoint, err := s.Listen()
	if err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	at := s.ToolsAt()
	fmt.Fprintf(stderr, "%s at %s\n", counted(at[""], "tool"), endpoint.URL)
	for _, name := range slices.Sorted(maps.Keys(at)) {
		if name != "" && name != "builtin" {
			fmt.Fprintf(stderr, "%s at %s/%s\n", counted(at[name], "tool"), endpoint.URL, name)
		}
	}
	if folders := c.counts.Specs.Folders; at[""] == 0 && len(folders) > 0 {
		file := filepath.Join(string(folders[0]), "greet.json")
		fmt.Fprintf(stderr, "a first tool: glovebox new greet > %s && glovebox test --write %[1]s\n", file)
	}
	if endpoint.Resource != "" {
		fmt.Fprintf(stderr, "access tokens of %s are admitted; made for %s\n", c.counts.OAuth.Issuer, endpoint.Resource)
	}
	if endpoint.Made != "" {
		fmt.Fprintf(stderr, "token (shown this once): %s\n", endpoint.Made)
	}
	if c.counts.Console.Mode != config.Off {
		fmt.Fprintln(stderr, "console: glovebox console")
	}
	if next := nextCommand(c.counts, endpoint.URL, endpoint.Made, o.Place.Token(c.counts)); next != "" {
		fmt.Fprintf(stderr, "next: %s\n", next)
	}
	c.manager.Ready(fmt.Sprintf("%s at %s", counted(at[""], "tool"), endpoint.URL))
	go c.manager.Watch(ctx, func() { _ = s.Ready() })
	stopping := make(chan struct{})
	context.AfterFunc(ctx, func() {
		c.manager.Stopping()
		close(stopping)
	})
	err = endpoint.Serve(ctx)
	if ctx.Err() != nil {
		<-stopping
	}
	return err
}

// exitOf gives a service's error the exit code of the command.
func exitOf(err error) error {
	var setup *service.SetupError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &setup):
		return exitWith(exitUsage, err)
	}
	return exitWith(exitIncomplete, err)
}
