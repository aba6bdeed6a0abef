package definition

import (
	"crypto/sha256"
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/risk/poison"
	"github.com/glovebox-run/glovebox/risk/unseen"
)

// maxKey is the longest URI or name in bytes; longer ones are data in disguise.
const maxKey = 4 << 10

// Entry is a resource, a template or a prompt as its server defines it.
type Entry struct {
	Key    string // its URI, its URI template or its name
	Fault  string // why it must not be shown to a client; empty if it may
	Report poison.Report
}

// Entry reads a definition whose identity is the member key, and remembers it.
func (m *Memo) Entry(raw []byte, key string) Entry {
	e := Entry{Fault: broken(raw)}
	if e.Fault != "" {
		return e
	}
	name := gjson.GetBytes(raw, key)
	if e.Key = name.Str; name.Type != gjson.String || e.Key == "" {
		e.Fault = "it has no " + key
	} else if len(e.Key) > maxKey || unseen.Spell(e.Key) != e.Key {
		e.Key, e.Fault = unseen.Spell(e.Key[:min(len(e.Key), maxKey)]), fmt.Sprintf("its %s is too long or has characters that nobody sees", key)
	}
	if e.Fault != "" {
		return e
	}
	at := scanned{raw: sha256.Sum256(raw)}
	m.mu.Lock()
	defer m.mu.Unlock()
	e.Report = m.scanned(at, func() (poison.Report, error) { return poison.Scan(raw, nil) })
	return e
}
