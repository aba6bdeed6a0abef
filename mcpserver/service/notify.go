package service

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/mcpserver/notify"
	"github.com/glovebox-run/glovebox/mcpserver/store"
)

const (
	// noticesName is the bucket of the notices that some server sends, by question and
	// route. noticesKept is longer than a question can be open.
	noticesName = "glovebox-notices"
	noticesKept = 24 * time.Hour
	maxNotices  = 8 << 20 // bytes
)

// notify tells people about open questions from now on.
func (s *Service) notify(ctx context.Context) error {
	routes := s.started.Routes()
	if len(routes) == 0 {
		return nil
	}
	claims, err := s.kept.store.Bucket(ctx, store.BucketConfig{Name: noticesName, TTL: noticesKept, MaxValue: 1 << 10, MaxBytes: maxNotices})
	if err != nil {
		return err
	}
	sender, err := notify.Start(s.working, notify.Options{
		Routes: routes, Desk: s.desk, Logger: s.Logger(),
		Claim: func(ctx context.Context, key string) (bool, error) {
			_, err := claims.Create(ctx, key, []byte(time.Now().UTC().Format(time.RFC3339)))
			if errors.Is(err, store.Conflict) {
				return false, nil
			}
			return err == nil, err
		},
		Link: func(e approve.Entry, to string) string {
			s.changing.Lock()
			defer s.changing.Unlock()
			base, overHTTP := strings.CutSuffix(s.address, "/mcp")
			if !overHTTP {
				return ""
			}
			return base + mcpserver.AnswerPath + s.desk.Link(e.ID, to)
		},
		Console: signInAddress(s.started.Console),
		Lookup: func(name string) (string, bool) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.config.Lookup(name)
		},
	})
	if err == nil {
		s.closers = append(s.closers, sender.Wait)
	}
	return err
}

// signInAddress is where a person signs in to see the inbox, from any machine; empty if the
// console is reached with a link of this machine's alone.
func signInAddress(c config.Console) string {
	if c.URL == "" || c.SignIn.Issuer == "" || c.Mode == config.Off {
		return ""
	}
	return strings.TrimSuffix(c.URL, "/") + console.InboxSignIn
}
