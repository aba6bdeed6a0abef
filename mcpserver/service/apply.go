package service

import (
	"context"
	"crypto/tls"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

var errClosed = errors.New("the service is closed")

// Apply puts another configuration into effect, as a whole or not at all:
// everything that can fail is tried before anything is replaced. Keys that need a
// restart keep their values and are reported. The files that the configuration
// names are read again. files are those of them that are known to have changed, for
// [Applied]; may be nil.
func (s *Service) Apply(l *config.Loaded, files []string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.closed {
		return errClosed
	}
	c, err := s.prepareChange(l)
	if err != nil {
		return err
	}
	s.replace(c)
	if said, worth := c.applied(s.options.Place.Token(l), files); worth {
		s.options.Tell(said)
	}
	return nil
}

// change applies a configuration that was read again.
func (s *Service) change(l *config.Loaded, files []string, err error) {
	if err == nil {
		err = s.Apply(l, files)
	}
	s.badReload.Store(err != nil)
	if err != nil && !errors.Is(err, errClosed) {
		s.say(Kept{err})
	}
}

// change is everything that a new configuration replaces, prepared in advance.
type change struct {
	l          *config.Loaded
	moved      map[string]bool // the paths of the keys that changed
	now, later []string        // as reported
	config     runtime.Config
	rt         *runtime.Runtime
	judge      governed.Judge
	stock      *stock
	token      mcpserver.Token
	revoked    bool // the token was revoked
	pair       *tls.Certificate
}

// restocks reports whether specs come from another source than before.
func (c *change) restocks() bool {
	return c.moved["specs.folders"] || c.moved["specs.bundle"] || c.moved["specs.preset"] || c.moved["specs.pass_keys"]
}

// prepares reports whether the tools must be resolved and prepared again.
func (c *change) prepares() bool {
	for path := range c.moved {
		if group, _, _ := strings.Cut(path, "."); group == "limits" || group == "posture" || group == "sanitiser" || path == "world.secrets" {
			return true
		}
	}
	return c.l.World.Secrets != "" || c.l.Sanitiser != (config.Sanitiser{}) // their content may have changed
}

// prepareChange does everything that can fail, and replaces nothing.
func (s *Service) prepareChange(l *config.Loaded) (*change, error) {
	c := &change{l: l, moved: map[string]bool{}, rt: s.rt, stock: s.stock, token: s.token}
	for _, k := range config.Changed(&s.counts.Config, &l.Config) {
		c.moved[k.Path] = true
		if k.Live {
			c.now = append(c.now, k.Path)
		}
	}
	for _, k := range config.Changed(&s.started.Config, &l.Config) {
		if !k.Live {
			c.later = append(c.later, k.Path)
		}
	}
	fitted, _, _ := Fit(l)
	var err error
	if c.config, err = runtimeConfig(fitted, s.options.Place, s.config.Audit, s.options.Tell); err != nil {
		return nil, err
	}
	c.config.AuditOptional = s.config.AuditOptional
	if c.prepares() {
		if c.rt, err = s.engine.With(c.config); err != nil {
			return nil, err
		}
	}
	if c.restocks() {
		if c.stock, err = openStock(l, s.options.Place); err != nil {
			return nil, err
		}
	}
	if c.judge, err = s.judge(s.working, l); err != nil {
		return nil, err
	}
	if s.certificates != nil {
		if c.pair, err = s.certificates.Read(); err != nil {
			return nil, err
		}
	}
	if s.letsIn {
		if c.token, err = s.tokenNow(l); err != nil {
			return nil, err
		}
		c.revoked = c.token.ID() != s.token.ID()
	}
	return c, nil
}

// replace puts a change into effect.
func (s *Service) replace(c *change) {
	s.mu.Lock()
	s.counts, s.config, s.rt, s.stock, s.token = c.l, c.config, c.rt, c.stock, c.token
	s.mu.Unlock()
	if s.certificates != nil {
		s.certificates.Use(c.pair)
	}
	s.world.AllowOpen = c.l.World.AllowOpen
	s.Govern(termsOf(c.judge, s.world, c.rt))
	s.observed.SetLogLevel(c.l.Telemetry.LogLevel)
	if c.revoked {
		s.EndSessions()
	}
	if c.restocks() {
		s.unwatch()
		s.watchStock()
	}
	s.offer(nil)
	s.arrange(c.l)
	if err := s.kept.gateway.Configure(c.l.Configured()); err != nil {
		s.options.Tell(Kept{err}) // the configuration was checked; this is a bug of ours
	}
	if c.moved["policy.tools"] {
		s.mentionStrangers()
	}
}

// applied returns what to report to the operator, and whether it is worth
// reporting.
func (c *change) applied(tokenFile string, files []string) (said Applied, worth bool) {
	said = Applied{c.now, c.later}
	if c.revoked {
		said.Changed = append(said.Changed, "the token")
	}
	for _, file := range files {
		switch {
		case file != tokenFile && file != c.l.File:
			said.Changed = append(said.Changed, "the content of "+file)
		case len(files) == 1 && file != c.l.File && !c.revoked:
			return said, false // the first start made the token
		}
	}
	return said, true
}

// watchStock publishes the tools again after each change of the specs.
func (s *Service) watchStock() {
	ctx, stop := context.WithCancel(s.working)
	specs := s.stock.specs
	go func() {
		err := specs.Watch(ctx, func(reloaded error) {
			s.changing.Lock()
			defer s.changing.Unlock()
			if ctx.Err() == nil {
				s.offer(reloaded)
			}
		})
		if err != nil {
			s.say(SpecsUnwatched{err})
		}
	}()
	s.unwatch = stop
}

// offer publishes the tools to clients and reports the withheld ones.
func (s *Service) offer(reloaded error) {
	s.withheld.Store(int64(s.shelf.offer(s.rt, s.stock, s.config.Lookup, reloaded)))
	s.badStock.Store(reloaded != nil)
	if s.composer.keep(risk.Library, slices.Collect(maps.Keys(s.shelf.prepared))) {
		s.kept.gateway.Wake()
	}
}

// mentionStrangers reports tools that the policy names but that do not exist.
func (s *Service) mentionStrangers() {
	here := map[string]bool{}
	for _, e := range s.stock.specs.Entries() {
		here[e.Spec.Name()] = true
	}
	for _, name := range slices.Sorted(maps.Keys(s.counts.Policy.Tools)) {
		if of, _, _ := strings.Cut(strings.TrimPrefix(name, risk.Library+"/"), "@"); !here[of] && !strings.Contains(of, "/") {
			s.options.Tell(UnknownTool{name})
		}
	}
}

// Files returns the files that a configuration names and whose content matters:
// call Apply when one changes.
func (s *Service) Files(l *config.Loaded) (paths []string) {
	if !s.options.Stdio && !l.Token.None {
		paths = append(paths, s.options.Place.Token(l))
	}
	for _, p := range []config.Path{l.TLS.Certificate, l.TLS.Key, l.World.Secrets, l.Sanitiser.Policy, l.Sanitiser.Gitleaks, l.Labels} {
		if p != "" {
			paths = append(paths, string(p))
		}
	}
	return paths
}
