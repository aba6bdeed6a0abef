package exposure

import (
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/relay"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// relayed is a server whose resources or prompts a set offers.
type relayed struct {
	upstream           string
	resources, prompts bool
	cap                mcp.Level
}

// relay admits what servers offer beside tools. It is not pinned, because it is read
// once and not trusted ever after; what comes back is treated like the result of a tool.
func (a *admission) relay() {
	for i, set := range a.sets {
		taken := map[[2]string]string{} // kind and key: server
		for _, r := range merged(set.relays) {
			if source := a.relayOf(set, r, taken); source != nil {
				a.offer.Sets[i].Relays = append(a.offer.Sets[i].Relays, *source)
			}
		}
	}
}

// merged joins the rows of one server.
func merged(rows []relayed) []relayed {
	var all []relayed
	at := map[string]int{}
	for _, r := range rows {
		if i, there := at[r.upstream]; there {
			all[i].resources, all[i].prompts = all[i].resources || r.resources, all[i].prompts || r.prompts
			continue
		}
		at[r.upstream] = len(all)
		all = append(all, r)
	}
	return all
}

// Names of the requests as governed tools.
const (
	readRequest     = "resources/read"
	getRequest      = "prompts/get"
	completeRequest = "completion/complete"
)

func (a *admission) relayOf(set *chosenSet, r relayed, taken map[[2]string]string) *relay.Source {
	c := &candidate{set: set, member: Member{Upstream: r.upstream}, source: a.byName[r.upstream], cap: r.cap}
	a.judgeServer(c)
	if c.out == nil {
		c.risk = mcp.Compose(mcp.Default, c.source.preview.ServerRisk, mcp.ScoreTool(mcp.Default, mcp.Tool{
			Name: "read", Description: "Reads what the server lists, by its name.", HasSchema: true, Coverage: 1,
			Annotations: mcp.Annotations{ReadOnly: mcp.True}, TrustedServer: c.source.preview.Vouched,
		}))
		if c.final = c.risk.Level; !c.final.Within(c.cap) {
			c.withhold(AboveCap, "raise the cap with --cap", "its resources and prompts are %v, exceeding the cap of %v", c.final, c.cap)
		}
	}
	if c.out != nil {
		a.offer.Withheld = append(a.offer.Withheld, *c.out)
		return nil
	}
	s := c.source.Relay
	s.Name = r.upstream
	if r.resources {
		s.Resources = a.entries(set, c.source, "resource", "uri", c.source.Surface.Resources, taken)
		s.Templates = a.entries(set, c.source, "template", "uriTemplate", c.source.Surface.Templates, taken)
		if len(s.Resources)+len(s.Templates) > 0 {
			s.Read = a.request(c, readRequest)
		}
	} else {
		s.Subscribe, s.Unsubscribe = nil, nil
	}
	if r.prompts {
		if s.Prompts = a.entries(set, c.source, "prompt", "name", c.source.Surface.Prompts, taken); len(s.Prompts) > 0 {
			s.Get = a.request(c, getRequest)
		}
	}
	if gjson.GetBytes(c.source.Surface.Capabilities, "completions").IsObject() && (s.Read != nil || s.Get != nil) {
		s.Complete = a.request(c, completeRequest)
	}
	return &s
}

// entries admits the definitions of one kind. Of two with one key nobody could say
// which is meant, so neither is offered; of two servers the older one has it.
func (a *admission) entries(set *chosenSet, s *source, kind, key string, raws []json.RawMessage, taken map[[2]string]string) []relay.Entry {
	var all []relay.Entry
	count := map[string]int{}
	for _, raw := range raws {
		count[gjson.GetBytes(raw, key).Str]++
	}
	for _, raw := range raws {
		e := a.Memo.Entry(raw, key)
		withhold := func(code Code, why string) {
			a.offer.Withheld = append(a.offer.Withheld, Withheld{
				Set: set.id, Upstream: s.Name(), Tool: kind + " " + e.Key, Code: code, Why: why,
				WayOut: onlyItsAuthor,
			})
		}
		owner, has := taken[[2]string{kind, e.Key}]
		switch {
		case e.Fault != "":
			withhold(BadDefinition, e.Fault)
		case count[e.Key] > 1:
			withhold(Ambiguous, fmt.Sprintf("the server lists more than one %s of this name", kind))
		case e.Report.Flagged():
			withhold(Poisoned, "it reads like an attack: "+worst(e.Report))
		case has:
			withhold(NameTaken, fmt.Sprintf("the name belongs to the server %q", owner))
		default:
			taken[[2]string{kind, e.Key}] = s.Name()
			listed := raw
			if s.Secrets != nil {
				listed = s.Secrets.JSON(raw)
			}
			all = append(all, relay.Entry{Key: e.Key, Listed: listed})
		}
	}
	return all
}

// request returns one of the requests as a governed tool.
func (a *admission) request(c *candidate, method string) governed.Tool {
	s := c.source
	id := identity{upstream: s.Name(), alias: method}
	if t := a.offer.tools[id]; t != nil {
		return t
	}
	c.member.Tool, c.alias = method, method
	standing := a.standing(c)
	t := a.Before.tools[id]
	if t == nil || t.about.Standing != standing || t.caller != s.Caller || t.about.Secrets != s.Secrets || t.withdrawn.Load() {
		t = &Tool{
			method: method, caller: s.Caller, fresh: s.Fresh, accepted: s.Accepted, ran: s.Ran, current: s.Current, policy: s.Policy,
			listed: json.RawMessage(fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, method)),
			origin: Origins{Upstream: s.Name(), Tool: method, Transport: s.Config.Kind, Set: c.set.id, Server: s.preview.ServerRisk, Publish: c.risk.Tool, Composed: c.risk, Final: c.final},
			about: governed.About{
				Source: s.Name(), Name: method, Hash: hashOf(s.Name(), method), Level: risk.Level(c.final), Standing: standing,
				Approval: catalog.HumanInTheLoop{Mode: catalog.ApprovalDisabled}, Secrets: s.Secrets, ID: s.Name() + "/" + method,
			},
		}
		t.about.Safety = t.origin.safety()
	}
	a.offer.tools[id] = t
	return t
}
