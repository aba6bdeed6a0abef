package service

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/report"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/library"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

// writing is what the console needs to write specs.
func (s *Service) writing() console.Writing {
	return console.Writing{
		Folder: s.specFolder, Check: s.checkSpec, Pass: s.passSpec, Passed: s.passedSpec, Publication: s.publication,
		Keys: func() (passnote.Keys, error) { return PassKeys(s.Configuration(), s.options.Place) },
	}
}

// specFolder returns the first watched folder, or "".
func (s *Service) specFolder() string {
	if folders := s.Configuration().Specs.Folders; len(folders) > 0 {
		return string(folders[0])
	}
	return ""
}

// checkSpec checks a document as glovebox check does, and says what it would be granted.
func (s *Service) checkSpec(ctx context.Context, document []byte) (checked console.Checked) {
	s.mu.Lock()
	rt, l, lookup := s.rt, s.counts, s.config.Lookup
	s.mu.Unlock()
	if catalog.IsBundle(document) { // the editor is for one spec
		_, checked.Problems = catalog.Examine(document, l.Posture.Baseline, l.Posture.Ceiling, nil)
		return checked
	}
	found := report.Check([]report.Input{{Data: document}}, l.Posture.Baseline, l.Posture.Ceiling, lookup, func(spec *catalog.Spec) catalog.Problems {
		checked.Name = spec.Name()
		checked.Posture, _, _ = rt.Resolve(spec, catalog.SourceUser)
		checked.Level = risk.PostureLevel(checked.Posture)
		return rt.Compile(ctx, spec)
	})
	checked.Problems = found.Files[0].Problems
	return checked
}

// passSpec runs the Local Pass of a document for a person, in a workspace of its own, and
// keeps the pass.
func (s *Service) passSpec(ctx context.Context, by string, document []byte) (*runtime.PassReport, error) {
	s.changing.Lock()
	rt, from, world, closed := s.rt, s.stock, s.world, s.closed
	s.changing.Unlock()
	if closed {
		return nil, errClosed
	}
	tool, problems := rt.Load(document)
	if problems.Err() != nil {
		return nil, problems.Err()
	}
	if host.NeedsFiles(tool.Posture()) {
		dir, err := os.MkdirTemp("", "glovebox-workspace-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		closeFolders, err := LendFolders(&world, dir, nil)
		if err != nil {
			return nil, err
		}
		defer closeFolders()
	}
	report := tool.LocalPass(ctx, runtime.Invocation{World: world, Caller: by})
	if report.Failure != nil {
		return report, nil
	}
	passes, err := from.specs.Passes()
	if err == nil && passes == nil {
		err = errors.New("this server keeps no passes")
	}
	if err == nil {
		err = passes.Add(tool.Spec().Hash(), library.Pass{Tool: tool.Spec().Name(), At: time.Now().UTC(), Runtime: catalog.RuntimeID})
	}
	return report, err
}

// passedSpec reports whether this content has a Local Pass here.
func (s *Service) passedSpec(spec *catalog.Spec) bool {
	s.mu.Lock()
	from := s.stock
	s.mu.Unlock()
	passes, err := from.specs.Passes()
	return err == nil && passes != nil && passes.Has(spec.Hash())
}
