package local

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/approve/answers"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

const (
	// maxClients bounds the programs relayed at one time; each may have a message
	// of a few megabytes in flight.
	maxClients = 64
	headerTime = 5 * time.Second  // to send the request headers
	idleTime   = time.Minute      // between two requests
	writeTime  = 30 * time.Second // to accept one chunk of an answer
	maxHeader  = 16 << 10         // bytes
)

// upgrade is the protocol that a relay switches its connection to: MCP messages,
// one per line, in both directions, as over standard streams.
const upgrade = "glovebox-mcp-lines"

// Config is what an owner serves to other processes. All fields but Sessions and Console are
// required.
type Config struct {
	// About describes what it serves; the rest of Status is filled in here.
	About func() About
	// Lines serves one client over a pair of streams until it disconnects; it is
	// mcpserver.Server.ServeStdio.
	Lines func(ctx context.Context, principal string, in io.ReadCloser, out io.WriteCloser) error
	Inbox *approve.Desk // pending questions about calls
	// Record gets the rules that operators make and revoke; nil keeps none.
	Record *audit.Log
	// Gateway does a verb of the operator's for a person, and GatewayCode names the kind
	// of its errors; they are those of package gateway.
	Gateway     func(ctx context.Context, by, verb string, body []byte) (any, error)
	GatewayCode func(error) string
	// Tokens does a verb with the named tokens, in the same way.
	Tokens     func(ctx context.Context, by, verb string, body []byte) (any, error)
	TokensCode func(error) string
	// Console returns the address that signs a person in to the console with a role.
	Console func(by, role string) (string, error)
	Logger  *slog.Logger
	// Sessions returns what principals have met; nil while nothing is decided by it.
	Sessions func() *labels.Sessions
	// Host judges a call that a client makes with a tool of its own; ok is false while
	// nothing is decided by sessions.
	Host func(context.Context, labels.HostCall) (a labels.HostAnswer, ok bool)
}

// About is an owner's description of itself.
type About struct {
	Version  string            `json:"version"`
	Mode     string            `json:"mode"`              // http or stdio
	Address  string            `json:"address,omitempty"` // of the HTTP endpoint
	Tools    int               `json:"tools"`
	Draining bool              `json:"draining"`          // it is stopping
	Trouble  string            `json:"trouble,omitempty"` // why it can record nothing
	Flags    map[string]string `json:"flags"`             // those that determine what is served
}

// Status is the answer to GET /status.
type Status struct {
	About
	PID     int       `json:"pid"`
	State   string    `json:"state"` // the folder
	Since   time.Time `json:"since"`
	Clients []Client  `json:"clients"`
}

// Client is a relayed program, in Status.
type Client struct {
	Principal string    `json:"principal"`
	Since     time.Time `json:"since"`
}

// client is a connection that was switched to the relay protocol.
type client struct {
	Client
	conn net.Conn
}

// Start opens the socket and serves on it until Close. It returns at once.
func (o *Owner) Start(config Config) error {
	listener, err := o.listen()
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: o.routes(config), ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: writeTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog:    slog.NewLogLogger(config.Logger.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return o.verbs },
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, peerKey{}, conn.(*knownConn).peer)
		},
	}
	o.mu.Lock()
	o.listener, o.server = listener, server
	o.mu.Unlock()
	go server.Serve(&knownListener{listener, config.Logger})
	return nil
}

// peerKey is the context key under which net/http passes a connection's peer to its
// requests.
type peerKey struct{}

func peerOf(r *http.Request) peer { return r.Context().Value(peerKey{}).(peer) }

// knownListener accepts only processes of this user.
type knownListener struct {
	net.Listener
	logger *slog.Logger
}

type knownConn struct {
	net.Conn
	peer peer
}

func (l *knownListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		p, err := admitted(conn.(*net.UnixConn), os.Getuid())
		if err == nil {
			return &knownConn{conn, p}, nil
		}
		l.logger.Warn("socket.refused", "cause", err)
		conn.Close()
	}
}

