package score

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/poison"
)

// subject is an observation as the checks read it: parsed once.
type subject struct {
	o  *Observation
	bg *Background

	url     *url.URL // nil for stdio, lists and what does not parse
	name    string   // serverInfo.name
	version string
	tools   []tool
	others  []entry         // resources and prompts
	hash    string          // SurfaceHash
	names   *poison.Names   // refined only
	has     map[string]bool // names of tools; refined only
	public  bool            // anybody who reaches the server may call its tools
}

// tool is one element of tools/list.
type tool struct {
	raw         json.RawMessage
	name        string
	title       string
	description string
	schema      json.RawMessage // nil when absent
	readOnly    *bool
	destructive *bool

	words   vocabulary // of name, description and schema
	verb    Verb
	fields  []field
	named   []string // the words of its name; refined only, as all below
	said    []string // and those of its description, up to maxDescription
	opening []string // and of its first sentence
	reading capability.Reading
	poison  []poison.Finding
}

// entry is one element of resources/list or prompts/list.
type entry struct {
	kind        string // "resource" or "prompt"
	raw         json.RawMessage
	name        string
	uri         string
	description string
	poison      []poison.Finding // refined only
}

// place is how evidence names a tool or an entry.
func (t *tool) place(at string) string { return "tool " + short(t.name) + at }
func (e *entry) place(at string) string {
	if e.name == "" {
		return e.kind + " " + short(e.uri) + at
	}
	return e.kind + " " + short(e.name) + at
}

// short cuts a name of a server, which may have a megabyte, to what a report shows of it.
func short(s string) string { return shorter(s, maxQuote) }

func shorter(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

func nameOf(raw []byte) string { return gjson.GetBytes(raw, "name").String() }

func newSubject(o *Observation, bg *Background, p Profile) *subject {
	s := &subject{o: o, bg: bg, hash: SurfaceHash(o)}
	if o.Target.URL != "" {
		if u, err := url.Parse(o.Target.URL); err == nil {
			s.url = u
		}
	}
	if o.Hello != nil {
		server := gjson.ParseBytes(o.Hello.Server)
		s.name, s.version = text(server.Get("name")), text(server.Get("version"))
	}
	for _, raw := range o.Tools.Items {
		s.tools = append(s.tools, readTool(raw))
	}
	for _, raw := range o.Resources.Items {
		s.others = append(s.others, readEntry("resource", raw))
	}
	for _, raw := range o.Prompts.Items {
		s.others = append(s.others, readEntry("prompt", raw))
	}
	s.public = (o.Target.Kind == HTTP || o.Target.Kind == SSE) && o.Hello != nil && o.Depth != APIKey && o.Depth != DCR && o.Depth != SignIn
	if p == Refined {
		s.read()
	}
	return s
}

// text returns a member that is a string; anything else counts as absent.
func text(r gjson.Result) string {
	if r.Type != gjson.String {
		return ""
	}
	return r.Str
}

func readTool(raw json.RawMessage) tool {
	doc := gjson.ParseBytes(raw)
	t := tool{raw: raw, name: text(doc.Get("name")), title: text(doc.Get("title")), description: text(doc.Get("description"))}
	if schema := doc.Get("inputSchema"); schema.IsObject() {
		t.schema = json.RawMessage(schema.Raw)
	}
	t.readOnly = hint(doc.Get("annotations.readOnlyHint"))
	t.destructive = hint(doc.Get("annotations.destructiveHint"))
	t.words = vocabularyOf(t.name, t.description, string(t.schema))
	t.verb = verbOf(t.name, t.description)
	t.fields = fieldsOf(t.schema)
	return t
}

func hint(r gjson.Result) *bool {
	if !r.IsBool() {
		return nil
	}
	b := r.Bool()
	return &b
}

func readEntry(kind string, raw json.RawMessage) entry {
	doc := gjson.ParseBytes(raw)
	return entry{kind: kind, raw: raw, name: text(doc.Get("name")), uri: text(doc.Get("uri")), description: text(doc.Get("description"))}
}

// read adds what the refined profile looks at: what a tool can do and whether its
// texts give orders.
func (s *subject) read() {
	names := make([]string, len(s.tools))
	s.has = make(map[string]bool, len(s.tools))
	for i := range s.tools {
		names[i] = s.tools[i].name
		s.has[names[i]] = true
	}
	s.names = poison.NewNames(names, nil)
	for i := range s.tools {
		t := &s.tools[i]
		t.named, t.said = slices.Collect(words(t.name)), slices.Collect(words(cut(t.description, maxDescription)))
		first, _, _ := strings.Cut(t.description, ". ")
		t.opening = slices.Collect(words(cut(first, maxSentence)))
		t.reading = capability.Of(capability.Definition{Name: t.name, Title: t.title, Description: t.description, Schema: t.schema})
		t.verb = verbOfReading(t.reading, t.verb)
		t.poison = scan(t.raw, s.names)
	}
	for i := range s.others {
		s.others[i].poison = scan(s.others[i].raw, s.names)
	}
}

// scan returns the findings that the scanner's default policy acts on. A text that
// is no JSON has none: the list it came in would not have parsed.
func scan(raw []byte, names *poison.Names) []poison.Finding {
	report, err := poison.Scan(raw, names)
	if err != nil {
		return nil
	}
	return acted(report)
}

func acted(report poison.Report) []poison.Finding {
	return slices.DeleteFunc(report.Findings, func(f poison.Finding) bool { return f.Confidence < poison.Medium })
}

// eachTool collects the evidence of every tool.
func (s *subject) eachTool(look func(*tool) (Evidence, bool)) []Evidence {
	var found []Evidence
	for i := range s.tools {
		if e, hit := look(&s.tools[i]); hit {
			e.tool = s.tools[i].name
			found = append(found, e)
		}
	}
	return found
}

// ofTools is the outcome of a rule about tools: it does not apply without any.
func (s *subject) ofTools(look func(*tool) (Evidence, bool)) Outcome {
	if out, none := s.noTools(); none {
		return out
	}
	return failOr(s.eachTool(look))
}

func (s *subject) noTools() (Outcome, bool) {
	switch {
	case !s.o.Tools.OK():
		return notFor("tools/list did not succeed"), true
	case len(s.tools) == 0:
		return notFor("the server lists no tools"), true
	}
	return Outcome{}, false
}

// plural writes a count with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// maxQuote is the longest passage of a server's text in evidence, in bytes: enough
// to judge it, and a report stays readable.
const maxQuote = 200

// quote cuts a server's text. Reports spell out its invisible characters.
func quote(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxQuote {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:maxQuote], "") + "..."
}
