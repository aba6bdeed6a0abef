package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

// Trial is what would be offered of a server.
type Trial struct {
	Exposure exposure.Exposure
	// Cap is the highest level that it would offer.
	Cap   mcp.Level
	Tools []TrialTool // sorted by name
	// Withheld are refusals that are about no tool in the list.
	Withheld []exposure.Withheld
}

// TrialTool is one tool of a server, as it would be offered.
type TrialTool struct {
	Name, Description string
	// Risk is that of the server and the tool together; Level is what counts, after the
	// credit for a person who approves every call. Both are unrated if nobody could rate it.
	Risk  mcp.ComposedRisk
	Level mcp.Level
	Pin   ledger.State
	// Chosen says that the exposure names it, Alias and Approve how it would be offered.
	Chosen  bool
	Member  exposure.Member
	As      string // the name under which it would be offered
	Offered bool
	// Refused is why it would not be offered, nil if it would or is not chosen.
	Refused *exposure.Withheld
	// Orders says that its definition reads like orders to a model.
	Orders bool
}

// Mitigated reports whether the approval of a person counts.
func (t *TrialTool) Mitigated() bool {
	return t.Level != mcp.Unrated && t.Risk.Level != mcp.Unrated && t.Level < t.Risk.Level
}

// Try says what would be offered of a server if its exposure were changed by f, through the
// same rules as if it were, and changes nothing. With a nil f it says what is offered.
func (g *Gateway) Try(name string, f func(*exposure.Exposure) error) (Trial, error) {
	view := g.registry.Now()
	if view.Upstream(name) == nil {
		return Trial{}, g.noServer(name)
	}
	e := exposure.Exposure{Upstream: name, Origin: exposure.ByCommand}
	if now := view.Exposure(name); now != nil {
		e = *now
		e.Tools = slices.Clone(now.Tools)
	}
	offer := g.door.Offer()
	if f != nil {
		if err := f(&e); err != nil {
			return Trial{}, err
		}
		if err := e.Check(); err != nil {
			return Trial{}, &BadInput{err}
		}
		offer = g.door.Try(e)
	}
	return g.trialOf(e, offer), nil
}

func (g *Gateway) trialOf(e exposure.Exposure, offer *exposure.Offer) Trial {
	t := Trial{Exposure: e, Cap: e.Cap}
	if t.Cap == mcp.Unrated {
		t.Cap = exposure.ExposureCap
	}
	texts := map[string]string{}
	if listed, _ := g.door.Known(e.Upstream); listed != nil {
		for _, raw := range listed.Tools {
			texts[gjson.GetBytes(raw, "name").Str] = gjson.GetBytes(raw, "description").Str
		}
	}
	pins, at := g.ledger.Pins(), map[string]int{}
	for _, s := range offer.Servers {
		if s.Name != e.Upstream {
			continue
		}
		orders := map[string]bool{}
		for _, seen := range s.Tools {
			orders[seen.Tool] = seen.ReadsLikeOrder
		}
		for tool, risk := range s.Risks {
			t.Tools = append(t.Tools, TrialTool{Name: tool, Description: texts[tool], Risk: risk, Level: risk.Level, Pin: pins.State(e.Upstream, tool), As: tool, Orders: orders[tool], Member: exposure.Member{Tool: tool}})
		}
	}
	slices.SortFunc(t.Tools, func(a, b TrialTool) int { return strings.Compare(a.Name, b.Name) })
	for i := range t.Tools {
		at[t.Tools[i].Name] = i
	}
	for i := range t.Tools {
		row := &t.Tools[i]
		row.Chosen, row.Member.Approve = e.All, e.All && e.Approve
		if j := slices.IndexFunc(e.Tools, func(m exposure.Member) bool { return m.Tool == row.Name }); j >= 0 {
			row.Chosen, row.Member = true, e.Tools[j]
		}
		if row.Chosen {
			row.As = row.Member.OfferedAs(e.Prefix)
			row.Level = mcp.Mitigate(mcp.Default, row.Risk.Level, row.Member.Approve && !row.Orders)
		}
	}
	if set := offer.Set(exposure.Exposed); set != nil {
		for _, tool := range set.Tools {
			if i, known := at[tool.Origin().Tool]; known && tool.Origin().Upstream == e.Upstream {
				t.Tools[i].Offered, t.Tools[i].As, t.Tools[i].Level = true, tool.About().Name, tool.Origin().Final
			}
		}
	}
	for _, w := range offer.Withheld {
		if w.Set != exposure.Exposed || w.Upstream != e.Upstream {
			continue
		}
		if i, known := at[w.Tool]; known {
			t.Tools[i].Refused = &w
		} else {
			t.Withheld = append(t.Withheld, w)
		}
	}
	return t
}

// Changes returns the function that makes the change, for [Gateway.Try].
func (x Exposing) Changes() func(*exposure.Exposure) error { return x.apply }

// Verb does what a verb of [Gateway.Do] does, for a surface in this process.
func Verb[Answer any](ctx context.Context, g *Gateway, by, name string, ask any) (answer Answer, err error) {
	body, err := json.Marshal(ask)
	if err != nil {
		return answer, err
	}
	given, err := g.Do(ctx, by, name, body)
	if err != nil {
		return answer, err
	}
	answer, ok := given.(Answer)
	if !ok {
		return answer, &BadInput{errOther}
	}
	return answer, nil
}
