// Package texts makes the material that the voice of the scanner is trained and
// measured on: attacks and honest texts from a grammar for each language in
// data/, and texts written by hand.
package texts

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed data
var data embed.FS

// Text is one definition or result with what it is.
type Text struct {
	ID        string
	Hand      string // who wrote it: the grammar, or a set of texts
	Attack    bool
	Technique string // of an attack; what kind of text otherwise
	Lang      string
	Result    bool            // a result, not a definition
	Tool      json.RawMessage // a definition
	Siblings  []string
	Body      string // a result
	Core      string // the part of an attack that makes it one; "" if not known
}

// grammar is what one file of data/ says.
type grammar struct {
	lang      string
	slots     map[string][]string
	attacks   []template
	honest    []string
	purposes  []purpose
	orders    []string // attacks in results
	letters   []string // honest results
	fallbacks *grammar // English, for slots that the file has not
}

type template struct{ technique, text string }

type purpose struct {
	name, says string
	params     []string
}

// parse reads a file: lines of slots "@name: a|b", sections in brackets.
func parse(lang, raw string) (*grammar, error) {
	g := &grammar{lang: lang, slots: map[string][]string{}}
	section, technique := "", ""
	for n, line := range strings.Split(raw, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "# ") && section == "":
		case strings.HasPrefix(line, "@"):
			name, values, ok := strings.Cut(line[1:], ":")
			if !ok {
				return nil, fmt.Errorf("%s:%d: want @name: a|b", lang, n+1)
			}
			values = strings.ReplaceAll(strings.TrimSpace(values), `\|`, "\x00")
			for v := range strings.SplitSeq(values, "|") {
				g.slots[name] = append(g.slots[name], strings.ReplaceAll(v, "\x00", "|"))
			}
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && !strings.Contains(line, ":"):
			section, technique, _ = strings.Cut(strings.Trim(line, "[]"), " ")
		case section == "attack":
			g.attacks = append(g.attacks, template{technique, strings.ReplaceAll(line, `\n`, "\n")})
		case section == "honest":
			g.honest = append(g.honest, line)
		case section == "order":
			g.orders = append(g.orders, line)
		case section == "letter":
			g.letters = append(g.letters, line)
		case section == "purpose":
			parts := strings.Split(line, "|")
			if len(parts) != 3 {
				return nil, fmt.Errorf("%s:%d: want name|sentence|parameters", lang, n+1)
			}
			g.purposes = append(g.purposes, purpose{parts[0], parts[1], strings.Split(parts[2], ",")})
		default:
			return nil, fmt.Errorf("%s:%d: no section for %q", lang, n+1, line)
		}
	}
	return g, nil
}

func grammars() ([]*grammar, error) {
	names, err := fs.Glob(data, "data/??.txt")
	if err != nil {
		return nil, err
	}
	var all []*grammar
	var english *grammar
	for _, name := range names {
		raw, err := data.ReadFile(name)
		if err != nil {
			return nil, err
		}
		g, err := parse(strings.TrimSuffix(strings.TrimPrefix(name, "data/"), ".txt"), string(raw))
		if err != nil {
			return nil, err
		}
		if g.lang == "en" {
			english = g
		}
		all = append(all, g)
	}
	for _, g := range all {
		if g != english {
			g.fallbacks = english
		}
	}
	return all, nil
}

// Hands are the sets of data/ that were written by hand, each by somebody who had not
// seen the others.
var Hands = []string{"hand-definitions", "hand-manuals", "hand-oblique", "hand-results", "hand-english", "hand-languages", "hand-answers", "hand-vendors", "hand-pages", "hand-tools", "hand-mixed",
	"hand-counsel", "hand-quiet", "hand-europe", "hand-orient", "hand-south", "hand-everyday", "hand-courteous", "hand-manualist", "hand-handbook", "hand-longform",
	"hand-academic", "hand-workshop", "hand-caravan", "hand-consul", "hand-envoy", "hand-reading", "hand-abroad", "hand-found", "hand-library", "hand-world", "hand-plain"}

// Written are the texts of Hands.
func Written() ([]Text, error) { return fromData(Hands...) }

// Kept are texts of further hands and pages of kinds that no grammar has, for
// measuring: no weights are trained on them.
func Kept() ([]Text, error) {
	all, err := fromData("kept-definitions", "kept-documents", "kept-unseen", "kept-fresh")
	if err != nil {
		return nil, err
	}
	pages, err := Pages("kept", 1)
	return append(all, pages...), err
}

func fromData(names ...string) (all []Text, err error) {
	for _, name := range names {
		raw, err := data.ReadFile("data/" + name + ".jsonl")
		if err != nil {
			return nil, err
		}
		more, err := Hand(name, raw)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// Hand reads the texts that were written by hand: JSON Lines of {id, label,
// technique, lang, siblings, tool, core} or of {id, label, technique, lang, text, core};
// the label of an attack is attack, and its core stands word for word in one string.
func Hand(name string, raw []byte) ([]Text, error) {
	var all []Text
	for n, line := range strings.Split(string(raw), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var row struct {
			ID, Label, Class, Technique, Lang, Kind, Text, Core string
			Siblings                                            []string
			Tool                                                json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
		}
		t := Text{ID: row.ID, Hand: name, Technique: row.Technique, Lang: row.Lang, Siblings: row.Siblings, Body: row.Text, Result: row.Text != "", Core: row.Core}
		if t.Technique == "" {
			t.Technique = row.Class + row.Kind
		}
		if t.Lang == "" {
			t.Lang = "en"
		}
		if !t.Result {
			t.Tool = row.Tool
		}
		t.Attack = row.Label == "attack"
		all = append(all, t)
	}
	return all, nil
}
