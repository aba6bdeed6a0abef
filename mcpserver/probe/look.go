package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/session"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
	"github.com/glovebox-run/glovebox/risk/score"
)

// closeTime bounds the farewell.
const closeTime = 2 * time.Second

// startTime is how long a program may take to start, before its first answer is waited
// for: an interpreter with many packages needs several seconds on a busy machine.
const startTime = 20 * time.Second

// meet remembers the first wall.
func (s *scan) meet(w *wall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.o.Auth == nil {
		s.o.Auth = &score.Auth{Status: w.status, Challenge: w.challenge}
	}
}

// look makes the handshake, walks the lists and reads resources. It returns the wall
// that the handshake ended at, nil if there was none.
func (s *scan) look(ctx context.Context, dial session.Dial) *wall {
	began := time.Now()
	patience := s.Prober.o.Timeout
	if s.url == nil {
		patience += startTime
	}
	greeted, cancel := context.WithTimeout(ctx, patience)
	l, err := session.Look(greeted, dial, session.Options{Era: s.Prober.o.Era, Name: s.Prober.o.Name, Version: s.Prober.o.Version})
	cancel()
	if err != nil {
		s.failed("handshake", err)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.o.TookMS = time.Since(began).Milliseconds()
		refused := (*transport.Error)(nil)
		if a := s.o.Auth; a != nil && errors.As(err, &refused) && refused.Kind == transport.Unauthorized {
			if s.o.Depth == score.Passive {
				s.o.Depth = score.Limited
			}
			return &wall{a.Status, a.Challenge}
		}
		s.o.Auth = nil // something else was refused, such as a stream
		return nil
	}
	defer func() {
		bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		l.Close(bye)
	}()
	info := l.Info()
	hello := &score.Hello{Era: info.Era.String(), Protocol: cut(info.Stated, maxWhy), Server: info.Server, Instructions: info.Instructions, Capabilities: info.Capabilities}
	tools := s.walk(ctx, l, "tools/list")
	var resources, prompts score.Listing
	if info.Has("resources") {
		resources = s.walk(ctx, l, "resources/list")
	}
	if info.Has("prompts") {
		prompts = s.walk(ctx, l, "prompts/list")
	}
	took := time.Since(began).Milliseconds()
	reads := s.read(ctx, l, resources.Items)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.o.Auth = nil // the handshake went through; what was refused later is in the lists
	s.o.Hello, s.o.Tools, s.o.Resources, s.o.Prompts, s.o.Reads, s.o.TookMS = hello, tools, resources, prompts, reads, took
	return nil
}

// walk reads a list within score.MaxPages and score.MaxItems. What came before a failure
// is kept.
func (s *scan) walk(ctx context.Context, l *session.Looker, method string) score.Listing {
	list := score.Listing{Asked: true}
	cursor, seen := "", map[string]bool{}
	for {
		asked, cancel := context.WithTimeout(ctx, s.Prober.o.Timeout)
		items, next, err := l.Page(asked, method, cursor)
		cancel()
		if err == nil {
			list.Pages++
		}
		size := 0
		for _, item := range items {
			if size += len(item); size > score.MaxBody {
				s.stop("size", method)
				list.More = true
				return list
			}
			if len(list.Items) == score.MaxItems {
				list.More = true
				return list
			}
			list.Items = append(list.Items, item)
		}
		if err != nil {
			s.failed(method, err)
			list.Error = cut(err.Error(), maxWhy)
			return list
		}
		if next == "" {
			return list
		}
		if list.Pages == score.MaxPages || seen[next] {
			list.More = true
			return list
		}
		seen[next] = true
		cursor = next
	}
}

// read reads the first resources with an https address, through the server, and keeps
// the beginning of each text.
func (s *scan) read(ctx context.Context, l *session.Looker, resources []json.RawMessage) []score.Read {
	var all []score.Read
	for _, raw := range resources {
		uri := gjson.GetBytes(raw, "uri").String()
		if len(all) == score.MaxReads {
			break
		}
		if !strings.HasPrefix(strings.ToLower(uri), "https://") || len(uri) > maxURI {
			continue
		}
		asked, cancel := context.WithTimeout(ctx, s.Prober.o.Timeout)
		result, err := l.Read(asked, uri)
		cancel()
		r := score.Read{URI: uri}
		if err != nil {
			s.failed("resources/read", err)
			r.Error = cut(err.Error(), maxWhy)
		}
		var text strings.Builder
		gjson.GetBytes(result, "contents").ForEach(func(_, part gjson.Result) bool {
			text.WriteString(part.Get("text").Str)
			return text.Len() <= score.MaxReadBytes
		})
		r.Text, r.More = cut(text.String(), score.MaxReadBytes), text.Len() > score.MaxReadBytes
		all = append(all, r)
	}
	return all
}

// maxURI bounds the address of a resource, in bytes.
const maxURI = 2 << 10

var errNoObject = fmt.Errorf("the document is no JSON object")
