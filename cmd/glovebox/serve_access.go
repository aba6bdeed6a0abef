package main

import (
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/oauth"
)

// openGuard is who answers for access tokens of clients that come to an address;
// nil when there is no issuer.
func openGuard(l *config.Loaded, addr string) (*oauth.Guard, error) {
	if l.OAuth.Issuer == "" {
		return nil, nil
	}
	c, err := l.OAuth.Guarding(addr)
	if err != nil {
		return nil, err
	}
	if path := string(l.OAuth.CA); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("oauth.ca: %w", err)
		}
		c.Roots = x509.NewCertPool()
		if !c.Roots.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("oauth.ca: there is no certificate in %s", path)
		}
	}
	return oauth.Open(c)
}

// ownWorkspaces lends every principal a workspace of its own, unless the operator
// has named one for all.
func (c *serveCommand) ownWorkspaces(state string) (lend func(principal string, world *host.World) (func(), error), closeAll func() error) {
	if c.counts.World.Workspace != "" {
		return nil, func() error { return nil }
	}
	all := files.NewWorkspaces(filepath.Join(state, "workspaces"), files.Quota{})
	return func(principal string, world *host.World) (func(), error) {
		w, done, err := all.For(workspaceOf(principal))
		world.Workspace = w
		return done, err
	}, all.Close
}

// workspaceOf names the workspace of a principal. Programs that this user starts are
// told apart by their process, which the next start is not; they share one.
func workspaceOf(principal string) string {
	if kind, _, _ := strings.Cut(principal, ":"); kind == "stdio" || kind == "local" {
		return "stdio"
	}
	return principal
}
