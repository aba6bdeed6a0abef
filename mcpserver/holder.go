package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/glovebox-run/glovebox/risk"
)

// Holder is who sent a named token, and what it may do.
type Holder struct {
	Principal string
	// Names are patterns of the tools, prompts and resources that it sees; empty is all.
	Names []string
	// Cap is the highest level of a tool that it sees; nil is no cap.
	Cap *risk.Level
	// Approver means that it answers questions and calls nothing.
	Approver bool
	// Expires is when the token ends; zero is never.
	Expires time.Time
	// Valid ends when the token is revoked or replaced; nil never does.
	Valid context.Context
}

func (h *Holder) limited() bool { return len(h.Names) > 0 || h.Cap != nil }

// key is the same for holders that see the same.
func (h *Holder) key() string {
	limit := ""
	if h.Cap != nil {
		limit = h.Cap.String()
	}
	return fmt.Sprintf("%q %s ", h.Names, limit)
}

// within ends a stream with the token. Other requests are each checked when they arrive.
func (h *Holder) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if !h.Expires.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, h.Expires)
	}
	if h.Valid == nil {
		return ctx, cancel
	}
	unhook := context.AfterFunc(h.Valid, cancel)
	return ctx, func() { unhook(); cancel() }
}
