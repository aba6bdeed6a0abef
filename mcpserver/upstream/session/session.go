package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/internal/paramheader"
	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
)

// Era is the kind of protocol a session speaks.
type Era uint8

const (
	Auto   Era = iota // ask for the modern one first, as the SDKs' clients do
	Legacy            // initialize, up to 2025-11-25
	Modern            // server/discover, from 2026-07-28 on
)

func (e Era) String() string { return [...]string{"auto", "legacy", "modern"}[e] }

// legacyVersions are the versions with sessions, the newest first.
var legacyVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

const (
	// discoverTime is how long an older server may leave server/discover unanswered
	// before it is taken for one that does not know the method.
	discoverTime = 5 * time.Second
	// maxHandshake bounds what a server says about itself, in bytes: it is kept, and
	// instructions are text for a model.
	maxHandshake = 256 << 10
	// cancelTime bounds telling a server that nobody waits for an answer any more, and
	// maxCancels how many are told at once.
	cancelTime = 5 * time.Second
	maxCancels = 16
)

// Peer is the client behind a call.
type Peer interface {
	// Request puts requests of the server (elicitation/create, sampling/createMessage or
	// roots/list) to the client, all at once where it can; raw params, a raw result for
	// each. An error is told to the server in its words.
	Request(ctx context.Context, asked ...Asked) ([]json.RawMessage, error)
	// Notify passes on a notification that belongs to the call. The progress token in
	// notifications/progress is the gateway's; the client's own was never sent. It must
	// not wait for the client.
	Notify(method string, params json.RawMessage)
	// Can reports whether the client answers requests of a method.
	Can(method string) bool
}

// Asked is a request of a server: Key is its name among those asked at once. See
// governed.Asked, which is the same type.
type Asked = struct {
	Key    string
	Method string
	Params json.RawMessage
}

// Offer is what servers are told that they may ask for.
type Offer struct{ Elicitation, Sampling, Roots bool }

func (o Offer) has(method string) bool {
	switch method {
	case "elicitation/create":
		return o.Elicitation
	case "sampling/createMessage":
		return o.Sampling
	case "roots/list":
		return o.Roots
	}
	return false
}

// Changes are the lists that a server says have changed.
type Changes struct{ Tools, Resources, Prompts bool }

// Options of a session. The zero value offers nothing and hears nothing.
type Options struct {
	Era Era
	// Name and Version are what the server is told about the client.
	Name, Version string
	Offer         Offer
	// Changed is called when lists have changed, at most once in a few seconds, and
	// Updated for a resource that was subscribed to. Both must not block; nil for none.
	Changed func(Changes)
	Updated func(uri string)

	looking bool // a version that is none of ours is no reason to stop
}

// Dial makes a connection. It may be called twice: some older servers end when they are
// asked for the modern era.
type Dial func(ctx context.Context, handle transport.Handle, dropped func(transport.Drop)) (transport.Conn, error)

// Info is what a server said about itself.
type Info struct {
	Era          Era
	Protocol     string          // the version that is spoken
	Stated       string          // the version as the server put it, which a Looker does not insist on
	Server       json.RawMessage // name and version; nil if it did not say
	Capabilities json.RawMessage
	Instructions string
}

// Has reports whether the server declared a capability, such as "tools" or
// "tools.listChanged".
func (i *Info) Has(capability string) bool {
	found := gjson.GetBytes(i.Capabilities, capability)
	return found.IsObject() || found.Type == gjson.True
}

// Session is an agreed connection. It is safe for concurrent use.
type Session struct {
	conn    transport.Conn
	options Options
	info    atomic.Pointer[Info] // as far as it is agreed on
	meta    metas
	next    atomic.Int64
	level   atomic.Pointer[string] // of the server's log that anybody wants
	counts  counts
	changes coalescer

	life    context.Context // ends with the session
	end     context.CancelFunc
	work    sync.WaitGroup // peers that are asked, cancellations, the subscription
	cancels chan struct{}

	mu       sync.Mutex
	running  map[int64]*running
	asking   map[string]context.CancelFunc    // the server's requests, by their ids
	bindings map[string][]paramheader.Binding // arguments that are repeated in headers, by tool
	watched  map[string]bool                  // resources that are subscribed to
	relisten chan struct{}
}

