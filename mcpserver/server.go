package mcpserver

import (
	"context"
	"log/slog"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/internal/riskcontract"
	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk/contract"
	"github.com/glovebox-run/glovebox/runtime/admission"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Config is what an operator decides once for a server. The zero value refuses
// every call.
type Config struct {
	// Version of the program, as clients see it.
	Version string
	// Calls is how calls are made. The server fills in Gate and Published.
	Calls governed.Config
	// Limits share the server out among its clients.
	Limits admission.Limits
	// ProgressEvery is how often a client that asked for progress hears of a call
	// that still runs; default 5 s.
	ProgressEvery time.Duration
	// Desk keeps the questions that people are asked. Without one, calls that a
	// person must approve are refused.
	Desk *approve.Desk
	// Contract is what the tools tool_risk_contract and evaluate_tool_risk_decision
	// answer by; nil offers neither.
	Contract *contract.Contract
	// Logger receives what the operator may want to know; nil discards it.
	Logger *slog.Logger
	// Telemetry observes the calls; nil observes nothing.
	Telemetry *telemetry.Telemetry
	// Idle counts the instances that wait for a call, for the gauge; nil means none.
	Idle func() int
}

// Server serves the tools that are published at the moment. It is safe for
// concurrent use.
type Server struct {
	config Config
	sdk    *mcp.Server
	gate   *admission.Gate
	seats  seats
	held   held
	conns  connections
	// parsing is for messages that are large.
	parsing *admission.Lane
	calls   *governed.Pipeline
	peers   sync.Map // *mcp.ServerSession over streams -> peer

	published governed.Published

	// leave ends the waiting for operators when a drain begins: their answers count
	// after the next start as well.
	staying context.Context
	leave   context.CancelFunc

	publishing sync.Mutex // held while the SDK is told of other tools
	hadTools   atomic.Bool

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
	config.Limits = config.Limits.WithDefaults()
	if config.Idle == nil {
		config.Idle = func() int { return 0 }
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{config: config, gate: admission.NewGate(config.Limits), parsing: admission.NewLane(goruntime.GOMAXPROCS(0) / 2), asking: map[string]bool{}}
	s.conns.most = max(1, config.Limits.Connections*3/4)
	s.staying, s.leave = context.WithCancel(context.Background())
	s.sdk = mcp.NewServer(&mcp.Implementation{Name: "glovebox", Title: "Glovebox", Version: config.Version}, &mcp.ServerOptions{
		// Without this the SDK advertises logging, which we do not have, and tools
		// only once there is one.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		Logger:       sdkLogger(config.Logger),
	})
	config.Calls.Gate, config.Calls.Published = s.gate, &s.published
	s.calls = governed.New(config.Calls)
	s.sdk.AddReceivingMiddleware(s.seated, s.withArguments)
	if config.Contract != nil {
		s.Publish(riskcontract.Source, riskcontract.Tools(config.Contract))
	}
	if err := config.Telemetry.Watch(telemetry.Gauges{Tools: s.Tools, Sessions: s.sessions, Calls: s.gate.Calls, Idle: config.Idle}); err != nil {
		config.Logger.Error("gauges are not shown", "cause", err)
	}
	return s
}

// Govern replaces the terms of calls; see [governed.Pipeline.Govern].
func (s *Server) Govern(terms governed.Terms) { s.calls.Govern(terms) }

// EndSessions ends the sessions over HTTP. What they were admitted with counts no
// more; clients begin new ones.
func (s *Server) EndSessions() {
	for session := range s.sdk.Sessions() {
		if _, stream := s.peers.Load(session); !stream {
			go session.Close() // waits for the client to take what was sent
		}
	}
}

// Draining reports whether the server is about to stop.
func (s *Server) Draining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

// Drain refuses new calls, waits for those that run, and ends all sessions. When
// ctx ends first, the calls are cancelled; they then end within moments.
func (s *Server) Drain(ctx context.Context) {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	s.leave()
	s.calls.Drain(ctx)
	// Ending a session while the SDK sends an answer loses the answer.
	sent := make(chan struct{})
	go func() {
		s.answers.Wait()
		close(sent)
	}()
	select {
	case <-sent:
	case <-ctx.Done(): // calls that were cancelled are owed an answer still
		select {
		case <-sent:
		case <-time.After(lastAnswers): // to a client that takes them no more
		}
	}
	var closing sync.WaitGroup
	for session := range s.sdk.Sessions() {
		closing.Go(func() { session.Close() })
	}
	closed := make(chan struct{})
	go func() {
		closing.Wait()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(lastAnswers): // to a client that takes them no more
	}
}

func (s *Server) sessions() (open int) {
	for range s.sdk.Sessions() {
		open++
	}
	return open
}

// answering notes that an answer is owed to a client until sent is called.
func (s *Server) answering() (sent func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return func() {}
	}
	s.answers.Add(1)
	return s.answers.Done
}
