package mcpserver

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
	"github.com/glovebox-run/glovebox/mcpserver/replica"
)

// newSessionID returns an id for a session, which leads to this process from every server
// of its cluster.
func (s *Server) newSessionID() string {
	if s.config.Replica != nil {
		return s.config.Replica.SessionID()
	}
	return rand.Text()
}

// elsewhere passes a request on whose session, or whose call that waits for its client, is
// in another server of the cluster, and reports whether it was answered in this way. If
// that server is no more, the request is answered here like any other with an id that
// nobody knows: the client begins a new session.
func (s *Server) elsewhere(w http.ResponseWriter, r *http.Request, body *wire.Body, text []byte) bool {
	member := s.config.Replica
	if member == nil || replica.Passed(r) {
		return false
	}
	owner, other := member.OwnerOf(cmp.Or(r.Header.Get("Mcp-Session-Id"), r.URL.Query().Get("sessionid")))
	if !other {
		if owner = ownerOfCall(body); !member.Other(owner) {
			return false
		}
	}
	err := member.Forward(w, r, owner, text)
	if errors.Is(err, replica.ErrGone) {
		return false
	}
	if err != nil {
		s.config.Logger.Warn("request.not_passed_on", "owner", owner, "cause", err)
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
	return true
}

// ownerOfCall returns the process in which a call waits that a request goes on with; empty
// if it goes on with none.
func ownerOfCall(body *wire.Body) string {
	if body.Batch || len(body.Messages) != 1 || !bytes.Contains(body.Messages[0].Params, []byte(`"requestState"`)) {
		return ""
	}
	rest, ok := strings.CutPrefix(gjson.GetBytes(body.Messages[0].Params, "requestState").Str, stateMark)
	if !ok {
		return ""
	}
	owner, _, _ := strings.Cut(rest, ".")
	return owner
}
