package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
)

// upstreamFlags describe a server.
type upstreamFlags struct {
	env, passEnv, headers, mayRead, mayWrite, set    []string
	dir, sandbox, era, memory                        string
	require, private, sse, singleton                 bool
	each                                             time.Duration
	concurrency                                      int
	auth                                             signin.Config
	trust, cosmetic, withhold, elicit, sample, roots bool
	quarantine                                       bool
}

func (u *upstreamFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&u.env, "env", nil, "a variable of the program, as `NAME=VALUE`; secrets as NAME='${NAME}'")
	f.StringArrayVar(&u.passEnv, "pass-env", nil, "a `VARIABLE` of the gateway that the program gets as well")
	f.StringVar(&u.dir, "dir", "", "the working folder of the program")
	f.StringVar(&u.sandbox, "sandbox", "", "what the program is kept from (Linux): none, files or files+network")
	f.BoolVar(&u.singleton, "singleton", false, "it may run only once: one server of a cluster runs it and makes the calls of all")
	f.BoolVar(&u.require, "require", false, "do not start the program where the sandbox cannot be kept")
	f.StringArrayVar(&u.mayRead, "may-read", nil, "a `PATH` that the program may read in a sandbox")
	f.StringArrayVar(&u.mayWrite, "may-write", nil, "a `PATH` that the program may read and write in a sandbox")
	f.StringVar(&u.memory, "max-memory", "", "the most memory of the program, such as 512MiB")
	f.StringArrayVar(&u.headers, "header", nil, "a header of every request, as `'NAME: VALUE'`; secrets as 'Authorization: Bearer ${NAME}'")
	f.BoolVar(&u.private, "allow-private", false, "the server may be on this machine or in a private network")
	f.StringVar(&u.auth.Grant, "auth", "", "how OAuth tokens for it are got: none, code (a person signs in) or client_credentials")
	f.StringVar(&u.auth.ClientID, "client-id", "", "the gateway's `NAME` at the issuer of the tokens")
	f.StringVar(&u.auth.ClientSecret, "client-secret", "", "its secret there, as `'${NAME}'`")
	f.StringVar(&u.auth.ClientMetadata, "client-metadata", "", "the https `URL` of a document that describes the gateway to issuers that read one")
	f.StringVar(&u.auth.Issuer, "issuer", "", "the one issuer to trust, by its `URL`")
	f.StringArrayVar(&u.auth.Scopes, "scope", nil, "a `SCOPE` to ask for (default what the server says it needs)")
	f.IntVar(&u.auth.RedirectPort, "redirect-port", 0, "the loopback port that the browser comes back to (default any)")
	f.BoolVar(&u.sse, "sse-transport", false, "the server speaks the transport of 2024-11-05")
	f.StringVar(&u.era, "era", "", "the protocol: auto, legacy or modern")
	f.DurationVar(&u.each, "request-timeout", 0, "the longest that one request takes (default 2m)")
	f.IntVar(&u.concurrency, "concurrency", 0, "the most requests at one time (default 16)")
	f.StringArrayVar(&u.set, "set", nil, "a value that the catalog entry or bundle asks for, as `NAME=VALUE`")
	oneOf(cmd, "sandbox", "none", "files", "files+network")
	oneOf(cmd, "auth", "none", signin.Code, signin.ClientCredentials)
	oneOf(cmd, "era", "auto", "legacy", "modern")
}

func (u *upstreamFlags) addPolicy(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&u.trust, "trust", false, "accept its tools at first sight, unless they read like an attack")
	f.BoolVar(&u.cosmetic, "pass-cosmetic", false, "accept changes of spacing, case, punctuation and icons")
	f.BoolVar(&u.withhold, "withhold-poisoned", false, "withhold results with text that gives orders, instead of marking them")
	f.BoolVar(&u.elicit, "allow-elicitation", false, "let it ask the users of clients")
	f.BoolVar(&u.sample, "allow-sampling", false, "let it use the models of clients")
	f.BoolVar(&u.roots, "allow-roots", false, "let it ask clients which folders they work in")
	f.BoolVar(&u.quarantine, "quarantine", false, "keep it unreached until glovebox upstream enable")
}

