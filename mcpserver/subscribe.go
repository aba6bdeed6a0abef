package mcpserver

//lint:file-ignore SA1019 what is deprecated is relayed for as long as servers use it

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// upstreamTime is how long a server behind us may take for what no client waits for.
const upstreamTime = 10 * time.Second

// watching is which sessions of a view want to hear of which resources. The SDK keeps
// that too, but does not say when a session that ended was the last.
type watching struct {
	mu    sync.Mutex
	byURI map[string]map[*mcp.ServerSession]*relayed
}

// subscribe asks the source of a resource to tell of changes, for the first session.
func (v *view) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	from, uri := clientOf(v.Server, req), req.Params.URI
	r := v.shown.Load().sources.holder(uri, v.audienceOf(from.peer))
	if r == nil {
		return noResource(uri, from)
	}
	if r.Subscribe == nil {
		return invalid(fmt.Sprintf("the server of %q does not tell of changes", uri))
	}
	w := &v.watching
	w.mu.Lock()
	if w.byURI == nil {
		w.byURI = map[string]map[*mcp.ServerSession]*relayed{}
	}
	of := w.byURI[uri]
	first := len(of) == 0
	if first {
		of = map[*mcp.ServerSession]*relayed{}
		w.byURI[uri] = of
	}
	known := of[req.Session] != nil
	of[req.Session] = r
	w.mu.Unlock()
	if !known {
		go func() {
			req.Session.Wait() // why it ended does not matter
			v.forget(req.Session, uri)
		}()
	}
	if !first {
		return nil
	}
	if err := r.Subscribe(ctx, uri); err != nil {
		v.forget(req.Session, uri)
		v.config.Logger.Warn("upstream.not_subscribed", "server", r.Name, "cause", err)
		return fmt.Errorf("the server of the resource does not tell of its changes at the moment")
	}
	return nil
}

func (v *view) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	v.forget(req.Session, req.Params.URI)
	return nil
}

// forget ends a session's subscription, and the source's with the last one.
func (v *view) forget(session *mcp.ServerSession, uri string) {
	w := &v.watching
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.byURI[uri][session]
	if r == nil {
		return
	}
	delete(w.byURI[uri], session)
	if len(w.byURI[uri]) > 0 {
		return
	}
	delete(w.byURI, uri)
	if r.Unsubscribe == nil {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), upstreamTime)
		defer cancel()
		if err := r.Unsubscribe(ctx, uri); err != nil {
			v.config.Logger.Warn("upstream.not_unsubscribed", "server", r.Name, "cause", err)
		}
	}()
}

// ResourceUpdated tells the clients that subscribed to a resource of a server that it
// changed.
func (s *Server) ResourceUpdated(source, uri string) {
	for _, v := range s.content.all() {
		v.watching.mu.Lock()
		wanted := false
		for _, r := range v.watching.byURI[uri] {
			wanted = wanted || r.Name == source // another server's resource is not its to change
		}
		v.watching.mu.Unlock()
		if wanted {
			// The SDK reports failures of single sessions itself.
			_ = v.sdk.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: uri})
		}
	}
}

// LogMessage passes a server's log message that belongs to no call to the clients that
// want messages of its level. It waits for slow clients, for 10 s each at most.
func (s *Server) LogMessage(source string, params json.RawMessage) {
	for _, v := range s.content.all() {
		if !slices.ContainsFunc(v.shown.Load().sources.all, func(r *relayed) bool { return r.Name == source && r.LogLevel != nil }) {
			continue
		}
		for session := range v.sdk.Sessions() {
			ctx, cancel := context.WithTimeout(context.Background(), upstreamTime)
			// A session that ends meanwhile wants nothing any more.
			_ = notify(ctx, session, "notifications/message", params)
			cancel()
		}
	}
}

// logLevels are the levels of the protocol, from the most to the least verbose.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// levels are the log levels that sessions asked for.
type levels struct {
	mu        sync.Mutex
	bySession map[*mcp.ServerSession]string
}

// setLevel asks every source of the view for the messages that any session wants.
func (v *view) setLevel(session *mcp.ServerSession, level string) error {
	if !slices.Contains(logLevels, level) {
		return invalid(fmt.Sprintf("there is no log level %q", level))
	}
	l := &v.levels
	l.mu.Lock()
	if l.bySession == nil {
		l.bySession = map[*mcp.ServerSession]string{}
	}
	if _, known := l.bySession[session]; !known {
		go func() {
			session.Wait() // why it ended does not matter
			l.mu.Lock()
			defer l.mu.Unlock()
			delete(l.bySession, session)
		}()
	}
	l.bySession[session] = level
	most := level
	for _, other := range l.bySession {
		if slices.Index(logLevels, other) < slices.Index(logLevels, most) {
			most = other
		}
	}
	l.mu.Unlock()
	for _, r := range v.shown.Load().sources.all {
		if r.LogLevel == nil {
			continue
		}
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), upstreamTime)
			defer cancel()
			if err := r.LogLevel(ctx, most); err != nil {
				v.config.Logger.Warn("upstream.no_log_level", "server", r.Name, "cause", err)
			}
		}()
	}
	return nil
}
