package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/egress"
)

// draft is a configuration being made of what a file says about one server.
type draft struct {
	dialect
	home     string
	detector *egress.Sanitiser
	inputs   map[string]json.RawMessage
	found    Found
	err      error // the first reason why the server cannot be taken over
}

func (r *Reader) draft(called string, d dialect) *draft {
	return &draft{dialect: d, home: r.home, detector: r.detector, found: Found{Called: called, Config: upstream.Config{Name: nameOf(called)}}}
}

func (d *draft) refuse(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

func (d *draft) note(format string, args ...any) {
	d.found.Notes = append(d.found.Notes, fmt.Sprintf(format, args...))
}

// done returns the server with all its variables, or why there is none.
func (d *draft) done() (Found, error) {
	if d.err == nil {
		d.check()
	}
	if d.err == nil {
		d.collect()
	}
	return d.found, d.err
}

func (d *draft) check() {
	f := &d.found
	switch {
	case f.Kind == "stdio" && (len(f.Command) == 0 || f.Command[0] == ""):
		d.refuse("it names neither a command nor a URL")
	case f.Kind == "stdio":
		if program := strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(f.Command[0], `\`, "/"))), ".exe"); program == "glovebox" {
			d.refuse("it is this program; serving it to itself would never end")
		}
	default:
		if u, err := url.Parse(f.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			d.refuse("its URL is not one of http or https")
		}
	}
	if err := f.Config.Check(); err != nil {
		d.refuse("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if len(f.Command) > maxItems || len(f.Env) > maxItems || len(f.Headers) > maxItems {
		d.refuse("%w", errTooMuch)
	}
}

// first returns the first of the members that is there.
func first(object gjson.Result, names ...string) gjson.Result {
	for _, name := range names {
		if v := object.Get(gjson.Escape(name)); v.Exists() && v.Type != gjson.Null {
			return v
		}
	}
	return gjson.Result{}
}

// entry reads the entry of a client's configuration. The clients agree on what is
// said and not on the words.
func (d *draft) entry(e gjson.Result) {
	f := &d.found
	kind := strings.ToLower(first(e, "type", "transport").String())
	address := first(e, "httpUrl", "url", "serverUrl", "uri", "endpoint")
	switch {
	case kind == "builtin" || kind == "platform" || kind == "frontend":
		d.refuse("it is a part of that client, and no server")
		return
	case address.Exists():
		f.Kind = "http"
		// Gemini's url has meant the older transport, beside httpUrl for the newer.
		if kind == "sse" || kind == "" && d.client == "gemini" && !e.Get("httpUrl").Exists() {
			f.Kind = "sse"
		}
		f.URL = d.address(address.String())
		d.headers(first(e, "headers", "http_headers"))
		d.headers(e.Get("requestOptions.headers"))
		d.codex(e)
	default:
		f.Kind = "stdio"
		d.command(e)
	}
	if e.Get("disabled").Bool() || e.Get("enabled").Type == gjson.False {
		d.note("it is switched off in that file")
	}
	for _, name := range []string{"autoApprove", "alwaysAllow", "trust", "available_tools", "includeTools"} {
		if e.Get(name).Exists() {
			d.note("what %s allows there is not taken over: calls are judged here", name)
			break
		}
	}
	if v := first(e, "envFile", "env_file"); v.Exists() {
		d.note("its %s is not read; give what is in it with --env", "envFile")
	}
}

func (d *draft) command(e gjson.Result) {
	f := &d.found
	command, args, env := first(e, "command", "cmd"), e.Get("args"), first(e, "env", "environment", "envs")
	switch {
	case command.IsObject(): // Zed, before 2025
		args, env = command.Get("args"), command.Get("env")
		f.Command = []string{command.Get("path").String()}
	case command.IsArray():
		f.Command = d.list(command)
	default:
		f.Command = []string{command.String()}
	}
	f.Command = append(f.Command, d.list(args)...)
	for i, text := range f.Command {
		f.Command[i] = d.variables(text)
	}
	d.arguments()
	if dir := first(e, "cwd", "dir"); dir.Exists() {
		f.Dir = d.variables(dir.String())
	}
	d.env(env)
	for _, name := range first(e, "env_vars", "env_keys").Array() {
		f.PassEnv = append(f.PassEnv, name.String())
	}
}

// list returns the texts of an array; numbers are written out, as clients do.
func (d *draft) list(array gjson.Result) (texts []string) {
	for _, item := range array.Array() {
		if item.IsObject() || item.IsArray() || len(item.Raw) > maxValue || len(texts) > maxItems {
			d.refuse("%w", errTooMuch)
			return nil
		}
		texts = append(texts, item.String())
	}
	return texts
}

// pairs calls do for the members of an object, in order.
func (d *draft) pairs(object gjson.Result, do func(name, value string)) {
	n := 0
	object.ForEach(func(name, value gjson.Result) bool {
		if n++; n > maxItems || len(value.Raw) > maxValue || value.IsObject() || value.IsArray() {
			d.refuse("%w", errTooMuch)
			return false
		}
		if value.Type != gjson.Null {
			do(name.String(), value.String())
		}
		return true
	})
}

func (d *draft) env(object gjson.Result) {
	d.pairs(object, func(name, value string) {
		if d.found.Env == nil {
			d.found.Env = map[string]string{}
		}
		value = d.variables(value)
		if secretName(name) && !harmless(name, value) || d.detected(name, value) {
			value = d.hide(value, "the variable "+name, name)
		}
		d.found.Env[name] = value
	})
}

func (d *draft) headers(object gjson.Result) {
	d.pairs(object, func(name, value string) { d.header(name, d.variables(value)) })
}

func (d *draft) header(name, value string) {
	if d.found.Headers == nil {
		d.found.Headers = map[string]string{}
	}
	if secretHeader(name) || d.detected(name, value) {
		scheme := ""
		// The scheme stays readable: Bearer ${NAME}.
		if word, rest, two := strings.Cut(value, " "); two && slices.Contains(schemes, strings.ToLower(word)) {
			scheme, value = word+" ", rest
		}
		value = scheme + d.hide(value, "the header "+name, name)
	}
	d.found.Headers[name] = value
}

// codex reads what only Codex has for remote servers.
func (d *draft) codex(e gjson.Result) {
	if name := e.Get("bearer_token_env_var").String(); name != "" {
		d.header("Authorization", "Bearer "+d.reference(name))
	}
	d.pairs(e.Get("env_http_headers"), func(name, variable string) { d.header(name, d.reference(variable)) })
}

// reference is ${NAME} for a variable that has a name of that form.
func (d *draft) reference(name string) string {
	if !variableName.MatchString(name) {
		d.refuse("it refers to the variable %q, and only names in capitals are looked up", name)
	}
	return "${" + name + "}"
}

// address takes the secrets out of a URL: a password before the host, and query
// parameters that look like one.
func (d *draft) address(text string) string {
	text = d.variables(text)
	u, err := url.Parse(text)
	if err != nil {
		d.refuse("its URL cannot be read: %w", errors.New("no URL")) // the cause would repeat it
		return ""
	}
	if u.User != nil {
		d.refuse("its URL holds a user or a password; add it with a header: glovebox upstream add %s %s --header 'Authorization: Basic ${NAME}'", d.found.Name, u.Redacted())
		return ""
	}
	base, query, asked := strings.Cut(text, "?")
	if !asked {
		return text
	}
	query, fragment, _ := strings.Cut(query, "#")
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if value != "" && (secretName(name) || d.detected(name, value)) {
			pairs[i] = name + "=" + d.hide(value, "the parameter "+name+" of its URL", name)
		}
	}
	if text = base + "?" + strings.Join(pairs, "&"); fragment != "" {
		text += "#" + fragment
	}
	return text
}
