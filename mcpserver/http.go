package mcpserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/netutil"

	"github.com/glovebox-run/glovebox/mcpserver/approve/answers"
	"github.com/glovebox-run/glovebox/mcpserver/oauth"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// HTTP configures a server's HTTP endpoint. The zero value rejects every client.
type HTTP struct {
	// Token is what clients must send.
	Token Token
	// OAuth accepts access tokens of an issuer; may be nil. With both Token and OAuth,
	// either kind of token is accepted.
	OAuth *oauth.Guard
	// Named returns the holder of a named token, asked at each request; nil knows none.
	// An error means that nobody can say at the moment.
	Named func(ctx context.Context, text string) (Holder, bool, error)
	// TokenPlace says where the operator finds the token, for the log line about a wrong
	// one. Nobody who asks is told.
	TokenPlace string
	// TLS has the certificates; nil is plain HTTP.
	TLS *tls.Config
	// Open admits clients without a token. Only a server on a loopback address
	// may be open; see [HTTP.Check].
	Open bool
	// Hosts are the names of the server that requests may use, besides localhost and
	// IP addresses.
	Hosts []string
	// SSE also serves the transport of 2024-11-05, at /sse.
	SSE bool
	// Now returns the token and host names accepted now, instead of Token and Hosts;
	// nil means that these do not change.
	Now func() (Token, []string)
	// SessionTimeout ends a session of the older protocol that was idle this long;
	// default 30 minutes.
	SessionTimeout time.Duration
	// SleepAfter is after how much idleness a session of the older protocol is reduced to a
	// small record, from which its next request makes it anew; default 30 s.
	SleepAfter time.Duration
	// Leaving is called when the server is told to stop, beside what goes on; may be nil.
	Leaving func()
	// Linger is how long a server that was told to stop goes on as before, except that
	// /readyz says no. After half of it, the other servers of its cluster have clients
	// begin the sessions anew that are here.
	Linger time.Duration
	// DrainTimeout is how long calls may continue after the server was told to stop;
	// default 10 s.
	DrainTimeout time.Duration
	// Links serves the links of notices, under which a question is answered once.
	Links bool
	// OpenMetrics serves /metrics without a token.
	OpenMetrics bool
	// Patience is how long a client may take for each step.
	Patience Patience
	// Ready returns why the server cannot work, or nil if it can; may be nil.
	Ready func() error
}

// maxHeader bounds the headers of a request in bytes; a token and a few names take
// one or two thousand.
const maxHeader = 64 << 10

// Check refuses an open endpoint on an address that other machines can reach.
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

