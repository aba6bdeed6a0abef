package texts

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
)

// Generate makes texts from the grammars. The same seed makes the same texts.
func Generate(seed uint64) ([]Text, error) {
	all, err := grammars()
	if err != nil {
		return nil, err
	}
	var made []Text
	for _, g := range all {
		m := maker{g: g, r: rand.New(rand.NewPCG(seed, uint64(len(g.lang))<<8+uint64(g.lang[0])<<4+uint64(g.lang[1]))), hand: "grammar"}
		made = append(made, m.definitions()...)
		made = append(made, m.results()...)
	}
	more, err := prose(seed)
	if err != nil {
		return nil, err
	}
	made = append(made, more...)
	if more, err = vendors(seed); err != nil {
		return nil, err
	}
	made = append(made, more...)
	for i := range made {
		made[i].ID = fmt.Sprintf("g-%s-%d", made[i].Lang, i)
	}
	return made, nil
}

// prose makes honest definitions and results out of what this project says of
// itself, in its documents and comments, and takes in its bundled tools.
func prose(seed uint64) ([]Text, error) {
	raw, err := data.ReadFile("data/prose.en")
	if err != nil {
		return nil, err
	}
	tools, err := data.ReadFile("data/catalog.jsonl")
	if err != nil {
		return nil, err
	}
	made, err := Hand("catalog", tools)
	if err != nil {
		return nil, err
	}
	sensitive, err := data.ReadFile("data/tools.en")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	all, err := grammars()
	if err != nil {
		return nil, err
	}
	m := maker{r: rand.New(rand.NewPCG(seed, 99)), hand: "prose"}
	for _, g := range all {
		if g.lang == "en" {
			m.g = g
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(sensitive)), "\n") {
		parts := strings.SplitN(line, "|", 3)
		if len(parts) != 3 {
			continue // the heading
		}
		p := purpose{name: parts[0], says: parts[1]}
		var params []param
		for field := range strings.SplitSeq(parts[2], ";") {
			name, says, _ := strings.Cut(field, ": ")
			params = append(params, param{name: strings.TrimSpace(name), says: says})
			p.params = append(p.params, strings.TrimSpace(name))
		}
		for range sensitiveTimes {
			made = append(made, Text{Hand: "tools", Technique: "tools", Lang: "en", Tool: m.tool(p.name, m.around("", m.r.IntN(5), p), params), Siblings: m.company()})
		}
	}
	for i := 0; i < len(lines); {
		n := min(1+m.r.IntN(8), len(lines)-i)
		body := strings.Join(lines[i:i+n], " ")
		p := pick(m.r, m.g.purposes)
		made = append(made, Text{Hand: m.hand, Technique: "prose", Lang: "en", Tool: m.tool(p.name, p.says+" "+body, m.usual(p)), Siblings: m.company()},
			Text{Hand: m.hand, Technique: "prose", Lang: "en", Result: true, Body: body})
		i += n
	}
	return made, nil
}

type maker struct {
	g    *grammar
	r    *rand.Rand
	hand string

	named []string // siblings that the text at hand speaks of
}

