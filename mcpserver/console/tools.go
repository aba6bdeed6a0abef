package console

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/governed"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// Spec is a spec of the library, offered or not.
type Spec struct {
	library.Tool
	// Posture is what it is granted under the configuration in effect; Refused says why it
	// is granted nothing.
	Posture catalog.Posture
	Refused catalog.Problems
}

// The kinds of tools.
const (
	builtinTool = "built-in"     // comes with the program
	ownTool     = "own"          // the operator's spec
	otherTool   = "re-published" // of another server
)

// The states of tools.
const (
	servedTool   = "served"
	draftTool    = "draft"
	withheldTool = "withheld"
)

// tool is one tool that the console knows of.
type tool struct {
	Key          string // in addresses
	Name, Source string
	Kind, State  string
	Level        risk.Level
	Why          string        // it is not served
	Offered      governed.Tool // nil if it is not served
	Spec         *Spec         // nil for tools without a document
	Wrapped      *exposure.Tool
}

// keyOf names a tool in an address: readable if source and name are plain.
func keyOf(source, name string) string {
	plain := source + "~" + name
	if len(plain) <= maxKey {
		i := 0
		for i < len(plain) && plainBytes[plain[i]] {
			i++
		}
		if i == len(plain) {
			return plain
		}
	}
	hash := sha256.Sum256([]byte(source + "\x00" + name))
	return "~" + hex.EncodeToString(hash[:16])
}

// maxKey bounds a readable key, in bytes.
const maxKey = 160

// plainBytes are the characters of readable keys.
var plainBytes = func() (plain [256]bool) {
	for _, b := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~") {
		plain[b] = true
	}
	return plain
}()

// allTools returns all tools, by name.
func (c *Console) allTools() []tool {
	offered, specs := c.options.Tools(), c.options.Specs()
	byName := make(map[string]*Spec, len(specs))
	all := make([]tool, 0, len(offered)+len(specs))
	for i := range specs {
		if s := &specs[i]; s.Published() {
			byName[s.Spec.Name()] = s
		}
	}
	served := map[string]bool{}
	for _, o := range offered {
		about := o.About()
		t := tool{Key: keyOf(about.Source, about.Name), Name: about.Name, Source: about.Source, Kind: builtinTool, State: servedTool, Level: about.Level, Offered: o}
		if wrapped, ok := o.(*exposure.Tool); ok {
			t.Kind, t.Wrapped = otherTool, wrapped
		} else if _, ok := o.(governed.Verbatim); ok {
			t.Kind = otherTool
		} else if about.Source == risk.Library {
			if t.Kind, t.Spec = ownTool, byName[about.Name]; t.Spec != nil && t.Spec.Origin == library.Builtin {
				t.Kind = builtinTool
			}
			served[about.Name] = true
		}
		all = append(all, t)
	}
	for i := range specs {
		s := &specs[i]
		name := s.Spec.Name()
		if s.Published() && served[name] {
			continue
		}
		t := tool{Key: keyOf(risk.Library, name), Name: name, Source: risk.Library, Kind: ownTool, State: withheldTool, Level: risk.PostureLevel(s.Posture), Spec: s, Why: s.Why()}
		switch {
		case s.Refused.Err() != nil:
			t.Why = s.Refused.Err().Error()
		case s.Published():
			t.Why = "another tool has its name, or it cannot be prepared; the log of the server says more"
		case s.State == catalog.Draft:
			t.State = draftTool
		}
		if s.Origin == library.Builtin {
			t.Kind = builtinTool
		}
		all = append(all, t)
	}
	slices.SortStableFunc(all, func(a, b tool) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Source, b.Source)) })
	return all
}

// toolNamed returns the tool that an address names.
func (c *Console) toolNamed(key string) (tool, error) {
	all := c.allTools()
	if i := slices.IndexFunc(all, func(t tool) bool { return t.Key == key }); i >= 0 {
		return all[i], nil
	}
	return tool{}, refuse(http.StatusNotFound, "No such tool", "There is no such tool, or no longer.", "")
}