// Loopback reports whether only this machine reaches an address, host and port.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && loopback(host)
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
		TLSConfig: h.TLS, ErrorLog: slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelInfo), Protocols: new(http.Protocols),
	}
	// The limits count connections and the time of each, which HTTP/2 shares among requests.
	server.Protocols.SetHTTP1(true)
	if h.DrainTimeout <= 0 {
		h.DrainTimeout = 10 * time.Second
	}
	failed := make(chan error, 1)
	s.conns.watch(server)
	listener = netutil.LimitListener(listener, s.config.Limits.Connections)
	go func() {
		if h.TLS != nil {
			failed <- server.ServeTLS(listener, "", "")
			return
		}
		failed <- server.Serve(listener)
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	if h.Leaving != nil {
		go h.Leaving()
	}
	s.linger(h.Linger)
	drain, cancel := context.WithTimeout(context.Background(), h.DrainTimeout)
	defer cancel()
	closed := make(chan error, 1)
	// Calls that had to be cancelled are answered too, after the drain timeout.
	answered, giveUp := context.WithTimeout(context.Background(), h.DrainTimeout+lastAnswers)
	defer giveUp()
	go func() { closed <- server.Shutdown(answered) }()
	s.Drain(drain) // also ends the streams, for which Shutdown waits
	var late error
	if drain.Err() != nil {
		late = fmt.Errorf("not everything ended within %v of being told to stop; calls that still ran were cancelled", h.DrainTimeout)
	}
	// All answers are sent. Requests still in progress do not hold up the server for
	// longer than this.
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

// linger goes on serving until balancers and other servers know that this one stops.
func (s *Server) linger(d time.Duration) {
	s.leaving.Store(true)
	time.Sleep(d / 2)
	if s.config.Replica != nil {
		s.config.Replica.Retire()
	}
	time.Sleep(d / 2)
}

// lastRequests is how long requests other than calls may continue after all calls
// were answered.
const lastRequests = time.Second

// Handler serves /mcp, /healthz and /readyz, /metrics if there is telemetry, /sse if
// enabled, and the OAuth resource metadata.
func (s *Server) Handler(h HTTP) http.Handler {
	mux := http.NewServeMux()
	if h.SessionTimeout <= 0 {
		h.SessionTimeout = 30 * time.Minute
	}
	if h.SleepAfter <= 0 {
		h.SleepAfter = sleepAfter
	}
	served := s.guarded(h, &endpoints{server: s, over: h})
	mux.Handle("/mcp", served)
	mux.Handle("/mcp/{view}", served)
	if h.SSE {
		mux.Handle(ssePath, s.guarded(h, s.oldStreams(h.SessionTimeout)))
	}
	if h.OAuth != nil {
		for _, path := range h.OAuth.MetadataPaths() {
			mux.Handle(path, h.OAuth.Metadata())
		}
	}
	if s.config.Desk != nil {
		questions := http.NewServeMux()
		answers.Handler{Desk: s.config.Desk, Record: s.config.Calls.Audit, Logger: s.config.Logger, Who: func(r *http.Request) string { return peerIn(r.Context()).principal }}.Mount(questions)
		mux.Handle(OperatorPath+"/", s.authenticated(h, onlyToApprovers(http.StripPrefix(OperatorPath, questions))))
	}
	if h.Links && s.config.Desk != nil {
		mux.HandleFunc("GET "+AnswerPath+"{link}", s.answerLink)
		mux.HandleFunc("POST "+AnswerPath+"{link}", s.answerLink)
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
	whole := h.sameSite(mux)
	if s.config.Replica != nil {
		s.config.Replica.Serve(whole)
	}
	return h.Patience.withDefaults().timed(whole)
}

// notToGrantees refuses the metrics, which count the calls of all clients, to
// holders of an issuer's access tokens and of named tokens.
func notToGrantees(counts http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := peerIn(r.Context()); p.grant != nil || p.holder != nil {
			http.Error(w, "this token does not show what all clients do", http.StatusForbidden)
			return
		}
		counts.ServeHTTP(w, r)
	})
}

// OperatorPath is below which holders of an approver's token see and answer questions.
const OperatorPath = "/operator"

func approver(r *http.Request) bool {
	p := peerIn(r.Context())
	return p.holder != nil && p.holder.Approver
}

