package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/runtime/library"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

// signCommand holds the flags of test that sign passes, and what is to be signed.
type signCommand struct {
	wanted  bool
	keyFile string
	valid   time.Duration

	key     passnote.Key
	folders map[string]*library.Signing
}

// validFor is how long signed passes count unless something else is said: a program
// that nobody tested for a year is not one that anybody looks after.
const validFor = 365 * 24 * time.Hour

func (s *signCommand) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.wanted, "sign", false, "write the passes into passes.note beside the specs, signed")
	f.StringVar(&s.keyFile, "signing-key", "", "the `FILE` with the key to sign with (default pass.key in the state folder, which is made)")
	f.DurationVar(&s.valid, "valid-for", validFor, "how long signed passes count; 0s is for ever")
}

// open reads the key, or makes the one in the state folder.
func (s *signCommand) open(own string) (err error) {
	switch {
	case !s.wanted && s.keyFile != "":
		return errors.New("--signing-key signs nothing without --sign")
	case !s.wanted:
		return nil
	case s.valid < 0:
		return fmt.Errorf("--valid-for %v: want a time ahead, or 0s for ever", s.valid)
	case s.keyFile == "":
		s.key, err = library.MakePassKey(own)
		return err
	}
	s.key, err = library.ReadPassKey(s.keyFile)
	if errors.Is(err, library.ErrNoKey) {
		err = fmt.Errorf("%w; without --signing-key one is made as %s, which can be copied", err, own)
	}
	return err
}

// add notes how the test of a spec ended.
func (s *signCommand) add(path string, spec *catalog.Spec, passed bool) {
	if !s.wanted {
		return
	}
	if s.folders == nil {
		s.folders = map[string]*library.Signing{}
	}
	dir := filepath.Dir(path)
	f := s.folders[dir]
	if f == nil {
		f = &library.Signing{Passed: map[catalog.ContentHash]passnote.Pass{}}
		s.folders[dir] = f
	}
	if !passed {
		f.Failed = append(f.Failed, spec.Hash())
		return
	}
	f.Passed[spec.Hash()] = passnote.Pass{Tool: spec.Name(), At: time.Now().UTC()}
}

// write signs what was added since the last time.
func (s *signCommand) write(cmd *cobra.Command) error {
	for _, dir := range slices.Sorted(maps.Keys(s.folders)) {
		f, now := s.folders[dir], time.Now()
		if s.valid > 0 {
			f.Until = now.Add(s.valid)
		}
		if err := library.SignPasses(dir, *f, s.key, now); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "signed %s; specs.pass_keys: %s\n", filepath.Join(dir, passnote.Name), s.key.Public())
	}
	clear(s.folders)
	return nil
}
