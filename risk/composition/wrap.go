package composition

import (
	"bytes"
	"encoding/base32"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/mcp"
)

// Wrap returns the definition under which a member is re-published: the upstream
// definition with the alias as its name and, when there is one, the override as
// its description. Every other field is passed on as the server sent it; of equal
// keys the last one, so that no reader finds another name than we set.
func Wrap(m Member, upstream []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	if !utf8.Valid(upstream) || json.Unmarshal(upstream, &fields) != nil || fields == nil {
		return nil, errors.New("not a tool definition: want a JSON object in UTF-8")
	}
	fields["name"] = quoted(m.Alias)
	if strings.TrimSpace(m.Override) != "" {
		fields["description"] = quoted(m.Override)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // the server's texts stay as they are
	if err := enc.Encode(fields); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func quoted(s string) json.RawMessage {
	text, _ := json.Marshal(s) // a string always has a JSON form
	return text
}

// Names of the log lines around a call.
const (
	LogStart = "mcp.tool.start"
	LogDone  = "mcp.tool.done"
	LogCrash = "mcp.tool.crash"
)

// keyPrefix begins every context key of a call.
const keyPrefix = "mcp."

// Call is what the context of one call to a re-published tool carries.
type Call struct {
	CID             string // from CallID
	Via             string // where the call came in: chat, inspector, mcp-server
	Origin          string // what runs it: internal_js, wrapped_external
	CompositionID   string
	CompositionName string
	Alias           string
	Server          string // upstream
	Tool            string
	Transport       mcp.Transport
	Final           mcp.Level // effective
	ServerLevel     mcp.Level
	ToolLevel       mcp.Level
	FloorTrigger    string
}

// CallID writes five random bytes as the eight characters that mark the log lines
// of one call.
func CallID(random [5]byte) string {
	return strings.ToLower(base32.StdEncoding.EncodeToString(random[:]))
}

// During returns the context keys while a call runs: those before it, without
// what an outer call may have left, and the call's own. The map it is given is
// not touched, so that after the call, and after a crash too, going back to it
// restores everything.
func During(before map[string]string, c Call) map[string]string {
	keys := maps.Clone(before)
	if keys == nil {
		keys = map[string]string{}
	}
	maps.DeleteFunc(keys, func(key, _ string) bool { return strings.HasPrefix(key, keyPrefix) })
	for key, value := range map[string]string{
		"cid":                c.CID,
		"via":                c.Via,
		"origin":             c.Origin,
		"composition.id":     c.CompositionID,
		"composition.name":   c.CompositionName,
		"tool.exposed_alias": c.Alias,
		"upstream.server":    c.Server,
		"upstream.tool":      c.Tool,
		"upstream.transport": known(c.Transport.String()),
		"risk.final":         known(c.Final.String()),
		"risk.server":        known(c.ServerLevel.String()),
		"risk.publish":       known(c.ToolLevel.String()),
		"risk.floor_trigger": c.FloorTrigger,
	} {
		if value != "" {
			keys[keyPrefix+key] = value
		}
	}
	return keys
}

// known leaves out what says that nothing is known.
func known(s string) string {
	if s == mcp.Unrated.String() || s == mcp.TransportUnknown.String() {
		return ""
	}
	return s
}
