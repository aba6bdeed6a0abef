package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver/probe"
	"github.com/glovebox-run/glovebox/mcpserver/probe/active"
	"github.com/glovebox-run/glovebox/mcpserver/probe/dcr"
	"github.com/glovebox-run/glovebox/mcpserver/published"
	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/session"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/glovebox-run/glovebox/risk/score"
	"github.com/glovebox-run/glovebox/risk/score/advisory"
)

// maxAtOnce is how many servers are scanned at the same time: each takes four
// connections, and a home router has room for a few hundred.
const maxAtOnce = 16

// serverScan is the scan of servers: its flags, and what they lead to.
type serverScan struct {
	kept                        *scanStore
	clients, contact, start     bool
	active, register            bool
	profile, vantage, sandbox   string
	headers, advisories, env    []string
	sse, allowPrivate, noRecord bool
	baseline, writeBaseline     string
	lock, writeLock, reason     string
	offline                     bool
	registries                  map[string]string
}

func (s *serverScan) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.clients, "clients", false, "list the servers that MCP clients on this machine are configured with")
	f.BoolVar(&s.contact, "contact", false, "with --clients: scan those that are URLs")
	f.BoolVar(&s.start, "start", false, "agree that programs are started, which runs them as you")
	f.BoolVar(&s.active, "active", false, "also call up to three tools that only read, to see whether they follow their schemas; "+activeVariable+"=1 has to allow it")
	f.BoolVar(&s.register, "register", false, "where a server demands authorization, register a client with its authorization server and scan with a token of it (client credentials, kept nowhere)")
	profileFlag(cmd, &s.profile)
	f.StringVar(&s.vantage, "vantage", "", "where this scan runs, in your words, for the report")
	f.StringVar(&s.sandbox, "sandbox", string(process.None), "what a program may reach: none (no sandbox), files or files+network")
	oneOf(cmd, "sandbox", string(process.None), string(process.Files), string(process.FilesAndNetwork))
	f.StringArrayVar(&s.env, "pass-env", nil, "a `VARIABLE` that a program gets beside PATH, HOME and LANG")
	f.StringArrayVar(&s.headers, "header", nil, "a `HEADER` for the server, such as 'Authorization: Bearer ${TOKEN}'; ${NAME} is a variable of the environment")
	f.BoolVar(&s.sse, "http-sse", false, "the server speaks the older transport, HTTP+SSE")
	f.BoolVar(&s.allowPrivate, "allow-private", false, "scan private addresses, this machine included")
	advisoryFlag(cmd, &s.advisories)
	f.BoolVar(&s.offline, "offline", false, "ask no registry which version of a known server is published")
	f.StringToStringVar(&s.registries, "registry", nil, "ask `KIND=URL` instead of the public registry; KIND is npm, pypi or go")
	f.BoolVar(&s.noRecord, "no-history", false, "neither compare with earlier scans nor keep this one")
	f.StringVar(&s.baseline, "baseline", "", "a `FILE` of accepted findings, which are not reported again before their date")
	f.StringVar(&s.writeBaseline, "write-baseline", "", "accept what is found now, for 90 days, in this `FILE`; needs --reason")
	f.StringVar(&s.reason, "reason", "", "why the findings are accepted")
	f.StringVar(&s.lock, "lock", "", "end with 1 if a server is not as it was locked in this `FILE`")
	f.StringVar(&s.writeLock, "write-lock", "", "lock the servers as they are, in this `FILE`")
	cmd.MarkFlagsMutuallyExclusive("lock", "write-lock")
	cmd.MarkFlagsRequiredTogether("write-baseline", "reason")
}

func profileFlag(cmd *cobra.Command, profile *string) {
	cmd.Flags().StringVar(profile, "profile", string(score.Refined), "the rules: classic (the published ones) or refined (verbs and objects instead of keywords)")
	oneOf(cmd, "profile", string(score.Classic), string(score.Refined))
}

