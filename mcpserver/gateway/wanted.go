package gateway

import (
	"fmt"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/imports"
)

// FromCatalog fills a registration in from an entry of the catalog of known servers. values
// are for the placeholders of its URL. It returns env and headers with what the entry
// needs, for [Pairs].
func FromCatalog(e servers.Entry, r *exposure.Registration, values map[string]string, env, headers []string) (allEnv, allHeaders []string, err error) {
	t := e.Transports[0]
	r.Entry, r.Origin = e.ID, exposure.ByCatalog
	c := &r.Config
	switch t.Type {
	case "stdio":
		c.Kind, c.Command = upstream.Stdio, append([]string{t.Command}, t.Args...)
		for _, name := range t.Env {
			env = append(env, name+"=${"+name+"}")
		}
	case "sse":
		c.Kind, c.URL = upstream.SSE, t.URL
	default:
		c.Kind, c.URL = upstream.HTTP, t.URL
	}
	var missing []string
	for strings.Contains(c.URL, "{") {
		before, rest, _ := strings.Cut(c.URL, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			break
		}
		if values[name] == "" {
			missing = append(missing, "--set "+name+"=VALUE")
		}
		c.URL = before + values[name] + after
	}
	if len(missing) > 0 {
		return nil, nil, fmt.Errorf("%s asks for %s", e.ID, strings.Join(missing, " "))
	}
	if t.Auth == "bearer" || t.Auth == "api_key" {
		if !slices.ContainsFunc(headers, func(h string) bool { return strings.HasPrefix(strings.ToLower(h), "authorization:") }) {
			headers = append(headers, "Authorization: Bearer ${"+strings.ToUpper(strings.ReplaceAll(e.ID, "-", "_"))+"_TOKEN}")
		}
	}
	return env, headers, nil
}

// Pairs adds variables (NAME=VALUE) and headers (NAME: VALUE) to a configuration. A secret
// that somebody typed would be in the history of the shell and in the store.
func Pairs(c *upstream.Config, env, headers []string) error {
	if len(env)+len(headers) == 0 {
		return nil // the reader compiles rules, which takes 20 ms
	}
	reader, err := imports.NewReader("")
	if err != nil {
		return err
	}
	for _, flag := range []struct {
		name, between string
		given         []string
		to            *map[string]string
	}{{"env", "=", env, &c.Env}, {"header", ":", headers, &c.Headers}} {
		for _, text := range flag.given {
			name, value, ok := strings.Cut(text, flag.between)
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			switch {
			case !ok || name == "":
				return fmt.Errorf("--%s %s: write NAME%sVALUE", flag.name, name, flag.between)
			case reader.Secret(name, value):
				return fmt.Errorf("--%s %s: the value looks like a secret; put it into the environment of the gateway or the file of world.secrets, and write ${NAME} in its place, in single quotes", flag.name, name)
			}
			if *flag.to == nil {
				*flag.to = map[string]string{}
			}
			(*flag.to)[name] = value
		}
	}
	return nil
}
