package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
)

// A worsening adds to what a tool says, can carry or is known to do, or takes
// back something that spoke for it. None may lower a level, whatever the text:
// what is added may promise harmlessness, deny a danger or mean nothing.
//
// Text is added behind a space, or in front as sentences of its own. It is not put
// between two words of one sentence: "is deleted" and "is not deleted" differ by
// such an addition.
type worsening struct {
	name  string
	apply func(r *rand.Rand, w *wireTool)
}

// wireTool is a definition as it is sent, and what is known besides.
type wireTool struct {
	fields map[string]any
	ctx    ToolContext
}

func (w wireTool) clone() wireTool {
	raw, err := json.Marshal(w.fields)
	if err != nil {
		panic(err)
	}
	w.fields = nil
	if err := json.Unmarshal(raw, &w.fields); err != nil {
		panic(err)
	}
	return w
}

func (w wireTool) text(key string) string {
	s, _ := w.fields[key].(string)
	return s
}

// member returns the object under a key, which it makes if there is none.
func member(in map[string]any, key string) map[string]any {
	o, ok := in[key].(map[string]any)
	if !ok {
		o = map[string]any{}
		in[key] = o
	}
	return o
}

func (w wireTool) score(t *testing.T) ToolRisk {
	t.Helper()
	raw, err := json.Marshal(w.fields)
	if err != nil {
		t.Fatal(err)
	}
	tool, err := ReadTool(Default, raw, w.ctx)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return ScoreTool(Default, tool)
}

var (
	someNames = []string{"list_items", "delete_item", "get_delete_status", "createIssue", "x", "query", "terminal", "run-report", "sendEmail", "read_secret", "browser_click",
		"remove", "drop", "price_drop", "format", "paiement", "rechte_vergeben", "搜索", "get_order", "find_and_purge", "deletefile", "force", "SQLConsole"}
	someTexts = []string{
		"", " ", "x", "short", "Gets.", "Gets list items from somewhere far away", "Deletes", "Runs", "Execute", "Permanently deletes all records and sends a copy to an external server.",
		"Lists every repository the signed-in account may open, with branch.", "Runs any shell command", "Run a read-only SQL query", "Executes SQL",
		"Does not delete anything, and never sends data.", "Returns the password of a database", "Use this to remove", "If you want to delete a file", "The user", "without",
		"Only SELECT", "Decoded", "with decryption", "Applies DDL", "Opens a ticket", "abre", "转账", "This tool is read-only and safe.", "Nothing is changed. Nothing is sent.", "Sendet", "Überweist Geld", "Löscht nichts.", "不会删除", "删除所有记录", "удаляет все", "(delete, create",
		"Click the button", "e.g. delete.", "don't", "'", "delete_file", "`rm -rf /`", "1 + 1", "any", "secret", "\u200b", "sh", "to", "that is", "users", "using", "a: b", "v1.2",
	}
	someParameters = []string{"q", "command", "sql", "path", "url", "code", "amount", "recipient", "body", "secret_name", "to", "delete_ids", "max_price", "page_token", "role", "user", "action", "script", "n"}
	hints          = []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
)

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// phrase makes a text of known and of random words.
func phrase(r *rand.Rand) string {
	var parts []string
	for range 1 + r.IntN(3) {
		parts = append(parts, pick(r, someTexts))
	}
	return strings.Join(parts, pick(r, []string{" ", ". ", ", ", "\n"}))
}

func randomTool(r *rand.Rand) wireTool {
	w := wireTool{fields: map[string]any{"name": pick(r, someNames)}}
	if r.IntN(4) > 0 {
		w.fields["description"] = phrase(r)
	}
	if r.IntN(4) > 0 {
		properties := map[string]any{}
		for range r.IntN(4) {
			properties[pick(r, someParameters)] = randomProperty(r)
		}
		w.fields["inputSchema"] = map[string]any{"type": "object", "properties": properties}
	}
	if r.IntN(3) > 0 {
		h := member(w.fields, "annotations")
		for _, hint := range hints {
			if n := r.IntN(3); n < 2 {
				h[hint] = n == 1
			}
		}
	}
	w.ctx = ToolContext{TrustedServer: r.IntN(2) == 0, SendsUserData: r.IntN(4) == 0, SideEffect: SideEffect(r.IntN(4)), CuratorGaps: r.IntN(3)}
	return w
}

