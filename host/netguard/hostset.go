package netguard

import (
	"fmt"
	"strings"
)

// HostSet is a list of host names as an author or an operator writes it. The
// zero set has no member.
type HostSet struct {
	any     bool
	hosts   map[string]struct{} // exact names and addresses
	parents map[string]struct{} // x of every "*.x"
}

// AnyHost returns the set of all hosts.
func AnyHost() HostSet { return HostSet{any: true} }

// ParseHostSet reads patterns: a name or an address matches itself whatever the
// case, "*.x" matches x and every name below it, "*" matches every host.
func ParseHostSet(patterns []string) (HostSet, error) {
	set := HostSet{hosts: map[string]struct{}{}, parents: map[string]struct{}{}}
	for _, p := range patterns {
		if p == "*" {
			set.any = true
			continue
		}
		parent, wild := strings.CutPrefix(p, "*.")
		h, err := ParseHost(parent)
		if err == nil && wild && h.addr.IsValid() {
			err = errIPv4
		}
		if err != nil {
			return HostSet{}, fmt.Errorf("%q is no host name, *.name or *, which stand without scheme, port and path: %w", p, err)
		}
		if wild {
			set.parents[h.name] = struct{}{}
		} else {
			set.hosts[h.String()] = struct{}{}
		}
	}
	return set, nil
}

// Has reports whether the set has h as a member.
func (s HostSet) Has(h Host) bool {
	if h == (Host{}) {
		return false
	}
	if s.any {
		return true
	}
	if _, ok := s.hosts[h.String()]; ok {
		return true
	}
	for name := h.name; name != ""; {
		if _, ok := s.parents[name]; ok {
			return true
		}
		_, name, _ = strings.Cut(name, ".")
	}
	return false
}
