package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/netutil"

	"github.com/glovebox-run/glovebox/mcpserver/oauth"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// HTTP is how a server is reached over HTTP. The zero value lets nobody in.
type HTTP struct {
	// Token is what clients must send.
	Token Token
	// OAuth admits clients with the access tokens of an issuer; may be nil. Tokens of
	// both kinds are admitted if there are both.
	OAuth *oauth.Guard
	// Open admits clients without a token. Only a server on a loopback address
	// may be open; see [HTTP.Check].
	Open bool
	// Hosts are names under which the server is reached, besides localhost and
	// addresses.
	Hosts []string
	// SSE also serves the transport of 2024-11-05, at /sse.
	SSE bool
	// Now gives the token and the names that count at the moment, in the place of
	// Token and Hosts; nil means that these do not change.
	Now func() (Token, []string)
	// SessionTimeout ends a session of the older protocol that was idle for so
	// long; default 30 minutes.
	SessionTimeout time.Duration
	// DrainTimeout is how long calls may go on after the server was told to stop;
	// default 10 s.
	DrainTimeout time.Duration
	// OpenMetrics shows /metrics to those who have no token, too.
	OpenMetrics bool
	// Patience is how long a client may take for each step.
	Patience Patience
	// Ready says why the server cannot do its work, if it cannot; may be nil.
	Ready func() error
}

// maxHeader bounds the headers of a request in bytes; a token and a few names are
// one or two thousand.
const maxHeader = 64 << 10

// Check refuses to let everybody in on an address that other machines reach.
func (h HTTP) Check(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("listen address: %w", err)
	}
	if h.Open && h.OAuth != nil {
		return errors.New("clients without a token are let in, so an authorization server would decide nothing")
	}
	if h.Open && !loopback(host) {
		return fmt.Errorf("%s is reached from other machines; listening there needs a token", addr)
	}
	return nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// ServeHTTP serves until ctx ends and then drains. It closes the listener.
func (s *Server) ServeHTTP(ctx context.Context, listener net.Listener, h HTTP) error {
	h.Patience = h.Patience.withDefaults()
	server := &http.Server{
		Handler: s.Handler(h), ReadHeaderTimeout: h.Patience.Headers, IdleTimeout: h.Patience.Idle, MaxHeaderBytes: maxHeader,
	}
	if h.DrainTimeout <= 0 {
		h.DrainTimeout = 10 * time.Second
	}
	failed := make(chan error, 1)
	s.conns.watch(server)
	listener = netutil.LimitListener(listener, s.config.Limits.Connections)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), h.DrainTimeout)
	defer cancel()
	closed := make(chan error, 1)
	// Calls that had to be cancelled are answered too, which is after their time.
	answered, giveUp := context.WithTimeout(context.Background(), h.DrainTimeout+lastAnswers)
	defer giveUp()
	go func() { closed <- server.Shutdown(answered) }()
	s.Drain(drain) // also ends the streams, for which Shutdown waits
	var late error
	if drain.Err() != nil {
		late = fmt.Errorf("not everything ended within %v of being told to stop; calls that still ran were cancelled", h.DrainTimeout)
	}
	// All answers are sent. Who still dawdles over something else, such as a request,
	// does not hold the server up.
	dawdling := time.NewTimer(lastRequests)
	defer dawdling.Stop()
	select {
	case err := <-closed:
		if err == nil {
			return late
		}
	case <-dawdling.C:
	}
	return errors.Join(late, server.Close())
}

// lastRequests is how long requests that are no calls may go on after all calls were
// answered.
const lastRequests = time.Second

// Handler answers /mcp, /healthz and /readyz, /metrics if there is telemetry, /sse if
// that is wanted, and where the metadata of the issuer lies.
func (s *Server) Handler(h HTTP) http.Handler {
	mux := http.NewServeMux()
	if h.SessionTimeout <= 0 {
		h.SessionTimeout = 30 * time.Minute
	}
	mux.Handle("/mcp", s.guarded(h, s.eras(h)))
	if h.SSE {
		mux.Handle(ssePath, s.guarded(h, s.oldStreams(h.SessionTimeout)))
	}
	if h.OAuth != nil {
		for _, path := range h.OAuth.MetadataPaths() {
			mux.Handle(path, h.OAuth.Metadata())
		}
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	able := &readiness{ask: h.Ready}
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { s.ready(w, able) })
	if counts := s.config.Telemetry.Metrics(); counts != nil {
		if !h.OpenMetrics {
			counts = s.authenticated(h, notToGrantees(counts))
		}
		mux.Handle("GET /metrics", counts)
	}
	return h.Patience.withDefaults().timed(h.sameSite(mux))
}

