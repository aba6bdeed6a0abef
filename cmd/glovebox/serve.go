package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/admission"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// serveCommand is the flags of serve. Limits, secrets and the audit are as for
// run.
type serveCommand struct {
	runCommand
	stdio     bool
	listen    string
	hosts     []string
	folders   []string
	bundle    string
	preset    string
	tokenFile string
	noToken   bool
	allowOpen bool
	policy    risk.LevelPolicy
	contract  string
	limits    admission.Limits
	drain     time.Duration
	verbose   bool
	approvals approve.Settings
	cluster   store.Cluster
	telemetry telemetry.Config
}

func newServe() *cobra.Command {
	c := serveCommand{policy: risk.DefaultLevelPolicy()}
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
else one that is made at the first start.`,
		Example: `  glovebox serve
  glovebox serve --folder ~/tools
  glovebox serve --stdio --folder ~/tools --unasked L4`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	f := cmd.Flags()
	f.BoolVar(&c.stdio, "stdio", false, "serve one client over standard input and output")
	f.StringVar(&c.listen, "listen", "127.0.0.1:8282", "the `ADDRESS` to listen on")
	f.StringArrayVar(&c.hosts, "host", nil, "a `NAME` under which clients reach the server, besides localhost and addresses")
	f.StringArrayVar(&c.folders, "folder", nil, "a `DIR` of specs, watched")
	f.StringVar(&c.bundle, "bundle", "", "a bundle `FILE` of specs, watched")
	f.StringVar(&c.preset, "preset", "", "the bundled tools of a preset; see glovebox preset list (default starter if no specs are named)")
	f.StringVar(&c.tokenFile, "token-file", "", "the `FILE` with the bearer token, mode 0600 (default one in the state folder)")
	f.BoolVar(&c.noToken, "no-token", false, "let clients in without a token; only on a loopback address")
	f.BoolVar(&c.allowOpen, "allow-open", false, "run tools that ask for the network mode open, which reaches private networks")
	f.TextVar(&c.policy.Ceiling, "ceiling", c.policy.Ceiling, "the highest `LEVEL` that is run at all")
	f.TextVar(&c.policy.Unasked, "unasked", c.policy.Unasked, "the highest `LEVEL` that is run unasked if its author agrees")
	f.TextVar(&c.policy.Trusted, "trusted", c.policy.Trusted, "the highest `LEVEL` that is run unasked although its author wants a person asked")
	f.IntVar(&c.limits.Parallel, "parallel", 0, "the most calls at one time (default four for each processor)")
	f.DurationVar(&c.drain, "drain", 10*time.Second, "how long calls may go on when the server is told to stop")
	f.DurationVar(&c.timeout, "timeout", 0, "the longest a call may take (default 30s)")
	f.StringVar(&c.memory, "memory", "", "the most memory of a call, such as 64MiB (default 64MiB)")
	f.StringVar(&c.workspace, "workspace", "", "the `DIR` that tools with file access work in (default one in the state folder)")
	f.StringArrayVar(&c.readRoots, "read-root", nil, "another `DIR` that tools with fileRead may read")
	f.StringVar(&c.secrets, "secrets", "", "a `FILE` of NAME=value lines, mode 0600, looked up before the environment")
	f.StringVar(&c.audit, "audit", "", "the audit `FILE` to append to (default the one in the state folder)")
	f.StringVar(&c.contract, "contract", "", "a tool risk contract `FILE`, which two more tools show and decide by")
	c.stateFlags(f)
	f.BoolVar(&c.verbose, "verbose", false, "log what the server does to standard error")
	c.telemetryFlags(f)
	return cmd
}

func (c *serveCommand) run(cmd *cobra.Command) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
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
	owner  *local.Owner
	server *mcpserver.Server
	desk   *approve.Desk
	logger *slog.Logger
	ready  func() error
}

// own serves as the owner of the state folder, which is free again afterwards.
// front is how clients reach the server; it returns when there are no more, or when
// the server has drained because ctx ended.
func (c *serveCommand) own(ctx context.Context, cmd *cobra.Command, state string, owner *local.Owner, front func(running) error) error {
	defer owner.Close() // last of all, when nothing in the folder is open
	stderr := cmd.ErrOrStderr()
	observed, closeTelemetry, err := c.observe(cmd.Context(), stderr)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	defer closeTelemetry()
	kept := c.keep(ctx, state, observed.Logger())
	defer kept.close()
	config, closeAudit, err := c.config()
	if err != nil {
		return exitWith(exitUsage, err)
	}
	defer closeAudit()
	world, closeWorld, err := c.lend(state)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	defer closeWorld()
	bundled, pins, err := c.bundled()
	if err != nil {
		return exitWith(exitUsage, err)
	}
	specs, err := library.Open(library.Config{Builtin: bundled, Bundle: c.bundle, Folders: c.folders})
	if err != nil {
		return exitWith(exitUsage, err)
	}
	riskContract, err := c.riskContract()
	if err != nil {
		return exitWith(exitUsage, err)
	}
	rt, err := runtime.Open(cmd.Context(), config)
	if err != nil {
		return exitWith(exitIncomplete, err)
	}
	defer rt.Close()

	desk, err := kept.wait()
	if err != nil {
		return exitWith(exitIncomplete, err)
	}
	server := mcpserver.New(mcpserver.Config{
		Version: readBuildInfo().Version, Policy: c.policy, Base: runtime.Invocation{World: world}, Limits: c.limits,
		Desk:     desk,
		Contract: riskContract,
		Logger:   observed.Logger(), Telemetry: observed,
	})
	shelf := &shelf{specs: specs, pins: pins, passes: filepath.Join(state, "passes.json"), config: config, rt: rt, server: server, stderr: stderr}
	shelf.offer(nil)
	go func() {
		if err := specs.Watch(ctx, shelf.offer); err != nil {
			fmt.Fprintf(stderr, "glovebox: specs are not watched: %v\n", err)
		}
	}()
	defer owner.Stop()
	return front(running{owner, server, desk, observed.Logger(), func() error { return errors.Join(config.Audit.Failed(), kept.ready()) }})
}

func (c *serveCommand) serveHTTP(ctx context.Context, cmd *cobra.Command, state string, r running) error {
	stderr, server := cmd.ErrOrStderr(), r.server
	over := mcpserver.HTTP{Open: c.noToken, Hosts: c.hosts, DrainTimeout: c.drain, Ready: r.ready, OpenMetrics: c.telemetry.OpenMetrics}
	if err := over.Check(c.listen); err != nil {
		return exitWith(exitUsage, err)
	}
	listener, err := net.Listen("tcp", c.listen)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	url := "http://" + listener.Addr().String() + "/mcp"
	if err := c.share(cmd, r, url); err != nil {
		listener.Close()
		return err
	}
	// Last of all: a token that is made is shown once, so nothing may fail between.
	var made string
	if over.Token, made, err = c.token(state); err != nil {
		listener.Close()
		return exitWith(exitUsage, err)
	}
	fmt.Fprintf(stderr, "%d tools at %s\n", server.Tools(), url)
	if made != "" {
		fmt.Fprintf(stderr, "token (shown this once): %s\nnext: claude mcp add --transport http glovebox %s --header \"Authorization: Bearer %s\"\n", made, url, made)
	}
	if err := server.ServeHTTP(ctx, listener, over); err != nil {
		return exitWith(exitIncomplete, err)
	}
	return nil
}

// bundled are the tools of the preset. A server that is given specs of its own has
// none unless it asks.
func (c *serveCommand) bundled() ([]*catalog.Spec, catalog.Pins, error) {
	name := cmp.Or(c.preset, c.defaultPreset())
	if name == "" {
		return nil, nil, nil
	}
	preset, err := presetNamed(name)
	if err != nil {
		return nil, nil, err
	}
	var specs []*catalog.Spec
	for _, tool := range preset.Tools {
		specs = append(specs, tools.Find(tool))
	}
	pins, err := tools.Pins()
	return specs, pins, err
}

// token is what clients must send; made is its text if it is a new one.
func (c *serveCommand) token(state string) (t mcpserver.Token, made string, err error) {
	text, inEnvironment := os.LookupEnv("GLOVEBOX_TOKEN")
	switch {
	case c.noToken && (c.tokenFile != "" || inEnvironment):
		return t, "", errors.New("--no-token, and a token is given")
	case c.noToken:
		return t, "", nil
	case c.tokenFile != "":
		t, err = mcpserver.ReadToken(c.tokenFile)
		return t, "", err
	case inEnvironment:
		if t, err = mcpserver.NewToken(text); err != nil {
			err = fmt.Errorf("GLOVEBOX_TOKEN: %w", err)
		}
		return t, "", err
	}
	return mcpserver.EnsureToken(filepath.Join(state, "token"))
}

// lend opens what the tools of all clients share: the network, one workspace and
// the directories that were named.
func (c *serveCommand) lend(state string) (w host.World, closeWorld func(), err error) {
	w = systemWorld()
	w.AllowOpen = c.allowOpen
	dir := c.workspace
	if dir == "" {
		dir = filepath.Join(state, "workspace")
	}
	if w.Workspace, err = files.OpenWorkspace(dir, files.Quota{}); err != nil {
		return w, nil, err
	}
	opened := []io.Closer{w.Workspace}
	closeWorld = func() {
		for _, o := range opened {
			o.Close()
		}
	}
	for _, name := range c.readRoots {
		root, err := files.OpenReadRoot(filepath.Clean(name))
		if err != nil {
			closeWorld()
			return w, nil, err
		}
		opened = append(opened, root)
		w.ReadRoots = append(w.ReadRoots, root)
	}
	return w, closeWorld, nil
}

// shelf puts what the library holds before the server's clients, again after
// each change.
type shelf struct {
	specs  *library.Library
	pins   catalog.Pins
	passes string
	config runtime.Config
	rt     *runtime.Runtime
	server *mcpserver.Server
	stderr io.Writer
}

// offer is told what became of a reload. The tools are offered as they were read
// last, whatever that was.
func (s *shelf) offer(reloaded error) {
	if reloaded != nil {
		fmt.Fprintf(s.stderr, "glovebox: %v; what was read before stays\n", reloaded)
	}
	// Read again as well: another process adds to it.
	passes, err := library.OpenPasses(s.passes)
	if err != nil {
		fmt.Fprintf(s.stderr, "glovebox: %v\n", err)
	}
	for _, t := range s.specs.Trouble() {
		fmt.Fprintf(s.stderr, "withheld %s\n", oneLine(t.Error()))
	}
	for _, w := range s.server.Offer(s.rt, s.specs.Tools(passes, s.pins, s.config.Lookup)) {
		fmt.Fprintf(s.stderr, "withheld %s: %s\n", w.Name, oneLine(w.Reason))
	}
}
