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
		shelf, err := publication.Open(s.working, s.kept.store)
		if err == nil {
			err = shelf.Mirror(s.working, s.options.Place.SharedSpecs(), func(err error) {
				if err != nil {
					s.Logger().Warn("specs.not_copied", "cause", err)
				}
			})
		}
		if err != nil && s.working.Err() == nil {
			s.say(SpecsUnwatched{err})
		}
	}()
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