// definition returns a tool as a model sees it.
func (c *Console) definition(t *tool) json.RawMessage {
	switch o := t.Offered.(type) {
	case nil:
	case governed.Verbatim:
		return o.Listed()
	default:
		if text, err := c.options.Definition(o); err == nil {
			return text
		}
	}
	if t.Spec != nil {
		if text, err := json.Marshal(t.Spec.Spec.Entry()); err == nil {
			return text
		}
	}
	return json.RawMessage(`{}`)
}

// says returns the description of a tool.
func (c *Console) says(t *tool) string {
	if t.Spec != nil {
		return t.Spec.Spec.Description()
	}
	return gjson.GetBytes(c.definition(t), "description").String()
}

// posture returns what a tool of the library is granted.
func (t *tool) posture() (catalog.Posture, bool) {
	if o, ok := t.Offered.(interface{ Posture() catalog.Posture }); ok {
		return o.Posture(), true
	}
	if t.Spec != nil {
		return t.Spec.Posture, true
	}
	return catalog.Posture{}, false
}

// mayWords are what filters and chips call the parts of a posture.
var mayWords = map[string]string{"network": "network", "read": "reads files", "write": "writes files", "destroy": "deletes files", "denied": "classes", "allowed": "classes"}

// May returns the words for what a tool may do; none for one that only computes.
func (t *tool) May() (words []string) {
	p, known := t.posture()
	if !known {
		return nil
	}
	for _, s := range risk.PostureSignals(p) {
		if s.Level > risk.L0 {
			words = append(words, mayWords[s.Name])
		}
	}
	return slices.Compact(words)
}

// AlwaysAsked says that a person is asked before each call.
func (t *tool) AlwaysAsked() bool {
	if t.Offered != nil {
		return t.Offered.About().AlwaysAsked || t.Offered.About().Approval.Mode == catalog.ApprovalRequired
	}
	return t.Spec != nil && t.Spec.Spec.HumanInTheLoop().Mode == catalog.ApprovalRequired
}

// hash identifies this version of a tool, for what is known about its definition.
func (t *tool) hash() [32]byte {
	if t.Offered != nil {
		return t.Offered.About().Hash
	}
	return t.Spec.Spec.Hash()
}

// maxToolRowsPage is how many tools one page has.
const maxToolsPage = 40

// toolsView is the page Tools.
type toolsView struct {
	Query   toolQuery
	Rows    []toolLine
	Found   int // that fit the query
	All     int
	From    int // of the first row, from 1
	Levels  []choice
	Kinds   []choice
	States  []choice
	Mays    []choice
	Sources []choice
	Scanned int
	Before  string // the address of the page before, or empty
	After   string
}

// toolLine is one row.
type toolLine struct {
	tool
	Says  string
	Found *summary // nil while nobody has looked
	Can   []string
}

// choice is one value of a filter.
type choice struct {
	Value, Word string
	Count       int
	On          bool
}

// toolQuery is what is looked for.
type toolQuery struct {
	Text, Level, Kind, State, May, Source, Finds string
	Page                                         int
}

func toolQueryOf(r *http.Request) toolQuery {
	q := r.URL.Query()
	page, err := strconv.Atoi(q.Get("page"))
	if err != nil {
		page = 1
	}
	text := q.Get("q")
	return toolQuery{
		Text: strings.TrimSpace(text[:min(len(text), maxSearch)]), Level: q.Get("level"), Kind: q.Get("kind"), State: q.Get("state"), May: q.Get("may"), Source: q.Get("source"), Finds: q.Get("finds"),
		Page: page,
	}
}

// maxSearch bounds what is searched for, in bytes.
const maxSearch = 200

// Any reports whether anything is looked for.
func (q toolQuery) Any() bool {
	q.Page = 0
	return q != toolQuery{}
}

