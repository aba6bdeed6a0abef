// Package answers is how operators see and answer questions over HTTP: over the socket of
// one machine, and with an approver's token from another.
//
//	Handler   serves the questions and rules of a desk
//	Client    asks such a handler, over whatever connection
//	Problem   the body of every answer other than success
//
// It does not know who anybody is: the connection does, and says it for each request.
package answers

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// maxResolution bounds the body of an answer, in bytes: the decision and a note.
const maxResolution = 16 << 10

// resolution is the body of POST /approvals/{id}. It does not name the person: the
// connection does.
type resolution struct {
	Approve *bool  `json:"approve"`
	Rest    bool   `json:"rest,omitempty"` // of the task as well
	For     string `json:"for,omitempty"`  // further calls, for this long
	Same    bool   `json:"same,omitempty"` // of these, only those with the same arguments
	Note    string `json:"note,omitempty"`
}

const badAnswer = `the body must be {"approve": true or false, "rest": true or false, "for": "1h", "same": true or false, "note": "..."}`

// Codes of problems.
const (
	Unknown  = "unknown"          // no such question or rule
	Expired  = "expired"          // it has expired
	Answered = "already-answered" // it was answered before
	OneCall  = "one-call"         // a yes cannot be for the rest of the task
	Scope    = "scope"            // nor for such further calls
	Same     = "same-person"      // another person has to say yes
)

// Problem is the body of every answer other than success.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (p Problem) Error() string { return p.Message }

// Handler serves the questions and rules of a desk.
type Handler struct {
	Desk *approve.Desk
	// Who names the person behind a request, for the record.
	Who func(*http.Request) string
	// Record gets the rules that are made and revoked; nil keeps none.
	Record *audit.Log
	// Logger is told when that fails; may be nil.
	Logger *slog.Logger
}

// Mount adds the routes.
func (h Handler) Mount(mux *http.ServeMux) {
	mux.HandleFunc("GET /approvals", h.list)
	mux.HandleFunc("GET /approvals/{id}", h.show)
	mux.HandleFunc("POST /approvals/{id}", h.resolve)
	mux.HandleFunc("GET /rules", h.rules)
	mux.HandleFunc("DELETE /rules/{id}", h.revoke)
}

func (h Handler) list(w http.ResponseWriter, r *http.Request) {
	state := approve.State(r.URL.Query().Get("state"))
	if state != "" && !slices.Contains(approve.States(), state) {
		Reply(w, http.StatusBadRequest, Problem{"bad-state", "there is no such state"})
		return
	}
	all, err := h.Desk.List(r.Context())
	if err != nil {
		Refuse(w, err)
		return
	}
	Reply(w, http.StatusOK, slices.DeleteFunc(all, func(e approve.Entry) bool { return state != "" && e.State != state }))
}

func (h Handler) show(w http.ResponseWriter, r *http.Request) {
	e, err := h.Desk.Show(r.Context(), r.PathValue("id"))
	if err != nil {
		Refuse(w, err)
		return
	}
	Reply(w, http.StatusOK, e)
}

func (h Handler) resolve(w http.ResponseWriter, r *http.Request) {
	var given resolution
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxResolution))
	body.DisallowUnknownFields()
	// A body without a yes or a no is an error, not a no.
	if err := body.Decode(&given); err != nil || given.Approve == nil {
		Reply(w, http.StatusBadRequest, Problem{"bad-answer", badAnswer})
		return
	}
	resolved := approve.Resolution{Approve: *given.Approve, Rest: given.Rest, By: h.Who(r), Note: given.Note}
	if given.For != "" || given.Same {
		long, err := time.ParseDuration(given.For)
		if err != nil || !*given.Approve {
			Reply(w, http.StatusBadRequest, Problem{"bad-answer", badAnswer})
			return
		}
		resolved.Scope = &approve.Scope{For: long, Same: given.Same}
	}
	if err := h.Desk.Resolve(r.Context(), r.PathValue("id"), resolved); err != nil {
		Refuse(w, err)
		return
	}
	if resolved.Scope != nil {
		// The rule stands, whatever comes of noting it.
		e, err := h.Desk.Show(r.Context(), r.PathValue("id"))
		rules, bad := h.Desk.Rules(r.Context())
		if err == nil && bad == nil {
			h.made(resolved.By, e, rules)
		} else if h.Logger != nil {
			h.Logger.Error("operator.unrecorded", "act", "make-rule", "by", resolved.By, "cause", errors.Join(err, bad))
		}
	}
	h.show(w, r)
}

func (h Handler) rules(w http.ResponseWriter, r *http.Request) {
	all, err := h.Desk.Rules(r.Context())
	if err != nil {
		Refuse(w, err)
		return
	}
	Reply(w, http.StatusOK, all)
}

func (h Handler) revoke(w http.ResponseWriter, r *http.Request) {
	revoked, err := h.Desk.RevokeRule(r.Context(), r.PathValue("id"), h.Who(r))
	if err != nil {
		Refuse(w, err)
		return
	}
	h.note("revoke-rule", h.Who(r), revoked)
	Reply(w, http.StatusOK, revoked)
}

// Refuse answers with the desk's error.
func Refuse(w http.ResponseWriter, err error) {
	for _, row := range []struct {
		is     error
		status int
		code   string
	}{
		{approve.ErrNoSuch, http.StatusNotFound, Unknown},
		{approve.ErrNoRule, http.StatusNotFound, Unknown},
		{approve.ErrExpired, http.StatusGone, Expired},
		{approve.ErrRuleOver, http.StatusGone, Expired},
		{approve.ErrSpent, http.StatusConflict, Answered},
		{approve.ErrNoRest, http.StatusConflict, OneCall},
		{approve.ErrScope, http.StatusConflict, Scope},
		{approve.ErrSamePerson, http.StatusConflict, Same},
	} {
		if errors.Is(err, row.is) {
			Reply(w, row.status, Problem{row.code, err.Error()})
			return
		}
	}
	Reply(w, http.StatusServiceUnavailable, Problem{"unavailable", err.Error()})
}

// Reply answers with JSON.
func Reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // an error means that the other end is gone
}

// isID reports whether a text could be an id: letters and digits alone, which have no
// meaning in a path.
func isID(id string) bool {
	return id != "" && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}
