package service

import (
	"cmp"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver/certificate"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/oauth"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/contract"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// OpenRuntimeConfig returns a configuration's settings for running tools, with the
// audit opened. with has what the caller adds to the audit's options.
func OpenRuntimeConfig(l *config.Loaded, p Place, with audit.Options, tell func(Event)) (c runtime.Config, closeAudit func() error, err error) {
	with.Anchor, with.SyncAlways, with.SegmentSize = p.Anchor(l), l.Audit.Sync == "always", int64(l.Audit.SegmentSize)
	log, err := audit.Open(p.Audit(l), with)
	if err != nil {
		return c, nil, err
	}
	if c, err = runtimeConfig(l, p, log, tell); err != nil {
		log.Close()
		return c, nil, err
	}
	return c, log.Close, nil
}

// runtimeConfig reads the files that the configuration names. It shares nothing but
// the audit with a runtime that is open.
func runtimeConfig(l *config.Loaded, p Place, log *audit.Log, tell func(Event)) (c runtime.Config, err error) {
	c = runtime.Config{
		Engine:   jsengine.Config{CacheDir: p.Cache},
		Baseline: l.Posture.Baseline, Ceiling: l.Posture.Ceiling,
		Limits: callLimits(l), Audit: log, AuditOptional: l.Audit.Optional,
	}
	if c.Lookup, err = Secrets(string(l.World.Secrets), p.lookup); err != nil {
		return c, err
	}
	if l.Sanitiser != (config.Sanitiser{}) {
		if c.Sanitiser, err = Sanitiser(string(l.Sanitiser.Policy), string(l.Sanitiser.Gitleaks), tell); err != nil {
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

// Secrets looks in the operator's file, if there is one, before the environment.
func Secrets(path string, environment catalog.Lookup) (catalog.Lookup, error) {
	if path == "" {
		return environment, nil
	}
	file, err := runtime.ReadSecrets(path)
	if err != nil {
		return nil, err
	}
	return catalog.FirstOf(file, environment), nil
}

// Sanitiser combines the operator's policy and rules with the built-in rules.
// Either file may be empty. It reports rules that cannot be used.
func Sanitiser(policyFile, gitleaksFile string, tell func(Event)) (*egress.Sanitiser, error) {
	config := egress.Config{Policy: egress.DefaultPolicy()}
	if policyFile != "" {
		text, err := os.ReadFile(policyFile)
		if err != nil {
			return nil, err
		}
		if config, err = egress.ParseConfig(text); err != nil {
			return nil, fmt.Errorf("%s: %w", policyFile, err)
		}
	}
	if gitleaksFile != "" {
		text, err := os.ReadFile(gitleaksFile)
		if err != nil {
			return nil, err
		}
		list, skipped, err := rules.ImportGitleaks(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", gitleaksFile, err)
		}
		for _, s := range skipped {
			if tell != nil {
				tell(RuleUnused{gitleaksFile, s.ID, s.Reason})
			}
		}
		config.Rules = append(config.Rules, list...)
	}
	engine, err := egress.NewEngine(append(rules.Builtin(), config.Rules...))
	if err != nil {
		return nil, err
	}
	return egress.New(engine, config.Policy), nil
}

// LendFolders opens the folders that tools may work in, if one is named, and read.
func LendFolders(w *host.World, workspace string, readRoots []config.Path) (closeFolders func(), err error) {
	var opened []io.Closer
	closeFolders = func() {
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
			closeFolders()
			return nil, err
		}
		opened = append(opened, root)
		w.ReadRoots = append(w.ReadRoots, root)
	}
	return closeFolders, nil
}

// certificates opens what the endpoint shows; nil for plain HTTP.
func certificates(l *config.Loaded, p Place, log *slog.Logger) (*certificate.Source, error) {
	s, err := certificate.Open(certificate.Config{
		File: string(l.TLS.Certificate), Key: string(cmp.Or(l.TLS.Key, l.TLS.Certificate)), Names: l.TLS.Names, Directory: l.TLS.Directory, Email: l.TLS.Email, Roots: string(l.TLS.CA),
		Folder: p.certificates(), Logger: log,
	})
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	return s, nil
}

// Guard returns the guard for access tokens of clients of a URL; nil if there is no
// issuer.
func Guard(l *config.Loaded, addr string) (*oauth.Guard, error) {
	if l.OAuth.Issuer == "" {
		return nil, nil
	}
	c, err := l.OAuth.Guarding(addr)
	if err != nil {
		return nil, err
	}
	if c.Roots, err = roots(string(l.OAuth.CA)); err != nil {
		return nil, fmt.Errorf("oauth.ca: %w", err)
	}
	return oauth.Open(c)
}

// roots reads the authorities that an issuer's certificate must be signed by; nil, for the
// system's, without a file.
func roots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("there is no certificate in %s", file)
	}
	return pool, nil
}

// Cluster returns the cluster that replaces the state folder.
func Cluster(l *config.Loaded, log *slog.Logger) store.Cluster {
	n := l.State.NATS
	return store.Cluster{
		URL: n.URL, Credentials: string(n.Credentials), NKey: string(n.NKey), CA: string(n.CA),
		Certificate: string(n.Certificate), Key: string(n.Key), Replicas: n.Replicas, Logger: log,
	}
}

// riskContract returns the contract behind the two contract tools; nil if there is
// none.
func riskContract(path string) (*contract.Contract, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	found, err := contract.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return found, nil
}