// Open connects and agrees on an era and a version.
func Open(ctx context.Context, dial Dial, o Options) (*Session, error) {
	s := &Session{options: o, meta: newMetas(o), running: map[int64]*running{}, asking: map[string]context.CancelFunc{}, watched: map[string]bool{}, cancels: make(chan struct{}, maxCancels), relisten: make(chan struct{}, 1)}
	s.changes.fire = o.Changed
	s.life, s.end = context.WithCancel(context.Background())
	if err := s.agree(ctx, dial); err != nil {
		if s.conn != nil {
			s.Close(ctx)
		}
		s.end()
		return nil, err
	}
	return s, nil
}

func (s *Session) agree(ctx context.Context, dial Dial) (err error) {
	if s.conn, err = dial(ctx, s.handle, s.counts.dropped); err != nil {
		return err
	}
	if s.options.Era == Legacy {
		return s.initialize(ctx)
	}
	discovering := s.discover(ctx)
	if discovering == nil || s.options.Era == Modern || ctx.Err() != nil || final(discovering) {
		return discovering
	}
	if s.conn.Err() != nil {
		s.conn.Close(ctx)
		if s.conn, err = dial(ctx, s.handle, s.counts.dropped); err != nil {
			return err
		}
	}
	err = s.initialize(ctx)
	if rpc := (*RPCError)(nil); errors.As(err, &rpc) && errors.Is(discovering, context.DeadlineExceeded) {
		return s.discover(ctx) // it was slow to start, and is up now
	}
	return err
}

// final reports whether an older protocol would fail in the same way.
func final(err error) bool {
	e := (*transport.Error)(nil)
	return errors.As(err, &e) && (e.Kind == transport.Unauthorized || e.Kind == transport.Unreachable)
}

func (s *Session) discover(ctx context.Context) error {
	if s.options.Era == Auto {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, discoverTime)
		defer cancel()
	}
	s.info.Store(&Info{Era: Modern, Protocol: transport.Modern, Stated: transport.Modern})
	result, err := s.ask(ctx, "server/discover", nil)
	if err != nil {
		return err
	}
	if len(result) > maxHandshake {
		return fmt.Errorf("the server says more than %d KiB about itself", maxHandshake>>10)
	}
	versions := gjson.GetBytes(result, "supportedVersions")
	if !slices.ContainsFunc(versions.Array(), func(v gjson.Result) bool { return v.Str == transport.Modern }) {
		return fmt.Errorf("the server does not speak %s", transport.Modern)
	}
	s.described(Info{Era: Modern, Protocol: transport.Modern, Stated: transport.Modern}, result, gjson.GetBytes(result, `_meta.io\.modelcontextprotocol/serverInfo`))
	s.conn.Listen(transport.Modern)
	s.work.Add(1)
	go s.listen()
	return nil
}

func (s *Session) initialize(ctx context.Context) error {
	s.info.Store(&Info{Era: Legacy})
	result, err := s.ask(ctx, "initialize", s.meta.initialize)
	if err != nil {
		return err
	}
	if len(result) > maxHandshake {
		return fmt.Errorf("the server says more than %d KiB about itself", maxHandshake>>10)
	}
	version := gjson.GetBytes(result, "protocolVersion").Str
	stated := version
	if s.options.looking && !slices.Contains(legacyVersions, version) {
		version = legacyVersions[0]
	}
	if !slices.Contains(legacyVersions, version) {
		return fmt.Errorf("the server speaks %.100q, not one of %v", version, legacyVersions)
	}
	s.described(Info{Era: Legacy, Protocol: version, Stated: stated}, result, gjson.GetBytes(result, "serverInfo"))
	if err := s.conn.Send(ctx, s.message(0, "notifications/initialized", nil)); err != nil {
		return err
	}
	s.conn.Listen(version)
	return nil
}

