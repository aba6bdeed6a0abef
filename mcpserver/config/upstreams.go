package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/imports"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

// Config returns how the server is reached.
func (u Upstream) Config(name string) upstream.Config {
	c := upstream.Config{
		Name: name, Kind: u.Kind, Command: u.Command, Dir: string(u.Dir), Env: u.Env, PassEnv: u.PassEnv,
		Sandbox: u.Sandbox, Require: u.Require, Singleton: u.Singleton, Files: upstream.Files{Read: texts(u.Files.Read), Write: texts(u.Files.Write)},
		Limits: upstream.Limits{Memory: int64(u.Limits.Memory), CPU: upstream.Duration(u.Limits.CPU), Files: u.Limits.Files, Processes: u.Limits.Processes},
		URL:    u.URL, Headers: u.Headers, AllowPrivate: u.AllowPrivate,
		Auth: signin.Config(u.Auth),
		Era:  u.Era, Timeout: upstream.Duration(u.Timeout), Concurrency: u.Concurrency,
	}
	if c.Kind == "" && len(u.Command) > 0 {
		c.Kind = upstream.Stdio
	}
	c.Kind = cmp.Or(c.Kind, upstream.HTTP)
	return c
}

func texts(paths []Path) (list []string) {
	for _, p := range paths {
		list = append(list, string(p))
	}
	return list
}

// Configured returns what the file says about upstreams and compositions, as the
// gateway's registry has it.
func (c *Config) Configured() (configured exposure.Configured) {
	for _, name := range slices.Sorted(maps.Keys(c.Upstreams)) {
		u := c.Upstreams[name]
		g := exposure.Registration{Config: u.Config(name), State: exposure.Disabled, Policy: exposure.Policy{
			FirstSight: exposure.FirstSight(u.FirstSight), Cosmetic: exposure.Cosmetic(u.Cosmetic), PoisonedResults: exposure.PoisonedResults(u.PoisonedResults),
			Elicitation: exposure.Leave(u.Elicitation), Sampling: exposure.Leave(u.Sampling), Roots: exposure.Leave(u.Roots),
		}}
		if u.Enabled {
			g.State = exposure.Enabled
		}
		configured.Upstreams = append(configured.Upstreams, g)
		if e := u.exposure(name); e.All || len(e.Tools) > 0 || e.Resources || e.Prompts {
			configured.Exposures = append(configured.Exposures, e)
		}
	}
	for i, name := range slices.Sorted(maps.Keys(c.Compositions)) {
		configured.Compositions = append(configured.Compositions, c.Compositions[name].composition(name, i))
	}
	return configured
}

const everything = "*"

func (u Upstream) exposure(name string) exposure.Exposure {
	e := exposure.Exposure{Upstream: name, Prefix: u.Prefix, Approve: slices.Contains(u.Approve, everything), Resources: u.Resources, Prompts: u.Prompts, Cap: levelOf(u.Cap)}
	members := map[string]exposure.Member{}
	for _, text := range u.Expose {
		if text == everything {
			e.All = true
			continue
		}
		tool, alias, _ := strings.Cut(text, "=")
		members[tool] = exposure.Member{Tool: tool, Alias: alias}
	}
	// What is said about a tool that is offered through * makes it one of its own.
	if e.All {
		for tool := range u.Descriptions {
			members[tool] = cmp.Or(members[tool], exposure.Member{Tool: tool})
		}
		for _, tool := range u.Approve {
			if tool != everything {
				members[tool] = cmp.Or(members[tool], exposure.Member{Tool: tool})
			}
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(members)) {
		m := members[tool]
		m.Description, m.Approve = u.Descriptions[tool], e.Approve || slices.Contains(u.Approve, tool)
		e.Tools = append(e.Tools, m)
	}
	return e
}

func (c Composition) composition(name string, at int) exposure.Composition {
	made := exposure.Composition{
		Name: name, Description: c.Description, Resources: c.Resources, Prompts: c.Prompts, Cap: levelOf(c.Cap), Grade: c.Grade, Enabled: c.Enabled,
		// Of two that want the same name for a tool the older one has it: here, the
		// first by name.
		Created: time.Unix(int64(at), 0),
	}
	for _, text := range c.Tools {
		m, err := ParseMember(text)
		if err != nil {
			continue // reported when the file was read
		}
		at := m.Upstream + "/" + m.Tool
		m.Description, m.Approve = c.Descriptions[at], slices.Contains(c.Approve, everything) || slices.Contains(c.Approve, at)
		made.Members = append(made.Members, m)
	}
	return made
}

// ParseMember reads SERVER/TOOL or SERVER/TOOL=ALIAS.
func ParseMember(text string) (m exposure.Member, err error) {
	at, alias, aliased := strings.Cut(text, "=")
	server, tool, ok := strings.Cut(at, "/")
	if !ok || server == "" || tool == "" || aliased && alias == "" {
		return m, fmt.Errorf("%q is no tool of a server: write SERVER/TOOL or SERVER/TOOL=ALIAS", text)
	}
	return exposure.Member{Upstream: server, Tool: tool, Alias: alias}, nil
}

// levelOf reads a cap; none is unrated, which stands for the default.
func levelOf(text string) (level mcp.Level) {
	if level.UnmarshalText([]byte(text)) != nil {
		return mcp.Unrated
	}
	return level
}

// upstreamConflicts checks what the settings of upstreams and compositions mean
// together.
func (l *Loaded) upstreamConflicts(add func(code Code, key, message, fix string)) error {
	if len(l.Upstreams) == 0 && len(l.Compositions) == 0 {
		return nil
	}
	reader, err := imports.NewReader("")
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(l.Upstreams)) {
		u, at := l.Upstreams[name], "upstreams."+name
		if err := exposure.ValidName(name); err != nil {
			add(BadValue, at, err.Error(), "choose another one")
		}
		c := u.Config(name)
		switch {
		case len(u.Command) == 0 && u.URL == "":
			add(BadValue, at, "names neither a command nor a url", "write one of them")
		case len(u.Command) > 0 && u.URL != "":
			add(Conflict, at, "names a command and a url", "take one of the two out")
		default:
			if err := c.Check(); err != nil {
				add(BadValue, at, strings.ReplaceAll(err.Error(), "\n", "; "), "see docs/gateway.md")
			}
		}
		for _, group := range []struct {
			name   string
			values map[string]string
		}{{"env", u.Env}, {"headers", u.Headers}} {
			for _, key := range slices.Sorted(maps.Keys(group.values)) {
				if reader.Secret(key, group.values[key]) {
					add(SecretText, at+"."+group.name+"."+key, "holds what looks like a secret", "put it into world.secrets or the environment as a NAME, write ${NAME} here, and choose a new secret")
				}
			}
		}
		e := u.exposure(name)
		if err := e.Check(); err != nil {
			add(BadValue, at+".expose", strings.ReplaceAll(err.Error(), "\n", "; "), "see docs/gateway.md")
		}
	}
	for i, name := range slices.Sorted(maps.Keys(l.Compositions)) {
		c, at := l.Compositions[name], "compositions."+name
		for _, text := range c.Tools {
			if _, err := ParseMember(text); err != nil {
				message, fix, _ := strings.Cut(err.Error(), ": ")
				add(BadValue, at+".tools", message, fix)
			}
		}
		made := c.composition(name, i)
		if err := made.Check(); err != nil {
			add(BadValue, at, strings.ReplaceAll(err.Error(), "\n", "; "), "see docs/gateway.md")
		}
	}
	return nil
}
