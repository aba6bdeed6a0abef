package imports

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog"
)

// maxRegistry bounds a server.json, in bytes; the registry takes no more than 200
// thousand.
const maxRegistry = 1 << 20

// isRegistry reports whether a text is a server.json, alone or as the registry's API
// wraps it.
func isRegistry(text []byte) bool {
	if len(text) > maxRegistry || !gjson.ValidBytes(text) {
		return false
	}
	v := unwrapped(gjson.ParseBytes(text))
	return v.Get("name").Type == gjson.String && (v.Get("packages").IsArray() || v.Get("remotes").IsArray())
}

func unwrapped(v gjson.Result) gjson.Result {
	if inner := v.Get("server"); inner.IsObject() {
		return inner
	}
	return v
}

// registry reads a server.json. A server that can be reached over the network is, and
// else its first package is started: what runs elsewhere has no rights here.
func (r *Reader) registry(text []byte) (read Read, err error) {
	v := unwrapped(gjson.ParseBytes(text))
	called := v.Get("name").String()
	_, last, _ := strings.Cut(called, "/")
	if last == "" {
		last = called
	}
	d := r.draft(called, dialect{})
	d.found.Name = nameOf(last)
	ways := append(v.Get("remotes").Array(), v.Get("packages").Array()...)
	var why []error
	for i, way := range ways {
		before := d.found
		if len(v.Get("remotes").Array()) > i {
			d.remote(way)
		} else {
			d.pack(way)
		}
		if d.err == nil {
			if len(ways) > 1 {
				d.note("it can be reached in %d ways; this is %s", len(ways), d.way())
			}
			break
		}
		why = append(why, d.err)
		d.found, d.err = before, nil
	}
	switch {
	case len(ways) == 0:
		d.refuse("it names no package and no remote")
	case len(why) == len(ways):
		d.err = errors.Join(why...)
	}
	if v.Get("status").String() == "deprecated" {
		d.note("its author has deprecated it")
	}
	read.add(d.done())
	return read, nil
}

func (d *draft) way() string {
	if d.found.Kind != "stdio" {
		return d.found.URL
	}
	return strings.Join(d.found.Command[:min(3, len(d.found.Command))], " ")
}

// field reads a member under the spelling of today or of before October 2025.
func field(v gjson.Result, name string) gjson.Result {
	return first(v, name, upper.ReplaceAllStringFunc(name, func(c string) string { return "_" + strings.ToLower(c) }))
}

var upper = regexp.MustCompile(`[A-Z]`)

func (d *draft) remote(v gjson.Result) {
	switch kind := first(v, "type", "transport_type").String(); kind {
	case "streamable-http", "streamable_http", "http", "streamable":
		d.found.Kind = "http"
	case "sse":
		d.found.Kind = "sse"
	default:
		d.refuse("it is reached by %q, which is not known here", kind)
	}
	d.found.URL = d.filled(v, v.Get("url").String())
	for _, h := range v.Get("headers").Array() {
		if value, ok := d.input(h, h.Get("name").String()); ok {
			d.header(h.Get("name").String(), value)
		}
	}
}

// launchers start a package of a registry. The name of a package may not look like a
// flag of them.
var launchers = map[string]struct {
	command []string
	version string // between the name and the version
}{
	"npm":   {[]string{"npx", "-y"}, "@"},
	"pypi":  {[]string{"uvx"}, "=="},
	"nuget": {[]string{"dnx", "--yes"}, "@"},
	"oci":   {[]string{"docker", "run", "-i", "--rm"}, ":"},
}

func (d *draft) pack(v gjson.Result) {
	f, kind := &d.found, field(v, "registryType").String()
	launcher, known := launchers[kind]
	name := v.Get("identifier").String()
	switch {
	case kind == "mcpb":
		d.refuse("it is a bundle; fetch it, and import the file: glovebox upstream import FILE.mcpb")
	case !known:
		d.refuse("its packages are of %q, and known are npm, pypi, nuget and oci", kind)
	case name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, " \t\n"):
		d.refuse("it names no package")
	}
	if t := v.Get("transport.type").String(); t != "" && t != "stdio" {
		d.refuse("its package has to be started by hand and then reached over %s: start it, and run glovebox upstream add %s URL", t, f.Name)
	}
	if d.err != nil {
		return
	}
	f.Kind = "stdio"
	f.Command = append(f.Command[:0:0], launcher.command...)
	f.Command = append(f.Command, d.args(field(v, "runtimeArguments"))...)
	for _, e := range field(v, "environmentVariables").Array() {
		variable := e.Get("name").String()
		value, ok := d.input(e, variable)
		if !ok {
			continue
		}
		if f.Env == nil {
			f.Env = map[string]string{}
		}
		f.Env[variable] = value
		if kind == "oci" {
			f.Command = append(f.Command, "-e", variable)
		}
	}
	if version := v.Get("version").String(); version != "" && !(kind == "oci" && strings.ContainsAny(name[strings.LastIndexByte(name, '/')+1:], ":@")) {
		name += launcher.version + version
	}
	if kind == "nuget" && len(field(v, "packageArguments").Array()) > 0 {
		name += " --"
	}
	f.Command = append(append(f.Command, strings.Fields(name)...), d.args(field(v, "packageArguments"))...)
}

func (d *draft) args(list gjson.Result) (args []string) {
	for i, a := range list.Array() {
		name := a.Get("name").String()
		value, ok := d.input(a, first(a, "name", "valueHint", "value_hint").String()+fmt.Sprintf("_%d", i+1))
		named := a.Get("type").String() == "named"
		switch {
		case len(args) > maxItems:
			d.refuse("%w", errTooMuch)
			return nil
		case named && ok:
			args = append(args, name, value)
		case named && !first(a, "value", "default").Exists() && field(a, "isRequired").Bool():
			args = append(args, name)
		case ok:
			args = append(args, value)
		}
	}
	return args
}

// input is the value of an argument, variable or header: the fixed one, the default,
// or a variable that the operator sets. There is none if it may be left out.
func (d *draft) input(v gjson.Result, name string) (string, bool) {
	if value := first(v, "value", "default"); value.Exists() && !field(v, "isSecret").Bool() {
		return d.filled(v, value.String()), true
	}
	if !field(v, "isRequired").Bool() && !field(v, "isSecret").Bool() {
		return "", false
	}
	return d.ask(name, v.Get("description").String()), true
}

// ask is a variable that nobody has given a value yet.
func (d *draft) ask(name, what string) string {
	name = variable(d.found.Name, name)
	if what == "" {
		what = "what it asks for as " + name
	}
	return d.wanted(name, what)
}

// own refuses a reference in a text of the server's author: it would send a variable
// of the operator to a server that chose its name.
func (d *draft) own(text string) {
	if names := catalog.References(text); len(names) > 0 {
		d.refuse("its author wrote ${%s}, a variable of yours that it has no business with", names[0])
	}
}

var braces = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_-]*)\}`)

// filled replaces the {variables} of a value.
func (d *draft) filled(v gjson.Result, text string) string {
	if len(text) > maxValue {
		d.refuse("%w", errTooMuch)
		return ""
	}
	d.own(text)
	return braces.ReplaceAllStringFunc(text, func(match string) string {
		name := strings.Trim(match, "{}")
		described := v.Get("variables").Get(gjson.Escape(name))
		if value := first(described, "value", "default"); value.Exists() && !field(described, "isSecret").Bool() {
			d.own(value.String())
			return value.String()
		}
		return d.ask(name, described.Get("description").String())
	})
}
