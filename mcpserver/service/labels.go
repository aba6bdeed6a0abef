package service

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// judge returns what decides calls under a configuration. The sessions are opened with
// the first judge that needs them, and later ones share them.
func (s *Service) judge(ctx context.Context, l *config.Loaded) (governed.Judge, error) {
	policy := governed.ByLevel{Policy: l.Policy}
	mode, modes, err := modesOf(&l.Config)
	if err != nil {
		return nil, err
	}
	file, err := LabelsFile(string(l.Labels))
	if err != nil {
		return nil, err
	}
	if mode == live.Off {
		return policy, nil
	}
	if s.sessions == nil {
		shelf, err := labels.OpenShelf(ctx, s.kept.store)
		if err != nil {
			return nil, err
		}
		s.sessions = labels.NewSessions(shelf, time.Now)
	}
	return labels.New(policy, s.sessions, labels.Settings{Mode: mode, Modes: modes, File: file, Now: time.Now, Drift: s.kept.gateway.Drift}), nil
}

// modesOf returns what decisions do, and what at endpoints of which that is said.
func modesOf(c *config.Config) (mode live.Mode, at map[string]live.Mode, err error) {
	if mode, err = live.ParseMode(c.Session); err != nil {
		return mode, nil, fmt.Errorf("policy.session: %w", err)
	}
	at, tracked := make(map[string]live.Mode, len(c.Sessions)), mode
	for name, word := range c.Sessions {
		if at[name], err = live.ParseMode(word); err != nil {
			return mode, nil, fmt.Errorf("policy.sessions.%s: %w", name, err)
		}
		tracked = max(tracked, at[name])
	}
	// What the main endpoint serves under its own name, too, is decided alike.
	if m, said := at[c.Gateway.Composition]; said && c.Gateway.Composition != "" {
		at[mainEndpoint] = m
	}
	if tracked == live.Off {
		return live.Off, nil, nil
	}
	// A principal has one session: what it meets at one endpoint counts at the others.
	mode = max(mode, live.Observe)
	for name := range at {
		at[name] = max(at[name], live.Observe)
	}
	return mode, at, nil
}

// mainEndpoint is the name of /mcp.
const mainEndpoint = ""

// hostCall judges a call that a client makes with a tool of its own; ok is false while
// nothing is decided by sessions.
func (s *Service) hostCall(ctx context.Context, c labels.HostCall) (a labels.HostAnswer, ok bool) {
	judge, ok := s.Pipeline().Terms().Judge.(*labels.Judge)
	if !ok {
		return a, false
	}
	return judge.Host(ctx, c, s.Pipeline().Secrets(c.Tool, c.Input)), true
}

// LabelsFile reads an operator's file of labels; nil for an empty path.
func LabelsFile(path string) (*live.File, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := live.ParseFile(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}
