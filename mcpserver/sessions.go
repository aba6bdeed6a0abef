package mcpserver

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/response"
)

// sessions serves the protocol with sessions. Each message goes through a transport of the
// SDK; which session it is for is found out here and not by the SDK's handler, which keeps
// every session in memory as a whole for as long as it lasts.
type sessions struct {
	*view
	versions versions
}

func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	version := r.Header.Get("Mcp-Protocol-Version")
	if supported := mcp.SupportedProtocolVersions(); version != "" && !slices.Contains(supported, version) {
		http.Error(w, "Bad Request: Unsupported protocol version (supported versions: "+strings.Join(supported, ",")+")", http.StatusBadRequest)
		return
	}
	json, stream := accepted(r.Header.Values("Accept"))
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // empty for what is none
	id := r.Header.Get("Mcp-Session-Id")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodPost && r.Method != http.MethodDelete:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
	case r.Method == http.MethodGet && !stream:
		http.Error(w, "Accept must contain 'text/event-stream' for GET requests", http.StatusBadRequest)
	case r.Method == http.MethodPost && kind != "application/json":
		http.Error(w, "Content-Type must be 'application/json'", http.StatusUnsupportedMediaType)
	case r.Method == http.MethodPost && !(json && stream):
		http.Error(w, "Accept must contain both 'application/json' and 'text/event-stream'", http.StatusBadRequest)
	case r.Method != http.MethodPost && id == "":
		http.Error(w, fmt.Sprintf("Bad Request: %s requires an Mcp-Session-Id header", r.Method), http.StatusBadRequest)
	case id == "":
		s.open(w, r, version)
	default:
		s.existing(w, r, id, version)
	}
}

// accepted reports which kinds of answers a client takes.
func accepted(values []string) (json, stream bool) {
	for kind := range strings.SplitSeq(strings.Join(values, ","), ",") {
		kind, _, _ = strings.Cut(kind, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "application/json", "application/*":
			json = true
		case "text/event-stream", "text/*":
			stream = true
		case "*/*":
			return true, true
		}
	}
	return json, stream
}

// open serves a request that may open a session.
func (s *sessions) open(w http.ResponseWriter, r *http.Request, version string) {
	id := s.newSessionID()
	o, _ := r.Context().Value(seatKey{}).(*opening)
	if o == nil {
		http.Error(w, "no session can be opened", http.StatusInternalServerError)
		return
	}
	o.transport = s.transport(id)
	// The session has this context for as long as it lasts, so not the request's, which
	// holds its connection.
	session, err := s.sdk.Connect(context.WithValue(context.Background(), seatKey{}, o), o.transport, nil)
	if err != nil {
		http.Error(w, "failed connection", http.StatusInternalServerError) // does not happen; see wake
		return
	}
	defer func() {
		if o.opened.Load() == nil { // it was not initialized, or its client is gone
			session.Close()
			_ = s.kept.SessionClosed(r.Context(), id) // nil, always
		}
	}()
	o.transport.ServeHTTP(w, s.versions.of(r, version))
}

// existing serves a request of a session.
func (s *sessions) existing(w http.ResponseWriter, r *http.Request, id, version string) {
	seat := s.seats.get(id)
	if seat == nil {
		http.Error(w, "session not found", http.StatusNotFound)
		return
	}
	if seat.Principal() != peerIn(r.Context()).principal {
		http.Error(w, "session user mismatch", http.StatusForbidden)
		return
	}
	if r.Method == http.MethodDelete {
		seat.close()
		w.WriteHeader(http.StatusNoContent)
		return
	}
	l, ok := r.Context().Value(liveKey{}).(*live)
	if !ok { // it has just ended
		http.Error(w, "session not found", http.StatusNotFound)
		return
	}
	if body, ok := r.Body.(*received); ok && !body.Batch && len(body.Messages) == 1 && body.Messages[0].Request() && slices.Contains(taskMethods, body.Messages[0].Method) {
		_ = response.New(w, r, body.Messages[0].ID, &s.pending, id).Error(http.StatusOK, jsonrpc.CodeInvalidParams, errTasks.Error(), nil)
		return
	}
	l.transport.ServeHTTP(w, s.versions.of(r, version))
}

// transport returns a transport for a session.
func (v *view) transport(id string) *mcp.StreamableServerTransport {
	return &mcp.StreamableServerTransport{SessionID: id, EventStore: keptEvents{v.kept}}
}

// versions are contexts that tell a transport of the SDK which version a request names:
// only the SDK's handler can make one. It hands it on to whoever chooses a server.
type versions map[string]context.Context

func newVersions() versions {
	all := versions{}
	for _, version := range append(mcp.SupportedProtocolVersions(), "") {
		handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
			all[version] = r.Context() // the second time, with the version
			return nil
		}, nil)
		r, _ := http.NewRequest(http.MethodPost, "/", http.NoBody) // cannot fail
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {version}}
		handler.ServeHTTP(nowhere{}, r)
	}
	return all
}

// of returns a request with the version that it names.
func (v versions) of(r *http.Request, version string) *http.Request {
	return r.WithContext(versioned{r.Context(), v[version]})
}

// versioned is a context with the values of another one.
type versioned struct {
	context.Context
	version context.Context
}

func (c versioned) Value(key any) any {
	if value := c.Context.Value(key); value != nil {
		return value
	}
	return c.version.Value(key)
}

// nowhere takes an answer that nobody reads.
type nowhere struct{}

func (nowhere) Header() http.Header         { return http.Header{} }
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) WriteHeader(int)             {}
