package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/session"
	"github.com/glovebox-run/glovebox/risk/egress"
)

// Surface is what a server offers, each definition as the bytes sent but for the secrets
// of the connection, which are masked. It does not change.
type Surface struct {
	Server       json.RawMessage `json:"server,omitempty"` // its name and version
	Instructions string          `json:"instructions,omitempty"`
	Capabilities json.RawMessage `json:"capabilities,omitempty"`
	Era          string          `json:"era"`
	Protocol     string          `json:"protocol"`

	Tools     []json.RawMessage `json:"tools,omitempty"`
	Resources []json.RawMessage `json:"resources,omitempty"`
	Templates []json.RawMessage `json:"templates,omitempty"`
	Prompts   []json.RawMessage `json:"prompts,omitempty"`

	// Truncated says which lists ended at a bound, and at which: such a surface is not
	// everything the server offers. Repeated names items that are there twice, such as
	// "tool x"; which one a call would reach is the server's secret.
	Truncated []string      `json:"truncated,omitempty"`
	Repeated  []string      `json:"repeated,omitempty"`
	TTL       time.Duration `json:"ttl,omitempty"` // how long the server says it holds; 0 if it does not say
	Listed    time.Time     `json:"listed"`
}

// Stale reports whether the server's own time for the lists is over.
func (s *Surface) Stale(now time.Time) bool { return s.TTL > 0 && now.Sub(s.Listed) > s.TTL }

// listing is a listing that is under way.
type listing struct {
	done    chan struct{}
	surface *Surface
	err     error
}

// Surface returns what the server offers: what was listed last while that holds, and
// otherwise it lists anew.
func (u *Upstream) Surface(ctx context.Context) (*Surface, error) {
	if s := u.Known(); s != nil && !s.Stale(u.options.Now()) {
		return s, nil
	}
	return u.Refresh(ctx)
}

// Known returns what was listed last, without asking the server; nil if that never
// happened.
func (u *Upstream) Known() *Surface {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.surface
}

// Refresh lists everything anew. Several callers at once get the same answer.
func (u *Upstream) Refresh(ctx context.Context) (*Surface, error) {
	u.mu.Lock()
	l := u.listing
	if l == nil {
		if u.life.Err() != nil {
			u.mu.Unlock()
			return nil, &Error{Upstream: u.config.Name, Kind: Gone, Err: errClosed}
		}
		l = &listing{done: make(chan struct{})}
		u.listing = l
		u.work.Add(1)
		go u.list(l)
	}
	u.mu.Unlock()
	select {
	case <-l.done:
		return l.surface, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (u *Upstream) list(l *listing) {
	defer u.work.Done()
	ctx, cancel := context.WithTimeout(u.life, connectTime+u.config.timeout())
	defer cancel()
	var err error
	if u.shared != nil {
		l.surface, err = u.shared.list(ctx)
	} else {
		l.surface, err = u.listHere(ctx)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if l.err = err; err == nil {
		u.surface = l.surface
	} else {
		l.surface = nil
	}
	u.listing = nil
	close(l.done)
}

// listHere lists over the connection of this process.
func (u *Upstream) listHere(ctx context.Context) (surface *Surface, err error) {
	if err := u.enter(ctx); err != nil {
		return nil, err
	}
	defer u.leave()
	err = u.with(ctx, "tools/list", func(s *session.Session) (err error) {
		if surface, err = u.read(ctx, s); err == nil {
			surface.mask(u.Secrets())
		}
		return err
	})
	return surface, err
}

// read reads every list that the server declares.
func (u *Upstream) read(ctx context.Context, from *session.Session) (*Surface, error) {
	info := from.Info()
	s := &Surface{Server: info.Server, Instructions: info.Instructions, Capabilities: info.Capabilities, Era: info.Era.String(), Protocol: info.Protocol, Listed: u.options.Now()}
	for _, l := range []struct {
		capability, method, what, key string
		to                            *[]json.RawMessage
	}{
		{"tools", "tools/list", "tool", "name", &s.Tools},
		{"resources", "resources/list", "resource", "uri", &s.Resources},
		{"resources", "resources/templates/list", "template", "uriTemplate", &s.Templates},
		{"prompts", "prompts/list", "prompt", "name", &s.Prompts},
	} {
		if !info.Has(l.capability) {
			continue
		}
		got, err := from.List(ctx, l.method)
		if rpc := (*RPCError)(nil); errors.As(err, &rpc) && rpc.Code == codeMethodNotFound && l.what != "tool" {
			continue // many servers with resources have no templates
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.method, err)
		}
		*l.to = got.Items
		if got.Truncated != "" {
			s.Truncated = append(s.Truncated, l.method+": "+got.Truncated)
		}
		if got.TTL > 0 && (s.TTL == 0 || got.TTL < s.TTL) {
			s.TTL = got.TTL
		}
		s.Repeated = append(s.Repeated, repeated(got.Items, l.what, l.key)...)
	}
	return s, nil
}

// mask takes out the values that the operator gave for the connection: a server may put
// its own token into a description, and what is listed is kept, shown and judged.
func (s *Surface) mask(known *egress.Masker) {
	s.Server, s.Instructions, s.Capabilities = known.JSON(s.Server), known.String(s.Instructions), known.JSON(s.Capabilities)
	for _, list := range [][]json.RawMessage{s.Tools, s.Resources, s.Templates, s.Prompts} {
		for i := range list {
			list[i] = known.JSON(list[i])
		}
	}
	for i := range s.Repeated {
		s.Repeated[i] = known.String(s.Repeated[i])
	}
}

const codeMethodNotFound = -32601 // of JSON-RPC

// maxRepeated bounds the names that are said to be repeated; one is reason enough.
const maxRepeated = 20

func repeated(items []json.RawMessage, what, key string) (twice []string) {
	seen := make(map[string]int, len(items))
	for _, item := range items {
		name := gjson.GetBytes(item, key).String()
		if seen[name]++; seen[name] == 2 && len(twice) < maxRepeated {
			twice = append(twice, fmt.Sprintf("%s %.200q", what, name))
		}
	}
	return twice
}