func (s *Session) described(info Info, result []byte, server gjson.Result) {
	if server.IsObject() {
		info.Server = json.RawMessage(server.Raw)
	}
	if c := gjson.GetBytes(result, "capabilities"); c.IsObject() {
		info.Capabilities = json.RawMessage(c.Raw)
	}
	info.Instructions = gjson.GetBytes(result, "instructions").Str
	s.info.Store(&info)
}

// Info returns what the server said about itself.
func (s *Session) Info() *Info { return s.info.Load() }

// Done is closed when the connection has ended, and Err says why.
func (s *Session) Done() <-chan struct{} { return s.conn.Done() }

// Err returns why the connection ended, nil while it lives.
func (s *Session) Err() error { return s.conn.Err() }

// Ping asks for a sign of life, with what an era has for it.
func (s *Session) Ping(ctx context.Context) error {
	method := "ping"
	if s.Info().Era == Modern {
		method = "server/discover"
	}
	_, err := s.ask(ctx, method, nil)
	return err
}

// LogLevel asks for the server's log from a level on.
func (s *Session) LogLevel(ctx context.Context, level string) error {
	s.level.Store(&level)
	if s.Info().Era == Modern {
		return nil // it is said with each request
	}
	params, err := json.Marshal(map[string]string{"level": level})
	if err == nil {
		_, err = s.ask(ctx, "logging/setLevel", params)
	}
	return err
}

// ask makes a request that no client stands behind.
func (s *Session) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	id := s.next.Add(1)
	answer, err := s.do(ctx, &Request{Method: method, Params: params}, id, nil)
	if err != nil {
		return nil, err
	}
	if answer.ResultType == inputRequired {
		return nil, fmt.Errorf("the server answers %s with a question", method)
	}
	return answer.Result, nil
}

// do sends a request and returns its answer, which has a result. If ctx ends, the server
// is told.
func (s *Session) do(ctx context.Context, r *Request, id int64, round []byte) (*wire.Message, error) {
	body, err := s.body(id, r, round)
	if err != nil {
		return nil, err
	}
	m := s.message(id, r.Method, body)
	m.Name, m.Header = s.inHeaders(r)
	answer, err := s.conn.Do(ctx, m)
	if err != nil {
		if ctx.Err() != nil && !transport.Unsent(err) && !s.conn.Abandoning(s.Info().Protocol) && r.Method != "initialize" {
			s.abandon(id)
		}
		return nil, err
	}
	if answer.Error != nil {
		return nil, rpcError(answer.Error)
	}
	if len(answer.Result) == 0 || answer.Result[0] != '{' {
		return nil, &transport.Error{Kind: transport.Malformed, Err: errors.New("the answer has neither a result nor an error")}
	}
	return answer, nil
}

func (s *Session) message(id int64, method string, body []byte) *transport.Message {
	if body == nil {
		body = fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q}`, method)
	}
	return &transport.Message{Body: body, ID: id, Method: method, Version: s.Info().Protocol}
}

// abandon tells the server that nobody waits for an answer.
func (s *Session) abandon(id int64) {
	select {
	case s.cancels <- struct{}{}:
	default:
		s.counts.add(Untold)
		return
	}
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		defer func() { <-s.cancels }()
		ctx, cancel := context.WithTimeout(s.life, cancelTime)
		defer cancel()
		_ = s.conn.Send(ctx, s.message(0, "notifications/cancelled", fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"nobody waits for the answer any more"}}`, id)))
	}()
}

// Close ends the session and waits until nothing of it is left.
func (s *Session) Close(ctx context.Context) {
	s.end()
	s.changes.stop()
	s.conn.Close(ctx)
	idle := make(chan struct{})
	go func() {
		s.work.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}