func advisoryFlag(cmd *cobra.Command, files *[]string) {
	cmd.Flags().StringArrayVar(files, "advisories", nil, "further `FILE` of vulnerable builds in OSV's format")
}

// judged is one server that was looked at.
type judged struct {
	seen   score.Observation
	report score.Report
	before *score.Report // of the last scan, if there was one
	old    *score.Observation
	walled error // why --register got no token
	err    error
}

// activeVariable allows the active probe on this machine; --active asks for it.
const activeVariable = "GLOVEBOX_ACTIVE_SCAN"

// acceptedFor is how long --write-baseline accepts findings: a quarter.
const acceptedFor = 90 * 24 * time.Hour

// scan looks at the targets, scores them, keeps the scans and prints them.
func (s *serverScan) scan(cmd *cobra.Command, targets []score.Target, print func(io.Writer, []*judged, score.Baseline) error, failed func([]score.Result) bool) error {
	profile, err := score.ParseProfile(s.profile)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	known, err := s.known()
	if err != nil {
		return exitWith(exitUsage, err)
	}
	accepted, err := readOr(s.baseline, score.ParseBaseline)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	lock, err := readOr(s.lock, score.ParseLock)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	prober, err := s.prober()
	if err != nil {
		return exitWith(exitUsage, err)
	}
	versions, err := s.versions()
	if err != nil {
		return exitWith(exitUsage, err)
	}
	kept := &history{}
	if !s.noRecord {
		kept = s.kept.history(cmd)
	}
	defer kept.close()
	if coded := (*exitError)(nil); errors.As(kept.err, &coded) {
		return kept.err
	}
	all := s.look(cmd.Context(), prober, versions, targets)
	incomplete := false
	for _, j := range all {
		if j.err != nil {
			if errors.Is(j.err, active.ErrClosed) {
				return exitWith(exitUsage, fmt.Errorf("%w: set %s=1 beside --active", j.err, activeVariable))
			}
			if errors.Is(j.err, probe.ErrTarget) {
				return exitWith(exitUsage, j.err)
			}
			return exitWith(exitIncomplete, j.err)
		}
		if err := kept.judge(cmd.Context(), j, profile, known); err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: the scan is not kept: %v\n", err)
		}
		if j.walled != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %s: no token: %s\n", oneLine(j.seen.Target.URL), oneLine(j.walled.Error()))
		}
		if !j.report.Scored {
			incomplete = true
			for _, f := range j.seen.Failures {
				fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %s: %s\n", oneLine(f.At), oneLine(f.Why))
			}
		}
	}
	if !s.noRecord {
		kept.close() // whoever is told reads it
		tellScanned(cmd)
	}
	if err := print(cmd.OutOrStdout(), all, accepted); err != nil {
		return exitWith(exitIncomplete, err)
	}
	return s.conclude(cmd, all, accepted, lock, incomplete, failed)
}

// conclude writes the files that were asked for and chooses the exit code.
func (s *serverScan) conclude(cmd *cobra.Command, all []*judged, accepted score.Baseline, lock score.Lock, incomplete bool, failed func([]score.Result) bool) error {
	no := false
	var locked score.Lock
	next := score.Baseline{Version: 1, Accepted: []score.Accepted{}}
	for _, j := range all {
		open := accepted.Open(&j.report, time.Now())
		no = no || failed(open)
		if s.lock != "" {
			for _, d := range lock.Differences(&j.seen, &j.report) {
				no = true
				fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %s: %s\n", oneLine(j.seen.Target.Identity()), oneLine(d))
			}
		}
		locked.Add(&j.seen, &j.report)
		next.Accepted = append(next.Accepted, score.BaselineOf(&j.report, s.reason, time.Now().Add(acceptedFor)).Accepted...)
	}
	for file, value := range map[string]any{s.writeLock: locked, s.writeBaseline: next} {
		if file != "" {
			if err := writeJSON(file, value); err != nil {
				return exitWith(exitUsage, err)
			}
		}
	}
	switch {
	case incomplete:
		return exitWith(exitIncomplete, errors.New("nothing proves that this is an MCP server, so there is no score"))
	case no && s.writeLock == "" && s.writeBaseline == "":
		return exitWith(exitNo, nil)
	}
	return nil
}

