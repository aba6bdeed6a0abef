package main

import (
	"io"
	"os"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// place holds where this program keeps and finds its files.
func place() (service.Place, error) {
	state, err := stateDir()
	return service.Place{State: state, Cache: cacheDir(), Lookup: os.LookupEnv}, err
}

// auditPath is the file of the chain that commands share and append to.
func auditPath(l *config.Loaded) (string, error) {
	p, err := place()
	if l.Audit.File != "" {
		err = nil // no place is needed
	}
	return p.Audit(l), err
}

// openRuntimeConfig returns the configuration for running tools, with the audit
// opened.
func openRuntimeConfig(l *config.Loaded, stderr io.Writer) (c runtime.Config, closeAudit func() error, err error) {
	p, err := place()
	if err != nil && l.Audit.File == "" {
		return c, nil, err
	}
	return service.OpenRuntimeConfig(l, p, audit.Options{}, tellOn(stderr))
}
