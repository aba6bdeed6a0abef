package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// Overrides are the author's requested changes to the baseline. A nil pointer
// inherits; a pointer to false takes a capability away.
type Overrides struct {
	AddAllowClasses    []string
	RemoveAllowClasses []string
	AddDenyClasses     []string
	RemoveDenyClasses  []string
	NetworkMode        *NetworkMode
	HostsAllow         []string
	FileRead           *bool
	FileWrite          *bool
	Destructive        *bool
	FSBasePath         string // empty inherits
}

func (o Overrides) clone() Overrides {
	for _, list := range []*[]string{&o.AddAllowClasses, &o.RemoveAllowClasses, &o.AddDenyClasses, &o.RemoveDenyClasses, &o.HostsAllow} {
		*list = slices.Clone(*list)
	}
	o.NetworkMode, o.FileRead = clonePointer(o.NetworkMode), clonePointer(o.FileRead)
	o.FileWrite, o.Destructive = clonePointer(o.FileWrite), clonePointer(o.Destructive)
	return o
}

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// Baseline is what every tool has before its document asks for anything. The zero
// value grants nothing.
type Baseline struct {
	Network     NetworkMode
	Hosts       []string // for allowlist mode, added to the document's
	FileRead    bool
	FileWrite   bool
	Destructive bool
	FSBase      string

	AllowClasses []string
	DenyClasses  []string
}

// DefaultBaseline grants nothing and carries the class lists that documents are
// written against. No class is reachable here; the lists decide the Risk Level.
func DefaultBaseline() Baseline {
	return Baseline{
		AllowClasses: []string{"java.lang.*", "java.math.*", "java.time.*", "java.util.*", "java.text.*"},
		DenyClasses: []string{
			"java.lang.System", "java.lang.Runtime", "java.lang.ProcessBuilder", "java.lang.Process",
			"java.lang.Class", "java.lang.invoke.*", "java.lang.reflect.*", "java.lang.Thread",
			"java.lang.ThreadGroup", "java.lang.ClassLoader", "java.util.ServiceLoader", "java.util.spi.*",
		},
	}
}

// Ceiling is the most that an operator lets any tool have. It takes away and never
// adds. The zero value leaves nothing; [NoCeiling] leaves everything.
type Ceiling struct {
	Network     NetworkMode
	Hosts       []string // the hosts left when Network is NetworkAllowlist; "*" leaves what the tool asks for
	FileRead    bool
	FileWrite   bool
	Destructive bool
}

// NoCeiling takes nothing away.
func NoCeiling() Ceiling {
	return Ceiling{Network: NetworkOpen, Hosts: []string{"*"}, FileRead: true, FileWrite: true, Destructive: true}
}

// Request merges the author's request into the baseline. The result is the posture
// before any check or ceiling: use it to score a document, not to grant. [Resolve]
// is for granting.
func Request(o Overrides, b Baseline) Posture {
	p := Posture{
		Network:            coalesce(o.NetworkMode, b.Network),
		FileRead:           coalesce(o.FileRead, b.FileRead),
		FileWrite:          coalesce(o.FileWrite, b.FileWrite),
		Destructive:        coalesce(o.Destructive, b.Destructive),
		FSBase:             b.FSBase,
		AddedAllowClasses:  slices.Clone(unique(without(o.AddAllowClasses, b.AllowClasses))),
		RemovedDenyClasses: slices.Clone(unique(without(b.DenyClasses, effectiveDeny(o, b)))),
	}
	if strings.TrimSpace(o.FSBasePath) != "" {
		p.FSBase = o.FSBasePath
	}
	if p.Network == NetworkAllowlist {
		p.Hosts = hostList(o.HostsAllow, b.Hosts)
	}
	return p
}

// Resolve computes the posture that is enforced: the author's request merged into
// the operator's baseline, no wider than the ceiling. It fails when a class would
// be both allowed and denied, and then returns the posture that asks for nothing.
func Resolve(o Overrides, b Baseline, c Ceiling) (Posture, error) {
	if both := classOverlap(o, b); len(both) > 0 {
		return Posture{}, fmt.Errorf("%s is allowed and denied at once; take it out of one list", strings.Join(quoteAll(both), ", "))
	}
	return c.tighten(Request(o, b)), nil
}

