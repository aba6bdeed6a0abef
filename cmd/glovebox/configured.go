package main

import (
	"io"
	"os"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/runtime"
)

// place is where this program keeps and finds things.
func place() (service.Place, error) {
	state, err := stateDir()
	return service.Place{State: state, Cache: cacheDir(), Lookup: os.LookupEnv}, err
}

// auditPath is the growing file of the chain that commands share.
func auditPath(l *config.Loaded) (string, error) {
	p, err := place()
	if l.Audit.File != "" {
		err = nil // no place is needed
	}
	return p.Audit(l), err
}

// openRuntimeConfig is what the configuration says about running tools, with the
// audit opened.
func openRuntimeConfig(l *config.Loaded, stderr io.Writer) (c runtime.Config, closeAudit func() error, err error) {
	p, err := place()
	if err != nil && l.Audit.File == "" {
		return c, nil, err
	}
	return service.OpenRuntimeConfig(l, p, nil, tellOn(stderr))
}
