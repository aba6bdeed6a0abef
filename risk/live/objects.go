package live

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/glovebox-run/glovebox/risk/capability"
)

// Object names a thing that a server keeps: a file, a page, a ticket, by whatever
// identifies it in arguments. Objects are hashes, so that names of private things are not
// kept in the clear.
type Object string

// maxObjects is how many objects one call can name.
const maxObjects = 32

// objectOf returns the object of a server that a value names. Case and outer blanks do
// not tell two objects apart.
func objectOf(server, value string) Object {
	sum := sha256.Sum256([]byte(server + "\x00" + strings.ToLower(strings.TrimSpace(value))))
	return Object(hex.EncodeToString(sum[:16]))
}

// Written returns the objects that a call leaves its label on: what its selectors and
// destinations name, and the identifiers that the server gave back. ids are values of the
// result that name something new. A call without consequences writes nothing.
func (c *Call) Written(ids []string) []Object {
	if c.Profile.Sink == capability.NoSink {
		return nil
	}
	return c.objects(ids)
}

// Read returns the objects that a call may read, and of which its result inherits the
// labels.
func (c *Call) Read() []Object { return c.objects(nil) }

// Named returns the objects of the call's server that values of a result name.
func (c *Call) Named(ids []string) []Object {
	var list []Object
	for _, id := range ids[:min(len(ids), maxObjects)] {
		if id != "" && len(id) <= maxObjectName {
			list = append(list, objectOf(c.Server, id))
		}
	}
	return list
}

func (c *Call) objects(more []string) []Object {
	var list []Object
	add := func(value string) {
		if value != "" && len(value) <= maxObjectName && len(list) < maxObjects {
			list = append(list, objectOf(c.Server, value))
		}
	}
	for _, a := range c.Arguments {
		if role := c.Profile.role(a.Name); role != Payload && role != Credential {
			add(a.Value)
		}
	}
	for _, id := range more {
		add(id)
	}
	return list
}

// maxObjectName is how long, in bytes, a value is that names something: the longest path
// of Linux.
const maxObjectName = 4096
