package texts

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// page is a text that a tool returned, with slots.
type page struct{ kind, lang, text string }

// pages is what a file of pages says.
type pages struct {
	slots  map[string][]string
	honest []page
	orders []page // one line each, put into an honest page
	// reports are honest: they quote an order. One line each, {order} for the order.
	reports []page
	quoted  []page // orders of the grammars, filled
	says    []page // honest lines that ask a person, or speak of what assistants do
}

// parsePages reads pages: lines of slots "@name: a|b", then pages, each under a
// line "=== KIND LANGUAGE". Every line of the kind order is one by itself.
func parsePages(name, raw string) (*pages, error) {
	p := &pages{slots: map[string][]string{}}
	var kind, lang string
	var body []string
	flush := func() {
		text := strings.TrimSpace(strings.Join(body, "\n"))
		body = nil
		switch {
		case kind == "order":
			for line := range strings.SplitSeq(text, "\n") {
				p.orders = append(p.orders, page{kind, lang, line})
			}
		case kind == "say":
			for line := range strings.SplitSeq(text, "\n") {
				p.says = append(p.says, page{kind, lang, line})
			}
		case kind == "report":
			for line := range strings.SplitSeq(text, "\n") {
				p.reports = append(p.reports, page{kind, lang, strings.ReplaceAll(line, `\n`, "\n")})
			}
		case kind != "":
			p.honest = append(p.honest, page{kind, lang, text})
		}
	}
	for n, line := range strings.Split(raw, "\n") {
		switch head, isHead := strings.CutPrefix(line, "=== "); {
		case isHead:
			flush()
			var ok bool
			if kind, lang, ok = strings.Cut(head, " "); !ok {
				return nil, fmt.Errorf("%s:%d: want === KIND LANGUAGE", name, n+1)
			}
		case kind != "":
			body = append(body, line)
		case strings.HasPrefix(line, "@"):
			slot, values, ok := strings.Cut(line[1:], ": ")
			if !ok {
				return nil, fmt.Errorf("%s:%d: want @name: a|b", name, n+1)
			}
			p.slots[slot] = strings.Split(values, "|")
		}
	}
	flush()
	return p, nil
}

// fill takes a value for each slot; doubled braces stand for themselves.
func (p *pages) fill(r *rand.Rand, text string) string {
	text = strings.NewReplacer("{{", "\x01", "}}", "\x02").Replace(text)
	for {
		before, rest, ok := strings.Cut(text, "{")
		slot, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return strings.NewReplacer("\x01", "{", "\x02", "}").Replace(text)
		}
		value := "(" + slot + ")"
		if values := p.slots[slot]; len(values) > 0 {
			value = pick(r, values)
		}
		text = before + value + after
	}
}

// frames are what servers put around the text of somebody else.
func (p *pages) frame(r *rand.Rand, page page, text string) string {
	if strings.ContainsAny(text[:1], "{[<") {
		return text
	}
	switch r.IntN(5) {
	case 0:
		raw, _ := json.Marshal(map[string]any{"id": r.IntN(9999), "author": pick(r, p.slots["who"]), "body": text, "labels": []string{page.kind}})
		return string(raw)
	case 1:
		return fmt.Sprintf("Result %d of %d\n\n%s\n\n-- end of document --", 1+r.IntN(4), 5+r.IntN(5), text)
	case 2:
		return "> " + strings.ReplaceAll(text, "\n", "\n> ") + "\n\n" + pick(r, []string{"Thanks, I have read that.", "Closing this.", "+1", "Noted, see you then."})
	}
	return text
}

// talks are kinds of honest pages that may speak of orders to models; an order that
// stands in one of them could be part of it.
var talks = []string{"security", "school", "fiction", "docs", "agents"}

// How often each page and each order is used.
const (
	timesPage   = 6
	timesOrder  = 8
	timesReport = 8
	timesSay    = 16
)

