// Package definition reads one tool definition of a server that nobody trusts: whether
// it may be shown to a client at all, its fingerprints, its risk, and what the
// poisoning scanner makes of it beside the tools that the same model sees.
//
//	Definition  one definition, read once
//	Memo        remembers definitions and scans by their bytes
//	Company     the names that texts may mention, for [Memo.Scan]
package definition

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog/nesting"
	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/fingerprint"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/risk/unseen"
)

const (
	// MaxBytes is the largest definition. The largest of the known servers has 60 KB;
	// every model reads all of it in each conversation.
	MaxBytes = 256 << 10
	// MaxDepth is how deep a definition may be nested; see governed.MaxDepth.
	MaxDepth = 512
	// MaxName is the longest name that the protocol allows, in characters.
	MaxName = 128
)

// Definition is one tool as its server defines it. It does not change.
type Definition struct {
	Raw         []byte
	Name        string // empty if there is none that can be shown
	Description string
	Schema      json.RawMessage
	Ours        fingerprint.Fingerprint
	Reference   fingerprint.Fingerprint
	// Fault says why it must not be shown to a client; empty if it may.
	Fault string
	// Writes reports that its words or its schema say that it changes something.
	Writes bool

	sum   [sha256.Size]byte // of Raw
	facts mcp.Tool
	words []uint64 // hashes of the words in it, sorted
	rate  [2]sync.Once
	risks [2]mcp.ToolRisk
}

// Read reads a definition. It never fails: what cannot be offered has a fault.
func Read(raw []byte) *Definition {
	d := &Definition{Raw: raw, sum: sha256.Sum256(raw)}
	if d.Fault = broken(raw); d.Fault != "" {
		return d
	}
	name := gjson.GetBytes(raw, "name")
	if d.Fault = badName(name); d.Fault != "" {
		return d
	}
	d.Name = name.Str
	var err error
	if d.Ours, err = fingerprint.Of(raw); err == nil {
		if d.Reference, err = fingerprint.Reference(raw); err == nil {
			d.facts, err = mcp.ReadTool(mcp.Default, raw, mcp.ToolContext{})
		}
	}
	if err != nil {
		d.Fault = "it cannot be read: " + err.Error()
		return d
	}
	d.Fault = badFields(raw)
	d.Description, d.Schema = d.facts.Description, d.facts.Schema
	d.Writes = writes(d.facts)
	d.words = wordsOf(raw)
	return d
}

// Risk returns the risk of publishing the tool. trusted says that a catalog vouches for
// its server.
func (d *Definition) Risk(trusted bool) mcp.ToolRisk {
	i := 0
	if trusted {
		i = 1
	}
	d.rate[i].Do(func() {
		facts := d.facts
		facts.TrustedServer = trusted
		d.risks[i] = mcp.ScoreTool(mcp.Default, facts)
	})
	return d.risks[i]
}

// writes reports whether anything in a definition says that calls change something.
func writes(t mcp.Tool) bool {
	for _, class := range capability.Of(capability.Definition{Name: t.Name, Title: t.Title, Description: t.Description, Schema: t.Schema}).Classes() {
		if sink := class.Row().Sink; class != capability.Unknown && class != capability.Fetch && sink != capability.NoSink {
			return true
		}
	}
	return t.Annotations.Destructive == mcp.True
}

// broken returns why the bytes are no JSON object that every reader understands alike.
func broken(raw []byte) string {
	switch {
	case len(raw) > MaxBytes:
		return fmt.Sprintf("it has %d bytes, more than %d", len(raw), MaxBytes)
	case nesting.Beyond(raw, MaxDepth) >= 0:
		return fmt.Sprintf("it is nested more than %d deep", MaxDepth)
	case !jsontext.Value(raw).IsValid():
		return "it is not JSON in UTF-8 with every name once"
	case jsontext.Value(bytes.TrimSpace(raw)).Kind() != '{':
		return "it is not a JSON object"
	}
	return ""
}

// badName returns why a name cannot be shown to people and put on a wire.
func badName(name gjson.Result) string {
	switch {
	case name.Type != gjson.String:
		return "it has no name"
	case name.Str == "":
		return "its name is empty"
	case len([]rune(name.Str)) > MaxName:
		return fmt.Sprintf("its name has more than %d characters", MaxName)
	case unseen.Spell(name.Str) != name.Str || strings.ContainsAny(name.Str, "\n\r\t "):
		return "its name has spaces or characters that nobody sees"
	}
	return ""
}

// fields are the members of a tool that the protocol knows, and their types. A client
// that decodes a list with one wrong type rejects the whole list.
var fields = map[string]struct {
	want string
	is   func(gjson.Result) bool
}{
	"name":         {"a text", isText},
	"title":        {"a text", isText},
	"description":  {"a text", isText},
	"inputSchema":  {`an object with "type": "object"`, isSchema},
	"outputSchema": {"an object", gjson.Result.IsObject},
	"annotations":  {"an object of texts, true and false", isAnnotations},
	"icons":        {"an array of objects with a src", isIcons},
	"execution":    {"an object", gjson.Result.IsObject},
	"_meta":        {"an object", gjson.Result.IsObject},
}

func isText(r gjson.Result) bool { return r.Type == gjson.String }

func isSchema(r gjson.Result) bool { return r.IsObject() && r.Get("type").Raw == `"object"` }

func isAnnotations(r gjson.Result) bool {
	ok := r.IsObject()
	r.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "title":
			ok = ok && isText(value)
		case "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint":
			ok = ok && value.IsBool()
		}
		return ok
	})
	return ok
}

func isIcons(r gjson.Result) bool {
	ok := r.IsArray()
	r.ForEach(func(_, icon gjson.Result) bool {
		ok = ok && icon.IsObject() && isText(icon.Get("src"))
		return ok
	})
	return ok
}

// badFields returns why a client would misread the members of a definition.
func badFields(raw []byte) (fault string) {
	schema := false
	gjson.ParseBytes(raw).ForEach(func(key, value gjson.Result) bool {
		known, exact := fields[key.Str]
		switch {
		case exact && !known.is(value):
			fault = fmt.Sprintf("its %s is not %s", key.Str, known.want)
		case !exact && caseOnly(key.Str):
			// Some decoders take it for the known one, and the last of both wins.
			fault = fmt.Sprintf("its member %q differs from one of the protocol by case only", key.Str)
		}
		schema = schema || key.Str == "inputSchema"
		return fault == ""
	})
	if fault == "" && !schema {
		fault = "it has no inputSchema"
	}
	return fault
}

func caseOnly(key string) bool {
	for name := range fields {
		if strings.EqualFold(name, key) {
			return true
		}
	}
	return false
}
