package service

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/config"
)

// Place says where a program keeps and finds things.
type Place struct {
	// State is the folder for persistent data: the audit chain, pass records, the
	// token, questions and answers. One process at a time owns it.
	State string
	// Cache is the folder for data that can be rebuilt: the linked guest and its
	// machine code. Leaving it empty only costs time at each start.
	Cache string
	// Lookup finds environment variables: the token, and the secrets that are in no
	// file. Nil finds none.
	Lookup catalog.Lookup
}

func (p Place) lookup(name string) (string, bool) {
	if p.Lookup == nil {
		return "", false
	}
	return p.Lookup(name)
}

// Anchor returns the path of the chain's checkpoint. By default it is in the state
// folder, outside the folder of the chain.
func (p Place) Anchor(l *config.Loaded) string {
	if l.Audit.Anchor != "" {
		return string(l.Audit.Anchor)
	}
	chain := p.Audit(l)
	if whole, err := filepath.Abs(chain); err == nil {
		chain = whole
	}
	if p.State == "" {
		return ""
	}
	name := sha256.Sum256([]byte(chain))
	return filepath.Join(p.State, "anchors", fmt.Sprintf("%x.note", name[:8]))
}

// Audit returns the path of the audit chain's file, which grows.
func (p Place) Audit(l *config.Loaded) string {
	if l.Audit.File != "" {
		return string(l.Audit.File)
	}
	return filepath.Join(p.State, "audit", "audit.jsonl")
}

// Bundle returns the bundle that the operator's own specs are saved to and served
// from, unless the configuration names another one.
func (p Place) Bundle(l *config.Loaded) string {
	if l.Specs.Bundle != "" {
		return string(l.Specs.Bundle)
	}
	return filepath.Join(p.State, "library", "bundle.json")
}

// Revisions returns the folder with the texts that the operator's specs had.
func (p Place) Revisions() string { return filepath.Join(p.State, "revisions") }

// SharedSpecs returns the folder with the specs that the servers of a cluster share, as
// they are copied here.
func (p Place) SharedSpecs() string { return filepath.Join(p.State, "shared-specs") }

// Keys returns the path of the keys that seal the sign-ins to other servers.
func (p Place) Keys(l *config.Loaded) string {
	if l.Gateway.KeyFile != "" {
		return string(l.Gateway.KeyFile)
	}
	return filepath.Join(p.State, "signin.key")
}

// PassKey returns the path of the key that signs passes.
func (p Place) PassKey() string {
	if p.State == "" {
		return ""
	}
	return filepath.Join(p.State, "pass.key")
}

// Passes returns the path of the pass records.
func (p Place) Passes() string { return filepath.Join(p.State, "passes.json") }

// Store returns the folder of questions and answers.
func (p Place) Store() string { return filepath.Join(p.State, "store") }

// Scores returns the folder with the last scores of servers.
func (p Place) Scores() string { return filepath.Join(p.State, "scores") }

// Published is the folder of what registries said about servers that were scanned. It
// can be deleted.
func (p Place) Published() string { return filepath.Join(p.State, "published") }

// Scans is the folder of all scans. One process at a time has it open.
func (p Place) Scans() string { return filepath.Join(p.State, "scans") }

// Token returns the path of the token that clients send over HTTP.
func (p Place) Token(l *config.Loaded) string {
	if l.Token.File != "" {
		return string(l.Token.File)
	}
	return filepath.Join(p.State, "token")
}

// certificates is the folder of certificates that an authority has made.
func (p Place) certificates() string { return filepath.Join(p.State, "certificates") }

func (p Place) workspaces() string { return filepath.Join(p.State, "workspaces") }

// Bundles returns the folder that bundles of servers are unpacked to.
func (p Place) Bundles() string { return filepath.Join(p.State, "bundles") }

// homes is the folder of the home folders of sandboxed servers.
func (p Place) homes() string { return filepath.Join(p.State, "homes") }
