package service

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/certificate"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/publication"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// Options configure a service. Configuration and Place.State are required.
type Options struct {
	Configuration *config.Loaded
	Place         Place
	// World is the resolver and the dialler granted to tools; without them tools
	// reach no network. The configuration grants folders.
	World host.World
	// Processes starts other people's servers; without it those over standard streams
	// cannot be reached.
	Processes process.Supervisor
	// Version is the program's, shown to clients and the other processes.
	Version string
	// Owner is the claim to the state folder, which Open takes over even if it
	// fails. Nil claims the folder.
	Owner *local.Owner
	// Stdio means that clients come only over streams: no endpoint asks for a
	// token, so none is managed.
	Stdio bool
	// Listener is an open socket for clients over HTTP, at the address of
	// Configuration.Listen; nil has [Service.Listen] open one.
	Listener net.Listener
	// Log receives log lines; nil discards them.
	Log io.Writer
	// Tell receives events, one at a time. It must not wait for the service, which
	// waits for it. Nil discards them.
	Tell func(Event)
	// Examine checks the server's surroundings for the console; may be nil.
	Examine func(context.Context) iter.Seq[console.Check]
	// LimitMemory receives the limit for Go's memory, such as debug.SetMemoryLimit;
	// nil leaves the process as it is.
	LimitMemory func(bytes int64) int64
	// Watch applies the configuration again whenever its sources change, until the
	// service stops. Files and Changed are filled in. If it is nil, the caller
	// calls Apply.
	Watch *config.Watched
}

// SetupError is an error in the operator's setup: a value, a file or a folder. Any
// other error is one of the machine, and may be temporary.
type SetupError struct{ Err error }

func (e *SetupError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *SetupError) Unwrap() error { return e.Err }

// Service is a server and its parts. It is safe for concurrent use.
type Service struct {
	*mcpserver.Server

	options  Options
	started  *config.Loaded // keys that need a restart keep these values
	owner    *local.Owner
	observed *telemetry.Telemetry
	kept     *kept
	desk     *approve.Desk
	engine   *runtime.Runtime // owns the engine that all runtimes share
	// certificates are what the endpoint shows; nil for plain HTTP.
	certificates *certificate.Source
	console      *console.Console // nil until somebody asks for it
	address      string           // of the HTTP endpoint, once it listens
	sessions     *labels.Sessions // nil as long as nothing is decided by them
	world        host.World
	audit        interface{ Failed() error }
	closers      []func() // for what was opened, in order
	working      context.Context
	rest         context.CancelFunc

	changing sync.Mutex // held during a change
	closed   bool
	shelf    shelf
	composer composer
	unwatch  context.CancelFunc // stops watching the specs

	shared    sync.Mutex // held while published is opened
	published *publication.Shelf

	mu     sync.Mutex
	counts *config.Loaded
	config runtime.Config
	rt     *runtime.Runtime
	stock  *stock
	token  mcpserver.Token
	letsIn bool // clients must send the token

	tests sync.WaitGroup // of specs, at the start

	beginning beginning

	trouble atomic.Pointer[error] // of the files, as last looked at; nil if there is none

	// Shown as gauges.
	withheld            atomic.Int64
	badReload, badStock atomic.Bool
	questions           questions
}

