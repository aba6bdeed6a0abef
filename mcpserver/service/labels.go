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
	mode, err := live.ParseMode(l.Session)
	if err != nil {
		return nil, fmt.Errorf("policy.session: %w", err)
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
	return labels.New(policy, s.sessions, labels.Settings{Mode: mode, File: file, Now: time.Now, Drift: s.kept.gateway.Drift}), nil
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