func randomProperty(r *rand.Rand) any {
	p := map[string]any{"type": "string"}
	if r.IntN(2) == 0 {
		p["description"] = phrase(r)
	}
	if r.IntN(4) == 0 {
		p["enum"] = []string{"create", "delete", "asc"}
	}
	return p
}

var worsenings = []worsening{
	{"more description", func(r *rand.Rand, w *wireTool) {
		w.fields["description"] = w.text("description") + " " + phrase(r)
	}},
	{"more description in front", func(r *rand.Rand, w *wireTool) {
		w.fields["description"] = phrase(r) + ".\n" + w.text("description")
	}},
	{"padding", func(r *rand.Rand, w *wireTool) {
		w.fields["description"] = w.text("description") + strings.Repeat(" \u200b", r.IntN(40))
	}},
	{"a title", func(r *rand.Rand, w *wireTool) {
		w.fields["title"] = strings.TrimSpace(w.text("title") + " " + phrase(r))
	}},
	{"more words in the name", func(r *rand.Rand, w *wireTool) {
		w.fields["name"] = w.text("name") + "_" + pick(r, []string{"of_everything", "status", "read", "get", "delete", "safe", "x", "table", "and_list", "readOnly"})
	}},
	{"another parameter", func(r *rand.Rand, w *wireTool) {
		properties := member(member(w.fields, "inputSchema"), "properties")
		if name := pick(r, someParameters); properties[name] == nil {
			properties[name] = randomProperty(r)
		}
	}},
	{"an inner parameter", func(r *rand.Rand, w *wireTool) {
		properties := member(member(w.fields, "inputSchema"), "properties")
		if properties["options"] == nil {
			properties["options"] = map[string]any{"properties": map[string]any{pick(r, someParameters): randomProperty(r)}}
		}
	}},
	{"a longer parameter description", func(r *rand.Rand, w *wireTool) {
		properties := member(member(w.fields, "inputSchema"), "properties")
		for name := range maps.Keys(properties) {
			p := member(properties, name)
			text, _ := p["description"].(string)
			p["description"] = text + " " + phrase(r)
		}
	}},
	{"another action", func(r *rand.Rand, w *wireTool) {
		properties := member(member(w.fields, "inputSchema"), "properties")
		for name := range maps.Keys(properties) {
			p := member(properties, name)
			if values, ok := p["enum"].([]any); ok {
				p["enum"] = append(values, pick(r, someNames))
			}
		}
	}},
	{"declared destructive", func(_ *rand.Rand, w *wireTool) { member(w.fields, "annotations")["destructiveHint"] = true }},
	{"declared open-world", func(_ *rand.Rand, w *wireTool) { member(w.fields, "annotations")["openWorldHint"] = true }},
	{"declared not read-only", func(_ *rand.Rand, w *wireTool) { member(w.fields, "annotations")["readOnlyHint"] = false }},
	{"declared not repeatable", func(_ *rand.Rand, w *wireTool) { member(w.fields, "annotations")["idempotentHint"] = false }},
	{"a hint that was not there", func(r *rand.Rand, w *wireTool) {
		h := member(w.fields, "annotations")
		// A vouched server's readOnlyHint is believed: it is what vouching is for.
		if hint := pick(r, hints); h[hint] == nil && !(w.ctx.TrustedServer && hint == "readOnlyHint") {
			h[hint] = r.IntN(2) == 0
		}
	}},
	{"a vouched server says less", func(r *rand.Rand, w *wireTool) {
		if w.ctx.TrustedServer {
			delete(member(w.fields, "annotations"), pick(r, hints))
		}
	}},
	{"a vouched server says nothing", func(_ *rand.Rand, w *wireTool) {
		if w.ctx.TrustedServer {
			delete(w.fields, "annotations")
		}
	}},
	{"an unvouched server promises less", func(_ *rand.Rand, w *wireTool) {
		h := member(w.fields, "annotations")
		for _, promise := range []string{"readOnlyHint", "idempotentHint"} {
			if h[promise] == true {
				delete(h, promise)
			}
		}
	}},
	{"nobody vouches any more", func(_ *rand.Rand, w *wireTool) { w.ctx.TrustedServer = false }},
	{"a larger effect", func(_ *rand.Rand, w *wireTool) { w.ctx.SideEffect = min(w.ctx.SideEffect+1, EffectRemoteAdmin) }},
	{"it sends user data", func(_ *rand.Rand, w *wireTool) { w.ctx.SendsUserData = true }},
	{"another gap", func(_ *rand.Rand, w *wireTool) { w.ctx.CuratorGaps++ }},
}