func (o *Owner) routes(config Config) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, o.status(config)) })
	answers.Handler{Desk: config.Inbox, Record: config.Record, Logger: config.Logger, Who: func(r *http.Request) string { return peerOf(r).operator() }}.Mount(mux)
	seen := tracked{config.Sessions}
	mux.HandleFunc("GET /sessions", seen.list)
	mux.HandleFunc("DELETE /sessions", seen.reset)
	mux.HandleFunc("POST /sessions/met", seen.met)
	mux.HandleFunc("POST /sessions/ask", func(w http.ResponseWriter, r *http.Request) { askHost(w, r, config.Host) })
	mux.HandleFunc("DELETE /sessions/leaves", seen.revoke)
	mux.HandleFunc("POST /gateway/{verb}", func(w http.ResponseWriter, r *http.Request) { o.operate(w, r, config.Gateway, config.GatewayCode) })
	mux.HandleFunc("POST /console", config.enter)
	mux.HandleFunc("POST /tokens/{verb}", func(w http.ResponseWriter, r *http.Request) { o.operate(w, r, config.Tokens, config.TokensCode) })
	mux.HandleFunc("POST /mcp", func(w http.ResponseWriter, r *http.Request) { o.attach(w, r, config) })
	return mux
}

func (o *Owner) status(config Config) Status {
	s := Status{About: config.About(), PID: os.Getpid(), State: o.state, Since: o.since, Clients: []Client{}}
	o.mu.Lock()
	defer o.mu.Unlock()
	for c := range o.clients {
		s.Clients = append(s.Clients, c.Client)
	}
	slices.SortFunc(s.Clients, func(a, b Client) int {
		if n := a.Since.Compare(b.Since); n != 0 {
			return n
		}
		return strings.Compare(a.Principal, b.Principal)
	})
	return s
}

// attach switches a connection to one client's messages.
func (o *Owner) attach(w http.ResponseWriter, r *http.Request, config Config) {
	if r.Header.Get("Upgrade") != upgrade {
		w.Header().Set("Upgrade", upgrade)
		reply(w, http.StatusUpgradeRequired, Problem{Code: "upgrade-required", Message: "this endpoint speaks " + upgrade})
		return
	}
	c := &client{Client: Client{Principal: peerOf(r).principal("local"), Since: time.Now()}}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		reply(w, http.StatusInternalServerError, Problem{Code: "not-switched", Message: err.Error()})
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Time{})
	c.conn = conn
	if !o.enter(c) {
		_, _ = io.WriteString(conn, "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		return
	}
	defer o.leave(c)
	out := timedConn{conn}
	if _, err := io.WriteString(out, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+upgrade+"\r\n\r\n"); err != nil {
		return
	}
	in := struct {
		io.Reader
		io.Closer
	}{buffered.Reader, conn} // the reader may already hold the first messages
	err = config.Lines(context.WithoutCancel(r.Context()), c.Principal, in, out)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		config.Logger.Warn("session.broken", "principal", c.Principal, "cause", err)
	}
}

// timedConn gives the other end writeTime to accept each write, so that a client
// that stops reading cannot hold up a drain.
type timedConn struct{ net.Conn }

func (c timedConn) Write(p []byte) (int, error) {
	_ = c.SetWriteDeadline(time.Now().Add(writeTime))
	return c.Conn.Write(p)
}

func (o *Owner) enter(c *client) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.full || len(o.clients) >= maxClients {
		return false
	}
	o.clients[c] = struct{}{}
	return true
}

func (o *Owner) leave(c *client) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.clients, c)
	select {
	case o.gone <- struct{}{}:
	default:
	}
}

// Outlast waits until no relayed client is left or ctx ends, and admits none afterwards.
func (o *Owner) Outlast(ctx context.Context) {
	for {
		o.mu.Lock()
		if len(o.clients) == 0 || ctx.Err() != nil {
			o.full = true
			o.mu.Unlock()
			return
		}
		o.mu.Unlock()
		select {
		case <-o.gone:
		case <-ctx.Done():
		}
	}
}
