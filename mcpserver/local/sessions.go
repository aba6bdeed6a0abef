package local

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/risk/live"
)

// Off is the problem code of an owner that tracks no sessions.
const Off = "sessions-off"

// maxMet bounds what a host reports at once, in bytes.
const maxMet = 1 << 20

// Met is what a host saw or wrote without the gateway: the body of POST /sessions/met.
type Met struct {
	Principal string `json:"principal"`
	Source    string `json:"source"` // such as shell
	Text      string `json:"text"`
	Untrusted bool   `json:"untrusted"`
	Private   bool   `json:"private"`
}

// tracked serves what the principals have met. sessions returns nil while nothing is
// decided by it.
type tracked struct{ sessions func() *labels.Sessions }

// open returns the sessions, or answers that there are none.
func (t tracked) open(w http.ResponseWriter) *labels.Sessions {
	if t.sessions != nil {
		if s := t.sessions(); s != nil {
			return s
		}
	}
	reply(w, http.StatusNotFound, off)
	return nil
}

var off = Problem{Code: Off, Message: "no sessions are tracked; set policy.session to observe, ask or enforce"}

// askHost judges a call that a client is about to make with a tool of its own.
func askHost(w http.ResponseWriter, r *http.Request, judge func(context.Context, labels.HostCall) (labels.HostAnswer, bool)) {
	var c labels.HostCall
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxMet))
	body.DisallowUnknownFields()
	if err := body.Decode(&c); err != nil || c.Principal == "" || c.Tool == "" {
		reply(w, http.StatusBadRequest, Problem{Code: "bad-call", Message: "the body must have principal, tool and input, and at most 1 MiB"})
		return
	}
	if judge != nil {
		if a, ok := judge(r.Context(), c); ok {
			reply(w, http.StatusOK, a)
			return
		}
	}
	reply(w, http.StatusNotFound, off)
}

// AskHost asks for a call that a client is about to make with a tool of its own.
func (p *Peer) AskHost(ctx context.Context, c labels.HostCall) (a labels.HostAnswer, err error) {
	body, err := json.Marshal(c)
	if err != nil {
		return a, err
	}
	return a, p.ask(ctx, http.MethodPost, "/sessions/ask", bytes.NewReader(body), &a)
}

func (t tracked) list(w http.ResponseWriter, r *http.Request) {
	s := t.open(w)
	if s == nil {
		return
	}
	all, err := s.List(r.Context())
	if err != nil {
		refuse(w, err)
		return
	}
	if all == nil {
		all = []labels.Head{}
	}
	reply(w, http.StatusOK, all)
}

func (t tracked) reset(w http.ResponseWriter, r *http.Request) {
	s := t.open(w)
	if s == nil {
		return
	}
	principal := r.URL.Query().Get("principal")
	found, err := s.Known(r.Context(), principal)
	if err == nil && !found {
		reply(w, http.StatusNotFound, Problem{Code: Unknown, Message: "there is no session of " + plain(principal)})
		return
	}
	if err == nil {
		err = s.Reset(r.Context(), principal)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, http.StatusOK, struct{}{})
}

// revoke takes back leaves: the one with the id, or all of a principal.
func (t tracked) revoke(w http.ResponseWriter, r *http.Request) {
	s := t.open(w)
	if s == nil {
		return
	}
	principal, id := r.URL.Query().Get("principal"), r.URL.Query().Get("id")
	ended := 0
	found, err := s.Known(r.Context(), principal)
	if found && err == nil {
		ended, err = s.Revoke(r.Context(), principal, id)
	}
	switch {
	case err != nil:
		refuse(w, err)
	case !found:
		reply(w, http.StatusNotFound, Problem{Code: Unknown, Message: "there is no session of " + plain(principal)})
	case ended == 0 && id != "":
		reply(w, http.StatusNotFound, Problem{Code: Unknown, Message: "there is no leave " + plain(id) + " of " + plain(principal)})
	default:
		reply(w, http.StatusOK, Revoked{ended})
	}
}

// Revoked says how many leaves ended.
type Revoked struct {
	Revoked int `json:"revoked"`
}

func (t tracked) met(w http.ResponseWriter, r *http.Request) {
	s := t.open(w)
	if s == nil {
		return
	}
	var m Met
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxMet))
	body.DisallowUnknownFields()
	if err := body.Decode(&m); err != nil || m.Principal == "" || m.Source == "" {
		reply(w, http.StatusBadRequest, Problem{Code: "bad-report", Message: "the body must have principal, source and text"})
		return
	}
	label := live.Label{Untrusted: m.Untrusted, Private: m.Private}
	if m.Private {
		label.Origins = []string{labels.Host}
	}
	if err := s.Met(r.Context(), m.Principal, live.Text{Source: labels.HostSource(m.Source), Label: label, Words: m.Text}); err != nil {
		refuse(w, err)
		return
	}
	reply(w, http.StatusOK, struct{}{})
}

// Sessions returns what the principals have met, the one seen last first.
func (p *Peer) Sessions(ctx context.Context) (all []labels.Head, err error) {
	return all, p.ask(ctx, http.MethodGet, "/sessions", nil, &all)
}

// ResetSession ends a principal's session and releases a killed one.
func (p *Peer) ResetSession(ctx context.Context, principal string) error {
	return p.ask(ctx, http.MethodDelete, "/sessions?principal="+url.QueryEscape(principal), nil, &struct{}{})
}

// Revoke takes back a leave of a principal, or all of them for an empty id, and returns
// how many there were.
func (p *Peer) Revoke(ctx context.Context, principal, id string) (int, error) {
	var r Revoked
	q := url.Values{"principal": {principal}, "id": {id}}
	err := p.ask(ctx, http.MethodDelete, "/sessions/leaves?"+q.Encode(), nil, &r)
	return r.Revoked, err
}

// Met tells what a host saw without the gateway.
func (p *Peer) Met(ctx context.Context, m Met) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return p.ask(ctx, http.MethodPost, "/sessions/met", strings.NewReader(string(body)), &struct{}{})
}
