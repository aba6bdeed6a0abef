package console

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/console/internal/shown"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

const (
	// maxSteps bounds the calls that a session's page tells of, the newest.
	maxSteps = 60
	// callsOfSession are read for them.
	callsOfSession = 1000
)

// sessionView is how a session came to be what it is.
type sessionView struct {
	sessionRow
	Steps []sessionStep // newest first
	Late  bool          // there may be older ones
}

// sessionStep is a call that changed the session, or was decided by it.
type sessionStep struct {
	audit.Entry
	Raised  []string // what its result brought that the session had not met
	Spoke   []spoke
	Stopped string // why the session was stopped
	Verdict string
	Only    bool // it was only observed
}

// spoke is a rule that spoke against a call.
type spoke struct{ Does, Why string }

func (c *Console) showSession(v *visit) (any, error) {
	sessions, err := c.tracked()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), lookTime)
	defer cancel()
	all, err := sessions.List(ctx)
	if err != nil {
		return nil, refuse(http.StatusServiceUnavailable, "The sessions cannot be read", err.Error(), "Try again in a moment.")
	}
	at := slices.IndexFunc(all, func(h labels.Head) bool { return keyOf("of", h.Principal) == v.part["session"] })
	if at < 0 {
		return nil, refuse(http.StatusNotFound, "No such session", "There is no such session any more.", "")
	}
	view := &sessionView{sessionRow: c.rowOf(all[at])}
	ctx, stop := context.WithTimeout(ctx, callsTime)
	defer stop()
	found, err := c.record.Search(ctx, audit.Filter{Caller: view.Principal, Since: view.Began}, callsOfSession)
	if err != nil {
		return nil, refuse(http.StatusServiceUnavailable, "The record cannot be read", err.Error(), "glovebox doctor says more.")
	}
	view.Late = found.Late || found.Next != 0
	for _, e := range found.Entries {
		step, counts := stepOf(e)
		if e.Caller != view.Principal || !counts {
			continue
		}
		if len(view.Steps) == maxSteps {
			view.Late = true
			break
		}
		view.Steps = append(view.Steps, step)
	}
	v.at.title = shown.Plain(view.Principal, 80)
	return view, nil
}

// stepOf reads what the record of a call says about its session, and whether that matters.
func stepOf(e audit.Entry) (step sessionStep, counts bool) {
	var flow labels.Flow
	if len(e.Flow) == 0 || json.Unmarshal(e.Flow, &flow) != nil {
		return step, false
	}
	step = sessionStep{Entry: e, Stopped: string(flow.Kill), Verdict: flow.Verdict, Only: flow.Mode == "observe"}
	was, is := flow.Session, flow.Result
	if is.Untrusted && !was.Untrusted {
		step.Raised = append(step.Raised, "text that strangers can write")
	}
	var origins []string
	for _, o := range is.Origins {
		if !slices.Contains(was.Origins, o) {
			origins = append(origins, o)
		}
	}
	switch {
	case is.Private && len(origins) > 0:
		step.Raised = append(step.Raised, "private data of "+strings.Join(origins, ", "))
	case is.Private && !was.Private:
		step.Raised = append(step.Raised, "private data")
	}
	if is.Secret && !was.Secret {
		step.Raised = append(step.Raised, "secrets")
	}
	for _, f := range flow.Fired {
		if f.Does != "allow" {
			step.Spoke = append(step.Spoke, spoke{f.Does, f.Why})
		}
	}
	return step, len(step.Raised)+len(step.Spoke) > 0 || step.Stopped != ""
}
