package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Lock is what was accepted, as a file beside the configuration. Its form is stable:
// equal pins give equal bytes.
type Lock struct {
	Version int                            `json:"version"`
	Servers map[string]map[string]LockedAs `json:"servers"` // by server and tool
}

// LockedAs is one accepted tool: its fingerprint in our form and in the reference's.
type LockedAs struct {
	SHA256    string `json:"sha256"`
	Reference string `json:"reference"`
}

// Lock returns the accepted tools of a server, or of all if it is empty. Tools that
// wait for a review, and revoked ones, are not accepted.
func (p Pins) Lock(server string) Lock {
	lock := Lock{Version: version, Servers: map[string]map[string]LockedAs{}}
	for _, pin := range p.All(server) {
		if pin.State() != Active {
			continue
		}
		if lock.Servers[pin.Server] == nil {
			lock.Servers[pin.Server] = map[string]LockedAs{}
		}
		lock.Servers[pin.Server][pin.Tool] = LockedAs{pin.Seen.Hash, pin.Reference.Hash}
	}
	return lock
}

// Bytes returns the lock as the file holds it.
func (l Lock) Bytes() []byte {
	text, err := json.MarshalIndent(l, "", "  ") // sorts by server and tool
	if err != nil {
		panic(err) // cannot fail: maps of strings
	}
	return append(text, '\n')
}

// ParseLock reads a lock file.
func ParseLock(text []byte) (Lock, error) {
	var l Lock
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return Lock{}, fmt.Errorf("not a lock file: %w", err)
	}
	if l.Version != version {
		return Lock{}, fmt.Errorf("the lock file has the form %d, and this program reads %d; write it again with glovebox pin export", l.Version, version)
	}
	if dec.More() {
		return Lock{}, errors.New("not a lock file: there is text behind it")
	}
	return l, nil
}

// Breach is one tool that is not what the lock says.
type Breach struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Why    string `json:"why"`
}

// Check compares what was seen last with the lock, in the order of server and tool:
// tools that are missing, that are not in the lock, and that differ from it. Servers
// that the lock does not name are not compared.
func (l Lock) Check(p Pins) []Breach {
	var all []Breach
	for _, server := range slices.Sorted(maps.Keys(l.Servers)) {
		locked := l.Servers[server]
		if err := p.Damage(server); err != nil {
			all = append(all, Breach{server, "", err.Error()})
			continue
		}
		tools := map[string]bool{}
		for tool := range locked {
			tools[tool] = true
		}
		for _, pin := range p.All(server) {
			tools[pin.Tool] = true
		}
		for _, tool := range slices.Sorted(maps.Keys(tools)) {
			pin, want := p.Of(server, tool), locked[tool]
			switch {
			case pin == nil:
				all = append(all, Breach{server, tool, "the lock has it and the ledger does not"})
			case want == LockedAs{}:
				all = append(all, Breach{server, tool, "the lock does not have it"})
			case pin.Seen.Hash != want.SHA256:
				all = append(all, Breach{server, tool, fmt.Sprintf("the lock has %.12s, the server sends %.12s", want.SHA256, pin.Seen.Hash)})
			case pin.State() == Revoked:
				all = append(all, Breach{server, tool, "it was revoked"})
			}
		}
	}
	return all
}