func (s *serverScan) known() (advisory.List, error) { return advisoriesWith(s.advisories) }

// advisoriesWith adds the operator's files to the bundled advisories.
func advisoriesWith(files []string) (advisory.List, error) {
	all, err := advisory.Bundled()
	for _, file := range files {
		more, fileErr := readOr(file, advisory.Parse)
		if fileErr != nil {
			return nil, fileErr
		}
		all = append(all, more...)
	}
	return all, err
}

// prober builds what looks at servers.
func (s *serverScan) prober() (*probe.Prober, error) {
	o, err := s.options()
	return probe.New(o), err
}

func (s *serverScan) options() (probe.Options, error) {
	engine, err := egress.NewEngine(rules.Builtin())
	if err != nil {
		return probe.Options{}, err
	}
	o := probe.Options{
		Name: "glovebox", Version: readBuildInfo().Version, Vantage: s.vantage, Resolve: netguard.SystemResolve, Dial: netguard.SystemDial,
		AllowPrivate: s.allowPrivate, Sanitiser: egress.New(engine, egress.DefaultPolicy()), Now: time.Now, Header: http.Header{},
	}
	for _, h := range s.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return o, fmt.Errorf("--header %q: want NAME: VALUE", h)
		}
		missing := ""
		value = os.Expand(strings.TrimSpace(value), func(name string) string {
			v, ok := os.LookupEnv(name)
			if !ok {
				missing = name
			}
			return v
		})
		if missing != "" {
			return o, fmt.Errorf("--header %s: the variable %s is not set", name, missing)
		}
		o.Header.Add(strings.TrimSpace(name), value)
		o.Depth = score.APIKey
	}
	return o, nil
}

// versions returns what asks registries; nil asks nobody.
func (s *serverScan) versions() (*published.Lookup, error) {
	if s.offline {
		return nil, nil
	}
	packages, err := published.Packages()
	if err != nil {
		return nil, err
	}
	o := published.Options{Packages: packages, Bases: map[published.Registry]string{}, Agent: "glovebox/" + readBuildInfo().Version, Resolve: netguard.SystemResolve, Dial: netguard.SystemDial, Now: time.Now}
	for kind, url := range s.registries {
		o.Bases[published.Registry(kind)] = url
	}
	if p, err := place(); err == nil && !s.noRecord {
		o.Folder = p.Published()
	}
	versions, err := published.New(o)
	if err != nil {
		err = fmt.Errorf("--registry: %w", err)
	}
	return versions, err
}

// look scans the targets, some at a time, and returns them in order.
func (s *serverScan) look(ctx context.Context, p *probe.Prober, versions *published.Lookup, targets []score.Target) []*judged {
	all := make([]*judged, len(targets))
	slots := make(chan struct{}, maxAtOnce)
	var wait sync.WaitGroup
	for i, t := range targets {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			all[i] = s.lookAt(ctx, p, t)
			if o := &all[i].seen; versions != nil && o.Hello != nil {
				o.Published = versions.Of(ctx, gjson.GetBytes(o.Hello.Server, "name").Str)
			}
		})
	}
	wait.Wait()
	return all
}

