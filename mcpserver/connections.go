package mcpserver

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/glovebox-run/glovebox/runtime/admission"
)

// connections counts the TCP connections of each principal, so that one principal
// cannot take all of them. The first request on a connection identifies its owner.
type connections struct {
	most int // per principal

	mu      sync.Mutex
	owners  map[net.Conn]*owner
	byOwner map[string]int
}

// owner is the principal of a connection; empty until its first request.
type owner struct{ principal string }

type ownerKey struct{}

// watch registers the hooks that track a server's connections.
func (c *connections) watch(server *http.Server) {
	c.mu.Lock()
	if c.owners == nil {
		c.owners, c.byOwner = map[net.Conn]*owner{}, map[string]int{}
	}
	c.mu.Unlock()
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		o := &owner{}
		c.mu.Lock()
		c.owners[conn] = o
		c.mu.Unlock()
		return context.WithValue(ctx, ownerKey{}, o)
	}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		if state != http.StateClosed && state != http.StateHijacked {
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if o := c.owners[conn]; o != nil {
			c.leave(o)
			delete(c.owners, conn)
		}
	}
}

func (c *connections) leave(o *owner) {
	if c.byOwner[o.principal]--; c.byOwner[o.principal] <= 0 {
		delete(c.byOwner, o.principal)
	}
	o.principal = ""
}

// claim assigns a connection to a principal, unless that exceeds its limit.
func (c *connections) claim(o *owner, principal string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.principal == principal {
		return true
	}
	if c.byOwner[principal] >= c.most {
		return false
	}
	c.leave(o)
	o.principal = principal
	c.byOwner[principal]++
	return true
}

// withinConnections refuses a request on a connection beyond its principal's limit,
// and closes the connection at once: net/http would keep it open for half a second
// while the client still sends, in a slot that another client waits for.
func (s *Server) withinConnections(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := peerIn(r.Context()).principal
		o, ok := r.Context().Value(ownerKey{}).(*owner)
		if !ok || s.conns.claim(o, who) {
			next.ServeHTTP(w, r)
			return
		}
		refusal := &admission.Refusal{Reason: admission.TooManyConnections}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			s.comeBackLater(w, who, refusal)
			return
		}
		defer conn.Close()
		s.config.Logger.Warn("request.deferred", "principal", who, "cause", refusal)
		s.config.Telemetry.TurnedAway(string(refusal.Reason))
		// An error means that the client is gone.
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 429 Too Many Requests\r\nRetry-After: %d\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", refusal.Seconds(), len(refusal.Error()), refusal)
	})
}
