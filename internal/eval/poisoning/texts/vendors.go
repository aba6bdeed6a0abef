package texts

import (
	"math/rand/v2"
	"strings"
)

// vendorTexts is how many long definitions are made.
const vendorTexts = 900

// vendors makes long honest definitions with sections, lists of operations and rules
// for the caller. Every sentence of a text can be taken for an order, so long texts
// need the most honest examples.
func vendors(seed uint64) (made []Text, err error) {
	raw, err := data.ReadFile("data/vendor.en")
	if err != nil {
		return nil, err
	}
	lines, section := map[string][]string{}, ""
	for line := range strings.SplitSeq(string(raw), "\n") {
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		default:
			lines[section] = append(lines[section], line)
		}
	}
	all, err := grammars()
	if err != nil {
		return nil, err
	}
	m := maker{r: rand.New(rand.NewPCG(seed, 98)), hand: "vendors"}
	for _, g := range all {
		if g.lang == "en" {
			m.g = g
		}
	}
	some := func(section, mark string, n int) string {
		var out strings.Builder
		for _, i := range m.r.Perm(len(lines[section]))[:n] {
			out.WriteString(mark + lines[section][i] + "\n")
		}
		return out.String()
	}
	for range vendorTexts {
		p := pick(m.r, m.g.purposes)
		says := p.says + "\n\n"
		parts := []string{
			"## Usage\n" + some("use", "", 1+m.r.IntN(3)),
			pick(m.r, []string{"IMPORTANT USAGE GUIDELINES:\n", "## Notes\n", "Tips:\n", ""}) + some("guide", pick(m.r, []string{"- ", "* ", ""}), 2+m.r.IntN(9)),
			"Operations:\n" + some("operation", "- ", 2+m.r.IntN(5)),
			some("returns", "", 1+m.r.IntN(3)),
		}
		for _, i := range m.r.Perm(len(parts))[:1+m.r.IntN(len(parts))] {
			says += parts[i] + "\n"
		}
		params := m.usual(p)
		for i := range params {
			switch m.r.IntN(4) {
			case 0:
				params[i].says += " " + pick(m.r, lines["guide"])
			case 1, 2:
				params[i].says = pick(m.r, lines["argument"])
			}
		}
		made = append(made, Text{Hand: m.hand, Technique: "vendors", Lang: "en", Tool: m.tool(p.name, strings.TrimSpace(says), params), Siblings: m.company()})
	}
	return made, nil
}
