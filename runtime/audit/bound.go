package audit

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
)

// The bytes a record keeps of a value whose size a caller chooses. A longer value is
// replaced by its beginning, its size and its SHA-256, so that a copy found elsewhere
// can be identified.
const (
	maxValue     = 4 << 10 // of the JSON of parameters and the like; up to this they stay whole
	maxText      = 2 << 10 // of a message
	maxName      = 1 << 10 // of a name
	maxBeginning = 1 << 10 // of the beginning kept of a longer value
	maxHosts     = 100
)

// Shortened replaces a JSON value that is too long for a record.
type Shortened struct {
	Bytes     int    `json:"bytes"`
	SHA256    string `json:"sha256"`
	Hashed    int    `json:"hashed,omitempty"` // bytes that the hash is of; 0 for all
	Beginning string `json:"beginning"`
}

// bound shortens values that exceed a record's limits.
func (r *Record) bound() {
	for _, value := range []*json.RawMessage{&r.ToolSafety, &r.Redactions} {
		boundValue(value, 0)
	}
	boundValue(&r.Parameters, r.ParametersSize)
	for _, name := range []*string{&r.ID, &r.Trace, &r.ToolID, &r.Tool, &r.Category, &r.RiskLevel, &r.ContentHash, &r.Caller, &r.Client} {
		*name = boundText(*name, maxName)
	}
	r.Decision = boundText(r.Decision, maxText)
	if r.Cause != nil {
		c := *r.Cause
		c.Kind, c.Pointer = boundText(c.Kind, maxName), boundText(c.Pointer, maxName)
		c.Message, c.Stack = boundText(c.Message, maxText), boundText(c.Stack, maxText)
		r.Cause = &c
	}
	if len(r.Hosts) > maxHosts {
		more := fmt.Sprintf("(%d more)", len(r.Hosts)-maxHosts)
		r.Hosts = append(r.Hosts[:maxHosts:maxHosts], more)
	}
}

// boundValue shortens a value. size is that of the whole, of which value is the
// beginning; 0 if value is the whole.
func boundValue(value *json.RawMessage, size int) {
	if len(*value) <= maxValue && size == 0 {
		return
	}
	short := Shortened{
		Bytes: len(*value), SHA256: fmt.Sprintf("%x", sha256.Sum256(*value)), Beginning: strings.ToValidUTF8(string((*value)[:min(maxBeginning, len(*value))]), ""),
	}
	if size > 0 {
		short.Bytes, short.Hashed = size, len(*value)
	}
	text, err := json.Marshal(map[string]Shortened{"shortened": short})
	if err != nil {
		text = json.RawMessage(`{"shortened":{}}`)
	}
	*value = text
}

func boundText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s... (%d bytes, SHA-256 %x)", strings.ToValidUTF8(text[:most/2], ""), len(text), sha256.Sum256([]byte(text)))
}