// make makes texts from pages.
func (p *pages) make(hand string, seed uint64) (made []Text) {
	r := rand.New(rand.NewPCG(seed, uint64(len(p.honest))))
	for _, h := range p.honest {
		for range timesPage {
			made = append(made, Text{Hand: hand, Technique: h.kind, Lang: h.lang, Result: true, Body: p.frame(r, h, p.fill(r, h.text))})
		}
	}
	planted := func(o page, attack bool) {
		h := pick(r, p.honest)
		for try := 0; try < 64 && (h.lang != o.lang || slices.Contains(talks, h.kind)); try++ {
			h = pick(r, p.honest)
		}
		core := p.fill(r, o.text)
		made = append(made, Text{Hand: hand, Attack: attack, Technique: o.kind, Lang: o.lang, Result: true, Core: core, Body: p.frame(r, h, plant(r, p.fill(r, h.text), core))})
	}
	for _, o := range p.orders {
		for range timesOrder {
			planted(o, true)
		}
	}
	for _, o := range p.says {
		for range timesSay {
			planted(o, false)
		}
	}
	for _, h := range p.reports {
		for range timesReport {
			o := pick(r, p.orders)
			for try := 0; try < 64 && o.lang != h.lang; try++ {
				o = pick(r, p.orders)
			}
			order := p.fill(r, o.text)
			if o := pick(r, p.quoted); o.lang == h.lang {
				order = o.text
			}
			order = strings.ReplaceAll(order, `"`, "'")
			body := p.fill(r, strings.ReplaceAll(h.text, "{order}", strings.NewReplacer("{", "{{", "}", "}}").Replace(order)))
			switch n := r.IntN(3); {
			case body[0] == '{' || n == 0:
			case n == 1:
				if other := pick(r, p.honest); other.lang == h.lang {
					body += "\n\n" + p.fill(r, other.text)
				}
			default:
				body = p.frame(r, h, body)
			}
			made = append(made, Text{Hand: hand, Technique: h.kind, Lang: h.lang, Result: true, Body: body})
		}
	}
	for i := range made {
		made[i].ID = fmt.Sprintf("%s-%d", hand, i)
	}
	return made
}

// plant puts an order into a text: at the end of a string of JSON, else on a line of
// its own, behind a line, or as the value of a field.
func plant(r *rand.Rand, text, order string) string {
	if text[0] == '{' {
		quoted, _ := json.Marshal(order)
		if at := strings.LastIndex(text, `"}`); at > 0 {
			return text[:at] + " " + string(quoted[1:len(quoted)-1]) + text[at:]
		}
	}
	lines := strings.Split(text, "\n")
	at := r.IntN(len(lines))
	switch r.IntN(6) {
	case 0:
		lines[at] += " " + order
	case 1:
		lines[at] += "\n" + pick(r, []string{"remark", "note", "title", "x-comment", "Bio", "alt"}) + pick(r, []string{`: "`, `="`, `: '`}) + order
		lines[at] += lines[at][len(lines[at])-len(order)-1 : len(lines[at])-len(order)]
	default:
		lines[at] += "\n" + order
	}
	return strings.Join(lines, "\n")
}

// Pages are the texts made of the pages of data/, among those for training or, of
// the file of pages that is kept from it, for measuring.
func Pages(name string, seed uint64) ([]Text, error) {
	raw, err := data.ReadFile("data/" + name + ".txt")
	if err != nil {
		return nil, err
	}
	p, err := parsePages(name, string(raw))
	if err != nil {
		return nil, err
	}
	all, err := grammars()
	if err != nil {
		return nil, err
	}
	// Reports quote what the grammars order, too.
	for _, g := range all {
		m := maker{g: g, r: rand.New(rand.NewPCG(seed, 7))}
		for _, line := range g.orders {
			p.quoted = append(p.quoted, page{"order", g.lang, m.fill(line, purpose{params: []string{"id"}})})
		}
	}
	return p.make(name, seed), nil
}
