package config

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/oauth"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// conflicts finds settings that are valid alone but do not go together, or that
// name something that does not exist.
func (l *Loaded) conflicts(file *reading) Problems {
	r := &reading{source: file.source}
	add := func(code Code, key, message, fix string) {
		var at position
		r.source = l.sourceOf(key, file)
		if where, there := file.at[key]; there && l.Origins[key] != FromEnvironment && l.Origins[key] != FromFlag {
			at = where
		}
		r.add(code, key, at, message, fix)
	}
	if err := (mcpserver.HTTP{}).Check(l.Listen); err != nil {
		add(BadValue, "listen", err.Error(), "write a host and a port, such as 127.0.0.1:8282")
	} else if err := (mcpserver.HTTP{Open: l.Token.None}).Check(l.Listen); err != nil {
		add(Conflict, "token.none", err.Error(), "take token.none out, or listen on 127.0.0.1")
	}
	l.conflictsOfTLS(add)
	l.conflictsOfConsole(add)
	if l.OAuth.Issuer != "" {
		rules := len(r.problems)
		for _, text := range l.OAuth.Scopes {
			if _, err := oauth.ParseRule(text); err != nil {
				add(BadValue, "oauth.scopes", err.Error(), "see docs/serving.md, Access tokens")
			}
		}
		if _, err := l.OAuth.Guarding("http://" + l.Listen + "/mcp"); err != nil && len(r.problems) == rules {
			add(BadValue, "oauth.issuer", err.Error(), "see docs/serving.md, Access tokens")
		}
		if l.OAuth.Resource == "" && (mcpserver.HTTP{Open: true}).Check(l.Listen) != nil {
			add(Conflict, "oauth.issuer", "and other machines reach the server, under a name that tokens are made for", "write it under oauth.resource")
		}
		if l.Token.None {
			add(Conflict, "token.none", "and oauth.issuer wants access tokens", "take one of the two out")
		}
		if l.Token.File != "" && !l.OAuth.WithToken {
			add(Conflict, "token.file", "and oauth.issuer admits access tokens alone", "take one of the two out, or set oauth.with_token")
		}
	}
	if l.Token.None && l.Token.File != "" {
		add(Conflict, "token.none", "and token.file names a token", "take one of the two out")
	}
	if !variableName.MatchString(l.Token.Env) {
		add(BadValue, "token.env", "is no name of a variable", "write the name alone, such as GLOVEBOX_TOKEN")
	}
	for _, list := range []struct {
		key      string
		hosts    []string
		patterns bool
	}{{"hosts", l.Hosts, false}, {"posture.baseline.hosts", l.Posture.Baseline.Hosts, true}, {"posture.ceiling.hosts", l.Posture.Ceiling.Hosts, true}} {
		for _, host := range list.hosts {
			if host == "" || strings.ContainsAny(host, "/: \t@") || strings.Contains(host, "*") && !list.patterns {
				add(BadValue, list.key, fmt.Sprintf("%q is no host name", host), "write the name alone, without scheme, port and path")
			}
		}
	}
	if l.Specs.Preset != "" {
		presets, err := tools.Presets()
		var names []string
		for _, p := range presets {
			names = append(names, p.Name)
			if p.Name == l.Specs.Preset {
				names = nil
				break
			}
		}
		if err != nil || names != nil {
			add(BadValue, "specs.preset", fmt.Sprintf("there is no preset %q%s", l.Specs.Preset, meant(l.Specs.Preset, names)), "write one of "+strings.Join(names, ", "))
		}
	}
	for address := range strings.SplitSeq(l.State.NATS.URL, ",") {
		if u, err := url.Parse(address); err != nil {
			add(BadValue, "state.nats.url", "is no URL", "write one such as nats://host:4222")
		} else if u.User != nil && l.Origins["state.nats.url"] == FromFile {
			add(SecretText, "state.nats.url", "holds a user or a token", "take it out and name a file under state.nats.credentials or state.nats.nkey")
		} else if !slices.Contains([]string{"nats", "tls", "ws", "wss", ""}, u.Scheme) {
			add(BadValue, "state.nats.url", fmt.Sprintf("%q is no scheme of NATS", u.Scheme), "write one such as nats://host:4222 or tls://host:4222")
		}
	}
	if err := l.Telemetry.Check(); err != nil {
		// The error may be in one of the standard variables, which are not keys of
		// ours.
		if variable, message, found := strings.Cut(err.Error(), ": "); found && strings.HasPrefix(variable, "OTEL_") {
			r.source = variable
			r.add(BadValue, "", position{}, message, "change the variable or unset it; OTEL_SDK_DISABLED=true turns spans off")
		} else {
			add(BadValue, "telemetry.endpoint", err.Error(), "write a base URL such as http://127.0.0.1:4318")
		}
	}
	for _, folder := range l.Specs.Folders {
		if folder == "" {
			add(BadValue, "specs.folders", "a folder has no name", "give one, or take the item out")
		}
	}
	if _, err := passnote.ParseKeys(l.Specs.PassKeys...); err != nil {
		add(BadValue, "specs.pass_keys", err.Error(), "copy what glovebox test --sign prints; the file with the private key stays where it is")
	}
	if err := l.upstreamConflicts(add); err != nil {
		r.add(BadValue, "upstreams", position{}, err.Error(), "this is a bug of ours; please report it")
	}
	for _, name := range slices.Sorted(maps.Keys(l.Gateway.Clients)) {
		c, at := l.Gateway.Clients[name], "gateway.clients."+name
		if len(c.Principals)+len(c.Scopes)+len(c.Servers)+len(c.Names) == 0 {
			add(BadValue, at, "says neither who nor what, so that everybody would see everything", `write for whom it is, such as principals: ["*"], or what they see, such as servers: [library]`)
		}
		for _, list := range []struct {
			word  string
			items []string
		}{{"principals", c.Principals}, {"scopes", c.Scopes}, {"servers", c.Servers}, {"names", c.Names}} {
			if slices.Contains(list.items, "") {
				add(BadValue, at+"."+list.word, "an item is empty", "take it out, or write * for all")
			}
		}
	}
	for _, r := range l.Routes() {
		if err := r.Check(); err != nil {
			add(BadValue, "notify."+r.Name, err.Error(), "write one of them, such as url: ${HOOK}, and the variable into world.secrets")
		}
		if err := r.CheckTemplate(); err != nil {
			add(BadValue, "notify."+r.Name+".template", err.Error(), "see docs/serving.md, Somebody has to know, for what a template may hold")
		}
		if r.Secret != "" && !strings.Contains(r.Secret, "${") {
			add(SecretText, "notify."+r.Name+".secret", "holds the secret itself", "write ${NAME}, and the value into world.secrets")
		}
	}
	for name := range l.Policy.Tools {
		if name == "" {
			add(BadValue, "policy.tools", "a tool has no name", "give one, or take the line out")
		}
	}
	return r.problems
}