// onlyToApprovers keeps questions from those who make the calls: who calls may not say yes.
func onlyToApprovers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !approver(r) {
			answers.Reply(w, http.StatusForbidden, answers.Problem{Code: "not-an-approver", Message: "this token does not answer questions; glovebox token create NAME --approver makes one that does"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// notToApprovers keeps calls from those who answer.
func notToApprovers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if approver(r) {
			http.Error(w, "this token answers questions and calls nothing", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// guarded passes requests that are authenticated, complete, within the limits and
// within the scopes of their token.
func (s *Server) guarded(h HTTP, next http.Handler) http.Handler {
	return s.authenticated(h, notToApprovers(s.withinConnections(s.wholeBody(s.scoped(h, next)))))
}

// readyFor is how long a readiness result is cached. Probes need no token, and a
// check may be a write in a cluster.
const readyFor = time.Second

// readiness caches whether the server can work.
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

// errNoTools makes a server unready that has lost all its tools. One that never had
// any is as its operator wants it.
var errNoTools = errors.New("no tool is published any more")

// ready answers a load balancer with yes or no. It needs no token, so the reason is only logged.
func (s *Server) ready(w http.ResponseWriter, able *readiness) {
	err := governed.ErrStopped
	if !s.Draining() && !s.leaving.Load() {
		err = able.check()
	}
	if err == nil && s.hadTools.Load() && s.Tools() == 0 {
		err = errNoTools
	}
	if err != nil {
		if !s.unready.Swap(true) { // probes come every few seconds, and from anybody
			s.config.Logger.Warn("server.not_ready", "cause", err)
		}
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	if s.unready.Swap(false) {
		s.config.Logger.Info("server.ready")
	}
	fmt.Fprintln(w, "ready")
}

// endpoints route each request to its view. Each view has handlers of its own, so a
// session of one view is none in another.
type endpoints struct {
	server *Server
	over   HTTP

	mu     sync.Mutex
	byView map[*view]http.Handler
}

func (e *endpoints) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := e.server.content.view(r.PathValue("view"))
	if v == nil {
		http.Error(w, "nothing is served under this name", http.StatusNotFound)
		return
	}
	e.of(v).ServeHTTP(w, r)
}

// of returns the handler of a view, and forgets those of views that are gone.
func (e *endpoints) of(v *view) http.Handler {
	e.mu.Lock()
	defer e.mu.Unlock()
	if h := e.byView[v]; h != nil {
		return h
	}
	if e.byView == nil {
		e.byView = map[*view]http.Handler{}
	}
	for old := range e.byView {
		if e.server.content.view(old.name) != old {
			delete(e.byView, old)
		}
	}
	e.byView[v] = v.eras(e.over)
	return e.byView[v]
}

// eras routes each request to the handler for its protocol, with sessions or without.
func (v *view) eras(h HTTP) http.Handler {
	s := v.Server
	get := func(*http.Request) *mcp.Server { return v.sdk }
	options := mcp.StreamableHTTPOptions{
		Stateless: true, Logger: sdkLogger(s.config.Logger), MaxRequestBodyBytes: maxMessage,
		// In the newer protocol a client cancels its call by hanging up.
		PropagateRequestCancellation: true,
		// sameSite has checked the host, with the operator's names.
		DisableLocalhostProtection: true,
	}
	withSessions := v.withPlaceForSession(times{h.SleepAfter, h.SessionTimeout}, v.direct(&sessions{v, newVersions()}))
	stateless := s.withPlaceForStream(v.withAgreeingHeaders(v.direct(mcp.NewStreamableHTTPHandler(get, &options))))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= firstStateless || speaksStateless(r) {
			stateless.ServeHTTP(w, r)
			return
		}
		withSessions.ServeHTTP(w, r)
	})
}

// speaksStateless reports whether the message body names a version without sessions.
// The header should name it too. The handler for such versions reports what is wrong
// with the header; the other handler would deny that the version exists.
func speaksStateless(r *http.Request) bool {
	body, ok := r.Body.(*received)
	return ok && !body.Batch && len(body.Messages) == 1 && body.Messages[0].Version >= firstStateless
}

// sameSite refuses requests that another site's page makes a browser send. Host must
// name us: a page whose name was rebound to our address (DNS rebinding) still sends
// its own name. IP addresses cannot be rebound.
func (h HTTP) sameSite(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.ours(r.Host) {
			http.Error(w, "this server is not known under the name in the Host header", http.StatusForbidden)
			return
		}
		// CrossOriginProtection skips safe methods such as GET, which opens a stream
		// here.
		origin := r.Header.Get("Origin")
		if err := crossOrigin.Check(r); err != nil || origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host {
			http.Error(w, "requests from another origin are refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// now returns the token and host names accepted now.
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
	// Host names are case-insensitive; browsers send lower case whatever the operator
	// wrote.
	_, hosts := h.now()
	is := func(name string) bool { return strings.EqualFold(name, host) }
	return slices.ContainsFunc(hosts, is) || h.OAuth != nil && is(h.OAuth.Host())
}
