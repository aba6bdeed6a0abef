package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
)

// maxResolution bounds the body of an answer, in bytes: the decision and a note.
const maxResolution = 16 << 10

// resolution is the body of POST /approvals/{id}. It does not name the person: the
// kernel does.
type resolution struct {
	Approve *bool  `json:"approve"`
	Rest    bool   `json:"rest,omitempty"` // of the task as well
	Note    string `json:"note,omitempty"`
}

// Problem codes about approvals.
const (
	Unknown  = "unknown"          // no such question
	Expired  = "expired"          // it has expired
	Answered = "already-answered" // it was answered before
	OneCall  = "one-call"         // a yes cannot be for the rest of the task
)

// inbox serves the questions of i.desk.
type inbox struct{ desk *approve.Desk }

func (i inbox) list(w http.ResponseWriter, r *http.Request) {
	state := approve.State(r.URL.Query().Get("state"))
	if state != "" && !slices.Contains(approve.States(), state) {
		reply(w, http.StatusBadRequest, Problem{"bad-state", "there is no such state"})
		return
	}
	all, err := i.desk.List(r.Context())
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, http.StatusOK, slices.DeleteFunc(all, func(e approve.Entry) bool { return state != "" && e.State != state }))
}

func (i inbox) show(w http.ResponseWriter, r *http.Request) {
	e, err := i.desk.Show(r.Context(), r.PathValue("id"))
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, http.StatusOK, e)
}

func (i inbox) resolve(w http.ResponseWriter, r *http.Request) {
	var given resolution
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxResolution))
	body.DisallowUnknownFields()
	// A body without a yes or a no is an error, not a no.
	if err := body.Decode(&given); err != nil || given.Approve == nil {
		reply(w, http.StatusBadRequest, Problem{"bad-answer", `the body must be {"approve": true or false, "rest": true or false, "note": "..."}`})
		return
	}
	err := i.desk.Resolve(r.Context(), r.PathValue("id"), approve.Resolution{Approve: *given.Approve, Rest: given.Rest, By: peerOf(r).operator(), Note: given.Note})
	if err != nil {
		refuse(w, err)
		return
	}
	i.show(w, r)
}

// refuse answers with the desk's error.
func refuse(w http.ResponseWriter, err error) {
	for _, row := range []struct {
		is     error
		status int
		code   string
	}{
		{approve.ErrNoSuch, http.StatusNotFound, Unknown},
		{approve.ErrExpired, http.StatusGone, Expired},
		{approve.ErrSpent, http.StatusConflict, Answered},
		{approve.ErrNoRest, http.StatusConflict, OneCall},
	} {
		if errors.Is(err, row.is) {
			reply(w, row.status, Problem{row.code, err.Error()})
			return
		}
	}
	reply(w, http.StatusServiceUnavailable, Problem{"unavailable", err.Error()})
}

// isID rejects texts that have a meaning in a path.
func isID(id string) bool { return id != "" && plain(id) == id && !strings.Contains(id, ".") }

func noSuch(id string) error {
	return Problem{Unknown, fmt.Sprintf("%v: %q", approve.ErrNoSuch, id)}
}

// Approvals returns the questions in a state, or all of them if state is empty.
func (p *Peer) Approvals(ctx context.Context, state approve.State) (all []approve.Entry, err error) {
	return all, p.ask(ctx, http.MethodGet, "/approvals?state="+url.QueryEscape(string(state)), nil, &all)
}

// Approval returns one question.
func (p *Peer) Approval(ctx context.Context, id string) (e approve.Entry, err error) {
	if !isID(id) {
		return e, noSuch(id)
	}
	return e, p.ask(ctx, http.MethodGet, "/approvals/"+url.PathEscape(id), nil, &e)
}

// Resolve answers a question as the user of this process and returns the resolved
// entry. rest makes a yes one for the rest of the task, if the question offers that. The answer comes from a terminal or a script of that user; the owner asks
// the kernel for the user's identity.
func (p *Peer) Resolve(ctx context.Context, id string, yes, rest bool, note string) (e approve.Entry, err error) {
	if !isID(id) {
		return e, noSuch(id)
	}
	body, err := json.Marshal(resolution{&yes, rest, note})
	if err != nil {
		return e, err
	}
	return e, p.ask(ctx, http.MethodPost, "/approvals/"+url.PathEscape(id), strings.NewReader(string(body)), &e)
}
