package console

import (
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/console/internal/shown"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

const (
	maxExposed = 40 // tools on one page of the drawer
	// maxExposeText bounds what their texts take on the page, in bytes.
	maxExposeText = 40 << 10
)

// exposePage is the drawer: what of a server is offered, and how.
type exposePage struct {
	Name    string
	Owned   bool // by the configuration: it cannot be changed here
	State   string
	Text    string
	Risk    gateway.Risk
	Axes    []axis
	Trial   gateway.Trial
	Rows    []exposeRow
	Found   int
	Next    string
	After   string
	Levels  []string
	Tried   bool // it shows what would be, and nothing was changed
	Err     error
	Offered int
}

type exposeRow struct {
	gateway.TrialTool
	Described template.HTML
	Axes      []axis // of the tool
}

// capLevels are the choices of a cap.
var capLevels = []string{"L5", "L4", "L3", "L2", "L1", "L0"}

// exposeForm reads the drawer: one numbered group of fields for each row of the page.
func exposeForm(v *visit, now *exposure.Exposure) (gateway.Exposing, error) {
	name := v.part["name"]
	x := gateway.Exposing{Upstream: name, Resources: v.form("resources") != "", Prompts: v.form("prompts") != ""}
	if err := x.Cap.UnmarshalText([]byte(v.form("cap"))); err != nil {
		return x, refuse(http.StatusBadRequest, "Nothing was changed", "There is no such level for a cap.", "")
	}
	prefix := strings.TrimSpace(v.form("prefix"))
	x.Prefix = &prefix
	x.All, x.Approve = v.form("all") != "", v.form("approve_all") != ""
	// What can only be turned on by itself is made anew.
	x.Nothing = now != nil && (now.All && !x.All || now.Resources && !x.Resources || now.Prompts && !x.Prompts)
	seen := map[string]bool{}
	for i := range maxExposed {
		n := strconv.Itoa(i)
		tool := v.form("tool." + n)
		if tool == "" {
			continue
		}
		seen[tool] = true
		m := exposure.Member{Tool: tool, Alias: strings.TrimSpace(v.form("alias." + n)), Description: strings.TrimSpace(v.form("description." + n)), Approve: v.form("approve."+n) != ""}
		named := now != nil && slices.ContainsFunc(now.Tools, func(o exposure.Member) bool { return o.Tool == tool })
		special := m.Alias != "" || m.Description != "" || m.Approve != x.Approve
		switch {
		case v.form("offer."+n) != "" && (!x.All || special):
			x.Tools = append(x.Tools, m)
		case named && !x.Nothing:
			x.Drop = append(x.Drop, tool)
		}
	}
	if x.Nothing {
		for _, m := range now.Tools {
			if !seen[m.Tool] {
				x.Tools = append(x.Tools, m)
			}
		}
	}
	return x, nil
}

func (c *Console) showExpose(v *visit) (any, error) {
	trial, err := c.options.Gateway.Try(v.part["name"], nil)
	if err != nil {
		return nil, refuseVerb(err)
	}
	q := v.r.URL.Query()
	return c.drawer(v, trial, strings.TrimSpace(q.Get("text")), q.Get("after"))
}

// drawer lays a trial out.
func (c *Console) drawer(v *visit, trial gateway.Trial, text, after string) (*exposePage, error) {
	s, err := c.upstreamOf(v)
	if err != nil {
		return nil, err
	}
	page := &exposePage{
		Name: s.Name(), State: string(s.State), Text: text, After: after, Risk: s.Risk, Axes: axesOf(s.Risk), Trial: trial, Levels: capLevels,
		Owned: s.Exposure != nil && s.Exposure.Origin == exposure.ByConfiguration,
	}
	room := maxExposeText
	for _, t := range trial.Tools {
		if t.Offered {
			page.Offered++
		}
		if !strings.Contains(strings.ToLower(t.Name+" "+t.Description), strings.ToLower(text)) {
			continue
		}
		if page.Found++; t.Name <= after {
			continue
		}
		if len(page.Rows) == maxExposed || room < 0 {
			if page.Next == "" {
				page.Next = c.url("servers", page.Name, "expose", "?text", text, "&after", page.Rows[len(page.Rows)-1].Name)
			}
			continue
		}
		row := exposeRow{TrialTool: t, Described: shown.Text(t.Description, 160)}
		for _, a := range t.Risk.Tool.Axes {
			var why []string
			for _, d := range a.Drivers {
				why = append(why, d.Why)
			}
			row.Axes = append(row.Axes, axis{fmt.Sprintf("%s +%d", a.Name, a.Points), strings.Join(why, "; ")})
		}
		room -= len(row.Described) + 3*len(shown.Text(t.Name, shown.Cell))
		page.Rows = append(page.Rows, row)
	}
	v.at.title = "Expose " + page.Name
	return page, nil
}

// previewExpose shows what would come of the form, through the rules that decide.
func (c *Console) previewExpose(v *visit) (done, error) {
	now, err := c.options.Gateway.Try(v.part["name"], nil)
	if err != nil {
		return done{}, refuseVerb(err)
	}
	x, err := exposeForm(v, &now.Exposure)
	if err != nil {
		return done{}, err
	}
	trial, bad := c.options.Gateway.Try(v.part["name"], x.Changes())
	if bad != nil {
		trial = now
	}
	page, err := c.drawer(v, trial, v.form("text"), v.form("after"))
	if err != nil {
		return done{}, err
	}
	page.Tried, page.Err = true, bad
	return done{sent: true}, c.again(v, "servers/{name}/expose", page)
}

func (c *Console) expose(v *visit) (done, error) {
	name := v.part["name"]
	now, err := c.options.Gateway.Try(name, nil)
	if err != nil {
		return done{about: named{name}}, refuseVerb(err)
	}
	x, err := exposeForm(v, &now.Exposure)
	if err != nil {
		return done{about: named{name}}, err
	}
	result := done{to: pathOf("servers", name, "expose"), about: x}
	s, err := gateway.Verb[gateway.Server](v.r.Context(), c.options.Gateway, v.who.Name, "expose", x)
	if err != nil {
		return result, refuseVerb(err)
	}
	offered := lineOf(&s).Offered
	result.said = fmt.Sprintf("Saved: %d of %d tools are offered.", offered, len(s.Tools))
	if n := len(s.Withheld); n > 0 {
		result.said += fmt.Sprintf(" %d are withheld, with the reason beside each.", n)
	}
	return result, nil
}

// unexpose offers nothing of a server any more.
func (c *Console) unexpose(v *visit) (done, error) {
	return changeServer[gateway.Server](c, v, "expose", gateway.Exposing{Upstream: v.part["name"], Nothing: true}, "Nothing of it is offered any more, but for compositions.")
}

// HITL says what an approval is worth, as the chip of the level shows it.
func (r exposeRow) HITL() string {
	if r.Mitigated() {
		return "HITL -1"
	}
	if r.Member.Approve && r.Chosen && r.Level != mcp.Unrated {
		return "HITL"
	}
	return ""
}