// fits reports whether a tool is looked for. The dearest question comes last.
func (q *toolQuery) fits(c *Console, t *tool) bool {
	switch {
	case q.Level != "" && t.Level.String() != q.Level,
		q.Kind != "" && t.Kind != q.Kind,
		q.State != "" && t.State != q.State,
		q.Source != "" && t.Source != q.Source,
		q.May != "" && !slices.Contains(t.May(), q.May):
		return false
	}
	if q.Finds != "" {
		if s, known := c.scans.known(t.hash()); !known || s.Findings == 0 {
			return false
		}
	}
	if q.Text == "" {
		return true
	}
	text := strings.ToLower(q.Text)
	return strings.Contains(strings.ToLower(t.Name), text) || strings.Contains(strings.ToLower(t.Source), text) || strings.Contains(strings.ToLower(c.says(t)), text)
}

func (c *Console) showTools(v *visit) (any, error) {
	all := c.allTools()
	view := &toolsView{Query: toolQueryOf(v.r), All: len(all)}
	q := &view.Query
	count := map[string]map[string]int{"level": {}, "kind": {}, "state": {}, "may": {}, "source": {}}
	var found []int
	for i := range all {
		t := &all[i]
		count["level"][t.Level.String()]++
		count["kind"][t.Kind]++
		count["state"][t.State]++
		count["source"][t.Source]++
		for _, word := range t.May() {
			count["may"][word]++
		}
		if q.fits(c, t) {
			found = append(found, i)
		}
	}
	view.Found = len(found)
	pages := max(1, (len(found)+maxToolsPage-1)/maxToolsPage)
	q.Page = min(max(q.Page, 1), pages)
	first := (q.Page - 1) * maxToolsPage
	for _, i := range found[first:min(first+maxToolsPage, len(found))] {
		line := toolLine{tool: all[i], Says: c.says(&all[i]), Can: all[i].May()}
		if s, known := c.scans.known(all[i].hash()); known {
			line.Found = &s
		}
		view.Rows = append(view.Rows, line)
	}
	view.From = first + 1
	if q.Page > 1 {
		view.Before = c.toolsURL(*q, q.Page-1)
	}
	if q.Page < pages {
		view.After = c.toolsURL(*q, q.Page+1)
	}
	for l := risk.L0; l <= risk.L5; l++ {
		view.Levels = append(view.Levels, choice{l.String(), l.String() + " " + l.Label(), count["level"][l.String()], q.Level == l.String()})
	}
	view.Kinds = choices(count["kind"], q.Kind, builtinTool, ownTool, otherTool)
	view.States = choices(count["state"], q.State, servedTool, draftTool, withheldTool)
	view.Mays = choices(count["may"], q.May, "network", "reads files", "writes files", "deletes files")
	view.Sources = choices(count["source"], q.Source, firstSources(count["source"])...)
	view.Scanned = c.scans.look(c, all)
	return view, nil
}

// maxSources bounds the sources that the filter offers; the search finds the others.
const maxSources = 60

func firstSources(count map[string]int) (names []string) {
	for name := range count {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	return names[:min(len(names), maxSources)]
}

func choices(count map[string]int, on string, values ...string) (all []choice) {
	for _, value := range values {
		all = append(all, choice{value, value, count[value], on == value})
	}
	return all
}

// toolsURL is the address of a page of what is looked for.
func (c *Console) toolsURL(q toolQuery, page int) string {
	parts := []any{"tools"}
	mark := "?"
	for _, p := range [][2]string{{"q", q.Text}, {"level", q.Level}, {"kind", q.Kind}, {"state", q.State}, {"may", q.May}, {"source", q.Source}, {"finds", q.Finds}, {"page", strconv.Itoa(page)}} {
		if p[1] != "" && p != [2]string{"page", "1"} {
			parts = append(parts, mark+p[0], p[1])
			mark = "&"
		}
	}
	return c.url(parts...)
}
