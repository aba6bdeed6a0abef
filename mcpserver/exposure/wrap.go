package exposure

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/composition"
	"github.com/glovebox-run/glovebox/risk/shadow"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// shadow withholds tools that speak about tools of other servers. All candidates are
// looked at side by side, as a model sees them.
func (a *admission) shadow() {
	all := shadow.Composition{ID: "all", Enabled: true}
	seen := map[identity]bool{}
	for _, c := range a.candidates {
		if c.out != nil || seen[c.identity()] {
			continue
		}
		seen[c.identity()] = true
		m := composition.Member{Description: c.def.Description, Override: c.member.Description}
		all.Members = append(all.Members, shadow.Member{Server: c.member.Upstream, Tool: c.member.Tool, Alias: c.alias, Description: m.Published()})
	}
	others := shadow.Composition{ID: "others", Enabled: true}
	for name, of := range a.Taken {
		others.Members = append(others.Members, shadow.Member{Server: "glovebox-" + of, Tool: name, Alias: name})
	}
	slices.SortFunc(others.Members, func(x, y shadow.Member) int { return strings.Compare(x.Alias, y.Alias) })
	sum := sumOf(all.Members, others.Members)
	refused := a.Before.refused
	if a.Before.shadowed != sum {
		refused = refusals(all, others)
	}
	a.offer.shadowed, a.offer.refused = sum, refused
	for _, c := range a.candidates {
		if f, is := refused[[2]string{c.member.Upstream, c.member.Tool}]; is {
			c.withhold(Shadows, fmt.Sprintf("glovebox expose %s %s --description TEXT shows your own words instead", c.member.Upstream, c.member.Tool), "%s: %s", f.Rule, f.Why)
		}
	}
}

// sumOf identifies what the rules are asked.
func sumOf(lists ...[]shadow.Member) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, list := range lists {
		for _, m := range list {
			for _, text := range []string{m.Server, m.Tool, m.Alias, m.Description} {
				fmt.Fprintf(h, "%d ", len(text))
				io.WriteString(h, text)
			}
		}
		io.WriteString(h, "\n")
	}
	h.Sum(sum[:0])
	return sum
}

// refusals returns why tools may not stand beside the others. It is most of the work of
// an admission in which nothing changed, so the offer before is asked first.
func refusals(all, others shadow.Composition) map[[2]string]shadow.Finding {
	refused := map[[2]string]shadow.Finding{}
	for _, f := range shadow.Check(riskProfile, []shadow.Composition{all, others}, all.ID) {
		// Names were given out before; here the same name means the same tool twice.
		if f.Refuses && f.Rule != shadow.AliasCollision && f.Rule != shadow.NearAlias {
			if _, there := refused[[2]string{f.Server, f.Tool}]; !there {
				refused[[2]string{f.Server, f.Tool}] = f
			}
		}
	}
	return refused
}

// wrap makes the tools.
func (a *admission) wrap() {
	for _, set := range a.sets {
		s := Set{ID: set.id, Cap: set.cap}
		names := map[string]bool{}
		for _, c := range set.members {
			if c.out != nil {
				continue
			}
			if names[c.alias] {
				c.withhold(NameTaken, "choose it once", "the set has it already")
				continue
			}
			if tool := a.tool(c); tool != nil {
				names[c.alias] = true
				s.Tools = append(s.Tools, tool)
			}
		}
		slices.SortFunc(s.Tools, func(x, y *Tool) int { return strings.Compare(x.about.Name, y.about.Name) })
		a.offer.Sets = append(a.offer.Sets, s)
	}
	for _, c := range a.candidates {
		if c.out != nil {
			a.offer.Withheld = append(a.offer.Withheld, *c.out)
		}
	}
}

