package mcpserver

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/internal/replay"
	"github.com/glovebox-run/glovebox/mcpserver/internal/riskcontract"
	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
	"github.com/glovebox-run/glovebox/mcpserver/rates"
	"github.com/glovebox-run/glovebox/mcpserver/replica"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk/contract"
	"github.com/glovebox-run/glovebox/runtime/admission"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Config holds the settings of a server that do not change while it runs. The zero
// value refuses every call.
type Config struct {
	// Version of the program, as clients see it.
	Version string
	// Calls configures how calls are made. The server fills in Gate.
	Calls governed.Config
	// Limits divide the server's capacity among its clients.
	Limits admission.Limits
	// ProgressEvery is the interval of progress reports on a running call, for
	// clients that asked for them; default 5 s.
	ProgressEvery time.Duration
	// Desk keeps the approval questions. Without one, calls that a person must
	// approve are refused.
	Desk *approve.Desk
	// AnswerTime is how long a client without a session may take to answer a question of
	// another server, in the middle of a call; default 5 minutes.
	AnswerTime time.Duration
	// ResultTime is how long a call that its client gave a name goes on without the client,
	// and how long its result is kept; default a minute.
	ResultTime time.Duration
	// Contract backs the tools tool_risk_contract and evaluate_tool_risk_decision;
	// nil offers neither.
	Contract *contract.Contract
	// Logger receives messages for the operator; nil discards them.
	Logger *slog.Logger
	// Telemetry observes the calls; nil observes nothing.
	Telemetry *telemetry.Telemetry
	// Replica is this server among those of a cluster, which answer for one another; nil
	// for a server of its own.
	Replica *replica.Member
	// Idle returns the number of idle instances, for the gauge; nil means none.
	Idle func() int
}

// Server serves the currently published tools. It is safe for concurrent use.
type Server struct {
	config Config
	about  string // our entry in the _meta of results
	gate   *admission.Gate
	held   held
	conns  connections
	// parsing bounds the parsing of large messages.
	parsing *admission.Lane
	calls   *governed.Pipeline
	lot     *lot
	kept    *replay.Store // what was said to clients
	names   *replay.Calls // of clients without a session
	peers   sync.Map      // *mcp.ServerSession over streams -> peer
	sets    atomic.Pointer[[]ToolSet]

	// leave ends all waits for operators when a drain begins: their answers still
	// count after the next start.
	staying context.Context
	leave   context.CancelFunc

	content  content
	hadTools atomic.Bool
	unready  atomic.Bool // as the last probe was told
	leaving  atomic.Bool // told to stop, and still serving

	mu       sync.Mutex
	asking   map[string]bool // approvals that a call waits for
	draining bool
	// Added to under mu and only while not draining.
	answers sync.WaitGroup // HTTP requests with a call, and calls over streams, until the answer is sent
}

// maxMessage bounds one message in bytes, over HTTP and stdio alike.
const maxMessage = wire.MaxMessage

