package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// openRuntimeConfig is what the configuration says about running tools, with the
// audit opened. recorded, if not nil, hears its lines.
func openRuntimeConfig(l *config.Loaded, stderr io.Writer, recorded func(line []byte)) (c runtime.Config, closeAudit func(), err error) {
	path, err := auditPath(l)
	if err != nil {
		return c, nil, err
	}
	log, err := audit.Open(path, audit.Options{SyncAlways: l.Audit.Sync == "always", SegmentSize: int64(l.Audit.SegmentSize), Appended: recorded})
	if err != nil {
		return c, nil, err
	}
	if c, err = runtimeConfig(l, log, stderr); err != nil {
		log.Close()
		return c, nil, err
	}
	return c, func() { log.Close() }, nil
}

// auditPath is the growing file of the chain that commands share.
func auditPath(l *config.Loaded) (string, error) {
	if l.Audit.File != "" {
		return string(l.Audit.File), nil
	}
	dir, err := stateDir()
	return filepath.Join(dir, "audit", "audit.jsonl"), err
}

// runtimeConfig reads the files that the configuration names. Nothing in it is
// shared with a runtime that is open, but the audit.
func runtimeConfig(l *config.Loaded, log *audit.Log, stderr io.Writer) (c runtime.Config, err error) {
	c = runtime.Config{
		Engine:   jsengine.Config{CacheDir: cacheDir()},
		Baseline: l.Posture.Baseline, Ceiling: l.Posture.Ceiling,
		Limits: callLimits(l), Audit: log, AuditOptional: l.Audit.Optional,
	}
	if c.Lookup, err = secretLookup(string(l.World.Secrets)); err != nil {
		return c, err
	}
	if l.Sanitiser != (config.Sanitiser{}) {
		if c.Sanitiser, err = newCleaner(string(l.Sanitiser.Policy), string(l.Sanitiser.Gitleaks), stderr); err != nil {
			return c, fmt.Errorf("sanitiser: %w", err)
		}
	}
	return c, nil
}

func callLimits(l *config.Loaded) jsengine.Limits {
	m := l.Limits
	return jsengine.Limits{
		Statements: m.Statements, Fuel: m.Fuel, Time: m.Timeout, Memory: uint64(m.Memory), Output: int(m.Output),
		ConsoleLines: m.ConsoleLines, ConsoleBytes: int(m.ConsoleBytes), HostCalls: m.HostCalls, HostBytes: int(m.HostBytes), InFlight: m.InFlight,
	}
}

// secretLookup asks the operator's file, if there is one, before the environment.
func secretLookup(path string) (catalog.Lookup, error) {
	if path == "" {
		return os.LookupEnv, nil
	}
	file, err := runtime.ReadSecrets(path)
	if err != nil {
		return nil, err
	}
	return catalog.FirstOf(file, os.LookupEnv), nil
}

// lend opens the directories that tools may work in, if one is named, and read.
func lend(w *host.World, workspace string, readRoots []config.Path) (closeWorld func(), err error) {
	var opened []io.Closer
	closeWorld = func() {
		for _, o := range opened {
			o.Close()
		}
	}
	if workspace != "" {
		if w.Workspace, err = files.OpenWorkspace(workspace, files.Quota{}); err != nil {
			return nil, err
		}
		opened = append(opened, w.Workspace)
	}
	for _, name := range readRoots {
		root, err := files.OpenReadRoot(filepath.Clean(string(name)))
		if err != nil {
			closeWorld()
			return nil, err
		}
		opened = append(opened, root)
		w.ReadRoots = append(w.ReadRoots, root)
	}
	return closeWorld, nil
}
