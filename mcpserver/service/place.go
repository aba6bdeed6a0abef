package service

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/config"
)

// Place is where a program keeps and finds things.
type Place struct {
	// State is the folder for what must survive: the audit chain, pass records, the
	// token, questions and answers. One process at a time owns it.
	State string
	// Cache is the folder for what can be made again: the linked guest and its machine
	// code. Empty costs time at each start and nothing else.
	Cache string
	// Lookup finds environment variables: the token, and the secrets that no file
	// has. Nil knows none.
	Lookup catalog.Lookup
}

func (p Place) lookup(name string) (string, bool) {
	if p.Lookup == nil {
		return "", false
	}
	return p.Lookup(name)
}

// Anchor is where the checkpoint of the chain is kept. Without a setting it is in the
// state folder, outside the folder of the chain.
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

// Audit is the growing file of the audit chain.
func (p Place) Audit(l *config.Loaded) string {
	if l.Audit.File != "" {
		return string(l.Audit.File)
	}
	return filepath.Join(p.State, "audit", "audit.jsonl")
}

// Bundle is the bundle that the operator's own specs are saved to and served from,
// unless the configuration names another one.
func (p Place) Bundle(l *config.Loaded) string {
	if l.Specs.Bundle != "" {
		return string(l.Specs.Bundle)
	}
	return filepath.Join(p.State, "library", "bundle.json")
}

// Passes is the file of pass records.
func (p Place) Passes() string { return filepath.Join(p.State, "passes.json") }

// Store is the folder of questions and answers.
func (p Place) Store() string { return filepath.Join(p.State, "store") }

// Token is the file of the token that clients over HTTP send.
func (p Place) Token(l *config.Loaded) string {
	if l.Token.File != "" {
		return string(l.Token.File)
	}
	return filepath.Join(p.State, "token")
}

func (p Place) workspaces() string { return filepath.Join(p.State, "workspaces") }
