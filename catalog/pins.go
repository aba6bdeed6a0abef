package catalog

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Integrity is what a pin says about a spec. The zero value is Tampered.
type Integrity uint8

const (
	Tampered Integrity = iota // the pin is for other content; the tool is withheld
	Unpinned                  // no pin: a tool of the user's own
	Pristine                  // the content that was pinned
)

var integrityNames = [...]string{"REVOKED_TAMPERED", "PASS_UNPINNED", "PASS_PRISTINE"}

// String returns the outcome as the reference names it.
func (i Integrity) String() string {
	if int(i) < len(integrityNames) {
		return integrityNames[i]
	}
	return integrityNames[Tampered]
}

// Exposed reports whether the tool may be offered.
func (i Integrity) Exposed() bool { return i == Unpinned || i == Pristine }

// Pins maps tool names to the content hashes the tools must have.
type Pins map[string]ContentHash

// pinFile is the form on disk, the same as the reference's.
type pinFile struct {
	Tools   map[string]string `json:"tools"`
	Version int               `json:"version"`
}

// ParsePins reads {"tools": {name: hash}, "version": 1}.
func ParsePins(data []byte) (Pins, error) {
	var file pinFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("pins: %w", err)
	}
	if file.Version != 1 {
		return nil, fmt.Errorf("pins: version %d; this program reads version 1", file.Version)
	}
	pins := Pins{}
	for name, text := range file.Tools {
		sum, err := hex.DecodeString(text)
		if err != nil || len(sum) != len(ContentHash{}) || strings.ToLower(text) != text {
			return nil, fmt.Errorf("pins: %s: %s is not a SHA-256 in lower-case hex", quote(name), quote(text))
		}
		pins[name] = ContentHash(sum)
	}
	return pins, nil
}

// Check compares a spec with its pin.
func (p Pins) Check(s *Spec) Integrity {
	pin, pinned := p[s.name]
	switch {
	case !pinned:
		return Unpinned
	case pin == s.hash:
		return Pristine
	}
	return Tampered
}

// Missing returns the pinned names that no spec has, sorted: a tool that
// disappears is a change too.
func (p Pins) Missing(specs []*Spec) []string {
	present := map[string]bool{}
	for _, s := range specs {
		present[s.name] = true
	}
	var gone []string
	for name := range p {
		if !present[name] {
			gone = append(gone, name)
		}
	}
	slices.Sort(gone)
	return gone
}

// PinsOf writes the pin file for specs.
func PinsOf(specs []*Spec) []byte {
	file := pinFile{Tools: map[string]string{}, Version: 1}
	for _, s := range specs {
		file.Tools[s.name] = s.hash.String()
	}
	text, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		panic(err) // strings and a number
	}
	return append(text, '\n')
}
