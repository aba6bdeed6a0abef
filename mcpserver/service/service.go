package service

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Options are what a service is made of. Configuration and Place.State are needed.
type Options struct {
	Configuration *config.Loaded
	Place         Place
	// World is the resolver and the dialler that are lent to tools; without them
	// they reach no network. Folders are lent as the configuration says.
	World host.World
	// Version of the program, as clients and the other processes see it.
	Version string
	// Owner is the claim to the state folder, which the service takes over, also when
	// it does not open. Nil claims the folder.
	Owner *local.Owner
	// Stdio says that clients come over streams alone: there is no endpoint that asks
	// for a token, so none is looked after.
	Stdio bool
	// Log is where log lines go; nil discards them.
	Log io.Writer
	// Tell hears of events, one at a time. It must not wait for the service, which
	// waits for it. Nil hears none.
	Tell func(Event)
	// LimitMemory is told how much Go may take, such as debug.SetMemoryLimit; nil
	// leaves the process as it is.
	LimitMemory func(bytes int64) int64
	// Watch has the configuration applied again whenever its sources change, until
	// the service is told to stop. Files and Changed are filled in. Nil leaves it to
	// the caller to call Apply.
	Watch *config.Watched
}

// SetupError is an error of what the operator set up: a value, a file or a folder.
// Any other error is one of the machine, and may pass.
type SetupError struct{ Err error }

func (e *SetupError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *SetupError) Unwrap() error { return e.Err }

// Service is a server and what it works with. It is safe for concurrent use.
type Service struct {
	*mcpserver.Server

	options  Options
	started  *config.Loaded // what needs a restart stays as it is here
	owner    *local.Owner
	observed *telemetry.Telemetry
	kept     *kept
	desk     *approve.Desk
	engine   *runtime.Runtime // owns the engine that all runtimes share
	world    host.World
	audit    interface{ Failed() error }
	closers  []func() // of what was opened, in order
	working  context.Context
	rest     context.CancelFunc

	changing sync.Mutex // held for one change
	closed   bool
	shelf    shelf
	unwatch  context.CancelFunc // stops watching the stock

	mu     sync.Mutex
	counts *config.Loaded
	config runtime.Config
	rt     *runtime.Runtime
	stock  *stock
	token  mcpserver.Token
	letsIn bool // the token is the one that clients must send
}

