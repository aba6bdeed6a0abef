package config

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// section is a group of the file whose members have names that the operator chooses,
// each with the same settings.
type section struct {
	name, member, doc string
	one               string // a name for examples
	example           string // on one line
	settings          []Key
	// read reads one member; pairs checks and stores it.
	read func(r *reading, name string, n ast.Node)
	// field returns a pointer to the field of a setting in a member with the defaults.
	field func(path string) any
	same  func(a, b *Config) []string // the names of members that differ
	show  func(c *Config) []Setting
}

// sections returns the groups of named members, in the order of the file.
func sections() []section {
	return []section{
		sectionOf(section{name: "notify", member: "a notice", one: "ops", example: `{ops: {url: "${OPS_HOOK}", format: slack, level: L4}, me: {desktop: true}}`,
			doc: "Who is told, by a name for each, when a question waits for an operator; see [serving](serving.md#somebody-has-to-know)."},
			Notices, NewNotice, func(c *Config) *map[string]Notice { return &c.Notices }),
		sectionOf(section{name: "upstreams", member: "an upstream", one: "files", example: `{files: {command: [npx, "-y", "@modelcontextprotocol/server-filesystem", /srv], expose: ["*"]}}`,
			doc: "Other people's MCP servers, by name: each is a small group. What `glovebox upstream add` keeps in the store stands beside them; a name that is in both counts here. The change of any takes effect at once."},
			Upstreams, NewUpstream, func(c *Config) *map[string]Upstream { return &c.Upstreams }),
		sectionOf(section{name: "compositions", member: "a composition", one: "docs", example: `{docs: {tools: [files/read_file, wiki/search=find], approve: ["*"]}}`,
			doc: "Named sets of their tools, each served at /mcp/NAME."},
			Compositions, NewComposition, func(c *Config) *map[string]Composition { return &c.Compositions }),
		sectionOf(section{name: "gateway.clients", member: "a set of clients", one: "readers", example: `{readers: {scopes: [read], servers: [wiki]}, desk: {principals: ["oauth:* \"alice\" *"]}}`,
			doc: "What clients see, by a name for each kind of them. Without any, all see everything; with some, a client sees what the sets that it belongs to show together, and a client that belongs to none sees nothing. The rest does not exist for it, in lists and in calls."},
			Clients, NewClients, func(c *Config) *map[string]ClientSet { return &c.Gateway.Clients }),
	}
}

// group is the part of the name before the last dot, and word the rest.
func (s section) group() (group, word string) {
	if at := strings.LastIndexByte(s.name, '.'); at >= 0 {
		return s.name[:at], s.name[at+1:]
	}
	return "", s.name
}

// memberName is the form of the names of members.
var memberName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

func sectionOf[T any](s section, entries []Entry[T], fresh func() T, in func(*Config) *map[string]T) section {
	name := s.name
	for _, e := range entries {
		s.settings = append(s.settings, e.Key)
	}
	s.read = func(r *reading, called string, n ast.Node) {
		value := fresh()
		r.member(name+"."+called+".", n, entryFinder(entries, &value))
		all := in(r.config)
		if *all == nil {
			*all = map[string]T{}
		}
		(*all)[called] = value
	}
	s.field = func(path string) any {
		value := fresh()
		_, field := entryFinder(entries, &value)(path)
		return field
	}
	s.same = func(a, b *Config) (differ []string) {
		before, after := *in(a), *in(b)
		for _, called := range slices.Sorted(maps.Keys(before)) {
			if now, there := after[called]; !there || !reflect.DeepEqual(before[called], now) {
				differ = append(differ, called)
			}
		}
		for _, called := range slices.Sorted(maps.Keys(after)) {
			if _, there := before[called]; !there {
				differ = append(differ, called)
			}
		}
		return differ
	}
	s.show = func(c *Config) (shown []Setting) {
		plain := fresh()
		for _, called := range slices.Sorted(maps.Keys(*in(c))) {
			value := (*in(c))[called]
			for _, e := range entries {
				if text := show(e.of(&value)); text != show(e.of(&plain)) {
					shown = append(shown, Setting{name + "." + called + "." + e.Path, text})
				}
			}
		}
		return shown
	}
	return s
}