// tool returns the wrapped tool of a candidate: the one of another set, or of the offer
// before, if it is the same.
func (a *admission) tool(c *candidate) *Tool {
	id := c.identity()
	if t := a.offer.tools[id]; t != nil {
		return t
	}
	standing := a.standing(c)
	t := a.Before.tools[id]
	if t == nil || t.def.Ours != c.def.Ours || t.about.Standing != standing || t.about.Secrets != c.source.Secrets || t.withdrawn.Load() || t.caller != c.source.Caller {
		listed, err := composition.Wrap(composition.Member{Alias: c.alias, Override: c.member.Description}, c.def.Raw)
		if err != nil {
			c.withhold(BadDefinition, onlyItsAuthor, "%v", err)
			return nil
		}
		if c.source.Secrets != nil {
			listed = c.source.Secrets.JSON(listed)
		}
		t = a.newTool(c, listed, standing)
	}
	a.offer.tools[id] = t
	return t
}

func (a *admission) newTool(c *candidate, listed json.RawMessage, standing string) *Tool {
	s := c.source
	t := &Tool{
		id: c.identity(), def: c.def, listed: listed, method: "tools/call", caller: s.Caller, fresh: s.Fresh, accepted: s.Accepted, ran: s.Ran, current: s.Current, policy: s.Policy,
		arguments: arguments{raw: c.def.Schema},
		origin: Origins{
			Upstream: s.Name(), Tool: c.member.Tool, Transport: s.Config.Kind, Set: c.set.id,
			Server: s.preview.ServerRisk, Publish: c.def.Risk(s.preview.Vouched), Composed: c.risk, Final: c.final,
			Pin: c.def.Ours.Hash, Approve: c.member.Approve,
		},
		about: governed.About{
			Source: s.Name(), Name: c.alias, Hash: hashOf(s.Name(), c.def.Ours.Hash), Level: risk.Level(c.final),
			Approval: catalog.HumanInTheLoop{Mode: catalog.ApprovalDisabled}, Standing: standing, Secrets: s.Secrets,
			ID: s.Name() + "/" + c.member.Tool, Content: c.def.Ours.Hash,
		},
	}
	if c.member.Approve {
		t.about.Approval.Mode, t.about.AlwaysAsked = catalog.ApprovalRequired, true
	}
	t.about.Safety = t.origin.safety()
	return t
}

// hashOf identifies a version of a tool: whose it is, and how its server defines it.
func hashOf(upstream, pin string) risk.ToolHash {
	return sha256.Sum256([]byte("glovebox-upstream-tool\x00" + upstream + "\x00" + pin))
}

// standing is what an approval of a call is bound to besides the definition: what the
// call reaches, under which name and policy.
func (a *admission) standing(c *candidate) string {
	config, err := json.Marshal(struct {
		Config upstream.Config
		Policy Policy
		Member Member
		Set    string
	}{c.source.Config, c.source.Policy, c.member, c.set.id})
	if err != nil {
		panic(err) // cannot fail: plain values
	}
	sum := sha256.Sum256(config)
	return fmt.Sprintf("upstream %s, %v", hex.EncodeToString(sum[:8]), c.final)
}

// safety is what the record says about the tool.
func (o Origins) safety() json.RawMessage {
	text, err := json.Marshal(struct {
		Origin    string `json:"origin"`
		Upstream  string `json:"upstream"`
		Tool      string `json:"tool"`
		Transport string `json:"transport,omitempty"`
		Set       string `json:"composition"`
		Server    string `json:"serverRisk"`
		Publish   string `json:"toolRisk"`
		Final     string `json:"risk"`
		Floor     string `json:"floor,omitempty"`
		Pin       string `json:"pin"`
		Approve   bool   `json:"approval"`
	}{"wrapped_external", o.Upstream, o.Tool, o.Transport, setID(o.Set), o.Server.Level.String(), o.Publish.Level.String(), o.Final.String(), o.Composed.Trigger.ID, o.Pin, o.Approve})
	if err != nil {
		panic(err) // cannot fail: plain values
	}
	return text
}