func classOverlap(o Overrides, b Baseline) []string {
	allow := without(join(b.AllowClasses, o.AddAllowClasses), o.RemoveAllowClasses)
	return intersect(allow, effectiveDeny(o, b))
}

func effectiveDeny(o Overrides, b Baseline) []string {
	return without(join(b.DenyClasses, o.AddDenyClasses), o.RemoveDenyClasses)
}

// tighten removes what the ceiling does not allow.
func (c Ceiling) tighten(p Posture) Posture {
	if p.Network > c.Network {
		// The modes are ordered: each reaches a subset of what the next one does.
		// A wider one under an allowlist ceiling may reach all that is listed.
		if c.Network == NetworkAllowlist {
			p.Hosts = hostList(c.Hosts)
		}
		p.Network = c.Network
	} else if p.Network == NetworkAllowlist && c.Network == NetworkAllowlist {
		p.Hosts = intersectHosts(p.Hosts, c.Hosts)
	}
	if p.Network != NetworkAllowlist {
		p.Hosts = nil
	}
	p.FileRead = p.FileRead && c.FileRead
	p.FileWrite = p.FileWrite && c.FileWrite
	p.Destructive = p.Destructive && c.Destructive
	return p
}

// hostList joins lists without repeats. Host names are case-insensitive; they are
// kept in lower case so that later code need not fold them.
func hostList(lists ...[]string) []string {
	var hosts []string
	for _, list := range lists {
		for _, host := range list {
			hosts = append(hosts, strings.ToLower(strings.TrimSpace(host)))
		}
	}
	return unique(hosts)
}

// intersectHosts returns the patterns that cover what both lists cover.
func intersectHosts(asked, left []string) []string {
	left = hostList(left)
	if slices.Contains(left, "*") {
		return asked
	}
	if slices.Contains(asked, "*") {
		return left
	}
	// Of two patterns that overlap one covers the other, because both are a name
	// or everything under a name. Looking up a pattern's parents keeps it linear.
	both := append(covered(asked, left), covered(left, asked)...)
	return unique(both)
}

// maxHostName is what DNS allows, in bytes, plus the "*." of a pattern.
const maxHostName = 253 + 2

// covered returns the patterns of list that some pattern of by covers.
func covered(list, by []string) []string {
	known := map[string]bool{}
	for _, pattern := range by {
		known[pattern] = true
	}
	var kept []string
	for _, pattern := range list {
		if known[pattern] {
			kept = append(kept, pattern)
			continue
		}
		if len(pattern) > maxHostName {
			continue
		}
		for name := strings.TrimPrefix(pattern, "*."); name != ""; _, name, _ = strings.Cut(name, ".") {
			if known["*."+name] {
				kept = append(kept, pattern)
				break
			}
		}
	}
	return kept
}

func coalesce[T any](override *T, inherited T) T {
	if override != nil {
		return *override
	}
	return inherited
}

// The functions below treat lists as sets that keep their order. They never change
// their arguments, and may return them.

// join returns a followed by b.
func join(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	return slices.Concat(a, b)
}

// without returns the members of list that are not in taken.
func without(list, taken []string) []string {
	if len(list) == 0 || len(taken) == 0 {
		return list
	}
	isTaken := membership(taken)
	var kept []string
	for _, item := range list {
		if !isTaken(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// intersect returns the members of a that are in b, each once.
func intersect(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	inB := membership(b)
	var both []string
	for _, item := range a {
		if inB(item) {
			both = append(both, item)
		}
	}
	return unique(both)
}

// membership tells which texts are in a list. Almost every list is short, and a
// linear search is then several times faster than making a map; a hostile list is
// long, and a map keeps the work linear.
func membership(list []string) func(string) bool {
	const short = 16
	if len(list) <= short {
		return func(item string) bool { return slices.Contains(list, item) }
	}
	members := make(map[string]bool, len(list))
	for _, item := range list {
		members[item] = true
	}
	return func(item string) bool { return members[item] }
}

// unique returns the members of list, each once.
func unique(list []string) []string {
	if len(list) < 2 {
		return list
	}
	seen := make(map[string]bool, len(list))
	var kept []string
	for _, item := range list {
		if !seen[item] {
			seen[item] = true
			kept = append(kept, item)
		}
	}
	return kept
}
