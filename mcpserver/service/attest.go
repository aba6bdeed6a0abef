package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// testTime bounds the tests of a start, all together. Each call has the limits of any
// other.
const testTime = 5 * time.Minute

// testSpecs gives the specs that lack only a Local Pass theirs, one after another while
// the server serves, and offers those that pass. A call that a person would be asked
// about is not made: nobody is asked here.
func (s *Service) testSpecs() {
	ctx, cancel := context.WithTimeout(s.working, testTime)
	defer cancel()
	s.changing.Lock()
	rt, from, lookup, policy, world := s.rt, s.stock, s.config.Lookup, s.counts.Policy, s.world
	s.changing.Unlock()
	passes, err := from.specs.Passes()
	if err != nil {
		return // said when they were offered
	}
	for _, t := range from.specs.Tools(passes, from.pins, lookup) {
		if t.Origin == library.Builtin || t.Spec.Draft() || t.State != catalog.Draft || t.Hidden || t.Problems.Err() != nil {
			continue
		}
		if filepath.Dir(t.File) == s.options.Place.SharedSpecs() {
			continue // another operator's: what counts is a signature
		}
		err := s.test(ctx, rt, t.Spec, policy, world)
		if s.working.Err() != nil {
			return
		}
		if err == nil {
			err = passes.Add(t.Spec.Hash(), library.Pass{Tool: t.Spec.Name(), At: time.Now().UTC(), Runtime: catalog.RuntimeID})
		}
		if err != nil {
			s.say(Untested{t.Spec.Name(), err})
			continue
		}
		s.changing.Lock()
		s.offer(nil)
		s.changing.Unlock()
	}
}

// test runs the Local Pass of one spec.
func (s *Service) test(ctx context.Context, rt *runtime.Runtime, spec *catalog.Spec, policy risk.LevelPolicy, world host.World) error {
	tool, problems := rt.Prepare(spec, catalog.SourceUser)
	if problems.Err() != nil {
		return problems.Err()
	}
	about := tool.About()
	ref := about.Ref()
	ref.Source = risk.Library
	if verdict, why := policy.Judge(ref, about.Level, about.Approval.Mode); verdict != risk.Allow {
		return fmt.Errorf("it was not tested at the start, as %s; run glovebox test on it", why)
	}
	if host.NeedsFiles(tool.Posture()) {
		dir, err := os.MkdirTemp("", "glovebox-workspace-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		closeFolders, err := LendFolders(&world, dir, nil)
		if err != nil {
			return err
		}
		defer closeFolders()
	}
	report := tool.LocalPass(ctx, runtime.Invocation{World: world, Caller: "start"})
	switch {
	case ctx.Err() != nil && s.working.Err() == nil:
		return fmt.Errorf("the tests of this start took %v; run glovebox test on it", testTime)
	case report.Failure != nil:
		return errors.New(report.Failure.Error())
	}
	return nil
}
