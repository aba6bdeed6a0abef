package service

import (
	"errors"
	"time"
)

// lookEvery is how often the files of the record and of the state are looked at without
// anybody asking: what happens to them is known within two seconds.
const lookEvery = time.Second

// watchFiles reports when files of the record or of the state were moved, deleted or
// replaced, and when they are back. It writes nothing unless the record failed.
func (s *Service) watchFiles() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	gone := false
	for {
		select {
		case <-s.working.Done():
			return
		case <-tick.C:
		}
		err := errors.Join(s.audit.Failed(), s.owner.Stands(), s.kept.store.Stands())
		if s.working.Err() != nil || (err != nil) == gone {
			continue
		}
		gone = err != nil
		s.trouble.Store(nil)
		if gone {
			s.trouble.Store(&err)
			s.Logger().Error("state.unavailable", "cause", err)
			s.say(Unavailable{err})
		} else {
			s.Logger().Info("state.available")
			s.say(Available{})
		}
	}
}
