package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/internal/search"
	"github.com/glovebox-run/glovebox/mcpserver/relay"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Among many tools a model gets lost, and their definitions fill its context. A view
// that lists by search shows three tools instead. Most clients let a model call only
// what is listed, so one of the three calls the others; a call by name works as well,
// and either is the same governed call of the tool that was found.

// Listing says how an endpoint lists its tools.
type Listing string

// The listings. The zero value is [ListAll].
const (
	ListAll    Listing = "all"
	ListSearch Listing = "search" // above a number of tools
)

// DefaultSearchAbove is the number of tools above which [ListSearch] searches. Models
// still choose well among a few dozen.
const DefaultSearchAbove = 40

// finderSource is the source of the three tools.
const finderSource = "finder"

const (
	searchTools  = "search_tools"
	describeTool = "describe_tool"
	callTool     = "call_tool"
)

// finders are the definitions of the three, sorted by name.
var finders = []relay.Entry{
	{Key: callTool, Listed: json.RawMessage(`{"name":"call_tool","title":"Call a tool","description":"Calls a tool that search_tools found. The arguments are those of its inputSchema, which describe_tool shows.","inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"The name of the tool, as search_tools gave it."},"arguments":{"type":"object","description":"The arguments of the tool."}},"required":["name"]}}`)},
	{Key: describeTool, Listed: json.RawMessage(`{"name":"describe_tool","title":"Describe a tool","description":"Shows the whole definition of a tool: what it does and which arguments it takes. Changes nothing.","inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"The name of the tool, as search_tools gave it."}},"required":["name"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`)},
	{Key: searchTools, Listed: json.RawMessage(`{"name":"search_tools","title":"Search tools","description":"Finds tools by what they do. This server has more tools than it lists: search here before you say that something cannot be done. Changes nothing.","inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What the tool should do, in a few words."},"limit":{"type":"integer","description":"How many tools to show; 10 unless told, at most 50."}},"required":["query"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`)},
}

// searches reports whether an audience gets the three tools instead of all.
func (v *view) searches(s *shown, seen audience) bool {
	if s.searchAbove <= 0 || len(s.tools) <= s.searchAbove {
		return false
	}
	return s.list(listKey{method: "tools/list", seen: seen.key}, seen).Len() > s.searchAbove
}

// finder returns one of the three tools for an audience, or nil. call_tool is none: the
// tool that it calls takes its place.
func (v *view) finder(name string, who peer) *offer {
	if name != searchTools && name != describeTool {
		return nil
	}
	s, seen := v.shown.Load(), v.audienceOf(who)
	run := map[string]func(arguments gjson.Result) (text string, structured any, found bool){
		searchTools: func(arguments gjson.Result) (string, any, bool) {
			return s.search(seen, arguments.Get("query").String(), int(arguments.Get("limit").Int()))
		},
		describeTool: func(arguments gjson.Result) (string, any, bool) {
			return s.describe(seen, arguments.Get("name").String())
		},
	}[name]
	if !v.searches(s, seen) {
		return nil
	}
	tool := &finder{run: run}
	for _, e := range finders {
		if e.Key == name {
			tool.listed = e.Listed
		}
	}
	tool.about = governed.About{Source: finderSource, Name: name, Hash: sha256.Sum256(tool.listed), Level: risk.L0, Standing: finderSource}
	tool.about.Approval.Mode = catalog.ApprovalDisabled // shows what any list would show
	return &offer{Tool: tool, observed: v.observe(tool)}
}

// Bounds of one answer of search_tools.
const (
	fewFound   = 10
	mostFound  = 50
	shortWords = 300 // bytes of a description; describe_tool has all of it
)

type foundTool struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
}