// Open makes a service and publishes its tools. It watches specs, and the
// configuration if requested, until ctx ends or the service is closed. After an
// error nothing stays open.
func Open(ctx context.Context, o Options) (*Service, error) {
	if o.Tell == nil {
		o.Tell = func(Event) {}
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	s := &Service{options: o, started: o.Configuration, counts: o.Configuration, owner: o.Owner}
	s.composer = composer{service: s, lost: map[string]bool{}}
	if s.owner == nil {
		var err error
		if s.owner, err = Claim(ctx, o.Place.State, "glovebox serve"); err != nil {
			return nil, &SetupError{err}
		}
	}
	// This runs last, when no file in the folder is open.
	s.closers = append(s.closers, func() { s.owner.Close() })
	s.working, s.rest = context.WithCancel(ctx)
	if err := s.open(ctx); err != nil {
		s.giveBack()
		return nil, err
	}
	s.serveTools()
	if err := s.kept.gateway.Start(ctx); err != nil {
		s.Close()
		return nil, err
	}
	s.beginning.until = time.Now().Add(firstTries)
	return s, nil
}

func (s *Service) open(ctx context.Context) (err error) {
	l, p, tell := s.started, s.options.Place, s.options.Tell
	if s.observed, err = telemetry.Open(context.WithoutCancel(ctx), l.Telemetry, s.options.Version, s.options.Log); err != nil {
		return &SetupError{err}
	}
	s.closers = append(s.closers, func() {
		if err := s.observed.Close(context.Background()); err != nil {
			s.observed.Logger().Warn("telemetry.lost", "cause", err)
		}
	})
	s.kept = s.keep(ctx)
	s.closers = append(s.closers, s.kept.close)

	fitted, plan, _ := Fit(l)
	var closeAudit func() error
	if s.config, closeAudit, err = OpenRuntimeConfig(fitted, p, s.recording(), tell); err != nil {
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
	// It ends with Close; calls running when ctx ends may finish.
	if s.rt, err = runtime.Open(context.WithoutCancel(ctx), s.config); err != nil {
		return err
	}
	s.engine = s.rt
	s.closers = append(s.closers, s.engine.Close)
	if s.desk, err = s.kept.wait(); err != nil {
		return err
	}
	if !s.options.Stdio {
		if s.certificates, err = certificates(l, p, s.observed.Logger()); err != nil {
			return &SetupError{err}
		}
	}
	if err := plan.Check(); err != nil {
		tell(MemoryShort{err})
	}
	if s.options.LimitMemory != nil {
		s.options.LimitMemory(plan.GoLimit)
	}
	judge, err := s.judge(context.WithoutCancel(ctx), l)
	if err != nil {
		return &SetupError{err}
	}
	calls := governed.Config{Terms: termsOf(judge, s.world, s.rt), Audit: s.config.Audit, AuditOptional: s.config.AuditOptional, Lend: lendOwn}
	s.Server = mcpserver.New(mcpserver.Config{
		Version: s.options.Version, Limits: shared(l, plan), Calls: calls, Desk: s.desk, Contract: contract,
		Logger: s.observed.Logger(), Telemetry: s.observed, Idle: s.idle, Replica: s.kept.replica,
	})
	if s.kept.rates != nil {
		s.Server.ShareRate(ctx, s.kept.rates)
	}
	s.questions.desk = s.desk
	if err := s.notify(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	return s.observed.WatchState(telemetry.State{
		Questions: s.questions.count, Withheld: func() int { return int(s.withheld.Load()) },
		Store:         func() telemetry.Traffic { return telemetry.Traffic(s.kept.store.Traffic()) },
		Configuration: func() bool { return !s.badReload.Load() }, Specs: func() bool { return !s.badStock.Load() },
	})
}

// recording returns what a server adds to the record: it copies and archives.
func (s *Service) recording() audit.Options {
	l := s.started
	o := audit.Options{
		Keepers: keepers(l, s.options.Place, s.kept.opened),
		Kept: func(err error) {
			if err != nil {
				s.Logger().Warn("audit.anchor_delayed", "cause", err)
			} else {
				s.Logger().Info("audit.anchor_kept")
			}
		},
		Retention: audit.Retention{Age: l.Audit.MaxAge, Size: int64(l.Audit.MaxSize), Folder: string(l.Audit.Archive)},
		Retired: func(a *audit.Archived, err error) {
			if a != nil {
				s.say(Archived{*a})
			}
			if err != nil {
				s.say(ArchiveFailed{err})
			}
		},
	}
	if l.State.NATS.URL != "" {
		s.copying(&o)
	}
	return o
}

// serveTools publishes the tools and watches their sources.
func (s *Service) serveTools() {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.arrange(s.started)
	s.shelf = shelf{server: s.Server, observed: s.observed, tell: s.options.Tell, revisions: library.NewRevisions(s.options.Place.Revisions())}
	s.offer(nil)
	s.mentionStrangers()
	s.watchStock()
	s.mirror()
	go s.watchFiles()
	if s.started.Specs.Test {
		s.tests.Go(s.testSpecs)
	}
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

// say reports an event in order.
func (s *Service) say(e Event) {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.options.Tell(e)
}

// termsOf returns the terms of calls.
func termsOf(judge governed.Judge, world host.World, rt *runtime.Runtime) governed.Terms {
	return governed.Terms{Judge: judge, World: world, Sanitiser: rt.Sanitiser()}
}

// ownWorkspaces grants every principal a workspace of its own.
func (s *Service) ownWorkspaces() func(principal string, world *host.World) (func(), error) {
	all := files.NewWorkspaces(s.options.Place.workspaces(), files.Quota{})
	s.closers = append(s.closers, func() { all.Close() })
	return func(principal string, world *host.World) (func(), error) {
		w, done, err := all.For(workspaceOf(principal))
		world.Workspace = w
		return done, err
	}
}

// workspaceOf names the workspace of a principal. Programs started by this user
// share one: they are told apart by their process, which differs at the next start.
func workspaceOf(principal string) string {
	if kind, _, _ := strings.Cut(principal, ":"); kind == "stdio" || kind == "local" {
		return "stdio"
	}
	return principal
}

// Close refuses new calls, gives running ones the time of limits.drain, and closes
// everything. Then the state folder is released.
func (s *Service) Close() {
	s.changing.Lock()
	if s.closed {
		s.changing.Unlock()
		return
	}
	s.closed = true
	opened := s.console
	s.changing.Unlock()
	if opened != nil {
		opened.Close()
	}
	s.rest()
	drain, cancel := context.WithTimeout(context.Background(), s.started.Limits.Drain)
	defer cancel()
	s.Drain(drain)
	s.owner.Stop()
	s.giveBack()
}

func (s *Service) giveBack() {
	s.rest()
	s.tests.Wait() // they run in the engine
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
}

// Logger returns the server's logger.
func (s *Service) Logger() *slog.Logger { return s.observed.Logger() }

// Ready returns why the service cannot work, or does not know its tools yet.
func (s *Service) Ready() error {
	return errors.Join(s.audit.Failed(), s.owner.Stands(), s.kept.ready(), s.begun())
}

// Configuration returns the configuration in effect.
func (s *Service) Configuration() *config.Loaded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// idle returns the number of instances waiting for a call.
func (s *Service) idle() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rt.Idle()
}