// conflictsOfTLS finds what is wrong with how connections are protected.
func (l *Loaded) conflictsOfConsole(add func(code Code, key, message, fix string)) {
	c := l.Console
	if err := (mcpserver.HTTP{}).Check(c.Listen); err != nil {
		add(BadValue, "console.listen", err.Error(), "write a host and a port, such as 127.0.0.1:8283")
	} else if !mcpserver.Loopback(c.Listen) && (!l.TLS.On() || c.URL == "") {
		add(BadValue, "console.listen", "is reached from other machines, and without TLS and a console.url cookies can be read on the way",
			"write a loopback address such as 127.0.0.1:8283 and put a proxy with TLS before it, or set tls and console.url")
	}
	if at, err := url.Parse(c.URL); c.URL != "" && (err != nil || at.Host == "" || at.Scheme != "https" || strings.Trim(at.Path, "/") != "" || at.RawQuery != "" || at.User != nil) {
		add(BadValue, "console.url", "is no https URL of a host", "write one such as https://console.example")
	}
	if c.SignIn.Issuer == "" {
		return
	}
	if c.Mode == Off {
		add(Conflict, "console.sign_in.issuer", "and the console is turned off", "set console.mode to auto or on, or take it out")
	}
	if _, err := l.Signing(); err != nil {
		add(BadValue, "console.sign_in.issuer", err.Error(), "see docs/console.md, Signing in at an issuer")
	}
	if c.SignIn.Claim == "" {
		add(BadValue, "console.sign_in.claim", "is empty, and decides who is let in", "name a claim, such as groups")
	}
	if _, port, _ := net.SplitHostPort(c.Listen); port == "0" && c.URL == "" {
		add(Conflict, "console.listen", "is any free port, and the issuer must know where browsers come back to", "write a port, or console.url")
	}
}