func TestNoWorseningLowersALevel(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	tried, server := 0, randomServer(random)
	for i := range 1000 {
		w := randomTool(random)
		before := w.score(t)
		addsUp(t, before.Score)
		if i%20 == 0 {
			server = randomServer(random)
		}
		risk := ScoreServer(Default, server)
		together := Compose(Default, risk, before)
		for _, worse := range worsenings {
			changed := w.clone()
			worse.apply(random, &changed)
			after := changed.score(t)
			tried++
			if after.Level < before.Level || Compose(Default, risk, after).Level < together.Level {
				t.Fatalf("%s made it better:\n%s\n%s\n%s%s", worse.name, show(w), show(changed), before.Explain(), after.Explain())
			}
		}
	}
	if tried < 20_000 {
		t.Errorf("only %d worsenings", tried)
	}
}

// The same for tools of which only the facts are known.
func TestNoWorseFactLowersALevel(t *testing.T) {
	worse := map[string]func(*Tool){
		"no schema":            func(x *Tool) { x.HasSchema = false },
		"nothing described":    func(x *Tool) { x.Coverage = 0 },
		"another gap":          func(x *Tool) { x.CuratorGaps++ },
		"user data":            func(x *Tool) { x.SendsUserData = true },
		"admin":                func(x *Tool) { x.SideEffect = EffectRemoteAdmin },
		"nobody vouches":       func(x *Tool) { x.TrustedServer = false },
		"destructive":          func(x *Tool) { x.Annotations.Destructive = True },
		"open world":           func(x *Tool) { x.Annotations.OpenWorld = True },
		"no longer read-only":  func(x *Tool) { x.Annotations.ReadOnly = False },
		"no longer repeatable": func(x *Tool) { x.Annotations.Idempotent = False },
		"more text":            func(x *Tool) { x.Description += " It is safe." },
		"more words":           func(x *Tool) { x.Name += "_of_everything" },
	}
	random := rand.New(rand.NewPCG(8, 10))
	hint := func() Hint { return Hint(random.IntN(3)) }
	for range 2000 {
		x := Tool{
			Name: pick(random, append(someNames, "")), Description: phrase(random), Annotations: Annotations{hint(), hint(), hint(), hint()},
			HasSchema: random.IntN(2) == 0, Coverage: random.Float64(), CuratorGaps: random.IntN(4), SendsUserData: random.IntN(2) == 0,
			SideEffect: SideEffect(random.IntN(4)), TrustedServer: random.IntN(2) == 0,
		}
		before := ScoreTool(Default, x)
		addsUp(t, ScoreTool(Reference, x).Score)
		for name, change := range worse {
			changed := x
			change(&changed)
			if after := ScoreTool(Default, changed); after.Level < before.Level {
				t.Fatalf("%s made it better:\n%+v\n%s%s", name, x, before.Explain(), after.Explain())
			}
		}
	}
}

func show(w wireTool) string {
	raw, err := json.Marshal(w.fields)
	return fmt.Sprintf("%s %+v %v", raw, w.ctx, err)
}

// Whatever is added, and to whatever: no text lowers a level.
func FuzzMoreTextNeverLowersALevel(f *testing.F) {
	f.Add([]byte(strings.Replace(goodTool, "HINTS", `{"readOnlyHint":true}`, 1)), " And more.", "status")
	f.Add([]byte(`{"name":"dеlete","annotations":{"destructiveHint":[]}}`), "\xff", "of")
	f.Add([]byte(`{"name":"drop","description":"Deletes"}`), "nothing, ever. (not) 'x", "table")
	f.Add([]byte(`{"name":"t","description":"any","inputSchema":{"properties":{"sql":{"description":"a"}}}}`), "read-only SELECT", "get")
	f.Fuzz(func(t *testing.T, raw []byte, more, word string) {
		tool, err := ReadTool(Default, raw, ToolContext{})
		if err != nil {
			return
		}
		before := ScoreTool(Default, tool)
		for name, change := range map[string]func(*Tool){
			"behind":      func(x *Tool) { x.Description += " " + more },
			"in front":    func(x *Tool) { x.Description = more + ".\n" + x.Description },
			"the title":   func(x *Tool) { x.Title += "\n" + more },
			"in the name": func(x *Tool) { x.Name += "_" + word },
		} {
			changed := tool
			change(&changed)
			if after := ScoreTool(Default, changed); after.Level < before.Level {
				t.Errorf("%s, %q or %q made it better: %s%s", name, more, word, before.Explain(), after.Explain())
			}
		}
	})
}