func (s *serverScan) lookAt(ctx context.Context, p *probe.Prober, t score.Target) *judged {
	j := &judged{}
	var dial session.Dial
	if t.Kind == score.Stdio {
		// main has called process.Main first, so this one returns.
		dial = probe.Process(process.Main(), process.Config{Name: "scan", Command: t.Command, PassEnv: s.env, Sandbox: process.Sandbox(s.sandbox), Require: s.sandbox != string(process.None)})
		j.seen, j.err = p.Conn(ctx, t, dial)
	} else {
		j.seen, j.err = p.HTTP(ctx, t.URL, t.Kind)
	}
	if s.register && j.err == nil && j.seen.Auth != nil {
		// Without a token what anybody sees is the result.
		in, forget, err := s.signedIn(ctx, &j.seen)
		if j.walled = err; err == nil {
			defer forget()
			p = in
			j.seen, j.err = p.HTTP(ctx, t.URL, t.Kind)
		}
	}
	if !s.active || j.err != nil || j.seen.Hello == nil {
		return j
	}
	if dial == nil {
		var done func()
		if dial, done, j.err = p.Dial(t.URL, t.Kind); j.err != nil {
			return j
		}
		defer done()
	}
	passive := score.Evaluate(j.seen, score.Refined, score.Background{})
	gate := active.Gate{Machine: os.Getenv(activeVariable) == "1", Scan: s.active}
	j.seen.Active, j.err = active.Probe(ctx, gate, dial, session.Options{Name: "glovebox", Version: readBuildInfo().Version}, &j.seen, &passive)
	return j
}

// signedIn returns a prober with a token for one scan.
func (s *serverScan) signedIn(ctx context.Context, seen *score.Observation) (*probe.Prober, func(), error) {
	o, err := s.options()
	if err != nil {
		return nil, nil, err
	}
	token, err := dcr.Get(ctx, o, seen)
	if err != nil {
		return nil, nil, err
	}
	o.Header, o.Depth, o.Secrets = token.Header, score.DCR, func() []string { return token.Secrets }
	return probe.New(o), func() { token.Forget(context.WithoutCancel(ctx)) }, nil
}

// judge scores one scan beside what is known of earlier ones, and keeps it. It scores
// even if the history fails.
func (h *history) judge(ctx context.Context, j *judged, p score.Profile, known advisory.List) error {
	var bg score.Background
	err := h.err
	var before *scans.Record
	if h.scans != nil {
		bg, before, err = h.scans.Background(ctx, &j.seen)
	}
	bg.Advisories = known
	j.report = score.Evaluate(j.seen, p, bg)
	if before != nil {
		j.before, j.old = &before.Report, &before.Observation
		if before.Report.Methodology != j.report.Methodology {
			again := score.Evaluate(before.Observation, p, score.Background{Advisories: known})
			j.before = &again
		}
	}
	if h.scans != nil && err == nil {
		_, err = h.scans.Add(ctx, j.seen, j.report)
	}
	return err
}

// targets reads the words of the command line.
func (s *serverScan) targets(cmd *cobra.Command, args []string) ([]score.Target, error) {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		if dash > 0 || len(args) == 0 {
			return nil, errors.New("give either URLs or, after --, one command")
		}
		if !s.start {
			return nil, fmt.Errorf("this starts %q, which runs with your rights: add --start before the -- if you agree", args[0])
		}
		return []score.Target{{Kind: score.Stdio, Command: args}}, nil
	}
	kind := score.HTTP
	if s.sse {
		kind = score.SSE
	}
	var all []score.Target
	for _, arg := range args {
		all = append(all, score.Target{Kind: kind, URL: arg})
	}
	return all, nil
}

// readOr reads and parses a file; no file is the zero value.
func readOr[T any](file string, parse func([]byte) (T, error)) (T, error) {
	var none T
	if file == "" {
		return none, nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return none, err
	}
	value, err := parse(raw)
	if err != nil {
		return none, fmt.Errorf("%s: %w", file, err)
	}
	return value, nil
}

// isURL reports whether a word of the command line is a URL and no verb.
func isURL(word string) bool {
	return slices.ContainsFunc([]string{"http://", "https://"}, func(scheme string) bool { return strings.HasPrefix(strings.ToLower(word), scheme) })
}

// writeJSON writes a file that people read and keep in version control.
func writeJSON(file string, value any) error {
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(raw, '\n'), 0o644)
}