func (l *Loaded) conflictsOfTLS(add func(code Code, key, message, fix string)) {
	switch t := l.TLS; {
	case t.Certificate != "" && len(t.Names) > 0:
		add(Conflict, "tls.names", "and tls.certificate names a certificate", "take one of the two out")
	case t.On() && t.Plain:
		add(Conflict, "tls.plain", "and there is a certificate", "take one of the two out")
	case !t.On() && !t.Plain && !mcpserver.Loopback(l.Listen) && (mcpserver.HTTP{}).Check(l.Listen) == nil:
		add(Conflict, "listen", "is reached from other machines, and without TLS tokens can be read on the way",
			"set tls.certificate or tls.names; behind a proxy with TLS, say tls.plain as well (--plain-http)")
	}
	for _, name := range l.TLS.Names {
		if name == "" || strings.ContainsAny(name, "/: \t@*") || !strings.Contains(name, ".") {
			add(BadValue, "tls.names", fmt.Sprintf("%q is no host name that an authority signs", name), "write the whole name, such as tools.example.com")
		}
	}
	if at, err := url.Parse(l.TLS.Directory); l.TLS.Directory != "" && (err != nil || at.Scheme != "https" || at.Host == "") {
		add(BadValue, "tls.directory", "is no https URL", "write the directory of the authority, such as https://acme.example/directory")
	}
}

// Idle returns the settings without effect, each with the setting it depends on.
// They are not problems, because a file may be written for several servers; but
// scopes that nobody checks must not look as if they were checked.
func (l *Loaded) Idle() (settings [][2]string) {
	for _, with := range []string{"oauth.issuer", "state.nats.url", "console.sign_in.issuer"} {
		if l.Origins[with] != FromDefault {
			continue
		}
		group := with[:strings.LastIndexByte(with, '.')+1]
		for _, k := range Keys {
			if strings.HasPrefix(k.Path, group) && l.Origins[k.Path] != FromDefault {
				settings = append(settings, [2]string{k.Path, with})
			}
		}
	}
	for _, key := range []struct{ path, with string }{{"tls.key", "tls.certificate"}, {"tls.directory", "tls.names"}, {"tls.email", "tls.names"}, {"tls.ca", "tls.names"}} {
		if l.Origins[key.path] != FromDefault && l.Origins[key.with] == FromDefault {
			settings = append(settings, [2]string{key.path, key.with})
		}
	}
	if l.Audit.Archive != "" && l.Audit.MaxAge == 0 && l.Audit.MaxSize == 0 {
		settings = append(settings, [2]string{"audit.archive", "audit.max_age or audit.max_size"})
	}
	return settings
}

// sourceOf returns where the value of a key came from, as problems name it.
func (l *Loaded) sourceOf(key string, file *reading) string {
	k, _ := Find(key)
	switch l.Origins[key] {
	case FromEnvironment:
		return k.Env()
	case FromFlag:
		return "--" + k.Flag
	}
	return file.source
}