func (u *upstreamFlags) policy() (p exposure.Policy) {
	if u.trust {
		p.FirstSight = exposure.Trust
	}
	if u.cosmetic {
		p.Cosmetic = exposure.PassCosmetic
	}
	if u.withhold {
		p.PoisonedResults = exposure.Withhold
	}
	if u.elicit {
		p.Elicitation = exposure.Allow
	}
	if u.sample {
		p.Sampling = exposure.Allow
	}
	if u.roots {
		p.Roots = exposure.Allow
	}
	return p
}

// registration makes a registration of a name, and a URL, a command or neither, which
// means the catalog.
func (u *upstreamFlags) registration(name, url string, command []string) (r exposure.Registration, err error) {
	r = exposure.Registration{Config: upstream.Config{Name: name}, Origin: exposure.ByCommand, State: exposure.Enabled, Policy: u.policy()}
	if u.quarantine {
		r.State = exposure.Quarantined
	}
	c := &r.Config
	switch {
	case url != "" && len(command) > 0:
		return r, errors.New("a server has a URL or a command, not both")
	case url != "":
		c.Kind, c.URL = upstream.HTTP, url
	case len(command) > 0:
		c.Kind, c.Command = upstream.Stdio, command
	default:
		if err := u.fromCatalog(&r); err != nil {
			return r, err
		}
	}
	if u.sse {
		c.Kind = upstream.SSE
	}
	if len(u.set) > 0 && r.Entry == "" {
		return r, errors.New("--set gives what a catalog entry asks for; nothing asks here")
	}
	c.PassEnv, c.Sandbox, c.Require, c.Singleton, c.AllowPrivate, c.Era, c.Concurrency = u.passEnv, u.sandbox, u.require, u.singleton, u.private, u.era, u.concurrency
	c.Timeout, c.Auth = upstream.Duration(u.each), u.auth
	if c.Auth.Grant == "none" {
		c.Auth.Grant = ""
	}
	if u.memory != "" {
		size, err := humanize.ParseBytes(u.memory)
		if err != nil || size > 1<<50 {
			return r, fmt.Errorf("--max-memory %s is no size; write one such as 512MiB", u.memory)
		}
		c.Limits.Memory = int64(size)
	}
	if c.Dir, err = absolute(u.dir); err == nil {
		c.Files.Read, err = allAbsolute(u.mayRead)
	}
	if err == nil {
		c.Files.Write, err = allAbsolute(u.mayWrite)
	}
	if err == nil {
		err = gateway.Pairs(c, u.env, u.headers)
	}
	return r, err
}

func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return filepath.Abs(path)
}

func allAbsolute(paths []string) (all []string, err error) {
	for _, path := range paths {
		whole, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		all = append(all, whole)
	}
	return all, nil
}

// fromCatalog fills a registration in from the catalog of known servers.
func (u *upstreamFlags) fromCatalog(r *exposure.Registration) error {
	known, err := servers.Bundled()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(known, func(e servers.Entry) bool { return e.ID == r.Config.Name })
	if i < 0 {
		var ids []string
		for _, e := range known {
			ids = append(ids, e.ID)
		}
		return fmt.Errorf("%q is not in the catalog of known servers%s; add a URL, or a command after --", r.Config.Name, didYouMean(nearest(r.Config.Name, ids), ""))
	}
	values := map[string]string{}
	for _, text := range u.set {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("--set %s: write NAME=VALUE", text)
		}
		values[name] = value
	}
	u.env, u.headers, err = gateway.FromCatalog(known[i], r, values, u.env, u.headers)
	return err
}

