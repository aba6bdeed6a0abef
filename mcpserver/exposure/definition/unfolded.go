package definition

import "strings"

// maxUnfolded is where counting stops: no honest schema comes near.
const maxUnfolded = 100_000

// Unfolded returns how many schemas there are in a decoded schema when every reference
// is replaced by what it refers to, or -1 if that has no end, is beyond maxUnfolded, or
// leads to another place. No value can meet more of them, so it bounds the work of a
// check: a schema with references to itself can have a few lines and exponential work.
func Unfolded(schema any) int {
	u := unfolding{root: schema, sizes: map[string]int{}}
	return u.size(schema)
}

type unfolding struct {
	root  any
	sizes map[string]int // by reference; 0 while it is counted
}

func (u *unfolding) size(value any) int {
	n := 1
	add := func(m int) bool {
		if m < 0 || n+m > maxUnfolded {
			n = -1
			return false
		}
		n += m
		return true
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if !add(u.size(item)) {
				return -1
			}
		}
	case map[string]any:
		for key, member := range v {
			switch key {
			case "$ref":
				if target, ok := member.(string); ok && !add(u.follow(target)) {
					return -1
				}
			case "$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor", "id":
				// A property may have such a name; as a word of the schema it makes
				// references that are not followed here.
				if _, ok := member.(string); ok {
					return -1
				}
			}
			if !add(u.size(member)) {
				return -1
			}
		}
	}
	return n
}

// follow returns the size of what a reference within the schema refers to.
func (u *unfolding) follow(ref string) int {
	if n, counted := u.sizes[ref]; counted {
		if n == 0 {
			return -1 // it refers to itself
		}
		return n
	}
	pointer, within := strings.CutPrefix(ref, "#")
	if !within || pointer != "" && pointer[0] != '/' {
		return -1
	}
	at := u.root
	if pointer != "" {
		for step := range strings.SplitSeq(pointer[1:], "/") {
			object, _ := at.(map[string]any)
			member, there := object[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
			if !there {
				return -1
			}
			at = member
		}
	}
	u.sizes[ref] = 0
	n := u.size(at)
	if n == 0 {
		n = 1
	}
	u.sizes[ref] = n
	return n
}
