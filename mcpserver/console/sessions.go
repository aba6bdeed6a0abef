package console

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/risk/live"
)

// maxSessionRows bounds the sessions on the page; those used last are shown.
const maxSessionRows = 50

// sessionsView is the page Sessions.
type sessionsView struct {
	Off  bool // none are tracked
	Rows []sessionRow
	More int
}

type sessionRow struct {
	labels.Head
	Key      string       // in addresses
	Standing []live.Leave // that can still be used
}

func (c *Console) showSessions(v *visit) (any, error) {
	sessions := c.options.Sessions()
	if sessions == nil {
		return &sessionsView{Off: true}, nil
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), c.atMost(lookTime))
	defer cancel()
	all, err := sessions.List(ctx)
	if err != nil {
		return nil, refuse(http.StatusServiceUnavailable, "The sessions cannot be read", err.Error(), "Try again in a moment.")
	}
	view := &sessionsView{}
	if len(all) > maxSessionRows {
		view.More = len(all) - maxSessionRows
		all = all[:maxSessionRows]
	}
	for _, h := range all {
		view.Rows = append(view.Rows, c.rowOf(h))
	}
	return view, nil
}

func (c *Console) rowOf(h labels.Head) sessionRow {
	row := sessionRow{Head: h, Key: keyOf("of", h.Principal)}
	for _, l := range h.Leaves {
		if l.Left > 0 && c.options.Now().Before(l.Until) {
			row.Standing = append(row.Standing, l)
		}
	}
	return row
}

// tracked returns the sessions, or why there are none.
func (c *Console) tracked() (*labels.Sessions, error) {
	if s := c.options.Sessions(); s != nil {
		return s, nil
	}
	return nil, refuse(http.StatusConflict, "No sessions", "No sessions are tracked.", "Set policy.session to observe, ask or enforce.")
}

// resetSession ends a session: its next call begins a new one, and a stop is released.
func (c *Console) resetSession(v *visit) (done, error) {
	principal, reason := v.form("principal"), strings.TrimSpace(v.form("reason"))
	result := done{to: "sessions", said: "The session was reset.", about: struct {
		Principal string `json:"principal"`
		Reason    string `json:"reason"`
	}{principal, reason}}
	sessions, err := c.tracked()
	if err != nil {
		return result, err
	}
	if reason == "" {
		return result, refuse(http.StatusBadRequest, "No reason", "Nothing was reset: say why, for the record.", "")
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), 10*time.Second)
	defer cancel()
	if known, err := sessions.Known(ctx, principal); err != nil || !known {
		return result, refuse(http.StatusNotFound, "No such session", "There is no such session any more.", "")
	}
	return result, sessions.Reset(ctx, principal)
}

// revokeLeave takes back what a person allowed for the rest of a task.
func (c *Console) revokeLeave(v *visit) (done, error) {
	principal, id := v.form("principal"), v.form("id")
	result := done{to: "sessions", said: "Taken back.", about: struct {
		Principal string `json:"principal"`
		ID        string `json:"id"`
	}{principal, id}}
	sessions, err := c.tracked()
	if err != nil {
		return result, err
	}
	if id == "" { // would be all of them
		return result, refuse(http.StatusBadRequest, "Nothing to take back", "The form names no leave.", "")
	}
	n, err := sessions.Revoke(v.r.Context(), principal, id)
	if err == nil && n == 0 {
		err = refuse(http.StatusNotFound, "Nothing to take back", "It was used up, expired or taken back already.", "")
	}
	return result, err
}