// search answers search_tools.
func (s *shown) search(seen audience, query string, limit int) (text string, structured any, found bool) {
	if limit <= 0 {
		limit = fewFound
	}
	names, all := s.index(seen).Search(query, min(limit, mostFound))
	tools := make([]foundTool, 0, len(names))
	var b strings.Builder
	for _, name := range names {
		d := search.Of(s.tools[name].modern)
		t := foundTool{name, d.Title, shortened(d.Description, shortWords)}
		tools = append(tools, t)
		fmt.Fprintf(&b, "%s: %s\n", t.Name, t.Description)
	}
	if all > len(names) {
		fmt.Fprintf(&b, "(%d more fit; ask more precisely or with a higher limit)\n", all-len(names))
	}
	if len(names) == 0 {
		b.WriteString("No tool fits these words. Try other ones.\n")
	}
	return b.String(), map[string]any{"tools": tools, "all": all}, true
}

// describe answers describe_tool.
func (s *shown) describe(seen audience, name string) (text string, structured any, found bool) {
	o := s.tools[name]
	if o == nil || !seen.calls(o.About()) {
		return fmt.Sprintf("There is no tool %q here. search_tools finds the tools that there are.", name), nil, false
	}
	return string(o.modern), map[string]json.RawMessage{"tool": o.modern}, true
}

// index returns what search_tools searches, for an audience.
func (s *shown) index(seen audience) *search.Index {
	s.mu.Lock()
	x := s.indexes[seen.key]
	s.mu.Unlock()
	if x != nil {
		return x
	}
	var documents []search.Document
	for _, o := range s.tools {
		if seen.calls(o.About()) {
			documents = append(documents, search.Of(o.modern))
		}
	}
	x = search.New(documents) // takes 50 us a tool, and lists must not wait for it
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.indexes) >= maxLists {
		clear(s.indexes)
	}
	s.indexes[seen.key] = x
	return x
}

// shortened returns the beginning of a text.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "..."
}

// finder is search_tools or describe_tool, for one audience.
type finder struct {
	about  governed.About
	listed json.RawMessage
	run    func(arguments gjson.Result) (text string, structured any, found bool)
}

// About implements [governed.Tool].
func (f *finder) About() *governed.About { return &f.about }

// Listed implements [governed.Verbatim].
func (f *finder) Listed() json.RawMessage { return f.listed }

// Check implements [governed.Tool].
func (f *finder) Check(arguments []byte) (json.RawMessage, catalog.Problems) {
	needs := gjson.GetBytes(f.listed, "inputSchema.required.0").String()
	if given := gjson.GetBytes(arguments, needs); !gjson.ValidBytes(arguments) || given.Type != gjson.String {
		return nil, catalog.Problems{{Pointer: "/" + needs, Message: fmt.Sprintf("%q is required, a string", needs)}}
	}
	return arguments, nil
}

// Run implements [governed.Tool].
func (f *finder) Run(_ context.Context, permit *governed.Permit) (out governed.Output) {
	if err := permit.Check(f.about.Hash); err != nil {
		out.Failure = &governed.Failure{Kind: governed.NotCleared, Message: "the call was not cleared", Cause: err}
		return out
	}
	text, structured, found := f.run(gjson.ParseBytes(permit.Arguments))
	value, err := json.Marshal(struct {
		Content           []textContent `json:"content"`
		StructuredContent any           `json:"structuredContent,omitempty"`
		IsError           bool          `json:"isError,omitempty"`
	}{[]textContent{{"text", text}}, structured, !found})
	if err != nil {
		out.Failure = &governed.Failure{Kind: governed.Internal, Message: "the answer cannot be encoded", Cause: err}
		return out
	}
	out.Value = value
	return out
}

// unwrap makes a call of call_tool a call of the tool that it names.
func (x *exchange) unwrap() error {
	s := x.shown.Load()
	if x.key != callTool || !x.searches(s, x.audienceOf(x.peer)) {
		return nil
	}
	arguments := gjson.ParseBytes(x.arguments)
	name := arguments.Get("name")
	if !gjson.ValidBytes(x.arguments) || name.Type != gjson.String {
		return invalid(`call_tool needs the "name" of a tool, a string, and its "arguments"`)
	}
	x.key, x.arguments, x.found = name.String(), []byte(arguments.Get("arguments").Raw), true
	return nil
}
