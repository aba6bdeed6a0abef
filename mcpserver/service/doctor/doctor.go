// Package doctor checks everything that a service needs, and changes nothing.
//
//	Examine  runs the checks and returns a Finding for each
package doctor

import (
	"context"
	"iter"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
)

// Finding is the result of one check.
type Finding struct {
	Code  string `json:"code"` // never reused for another check
	What  string `json:"what"`
	OK    bool   `json:"ok"`
	Found string `json:"found"`
}

// Patient is what the checks examine.
type Patient struct {
	Place service.Place
	// Configuration is the one in effect. If it cannot be used, Unusable says why,
	// and the checks use the defaults.
	Configuration *config.Loaded
	Unusable      error
	// Processes starts other people's servers.
	Processes process.Supervisor
}

type doctor struct {
	ctx        context.Context
	place      service.Place
	configured *config.Loaded
	unusable   error
	processes  process.Supervisor
}

var examinations = [...]struct {
	code, what string
	check      func(*doctor) (found string, err error)
}{
	{"GBD01", "state folder", (*doctor).stateFolder},
	{"GBD02", "audit", (*doctor).audit},
	{"GBD03", "sandbox", (*doctor).sandbox},
	{"GBD04", "bundled tools", (*doctor).bundled},
	{"GBD05", "pass records", (*doctor).passes},
	{"GBD06", "token", (*doctor).token},
	{"GBD07", "address", (*doctor).address},
	{"GBD08", "clients", (*doctor).clients},
	{"GBD09", "server", (*doctor).server},
	{"GBD10", "socket", (*doctor).socket},
	{"GBD11", "configuration", (*doctor).configuration},
	{"GBD12", "named files", (*doctor).namedFiles},
	{"GBD13", "approvals", (*doctor).approvals},
	{"GBD14", "issuer", (*doctor).issuer},
	{"GBD15", "receiver", (*doctor).receiver},
	{"GBD17", "memory", (*doctor).memory},
	{"GBD18", "upstreams", (*doctor).upstreams},
	{"GBD19", "confinement", (*doctor).confinement},
	{"GBD20", "console", (*doctor).console},
}

// Examine runs the checks one by one, as the caller iterates.
func Examine(ctx context.Context, p Patient) iter.Seq[Finding] {
	d := &doctor{ctx, p.Place, p.Configuration, p.Unusable, p.Processes}
	if d.configured == nil || d.unusable != nil {
		d.configured = &config.Loaded{Config: config.Default()}
	}
	return func(yield func(Finding) bool) {
		for _, e := range examinations {
			f := Finding{Code: e.code, What: e.what, OK: true}
			var err error
			if f.Found, err = e.check(d); err != nil {
				f.OK, f.Found = false, strings.ReplaceAll(err.Error(), "\n", "; ")
			}
			if !yield(f) {
				return
			}
		}
	}
}