// target splits the words of a verb: NAME, perhaps a URL, perhaps a command after --.
func target(cmd *cobra.Command, args []string, named bool) (name, url string, command []string, err error) {
	words := args
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		words, command = args[:dash], args[dash:]
	}
	if named {
		if len(words) == 0 {
			return "", "", nil, errors.New("give the server a name: glovebox upstream add NAME [URL | -- COMMAND...]")
		}
		name, words = words[0], words[1:]
	}
	switch {
	case len(words) > 1, len(words) == 1 && !strings.Contains(words[0], "://"):
		return "", "", nil, fmt.Errorf("%q is no URL; a command follows after --", words[0])
	case len(words) == 1:
		url = words[0]
	}
	return name, url, command, nil
}

func newUpstreamAdd() *cobra.Command {
	var v gatewayVerbs
	var u upstreamFlags
	cmd := &cobra.Command{
		Use:   "add NAME [URL | -- COMMAND...]",
		Short: "Register a server, without reaching it",
		Long: `Register a server, without reaching it: one of the catalog of known servers (glovebox
catalog servers), one at a URL, or a program that is started without a shell. Its
level is printed. What needs a secret refers to it as ${NAME}, in single quotes.`,
		Example: `  glovebox upstream add github
  glovebox upstream add wiki https://mcp.deepwiki.com/mcp
  glovebox upstream add files --sandbox files --may-read ~/notes -- npx -y @modelcontextprotocol/server-filesystem ~/notes`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, url, command, err := target(cmd, args, true)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			r, err := u.registration(name, url, command)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			var s gateway.Server
			if err := v.do(cmd, "add", r, &s); err != nil {
				return err
			}
			if err := v.print(cmd, s, func(out io.Writer) { writeAdded(out, &s) }); err != nil {
				return err
			}
			v.nextFor(cmd, &s)
			return nil
		},
	}
	u.add(cmd)
	u.addPolicy(cmd)
	v.bindJSON(cmd)
	return cmd
}

func writeAdded(out io.Writer, s *gateway.Server) {
	fmt.Fprintf(out, "%s: %s%s\n", s.Name(), s.Risk.Chip, matched(s.Risk))
	if s.Scan != nil {
		fmt.Fprintf(out, "scan: %s\n", oneLine(lastScan(s)))
	}
	if len(s.Unset) > 0 {
		fmt.Fprintf(out, "not set: %s; put them into the environment of the gateway, or into the file of world.secrets\n", strings.Join(s.Unset, ", "))
	}
}

func newUpstreamPreview() *cobra.Command {
	var v gatewayVerbs
	var u upstreamFlags
	cmd := &cobra.Command{
		Use:   "preview {URL | CATALOG-ID | -- COMMAND...}",
		Short: "Say how risky a server is before anything of it is kept",
		Long:  `Say how risky a server is before anything of it is kept: the level, the axes and what drove them, the floor, and the catalog entry that it matches. Nothing is reached.`,
		Example: `  glovebox upstream preview https://mcp.example.com/mcp
  glovebox upstream preview -- npx -y @modelcontextprotocol/server-memory`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "preview"
			if len(args) == 1 && cmd.ArgsLenAtDash() < 0 && !strings.Contains(args[0], "://") {
				name, args = args[0], nil
			}
			_, url, command, err := target(cmd, args, false)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			r, err := u.registration(name, url, command)
			if err == nil {
				err = r.Config.Check()
			}
			if err != nil {
				return exitWith(exitUsage, errors.New(oneLine(err.Error())))
			}
			known, err := servers.Bundled()
			if err != nil {
				return err
			}
			risk := gateway.Preview(r, known, time.Now())
			return v.print(cmd, risk, func(out io.Writer) { fmt.Fprint(out, risk.Explained) })
		},
	}
	u.add(cmd)
	v.bindJSON(cmd)
	return cmd
}

func sortedNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