// New returns a server without tools; see [Server.Publish].
func New(config Config) *Server {
	if config.ProgressEvery <= 0 {
		config.ProgressEvery = 5 * time.Second
	}
	if config.AnswerTime <= 0 {
		config.AnswerTime = 5 * time.Minute
	}
	if config.ResultTime <= 0 {
		config.ResultTime = time.Minute
	}
	config.Limits = config.Limits.WithDefaults()
	if config.Idle == nil {
		config.Idle = func() int { return 0 }
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{config: config, gate: admission.NewGate(config.Limits), parsing: admission.NewLane(goruntime.GOMAXPROCS(0) / 2), kept: replay.New(), asking: map[string]bool{}}
	s.names = replay.NewCalls(s.kept, config.ResultTime)
	s.conns.most = max(1, config.Limits.Connections*3/4)
	s.staying, s.leave = context.WithCancel(context.Background())
	info, err := json.Marshal(s.implementation())
	if err != nil {
		panic(err) // cannot fail: strings
	}
	s.about = `"` + mcp.MetaKeyServerInfo + `":` + string(info)
	config.Calls.Gate = s.gate
	s.calls = governed.New(config.Calls)
	s.lot = newLot(parkedEach, parkedAll, config.AnswerTime)
	if config.Replica != nil {
		s.lot.process = config.Replica.Name()
	}
	s.content.views = map[string]*view{mainView: s.newView(mainView)}
	if config.Contract != nil {
		s.Publish(riskcontract.Source, riskcontract.Tools(config.Contract))
	}
	if err := config.Telemetry.Watch(telemetry.Gauges{Tools: s.Tools, Sessions: s.sessions, Calls: s.gate.Calls, Idle: config.Idle}); err != nil {
		config.Logger.Error("metrics.incomplete", "cause", err)
	}
	return s
}

// ShareRate has the rate of each client hold for all servers of a cluster together. It takes
// half a second at most, in which they say what clients have used of it.
func (s *Server) ShareRate(ctx context.Context, with *rates.Group) { with.Keep(ctx, s.gate) }

// Govern replaces the terms of calls; see [governed.Pipeline.Govern].
func (s *Server) Govern(terms governed.Terms) { s.calls.Govern(terms) }

// Pipeline returns the one that all calls go through.
func (s *Server) Pipeline() *governed.Pipeline { return s.calls }

// implementation is who the server says it is.
func (s *Server) implementation() *mcp.Implementation {
	return &mcp.Implementation{Name: "glovebox", Title: "Glovebox", Version: s.config.Version}
}

// EndSessions ends the sessions over HTTP, for when their credentials are no longer
// valid; clients begin new ones.
func (s *Server) EndSessions() {
	for _, seat := range s.allSeats() {
		go seat.close() // waits for the client to read what was sent
	}
	for session := range s.allSessions() {
		if _, stream := s.peers.Load(session); !stream {
			go session.Close()
		}
	}
}

// Draining reports whether the server is about to stop.
func (s *Server) Draining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

// Drain refuses new calls, waits for running ones, and ends all sessions. If ctx
// ends first, the running calls are cancelled and end within moments.
func (s *Server) Drain(ctx context.Context) {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	s.leave()
	s.lot.leave(nil, governed.ErrStopped)
	s.calls.Drain(ctx)
	// Ending a session while the SDK sends an answer would lose the answer.
	sent := make(chan struct{})
	go func() {
		s.answers.Wait()
		close(sent)
	}()
	select {
	case <-sent:
	case <-ctx.Done(): // cancelled calls are still owed an answer
		select {
		case <-sent:
		case <-time.After(lastAnswers): // the client no longer reads them
		}
	}
	var closing sync.WaitGroup
	for _, seat := range s.allSeats() {
		closing.Go(seat.close)
	}
	for session := range s.allSessions() {
		closing.Go(func() { session.Close() })
	}
	closed := make(chan struct{})
	go func() {
		closing.Wait()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(lastAnswers): // the client no longer reads them
	}
}

// allSeats returns the sessions over HTTP of all views, also those that sleep.
func (s *Server) allSeats() (all []*seat) {
	for _, v := range s.content.all() {
		all = append(all, v.seats.all()...)
	}
	return all
}

// allSessions yields the sessions of all views that the SDK has.
func (s *Server) allSessions() iter.Seq[*mcp.ServerSession] {
	return func(yield func(*mcp.ServerSession) bool) {
		for _, v := range s.content.all() {
			for session := range v.sdk.Sessions() {
				if !yield(session) {
					return
				}
			}
		}
	}
}

func (s *Server) sessions() (open int) {
	for range s.allSessions() {
		open++
	}
	for _, seat := range s.allSeats() {
		if seat.asleep() {
			open++
		}
	}
	return open
}

// answering marks an answer as pending until sent is called.
func (s *Server) answering() (sent func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return func() {}
	}
	s.answers.Add(1)
	return s.answers.Done
}