// Open makes a service and publishes its tools. Specs, and the configuration if that
// is wanted, are watched until ctx ends or the service is closed. Nothing stays open
// after an error.
func Open(ctx context.Context, o Options) (*Service, error) {
	if o.Tell == nil {
		o.Tell = func(Event) {}
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	s := &Service{options: o, started: o.Configuration, counts: o.Configuration, owner: o.Owner}
	if s.owner == nil {
		var err error
		if s.owner, err = Claim(ctx, o.Place.State); err != nil {
			return nil, &SetupError{err}
		}
	}
	// Last of all, when nothing in the folder is open.
	s.closers = append(s.closers, func() { s.owner.Close() })
	s.working, s.rest = context.WithCancel(ctx)
	if err := s.open(ctx); err != nil {
		s.giveBack()
		return nil, err
	}
	s.serveTools()
	return s, nil
}

func (s *Service) open(ctx context.Context) (err error) {
	l, p, tell := s.started, s.options.Place, s.options.Tell
	if s.observed, err = telemetry.Open(context.WithoutCancel(ctx), l.Telemetry, s.options.Version, s.options.Log); err != nil {
		return &SetupError{err}
	}
	s.closers = append(s.closers, func() {
		if err := s.observed.Close(context.Background()); err != nil {
			s.observed.Logger().Warn("not all spans were sent", "cause", err)
		}
	})
	s.kept = keep(ctx, l, p, s.observed)
	s.closers = append(s.closers, s.kept.close)

	fitted, plan, _ := Fit(l)
	var closeAudit func() error
	if s.config, closeAudit, err = OpenRuntimeConfig(fitted, p, s.kept.recorded(), tell); err != nil {
		return &SetupError{err}
	}
	s.audit = s.config.Audit
	s.closers = append(s.closers, func() { closeAudit() })
	s.world = s.options.World
	s.world.AllowOpen = l.World.AllowOpen
	closeFolders, err := LendFolders(&s.world, string(l.World.Workspace), l.World.ReadRoots)
	if err != nil {
		return &SetupError{err}
	}
	s.closers = append(s.closers, closeFolders)
	var lendOwn func(principal string, world *host.World) (func(), error)
	if l.World.Workspace == "" {
		lendOwn = s.ownWorkspaces()
	}
	if s.stock, err = openStock(l, p); err != nil {
		return &SetupError{err}
	}
	contract, err := riskContract(string(l.Contract))
	if err != nil {
		return &SetupError{err}
	}
	// Its end is that of Close; calls that run when ctx ends have their time.
	if s.rt, err = runtime.Open(context.WithoutCancel(ctx), s.config); err != nil {
		return err
	}
	s.engine = s.rt
	s.closers = append(s.closers, s.engine.Close)
	if s.desk, err = s.kept.wait(); err != nil {
		return err
	}
	if err := plan.Check(); err != nil {
		tell(MemoryShort{err})
	}
	if s.options.LimitMemory != nil {
		s.options.LimitMemory(plan.GoLimit)
	}
	calls := governed.Config{Terms: termsOf(l, s.world, s.rt), Audit: s.config.Audit, AuditOptional: s.config.AuditOptional, Lend: lendOwn}
	s.Server = mcpserver.New(mcpserver.Config{
		Version: s.options.Version, Limits: shared(l, plan), Calls: calls, Desk: s.desk, Contract: contract,
		Logger: s.observed.Logger(), Telemetry: s.observed, Idle: s.idle,
	})
	return nil
}

// serveTools publishes the tools and watches what they come from.
func (s *Service) serveTools() {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.shelf = shelf{server: s.Server, observed: s.observed, tell: s.options.Tell}
	s.offer(nil)
	s.mentionStrangers()
	s.watchStock()
	if s.options.Watch != nil {
		watched := *s.options.Watch
		watched.Files, watched.Changed = s.Files, s.change
		go func() {
			if err := config.Watch(s.working, watched, s.started); err != nil {
				s.say(ConfigurationUnwatched{err})
			}
		}()
	}
}

// say tells an event in its turn.
func (s *Service) say(e Event) {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.options.Tell(e)
}

// termsOf are the terms of calls under a configuration.
func termsOf(l *config.Loaded, world host.World, rt *runtime.Runtime) governed.Terms {
	return governed.Terms{Judge: governed.ByLevel{Policy: l.Policy}, World: world, Sanitiser: rt.Sanitiser()}
}

// ownWorkspaces lends every principal a workspace of its own.
func (s *Service) ownWorkspaces() func(principal string, world *host.World) (func(), error) {
	all := files.NewWorkspaces(s.options.Place.workspaces(), files.Quota{})
	s.closers = append(s.closers, func() { all.Close() })
	return func(principal string, world *host.World) (func(), error) {
		w, done, err := all.For(workspaceOf(principal))
		world.Workspace = w
		return done, err
	}
}

// workspaceOf names the workspace of a principal. Programs that this user starts are
// told apart by their process, which the next start is not; they share one.
func workspaceOf(principal string) string {
	if kind, _, _ := strings.Cut(principal, ":"); kind == "stdio" || kind == "local" {
		return "stdio"
	}
	return principal
}

// Close refuses new calls, gives those that run the time that limits.drain says, and
// closes everything. Then the state folder is free.
func (s *Service) Close() {
	s.changing.Lock()
	if s.closed {
		s.changing.Unlock()
		return
	}
	s.closed = true
	s.changing.Unlock()
	s.rest()
	drain, cancel := context.WithTimeout(context.Background(), s.started.Limits.Drain)
	defer cancel()
	s.Drain(drain)
	s.owner.Stop()
	s.giveBack()
}

func (s *Service) giveBack() {
	s.rest()
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
}

// Logger is where the server's log lines go.
func (s *Service) Logger() *slog.Logger { return s.observed.Logger() }

// Ready says why the service cannot do its work, if it cannot.
func (s *Service) Ready() error { return errors.Join(s.audit.Failed(), s.kept.ready()) }

// Configuration is what counts at the moment.
func (s *Service) Configuration() *config.Loaded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// idle is the number of instances that wait for a call.
func (s *Service) idle() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rt.Idle()
}