func pick[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

// How often each line of a grammar is used. English has many lines.
const (
	timesEnglish   = 5
	timesOther     = 8
	sensitiveTimes = 6 // honest definitions for each tool of a sensitive purpose
	honestDocs     = 6 // honest definitions for each honest line
)

func (m *maker) times() int {
	if m.g.lang == "en" {
		return timesEnglish
	}
	return timesOther
}

// fill puts values into the slots of a line until none is left.
func (m *maker) fill(line string, p purpose) string {
	for range 12 { // slots hold slots, but not for ever
		open := strings.IndexByte(line, '{')
		if open < 0 {
			return line
		}
		rest := line
		line = ""
		for {
			open := strings.IndexByte(rest, '{')
			end := -1
			if open >= 0 {
				end = strings.IndexByte(rest[open:], '}')
			}
			if open < 0 || end < 0 {
				line += rest
				break
			}
			line += rest[:open] + m.slot(rest[open+1:open+end], p)
			rest = rest[open+end+1:]
		}
		if !strings.Contains(line, "{") {
			break
		}
	}
	return line
}

func (m *maker) slot(name string, p purpose) string {
	switch name {
	case "p":
		return pick(m.r, p.params)
	case "s":
		name := pick(m.r, m.purposes()).name
		m.named = append(m.named, name)
		return name
	}
	if values := m.g.slots[name]; len(values) > 0 {
		return pick(m.r, values)
	}
	if m.g.fallbacks != nil {
		if values := m.g.fallbacks.slots[name]; len(values) > 0 {
			return pick(m.r, values)
		}
	}
	return "(" + name + ")" // braces of an example
}

func (m *maker) purposes() []purpose {
	if len(m.g.purposes) == 0 || m.g.fallbacks != nil && m.r.IntN(4) == 0 {
		if m.g.fallbacks != nil {
			return m.g.fallbacks.purposes
		}
	}
	return m.g.purposes
}

// around puts n honest sentences around a text, in one of the usual layouts.
func (m *maker) around(core string, n int, p purpose) string {
	lines := []string{}
	for range n {
		g := m.g
		if g.fallbacks != nil && m.r.IntN(6) == 0 {
			g = g.fallbacks
		}
		lines = append(lines, m.fill(pick(m.r, g.honest), p))
	}
	if core != "" {
		at := m.r.IntN(len(lines) + 1)
		lines = append(lines[:at], append([]string{core}, lines[at:]...)...)
	}
	if m.r.IntN(5) > 0 || core == "" {
		lines = append([]string{p.says}, lines...)
	}
	switch m.r.IntN(5) {
	case 0:
		return strings.Join(lines, "\n\n")
	case 1:
		return lines[0] + "\n\n- " + strings.Join(lines[1:], "\n- ")
	case 2:
		for i := range lines[1:] {
			lines[i+1] = fmt.Sprintf("%d. %s", i+1, lines[i+1])
		}
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines, " ")
}

// kinds are the types of parameters besides the usual one.
func (m *maker) tool(name, says string, params []param) json.RawMessage {
	properties := make([]string, 0, len(params))
	for _, p := range params {
		schema := map[string]any{"type": "string"}
		if p.says != "" {
			schema["description"] = p.says
		}
		if p.enum != nil {
			schema["enum"] = p.enum
		}
		raw, _ := json.Marshal(schema)
		key, _ := json.Marshal(p.name)
		properties = append(properties, string(key)+":"+string(raw))
	}
	quotedName, _ := json.Marshal(name)
	quotedSays, _ := json.Marshal(says)
	return json.RawMessage(fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":{"type":"object","properties":{%s}}}`, quotedName, quotedSays, strings.Join(properties, ",")))
}

type param struct {
	name, says string
	enum       []string
}

// usual are honest parameters with what is said of them.
func (m *maker) usual(p purpose) (all []param) {
	for _, name := range p.params {
		says := ""
		switch m.r.IntN(3) {
		case 0:
			says = strings.ToUpper(name[:1]) + name[1:]
		case 1:
			if short := m.short(); short != "" {
				says = m.fill(short, p)
			}
		}
		all = append(all, param{name: name, says: says})
	}
	if m.r.IntN(2) == 0 {
		for range 1 + m.r.IntN(4) {
			all = append(all, pick(m.r, arguments()))
		}
	}
	return all
}

// arguments are parameters as honest servers describe them. Attacks have them too, so
// that they are no sign of either.
var arguments = sync.OnceValue(func() (all []param) {
	raw, err := data.ReadFile("data/arguments.en")
	if err != nil {
		panic(err) // the files are part of the program
	}
	for line := range strings.SplitSeq(string(raw), "\n") {
		if name, says, ok := strings.Cut(line, "|"); ok && line[0] != '#' {
			all = append(all, param{name: name, says: says})
		}
	}
	return all
})

// short is an honest line that is no sentence, such as "Id of the conversation".
func (m *maker) short() string {
	for range 8 {
		if line := pick(m.r, m.g.honest); !strings.ContainsAny(line, ".。:।!") {
			return line
		}
	}
	return ""
}

func (m *maker) definitions() (made []Text) {
	for _, t := range m.g.attacks {
		for range m.times() {
			made = append(made, m.attack(t))
		}
	}
	if m.g.lang == "en" {
		for range 5 * len(arguments()) {
			p := pick(m.r, m.purposes())
			params := []param{}
			for range 1 + m.r.IntN(6) {
				params = append(params, pick(m.r, arguments()))
			}
			made = append(made, Text{Hand: m.hand, Technique: "arguments", Lang: m.g.lang, Tool: m.tool(p.name, m.around("", m.r.IntN(4), p), params), Siblings: m.company()})
		}
	}
	for range m.g.honest {
		for range honestDocs {
			p := pick(m.r, m.purposes())
			tool := m.tool(p.name, m.around("", m.r.IntN(9), p), m.usual(p))
			if m.r.IntN(6) == 0 {
				tool = titled(tool, strings.TrimSuffix(p.says, "."))
			}
			made = append(made, Text{Hand: m.hand, Technique: "honest", Lang: m.g.lang, Tool: tool, Siblings: m.company()})
		}
	}
	return made
}

// company are siblings: some by chance, and mostly those that the text names.
func (m *maker) company() (names []string) {
	if m.r.IntN(3) > 0 {
		names = append(names, m.named...)
	}
	m.named = nil
	for range m.r.IntN(3) {
		names = append(names, pick(m.r, m.purposes()).name)
	}
	return names
}

func (m *maker) attack(t template) Text {
	p := pick(m.r, m.purposes())
	core := m.fill(t.text, p)
	out := Text{Hand: m.hand, Attack: true, Technique: t.technique, Lang: m.g.lang, Core: core}
	params := m.usual(p)
	says := p.says
	if n := m.r.IntN(5); n > 0 {
		says = m.around("", n, p)
	}
	extra := pick(m.r, []string{"context", "notes", "reference", "proof", "meta", "origin", "trace", "q2", "hint", "extra"})
	switch {
	case t.technique == "param_noun":
		out.Tool = m.tool(p.name, says, append(params, param{name: extra, says: core}))
	case t.technique == "name" && m.r.IntN(2) == 0:
		out.Tool = m.tool(core, says, params)
	case t.technique == "name":
		out.Tool = m.tool(p.name, says, append(params, param{name: core}))
	case t.technique == "short_split":
		core2, core3 := m.fill(pick(m.r, m.g.attacks).text, p), ""
		for _, o := range m.g.attacks {
			if o.technique == "short_split" && m.r.IntN(3) == 0 {
				core2 = m.fill(o.text, p)
			} else if o.technique == "short_split" && m.r.IntN(3) == 0 {
				core3 = m.fill(o.text, p)
			}
		}
		out.Core = ""
		if m.r.IntN(2) == 0 {
			out.Tool = m.tool(p.name, says, append(params, param{name: extra, enum: []string{"a", core, core2, core3}}))
		} else {
			out.Tool = m.tool(p.name, says, append(params, param{name: extra, says: core}, param{name: "b", says: core2}, param{name: "c", says: core3}))
		}
		out.Core = core
	case m.r.IntN(14) == 0:
		out.Tool = titled(m.tool(p.name, says, params), core)
	case m.r.IntN(8) == 0:
		out.Tool = m.tool(p.name, says, append(params, param{name: extra, says: core}))
	default:
		hideable := core
		if hide := m.g.slots["hide"]; hide != nil && m.r.IntN(6) == 0 {
			hideable += " " + pick(m.r, hide)
		}
		if t.technique == "governs" && m.r.IntN(2) == 0 {
			params = nil
		} else {
			params = append(params, param{name: extra})
		}
		out.Tool = m.tool(p.name, m.around(hideable, m.r.IntN(6), p), params)
	}
	out.Siblings = m.company()
	return out
}

// titled puts a title into a definition.
func titled(tool json.RawMessage, title string) json.RawMessage {
	quoted, _ := json.Marshal(title)
	return json.RawMessage(strings.TrimSuffix(string(tool), "}") + `,"title":` + string(quoted) + "}")
}

// results puts orders among letters, and makes letters without.
func (m *maker) results() (made []Text) {
	if len(m.g.letters) == 0 {
		return nil
	}
	for _, line := range m.g.orders {
		for range 2 * m.times() {
			p := pick(m.r, m.purposes())
			core := m.fill(line, p)
			made = append(made, Text{Hand: m.hand, Attack: true, Technique: "order", Lang: m.g.lang, Result: true, Body: m.letter(core, 1+m.r.IntN(6)), Core: core})
		}
	}
	for range 6*len(m.g.letters) + 20 {
		made = append(made, Text{Hand: m.hand, Technique: "letter", Lang: m.g.lang, Result: true, Body: m.letter("", 1+m.r.IntN(9))})
	}
	return made
}

func (m *maker) letter(core string, n int) string {
	var lines []string
	for range n {
		g := m.g
		if g.fallbacks != nil && m.r.IntN(4) == 0 {
			g = g.fallbacks
		}
		line := pick(m.r, g.letters)
		if m.r.IntN(8) == 0 {
			line = pick(m.r, g.honest)
		}
		lines = append(lines, m.fill(line, purpose{params: []string{"id"}}))
	}
	if core != "" {
		at := m.r.IntN(len(lines) + 1)
		lines = append(lines[:at], append([]string{core}, lines[at:]...)...)
	}
	who := []string{"ada", "kofi", "mira", "jun", "olga"}
	switch m.r.IntN(6) {
	case 0:
		for i, line := range lines {
			lines[i] = fmt.Sprintf("[%02d:%02d] %s: %s", m.r.IntN(24), m.r.IntN(60), pick(m.r, who), line)
		}
	case 1:
		raw, _ := json.Marshal(map[string]any{"id": m.r.IntN(9999), "title": lines[0], "comments": lines[1:]})
		return string(raw)
	case 2:
		return "From: " + pick(m.r, who) + " <" + pick(m.r, who) + "@office.example>\nSubject: " + pick(m.r, m.g.letters) + "\n\n" + strings.Join(lines, " ") + "\n\nBest, " + pick(m.r, who)
	case 3:
		return "<html><body><h1>" + pick(m.r, m.g.letters) + "</h1><p>" + strings.Join(lines, "</p><p>") + "</p></body></html>"
	case 4:
		return strings.Join(lines, " ")
	}
	return strings.Join(lines, "\n")
}
