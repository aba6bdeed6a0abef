package telemetry

import (
	"encoding/json"
	"regexp"

	"github.com/tidwall/gjson"
	"go.opentelemetry.io/otel/attribute"
)

// maxRules is how many rules a span names: the table has fewer.
const maxRules = 32

// ruleID is what a rule is called. Nothing else of a decision's reasons goes into a span:
// the passages they rest on are text of strangers and private data, and stay in the
// record.
var ruleID = regexp.MustCompile(`^F[0-9]{2}$`)

// decision says how a call was judged, and by which labels.
func decision(judged string, flow json.RawMessage) (attrs []attribute.KeyValue) {
	if judged != "" {
		attrs = append(attrs, attribute.String("mcp.decision", judged))
	}
	if len(flow) == 0 {
		return attrs
	}
	f := gjson.ParseBytes(flow)
	var rules []string
	for _, id := range f.Get("fired.#.rule").Array() {
		if len(rules) < maxRules && ruleID.MatchString(id.Str) {
			rules = append(rules, id.Str)
		}
	}
	return append(attrs,
		attribute.String("mcp.flow.mode", one(f.Get("mode").Str, "observe", "ask", "enforce")),
		attribute.String("mcp.flow.verdict", one(f.Get("verdict").Str, "allow", "ask", "deny")),
		attribute.StringSlice("mcp.flow.rules", rules),
		attribute.StringSlice("mcp.flow.session", label(f.Get("session"))),
		attribute.StringSlice("mcp.flow.result", label(f.Get("result"))),
	)
}

// label returns what a label says, without whose data it is.
func label(l gjson.Result) (words []string) {
	for _, word := range []string{"untrusted", "private", "secret"} {
		if l.Get(word).Bool() {
			words = append(words, word)
		}
	}
	return words
}

// one returns a word if it is one of those that there are.
func one(word string, words ...string) string {
	for _, w := range words {
		if w == word {
			return w
		}
	}
	return "unknown"
}
