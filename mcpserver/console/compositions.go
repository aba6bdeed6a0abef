package console

import (
	"net/http"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

const (
	maxCompositions = 100
	maxMembers      = 100 // on the page of one
)

// compositionsPage lists the named sets of tools.
type compositionsPage struct {
	Rows   []gateway.CompositionView
	More   int
	Levels []string
}

func (c *Console) showCompositions(v *visit) (any, error) {
	all := c.options.Gateway.Compositions()
	return &compositionsPage{Rows: all[:min(len(all), maxCompositions)], More: max(len(all)-maxCompositions, 0), Levels: capLevels}, nil
}

// compositionPage is one set.
type compositionPage struct {
	gateway.CompositionView
	Owned   bool
	Rows    []memberRow
	More    int
	Rest    []exposure.Withheld // refusals that are about no member
	Levels  []string
	Grades  []string
	Address string
}

type memberRow struct {
	exposure.Member
	Level   string
	HITL    bool
	Refused *exposure.Withheld
}

func (c *Console) showComposition(v *visit) (any, error) {
	view, err := c.options.Gateway.Composition(v.part["name"])
	if err != nil {
		return nil, refuseVerb(err)
	}
	page := &compositionPage{CompositionView: view, Owned: view.Origin == exposure.ByConfiguration, Levels: capLevels, Grades: []string{"", "A", "B", "C", "D"}}
	if c.options.Address != "" {
		page.Address = c.options.Address + "/" + view.Name
	}
	levels := map[[2]string]mcp.Level{}
	for _, s := range c.options.Gateway.Servers() {
		for _, t := range s.Tools {
			levels[[2]string{s.Name(), t.Name}] = t.Level
		}
	}
	told := map[int]bool{}
	for i, m := range view.Members {
		if i == maxMembers {
			page.More = len(view.Members) - i
			break
		}
		level := levels[[2]string{m.Upstream, m.Tool}]
		row := memberRow{Member: m, Level: mcp.Mitigate(mcp.Default, level, m.Approve).String(), HITL: m.Approve}
		if j := slices.IndexFunc(view.Withheld, func(w exposure.Withheld) bool { return w.Upstream == m.Upstream && w.Tool == m.Tool }); j >= 0 {
			row.Refused, told[j] = &view.Withheld[j], true
		}
		page.Rows = append(page.Rows, row)
	}
	for i, w := range view.Withheld {
		if !told[i] && len(page.Rest) < maxMembers {
			page.Rest = append(page.Rest, w)
		}
	}
	v.at.title = view.Name
	return page, nil
}

// composing reads what a form says about a set.
func composing(v *visit, name string) (gateway.Composing, error) {
	x := gateway.Composing{Name: name}
	if text := v.form("cap"); text != "" {
		if err := x.Cap.UnmarshalText([]byte(text)); err != nil {
			return x, refuse(http.StatusBadRequest, "Nothing was changed", "There is no such level for a cap.", "")
		}
	}
	if v.r.PostForm.Has("description") {
		text := strings.TrimSpace(v.form("description"))
		x.Description = &text
	}
	if v.r.PostForm.Has("grade") {
		grade := v.form("grade")
		x.Grade = &grade
	}
	for _, line := range lines(v.form("members")) {
		m, err := config.ParseMember(line)
		if err != nil {
			return x, refuse(http.StatusBadRequest, "Nothing was changed", err.Error(), "Write each tool as SERVER/TOOL or SERVER/TOOL=ALIAS.")
		}
		m.Approve = v.form("approve") != ""
		x.Tools = append(x.Tools, m)
	}
	return x, nil
}

func (c *Console) compose(v *visit, x gateway.Composing, said string) (done, error) {
	result := done{to: pathOf("compositions", x.Name), said: said, about: x}
	view, err := gateway.Verb[gateway.CompositionView](v.r.Context(), c.options.Gateway, v.who.Name, "compose", x)
	if err != nil {
		return result, refuseVerb(err)
	}
	if x.Enabled != nil && *x.Enabled && !view.Enabled {
		var why []string
		for _, w := range view.Withheld {
			why = append(why, w.Tool+": "+w.Why)
		}
		return result, refuse(http.StatusConflict, "It stays disabled", "It stays disabled: "+strings.Join(why[:min(len(why), 5)], "; ")+".", "")
	}
	return result, nil
}

func (c *Console) createComposition(v *visit) (done, error) {
	x, err := composing(v, strings.TrimSpace(v.form("name")))
	x.Create = true
	if err != nil {
		return done{to: "compositions", about: x}, err
	}
	result, err := c.compose(v, x, "It was made. It is served once it is enabled.")
	if err != nil {
		result.to = "compositions"
	}
	return result, err
}

func (c *Console) updateComposition(v *visit) (done, error) {
	x, err := composing(v, v.part["name"])
	if err != nil {
		return done{to: pathOf("compositions", x.Name), about: x}, err
	}
	return c.compose(v, x, "Saved.")
}

func (c *Console) dropFromComposition(v *visit) (done, error) {
	return c.compose(v, gateway.Composing{Name: v.part["name"], Drop: []exposure.Member{{Upstream: v.form("server"), Tool: v.form("tool")}}}, "It is no longer in the set.")
}

func (c *Console) enableComposition(v *visit) (done, error) {
	on := true
	return c.compose(v, gateway.Composing{Name: v.part["name"], Enabled: &on}, "It is served now.")
}

func (c *Console) disableComposition(v *visit) (done, error) {
	off := false
	return c.compose(v, gateway.Composing{Name: v.part["name"], Enabled: &off}, "It is served no longer.")
}

func (c *Console) deleteComposition(v *visit) (done, error) {
	name := v.part["name"]
	result := done{to: "compositions", said: "The set was deleted.", about: gateway.Name{Name: name}}
	if err := c.options.Gateway.DeleteComposition(v.r.Context(), name); err != nil {
		return result, refuseVerb(err)
	}
	return result, nil
}
