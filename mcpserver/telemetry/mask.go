package telemetry

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/glovebox-run/glovebox/risk/egress"
)

// mask removes secrets from texts: those the operator grants to tools, and anything
// that looks like one. It is safe for concurrent use.
type mask struct {
	key []byte // for the hashes in placeholders, which nobody reads here
	now atomic.Pointer[known]

	mu      sync.Mutex
	secrets []string
}

type known struct {
	masker    *egress.Masker
	sanitiser *egress.Sanitiser
}

func newMask() *mask {
	m := &mask{key: make([]byte, 32)}
	rand.Read(m.key)
	m.now.Store(&known{})
	return m
}

// learn adds secrets. None is forgotten: a call of a replaced tool may still be in
// flight.
func (m *mask) learn(sanitiser *egress.Sanitiser, secrets []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before, next := len(m.secrets), *m.now.Load()
	for _, s := range secrets {
		if !slices.Contains(m.secrets, s) {
			m.secrets = append(m.secrets, s)
		}
	}
	if len(m.secrets) > before {
		next.masker = egress.NewMasker(m.secrets)
	}
	next.sanitiser = sanitiser
	m.now.Store(&next)
}

// lent removes the granted secrets.
func (m *mask) lent(s string) string { return m.now.Load().masker.String(s) }

// clean also removes whatever looks like a secret.
func (m *mask) clean(s string) string {
	k := m.now.Load()
	if k.sanitiser == nil || s == "" {
		return k.masker.String(s)
	}
	cleaned, outcome := k.sanitiser.Text(egress.NewSession(m.key, k.masker), egress.Place{}, s)
	if outcome.Blocked != "" {
		return "[withheld: " + outcome.Blocked + "]"
	}
	return cleaned
}

// handler cleans every line before the next handler writes it, and drops those of a
// flood.
type handler struct {
	slog.Handler
	mask *mask
	pace *pace
}

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	held, ok := h.pace.admit(r)
	if !ok {
		return nil
	}
	cleaned := slog.NewRecord(r.Time, r.Level, h.mask.clean(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		cleaned.AddAttrs(h.attr(a))
		return true
	})
	if held > 0 {
		cleaned.AddAttrs(slog.Int("held", held))
	}
	return h.Handler.Handle(ctx, cleaned)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	cleaned := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		cleaned[i] = h.attr(a)
	}
	return handler{h.Handler.WithAttrs(cleaned), h.mask, h.pace}
}

func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name), h.mask, h.pace}
}

// attr cleans a value of any kind; values other than texts, numbers and times
// become text.
func (h handler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.mask.clean(v.String()))
	case slog.KindGroup:
		members := make([]slog.Attr, len(v.Group()))
		for i, member := range v.Group() {
			members[i] = h.attr(member)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(members...)}
	case slog.KindAny:
		if text, ok := v.Any().([]byte); ok {
			return slog.String(a.Key, h.mask.clean(string(text)))
		}
		return slog.String(a.Key, h.mask.clean(fmt.Sprint(v.Any())))
	}
	return slog.Attr{Key: a.Key, Value: v}
}
