package exposure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/event"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

// riskProfile is the rubric that counts. The other one only explains the reference.
const riskProfile = mcp.Default

// finish says what is known about every server.
func (a *admission) finish() {
	for _, s := range a.order {
		v := Server{Name: s.Name(), Preview: s.preview, Listed: len(s.Definitions), Absent: s.Absent, Scan: s.Scan, Tools: s.sightings(), Risks: map[string]mcp.ComposedRisk{}}
		if s.Surface != nil {
			v.Truncated = s.Surface.Truncated
		}
		for i, d := range s.Definitions {
			name := cmp.Or(d.Name, fmt.Sprintf("tool %d of the list", i+1))
			switch {
			case d.Fault != "":
				v.Faults = append(v.Faults, Withheld{Upstream: v.Name, Tool: name, Code: BadDefinition, Why: d.Fault, WayOut: onlyItsAuthor})
			case s.Twice[d.Name]:
				v.Faults = append(v.Faults, Withheld{Upstream: v.Name, Tool: name, Code: Ambiguous, Why: "the server lists more than one tool of this name", WayOut: onlyItsAuthor})
			default:
				v.Risks[d.Name] = s.riskOf(d)
			}
		}
		a.offer.Servers = append(a.offer.Servers, v)
	}
	a.events()
	slices.SortFunc(a.offer.Servers, func(x, y Server) int { return strings.Compare(x.Name, y.Name) })
}

// events tells what is new since the offer before: levels of servers and tools, texts
// that read like attacks, and compositions that have nothing left to offer.
func (a *admission) events() {
	o, before := a.offer, a.Before
	known := map[string]mcp.Level{}
	for _, s := range before.Servers {
		known[s.Name] = s.Preview.Level
	}
	for _, s := range o.Servers {
		if l, there := known[s.Name]; !there || l != s.Preview.Level {
			o.Events = append(o.Events, event.OfServer(s.Name, s.Preview.ServerRisk)...)
		}
	}
	for i := range o.Sets {
		for _, t := range o.Sets[i].Tools {
			if old := before.tools[t.id]; old == nil || old.origin.Publish.Level != t.origin.Publish.Level {
				if t.origin.Set == o.Sets[i].ID {
					o.Events = append(o.Events, event.OfTool(t.origin.Upstream, t.origin.Tool, t.origin.Publish)...)
				}
			}
		}
		was := before.Set(o.Sets[i].ID)
		if id := o.Sets[i].ID; id != Exposed && len(o.Sets[i].Tools)+len(o.Sets[i].Relays) == 0 && was != nil && len(was.Tools)+len(was.Relays) > 0 {
			o.Events = append(o.Events, event.CompositionLifecycle{Composition: id, Phase: event.AutoDisabled})
		}
	}
	for _, c := range a.candidates {
		ref := [2]string{c.member.Upstream, c.member.Tool}
		if hash := o.flagged[ref]; hash != "" && before.flagged[ref] != hash && !slices.Contains(a.told, ref) {
			a.told = append(a.told, ref)
			o.Events = append(o.Events, event.OfScan(ref[0], ref[1], c.source.report(c.def))...)
		}
	}
}
