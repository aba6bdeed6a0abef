package service

import (
	"context"
	"log/slog"

	"github.com/glovebox-run/glovebox/mcpserver/publication"
)

// mirror copies the specs that the servers of a cluster share, while the service works.
// The library sees them change like those of any other folder.
func (s *Service) mirror() {
	if s.started.State.NATS.URL == "" {
		return
	}
	go func() {
		shelf, err := s.publication(s.working)
		if err == nil {
			err = shelf.Mirror(s.working, s.options.Place.SharedSpecs(), func(err error) {
				if err != nil {
					s.Logger().Warn("specs.not_copied", "cause", err)
				} else {
					s.offerCopied()
				}
			})
		}
		if err != nil && s.working.Err() == nil {
			s.say(SpecsUnwatched{err})
		}
	}()
}

// publication opens the specs that the servers of a cluster share, once; nil for a server
// of its own.
func (s *Service) publication(ctx context.Context) (*publication.Shelf, error) {
	if s.started.State.NATS.URL == "" {
		return nil, nil
	}
	s.shared.Lock()
	defer s.shared.Unlock()
	if s.published == nil {
		shelf, err := publication.Open(ctx, s.kept.store)
		if err != nil {
			return nil, err
		}
		s.published = shelf
	}
	return s.published, nil
}

// OperatePublication opens the specs that the servers of a cluster share.
func OperatePublication(ctx context.Context, of Options, doing string) (*publication.Shelf, func(), error) {
	kept, done, err := openStore(ctx, of, doing, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	shelf, err := publication.Open(ctx, kept)
	if err != nil {
		done()
		return nil, nil, err
	}
	return shelf, done, nil
}
