package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

// live is a server and what a change of its configuration replaces. Everything
// that can fail is tried before anything is replaced, so a change counts as a whole
// or not at all.
type live struct {
	ctx      context.Context
	stdio    bool // there is no endpoint that asks for a token
	state    string
	stderr   io.Writer
	server   *mcpserver.Server
	observed *telemetry.Telemetry
	engine   *runtime.Runtime // owns the engine that all runtimes share
	world    host.World
	started  *config.Loaded // what needs a restart stays as it is here

	changing sync.Mutex      // held for one change
	withheld map[string]bool // what was told to be; of whoever changes

	mu      sync.Mutex
	counts  *config.Loaded
	config  runtime.Config
	rt      *runtime.Runtime
	stock   *stock
	unwatch context.CancelFunc // stops watching the stock
	token   mcpserver.Token
	letsIn  bool // the token is the one that clients must send
}

// start offers the tools, and watches them and the configuration until ctx ends.
func (v *live) start(ctx context.Context, cmd *cobra.Command, s *settings) error {
	sources, err := s.sources(cmd)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	v.ctx, v.withheld = ctx, map[string]bool{}
	v.offer(nil)
	v.mentionStrangers()
	v.unwatch = v.watch(v.stock)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	watched := config.Watched{Sources: sources, Files: v.files, Again: hangup, Changed: v.change}
	if folder := configDir(); folder != "" {
		watched.Default = filepath.Join(folder, "config.yaml")
	}
	go func() {
		defer signal.Stop(hangup)
		if err := config.Watch(ctx, watched, v.started); err != nil {
			fmt.Fprintf(v.stderr, "glovebox: %v\n", err)
		}
	}()
	return nil
}

// files are the files that a configuration names and whose content counts.
func (v *live) files(l *config.Loaded) (paths []string) {
	if !v.stdio && !l.Token.None {
		paths = append(paths, v.tokenFile(l))
	}
	for _, p := range []config.Path{l.World.Secrets, l.Sanitiser.Policy, l.Sanitiser.Gitleaks} {
		if p != "" {
			paths = append(paths, string(p))
		}
	}
	return paths
}

func (v *live) tokenFile(l *config.Loaded) string {
	if l.Token.File != "" {
		return string(l.Token.File)
	}
	return filepath.Join(v.state, "token")
}

// change takes a configuration that was read again.
func (v *live) change(l *config.Loaded, files []string, err error) {
	v.changing.Lock()
	defer v.changing.Unlock()
	if err == nil {
		err = v.apply(l, files)
	}
	if err != nil {
		fmt.Fprintf(v.stderr, "glovebox: the configuration was not changed, what was read before stays:\n%v\n", err)
	}
}

func (v *live) apply(l *config.Loaded, files []string) error {
	var now, later []string
	moved := map[string]bool{}
	for _, k := range config.Changed(&v.counts.Config, &l.Config) {
		moved[k.Path] = true
		if k.Live {
			now = append(now, k.Path)
		}
	}
	for _, k := range config.Changed(&v.started.Config, &l.Config) {
		if !k.Live {
			later = append(later, k.Path)
		}
	}
	fitted, _, _ := fit(l)
	fresh, err := runtimeConfig(fitted, v.config.Audit, v.stderr)
	if err != nil {
		return err
	}
	fresh.AuditOptional = v.config.AuditOptional
	rt := v.rt
	if prepares(moved) || l.World.Secrets != "" || l.Sanitiser != (config.Sanitiser{}) {
		if rt, err = v.engine.With(fresh); err != nil {
			return err
		}
	}
	specs := v.stock
	if moved["specs.folders"] || moved["specs.bundle"] || moved["specs.preset"] {
		if specs, err = openStock(l); err != nil {
			return err
		}
	}
	token := v.token
	if v.letsIn {
		if token, err = v.tokenNow(l); err != nil {
			return err
		}
	}

	v.mu.Lock()
	v.counts, v.config, v.rt, v.stock = l, fresh, rt, specs
	revoked := token.ID() != v.token.ID()
	v.token = token
	v.mu.Unlock()
	v.world.AllowOpen = l.World.AllowOpen
	v.server.Govern(termsOf(l, v.world, rt))
	v.observed.SetLogLevel(l.Telemetry.LogLevel)
	if revoked {
		v.server.EndSessions()
		now = append(now, "the token")
	}
	if moved["specs.folders"] || moved["specs.bundle"] || moved["specs.preset"] {
		v.unwatch()
		v.unwatch = v.watch(specs)
	}
	v.offer(nil)
	if moved["policy.tools"] {
		v.mentionStrangers()
	}
	for _, file := range files {
		switch {
		case file != v.tokenFile(l) && file != l.File:
			now = append(now, "the content of "+file)
		case len(files) == 1 && file != l.File && !revoked:
			return nil // the first start made the token
		}
	}
	said := "the configuration was read again"
	if len(now) > 0 {
		said += "; changed: " + strings.Join(now, ", ")
	}
	if len(later) > 0 {
		said += "; needs a restart: " + strings.Join(later, ", ")
	}
	fmt.Fprintf(v.stderr, "glovebox: %s\n", said)
	return nil
}

