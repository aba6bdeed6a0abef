package mcpserver

import (
	"net/http"

	"github.com/glovebox-run/glovebox/mcpserver/internal/replay"
	"github.com/glovebox-run/glovebox/mcpserver/internal/response"
)

// firstPrimed is the first version of the protocol in which an answer may begin with an
// empty event, whose id a client comes back with.
const firstPrimed = "2025-11-25"

// follow gives a client with a session the rest of an answer of ours, from behind the
// event that it names, and reports whether the request is one for that.
func (v *view) follow(w http.ResponseWriter, r *http.Request) bool {
	last, session := r.Header.Get("Last-Event-ID"), r.Header.Get("Mcp-Session-Id")
	if r.Method != http.MethodGet || !replay.Own(last) {
		return false
	}
	seat := v.seats.get(session)
	if seat == nil || seat.Principal() != peerIn(r.Context()).principal {
		return false // the SDK says so, as of any request with such a session
	}
	begun := false
	begin := func() {
		begun = true
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-cache, no-transform")
	}
	flush := http.NewResponseController(w).Flush
	err := v.kept.Follow(r.Context(), session, last, func() error { begin(); w.WriteHeader(http.StatusOK); return flush() }, func(id string, data []byte) error {
		if err := response.Event(w, id, data); err != nil {
			return err
		}
		return flush()
	})
	if err != nil && !begun {
		// 404 would say that the session is gone.
		http.Error(w, err.Error()+"; what became of the call is in the server's record", http.StatusBadRequest)
	}
	return true
}