// notToGrantees keeps the counts, which add up what all clients do, from those who
// were let in by an issuer of access tokens.
func notToGrantees(counts http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if info := auth.TokenInfoFromContext(r.Context()); info != nil && peerOver(info).grant != nil {
			http.Error(w, "an access token does not show what all clients do", http.StatusForbidden)
			return
		}
		counts.ServeHTTP(w, r)
	})
}

// guarded lets a request pass that is somebody's, whole, not too much and within
// what its token grants.
func (s *Server) guarded(h HTTP, next http.Handler) http.Handler {
	return s.authenticated(h, s.withinConnections(s.wholeBody(s.scoped(h, next))))
}

// readyFor is how long an answer about the server's readiness holds. Whoever asks
// needs no token, and an answer may be a write in a cluster.
const readyFor = time.Second

// readiness is what is known about whether the server can do its work.
type readiness struct {
	ask   func() error
	mu    sync.Mutex
	err   error
	until time.Time
}

func (r *readiness) check() error {
	if r.ask == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !time.Now().Before(r.until) {
		r.err = r.ask()
		r.until = time.Now().Add(readyFor)
	}
	return r.err
}

// errNoTools is why a server is not ready whose tools are all gone. One that never had
// any is as its operator wants it.
var errNoTools = errors.New("no tool is published any more")

// ready tells a load balancer yes or no. It needs no token, so why is for the log.
func (s *Server) ready(w http.ResponseWriter, able *readiness) {
	err := governed.ErrStopped
	if !s.Draining() {
		err = able.check()
	}
	if err == nil && s.hadTools.Load() && s.Tools() == 0 {
		err = errNoTools
	}
	if err != nil {
		s.config.Logger.Warn("not ready", "cause", err)
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

// eras sends each request to the handler that speaks its protocol: the SDK's are
// either with sessions or without.
func (s *Server) eras(h HTTP) http.Handler {
	get := func(*http.Request) *mcp.Server { return s.sdk }
	options := mcp.StreamableHTTPOptions{
		Logger: sdkLogger(s.config.Logger), SessionTimeout: h.SessionTimeout, MaxRequestBodyBytes: maxMessage,
		// A client of the newer protocol that hangs up has cancelled its call.
		PropagateRequestCancellation: true,
		// sameSite has checked the host, and knows the names of the operator.
		DisableLocalhostProtection: true,
	}
	withSessions := mcp.NewStreamableHTTPHandler(get, &options)
	options.Stateless = true
	stateless := mcp.NewStreamableHTTPHandler(get, &options)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= firstStateless || speaksStateless(r) {
			s.withPlaceForStream(stateless).ServeHTTP(w, r)
			return
		}
		s.withPlaceForSession(withSessions).ServeHTTP(w, r)
	})
}

// speaksStateless reports whether the message itself is of a version without
// sessions. Its header should have said so: the handler for such versions says what
// is wrong with that, where the other would deny that there are any.
func speaksStateless(r *http.Request) bool {
	body, ok := r.Body.(*received)
	return ok && !body.Batch && len(body.Messages) == 1 && body.Messages[0].Version >= firstStateless
}

// sameSite refuses what a page of another site makes a browser send. The name in
// Host must be one of ours: a page whose name was rebound to our address still
// sends its own. A name cannot be rebound if it is an address.
func (h HTTP) sameSite(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.ours(r.Host) {
			http.Error(w, "this server is not known under the name in the Host header", http.StatusForbidden)
			return
		}
		// The check for methods that change something leaves out GET, which opens a
		// stream here.
		origin := r.Header.Get("Origin")
		if err := crossOrigin.Check(r); err != nil || origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host {
			http.Error(w, "requests from another origin are refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// now returns the token and the names that count.
func (h HTTP) now() (Token, []string) {
	if h.Now != nil {
		return h.Now()
	}
	return h.Token, h.Hosts
}

func (h HTTP) ours(hostport string) bool {
	host := hostport
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		host = name
	}
	if n := len(host); n > 1 && host[0] == '[' && host[n-1] == ']' {
		host = host[1 : n-1]
	}
	if strings.EqualFold(host, "localhost") || net.ParseIP(host) != nil {
		return true
	}
	// Names are the same in capital letters; browsers send small ones whatever the
	// operator has written.
	_, hosts := h.now()
	is := func(name string) bool { return strings.EqualFold(name, host) }
	return slices.ContainsFunc(hosts, is) || h.OAuth != nil && is(h.OAuth.Host())
}