// prepares reports whether the tools have to be resolved and prepared again.
func prepares(moved map[string]bool) bool {
	for path := range moved {
		if group, _, _ := strings.Cut(path, "."); group == "limits" || group == "posture" || group == "sanitiser" || path == "world.secrets" {
			return true
		}
	}
	return false
}

// watch offers the tools of a stock again after each change of it.
func (v *live) watch(s *stock) (stop context.CancelFunc) {
	ctx, stop := context.WithCancel(v.ctx)
	go func() {
		err := s.specs.Watch(ctx, func(reloaded error) {
			v.changing.Lock()
			defer v.changing.Unlock()
			if ctx.Err() == nil {
				v.offer(reloaded)
			}
		})
		if err != nil {
			fmt.Fprintf(v.stderr, "glovebox: specs are not watched: %v\n", err)
		}
	}()
	return stop
}

// offer puts the tools before the clients, and says which are withheld.
func (v *live) offer(reloaded error) {
	v.mu.Lock()
	shelf := shelf{stock: v.stock, lookup: v.config.Lookup, rt: v.rt, server: v.server, stderr: v.stderr, said: v.withheld}
	v.mu.Unlock()
	shelf.offer(reloaded)
}

// mentionStrangers names the tools that the policy speaks of and that are not here:
// a misspelt name would refuse nothing in silence.
func (v *live) mentionStrangers() {
	here := map[string]bool{}
	for _, e := range v.stock.specs.Entries() {
		here[e.Spec.Name()] = true
	}
	for _, name := range slices.Sorted(maps.Keys(v.counts.Policy.Tools)) {
		if of, _, _ := strings.Cut(strings.TrimPrefix(name, risk.Library+"/"), "@"); !here[of] && !strings.Contains(of, "/") {
			fmt.Fprintf(v.stderr, "glovebox: policy.tools speaks of %q, and no tool here has that name\n", name)
		}
	}
}

// door is who is let in at the moment, and under which names.
func (v *live) door() (mcpserver.Token, []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.token, v.counts.Hosts
}

// admit finds the token that clients must send, or makes one; made is its text
// then.
func (v *live) admit() (made string, err error) {
	v.changing.Lock()
	defer v.changing.Unlock()
	token, err := v.tokenNow(v.counts)
	if errors.Is(err, os.ErrNotExist) && v.counts.Token.File == "" {
		token, made, err = mcpserver.EnsureToken(v.tokenFile(v.counts))
	}
	if err != nil {
		return "", err
	}
	v.mu.Lock()
	v.token, v.letsIn = token, true
	v.mu.Unlock()
	return made, nil
}

// tokenNow reads the token: of its file, of its variable, or the one that an
// earlier start made.
func (v *live) tokenNow(l *config.Loaded) (t mcpserver.Token, err error) {
	text, inEnvironment := os.LookupEnv(l.Token.Env)
	switch {
	case l.OAuth.Issuer != "" && !l.OAuth.WithToken && inEnvironment:
		return t, fmt.Errorf("%s holds a token, and --oauth-issuer admits access tokens alone; say --oauth-with-token to admit both", l.Token.Env)
	case l.OAuth.Issuer != "" && !l.OAuth.WithToken:
		return t, nil // which admits nobody
	case l.Token.None && inEnvironment:
		return t, fmt.Errorf("--no-token, and a token is given in %s", l.Token.Env)
	case l.Token.None:
		return t, nil
	case l.Token.File == "" && inEnvironment:
		if t, err = mcpserver.NewToken(text); err != nil {
			err = fmt.Errorf("%s: %w", l.Token.Env, err)
		}
		return t, err
	}
	return mcpserver.ReadToken(v.tokenFile(l))
}