// entryFinder finds a setting and its field in a value by the path below the member;
// the field is nil if there is none.
func entryFinder[T any](entries []Entry[T], value *T) func(path string) (Key, any) {
	return func(path string) (Key, any) {
		for _, e := range entries {
			if e.Path == path {
				return e.Key, e.of(value)
			}
		}
		return Key{}, nil
	}
}

// Setting is a value of a member of a section, as in the file.
type Setting struct{ Path, Value string }

// Members returns the settings of upstreams and compositions that are not at their
// default.
func Members(c *Config) (shown []Setting) {
	for _, s := range sections() {
		shown = append(shown, s.show(c)...)
	}
	return shown
}

// section reads the members of a section.
func (r *reading) section(s section, n ast.Node) {
	members, ok := membersOf(n)
	if !ok {
		if !isNull(n) && !r.unwanted(s.name, n) {
			r.add(WrongType, s.name, positionOf(n), "is a group of names", "write each one below it, such as "+s.one+": with its settings indented")
		}
		return
	}
	seen := map[string]bool{}
	for _, m := range members {
		name, ok := r.name(s.name+".", m)
		switch at := positionOf(m.Key); {
		case !ok:
		case seen[name]:
			r.add(Duplicate, s.name+"."+name, at, "is there twice", "keep one")
		case !memberName.MatchString(name):
			r.add(BadValue, s.name, at, fmt.Sprintf("%q is no name of %s", name, s.member), "use lower-case letters, digits and hyphens, 63 at most")
		default:
			seen[name] = true
			r.at[s.name+"."+name] = at
			s.read(r, name, m.Value)
		}
	}
}

// member reads the settings of one member, or of a group in it.
func (r *reading) member(prefix string, n ast.Node, find func(string) (Key, any)) {
	r.memberGroup(prefix, "", n, find)
}

func (r *reading) memberGroup(prefix, group string, n ast.Node, find func(string) (Key, any)) {
	name := strings.TrimSuffix(prefix+group, ".")
	members, ok := membersOf(n)
	if !ok {
		if !isNull(n) && !r.unwanted(name, n) {
			r.add(WrongType, name, positionOf(n), "is a group of settings", "write them below it, indented")
		}
		return
	}
	seen := map[string]bool{}
	for _, m := range members {
		word, ok := r.name(prefix+group, m)
		if !ok {
			continue
		}
		path, at := prefix+group+word, positionOf(m.Key)
		k, field := find(group + word)
		switch {
		case seen[word]:
			r.add(Duplicate, path, at, "is there twice", "keep one")
		case field != nil:
			k.Path = path
			r.at[path] = positionOf(m.Value)
			r.into(k, field, m.Value)
		case group == "" && (word == "files" || word == "limits" || word == "auth"):
			r.memberGroup(prefix, word+".", m.Value, find)
		default:
			r.add(Unknown, path, at, "there is no such setting"+meant(word, r.settingsOf(prefix, group)), "see glovebox config schema, or take it out")
		}
		seen[word] = true
	}
}

// settingsOf returns the words that a group of a member may hold.
func (r *reading) settingsOf(prefix, group string) (words []string) {
	for _, s := range sections() {
		if !strings.HasPrefix(prefix, s.name+".") {
			continue
		}
		for _, k := range s.settings {
			if rest, below := strings.CutPrefix(k.Path, group); below {
				word, _, _ := strings.Cut(rest, ".")
				words = append(words, word)
			}
		}
	}
	return words
}

// pairs reads a group of names and texts.
func (r *reading) pairs(k Key, n ast.Node) map[string]string {
	members, ok := membersOf(n)
	if !ok {
		r.add(WrongType, k.Path, positionOf(n), "is no group of names", "write one line for each, such as NAME: value")
		return nil
	}
	said := map[string]string{}
	for _, m := range members {
		name, ok := r.name(k.Path+".", m)
		if !ok {
			continue
		}
		path := k.Path + "." + name
		if _, again := said[name]; again {
			r.add(Duplicate, path, positionOf(m.Key), "is there twice", "keep one")
			continue
		}
		var value string
		if r.at != nil { // an environment variable has no places
			r.at[path] = positionOf(m.Value)
		}
		r.scalar(Key{Path: path, Choices: k.Choices}, &value, m.Value)
		said[name] = value
	}
	return said
}
