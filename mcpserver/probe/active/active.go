// Package active calls tools of a server to see whether it follows its own schemas. It
// is apart from package probe, which cannot call anything.
//
// Two people have to agree: whoever runs the machine (Gate.Machine) and whoever runs
// the scan (Gate.Scan). It makes at most score.MaxActiveCalls calls, of tools that read
// and touch nothing sensitive, with arguments of simple types that the schema admits.
// Results are dropped; what is kept is whether the server refused such arguments.
package active

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/session"
	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/score"
)

// Gate is the consent to call tools. The zero value refuses.
type Gate struct {
	Machine bool // of whoever runs the machine, such as a variable of the environment
	Scan    bool // of whoever asks for this scan
}

// ErrClosed means that one of the two did not agree.
var ErrClosed = errors.New("the active probe calls tools: both the machine and the scan have to allow it")

// invalidParams is the code of JSON-RPC 2.0 for arguments that a method does not take.
const invalidParams = -32602

// Probe calls tools that the report of a passive scan calls harmless.
func Probe(ctx context.Context, g Gate, dial session.Dial, o session.Options, seen *score.Observation, r *score.Report) (*score.Active, error) {
	if !g.Machine || !g.Scan {
		return nil, ErrClosed
	}
	greeted, cancel := context.WithTimeout(ctx, score.CallTimeout)
	s, err := session.Open(greeted, dial, session.Options{Era: o.Era, Name: o.Name, Version: o.Version})
	cancel()
	if err != nil {
		return nil, err
	}
	defer s.Close(context.WithoutCancel(ctx))
	did := &score.Active{}
	for _, raw := range seen.Tools.Items {
		if len(did.Calls) == score.MaxActiveCalls {
			break
		}
		params, ok := harmless(raw, r)
		if !ok {
			continue
		}
		did.Calls = append(did.Calls, call(ctx, s, gjson.GetBytes(raw, "name").Str, params))
	}
	return did, nil
}

func call(ctx context.Context, s *session.Session, name string, params json.RawMessage) score.ActiveCall {
	ctx, cancel := context.WithTimeout(ctx, score.CallTimeout)
	defer cancel()
	did := score.ActiveCall{Tool: name}
	_, err := s.Call(ctx, &session.Request{Method: "tools/call", Params: params})
	refused := (*session.RPCError)(nil)
	if errors.As(err, &refused) && refused.Code == invalidParams {
		did.Error = fmt.Sprintf("refused arguments that its schema admits (error %d)", refused.Code)
	}
	return did
}

// harmless returns the parameters for a call of a tool, if it may be called at all.
func harmless(raw json.RawMessage, r *score.Report) (json.RawMessage, bool) {
	name := gjson.GetBytes(raw, "name").Str
	i := slices.IndexFunc(r.Tools, func(t score.ToolRow) bool { return t.Name == name })
	if i < 0 || !reads(r.Tools[i]) || sensitive(name) {
		return nil, false
	}
	args := map[string]any{}
	ok := true
	properties := gjson.GetBytes(raw, "inputSchema.properties")
	for _, required := range gjson.GetBytes(raw, "inputSchema.required").Array() {
		property := properties.Get(gjson.Escape(required.Str))
		value, simple := example(property)
		ok = ok && simple && !sensitive(required.Str)
		args[required.Str] = value
	}
	if !ok {
		return nil, false
	}
	params, err := json.Marshal(map[string]any{"name": name, "arguments": args})
	return params, err == nil
}

// reads reports whether nothing speaks against calling a tool.
func reads(t score.ToolRow) bool {
	return t.Verb == score.ReadVerb && len(t.Flags) == 0 && (t.ReadOnly == nil || *t.ReadOnly) && (t.Destructive == nil || !*t.Destructive)
}

// sensitiveWords are names of tools and arguments that are left alone, whatever the rest
// says: what they stand for belongs to somebody or leads elsewhere.
var sensitiveWords = strings.Fields("password secret token key credential credentials auth user users email phone account admin private url uri host path file command code query sql payment card")

func sensitive(name string) bool {
	return slices.ContainsFunc(capability.Words(name), func(w string) bool { return slices.Contains(sensitiveWords, w) })
}

// example returns a value of a simple type that a schema admits, if it can be told.
func example(schema gjson.Result) (value any, ok bool) {
	for _, bound := range []string{"pattern", "format", "anyOf", "oneOf", "allOf", "$ref", "multipleOf", "exclusiveMinimum", "not"} {
		if schema.Get(gjson.Escape(bound)).Exists() {
			return nil, false
		}
	}
	kind := schema.Get("type").Str
	simple := slices.Contains([]string{"string", "integer", "number", "boolean"}, kind)
	if first := schema.Get("enum.0"); simple && first.Exists() {
		return first.Value(), true
	}
	switch kind {
	case "boolean":
		return false, true
	case "integer", "number":
		least := schema.Get("minimum").Num
		if most := schema.Get("maximum"); most.Exists() && most.Num < least {
			return nil, false
		}
		return least, true
	case "string":
		text := "example"
		if most := schema.Get("maxLength"); most.Exists() && int(most.Num) < len(text) {
			text = text[:max(0, int(most.Num))]
		}
		return text, int(schema.Get("minLength").Num) <= len(text)
	}
	return nil, false
}
