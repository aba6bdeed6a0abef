package mcpserver

import (
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

// ssePath serves the transport of 2024-11-05: a GET opens a stream of events, the
// first of which says where to post messages.
const ssePath = "/sse"

// oldStreams holds the sessions of that transport. The SDK's handler for it does not
// bind a session to a principal: any client that knows its id could post to it.
type oldStreams struct {
	server *Server
	idle   time.Duration // after which a session without a message ends

	mu   sync.Mutex
	byID map[string]*oldStream
}

type oldStream struct {
	owner     string
	transport *mcp.SSEServerTransport
	ready     chan struct{} // closed when the session is connected or has failed to connect
	conn      *owingConn
	session   *mcp.ServerSession
	idle      *time.Timer
}

func (s *Server) oldStreams(idle time.Duration) http.Handler {
	return &oldStreams{server: s, idle: idle, byID: map[string]*oldStream{}}
}

func (o *oldStreams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		o.stream(w, r)
	case http.MethodPost:
		o.post(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "GET opens a stream, POST sends a message", http.StatusMethodNotAllowed)
	}
}

// stream serves one session until its client disconnects.
func (o *oldStreams) stream(w http.ResponseWriter, r *http.Request) {
	p := peerIn(r.Context())
	_, done, err := o.server.gate.Open(p.principal)
	if err != nil {
		o.server.comeBackLater(w, p.principal, err)
		return
	}
	defer done()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache, no-transform")

	id := o.server.newSessionID()
	st := &oldStream{
		owner: p.principal, ready: make(chan struct{}),
		transport: &mcp.SSEServerTransport{Endpoint: ssePath + "?sessionid=" + id, Response: outerWriter{w}, MaxRequestBodyBytes: maxMessage},
	}
	o.mu.Lock()
	o.byID[id] = st
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		delete(o.byID, id)
		o.mu.Unlock()
	}()
	st.session, err = o.server.content.view(mainView).sdk.Connect(r.Context(), owing{st.transport, st, o.server}, nil)
	if err != nil {
		close(st.ready)
		o.server.config.Logger.Info("stream.not_opened", "principal", p.principal, "cause", err)
		return
	}
	defer st.session.Close()
	o.server.peers.Store(st.session, p)
	defer o.server.peers.Delete(st.session)
	st.idle = time.AfterFunc(o.idle, func() { st.session.Close() })
	defer st.idle.Stop()
	close(st.ready)
	defer context.AfterFunc(r.Context(), func() { st.session.Close() })()
	st.session.Wait() // why it ended does not matter
}

// post passes a message to a session. The answer comes over the session's stream.
func (o *oldStreams) post(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "Content-Type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	o.mu.Lock()
	st := o.byID[r.URL.Query().Get("sessionid")]
	o.mu.Unlock()
	if st != nil {
		<-st.ready // soon: the session is only connecting
	}
	// Another principal's session gets the same answer, so as not to reveal that it exists.
	if st == nil || st.session == nil || st.owner != peerIn(r.Context()).principal {
		http.Error(w, "session not found", http.StatusNotFound)
		return
	}
	st.idle.Reset(o.idle)
	taken := &statusWriter{ResponseWriter: w}
	forget := st.conn.expect(r.Body.(*received))
	st.transport.ServeHTTP(taken, r)
	if taken.status != http.StatusAccepted {
		forget() // no answer will come
	}
}

// statusWriter records the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// owing is a transport that counts pending answers, so that a drain sends them
// before it ends the session.
type owing struct {
	*mcp.SSEServerTransport
	stream *oldStream
	server *Server
}

func (t owing) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.SSEServerTransport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	t.stream.conn = &owingConn{Connection: c, server: t.server, owed: map[jsonrpc.ID]func(){}, kept: map[jsonrpc.ID]func(){}}
	return t.stream.conn, nil
}

type owingConn struct {
	mcp.Connection
	server *Server

	mu     sync.Mutex
	owed   map[jsonrpc.ID]func()
	kept   map[jsonrpc.ID]func() // frees the bodies of pending requests
	closed bool                  // later messages get no reply
}

// expect keeps a request's body until it is answered, which is after the HTTP
// request that brought it has ended, or until forget is called.
func (c *owingConn) expect(body *received) (forget func()) {
	if body.Batch || len(body.Messages) != 1 || !body.Messages[0].Request() {
		return func() {}
	}
	id, err := innerID(body.Messages[0].ID)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || c.closed {
		return func() {}
	}
	if before := c.kept[id]; before != nil { // an id used twice
		before()
	}
	c.kept[id] = body.keep()
	return func() { c.settle(id) }
}

// innerID converts an id to the SDK's type.
func innerID(id wire.ID) (jsonrpc.ID, error) {
	var value any
	if err := json.Unmarshal(id.Inner(), &value); err != nil {
		return jsonrpc.ID{}, err
	}
	return jsonrpc.MakeID(value)
}

func (c *owingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.owed[r.ID] == nil && !c.closed {
			c.owed[r.ID] = c.server.answering()
		}
	}
	return m, err
}

func (c *owingConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		c.settle(r.ID)
	}
	return err
}

func (c *owingConn) Close() error {
	c.mu.Lock()
	c.closed = true
	for id, sent := range c.owed {
		sent()
		delete(c.owed, id)
	}
	for id, free := range c.kept {
		free()
		delete(c.kept, id)
	}
	c.mu.Unlock()
	return c.Connection.Close()
}

func (c *owingConn) settle(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if sent := c.owed[id]; sent != nil {
		sent()
		delete(c.owed, id)
	}
	if free := c.kept[id]; free != nil {
		free()
		delete(c.kept, id)
	}
}
