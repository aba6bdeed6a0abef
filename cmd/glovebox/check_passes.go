package main

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/report"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/runtime/library"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

// passChecker checks the signed passes beside specs, by the keys that serve accepts.
// Without a key nothing is checked: whoever writes specs need not have any.
type passChecker struct {
	refused []refusal
	passed  map[catalog.ContentHash]bool
	by      map[string]string // the file, by the name of a tool that passed
}

type refusal struct {
	file     string
	problems catalog.Problems
}

// readPasses reads the passes beside the files and folders that check was given.
func readPasses(l *config.Loaded, args []string) (*passChecker, error) {
	here, err := place()
	if err != nil {
		here = service.Place{} // no key signs here
	}
	keys, err := service.PassKeys(l, here)
	if err != nil {
		return nil, err
	}
	c := &passChecker{passed: map[catalog.ContentHash]bool{}, by: map[string]string{}}
	if keys.None() {
		return c, nil
	}
	var seen []string
	for _, arg := range args {
		dir := arg
		if info, err := os.Stat(arg); arg == "-" || err != nil {
			continue
		} else if !info.IsDir() {
			dir = filepath.Dir(arg)
		}
		if dir = filepath.Clean(dir); slices.Contains(seen, dir) {
			continue
		}
		seen = append(seen, dir)
		file := filepath.ToSlash(filepath.Join(dir, passnote.Name))
		n, err := library.CheckNote(dir, keys, time.Now())
		if err != nil {
			c.refused = append(c.refused, refusal{file, catalog.PassesRefused(err)})
		}
		for h, pass := range n.Passes {
			c.passed[h], c.by[pass.Tool] = true, file
		}
	}
	return c, nil
}

// check reports a spec that is not what passed.
func (c *passChecker) check(s *catalog.Spec) catalog.Problems {
	file, named := c.by[s.Name()]
	if !named || s.Draft() || c.passed[s.Hash()] {
		return nil
	}
	return s.NotWhatPassed(file)
}

func (c *passChecker) report(r *report.Report) {
	for _, f := range c.refused {
		r.Refuse(f.file, f.problems)
	}
}
