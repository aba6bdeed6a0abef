package exposure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/exposure/definition"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/risk/composition"
	"github.com/glovebox-run/glovebox/risk/lookalike"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

// Admit is the one way in. It says what is offered and, for every tool that the
// operator chose and that is not, why and what to do. Equal input gives equal output.
func Admit(in Admission) *Offer {
	a := &admission{Admission: in, offer: &Offer{tools: map[identity]*Tool{}, flagged: map[[2]string]string{}}}
	if a.Memo == nil {
		a.Memo = &definition.Memo{}
	}
	if a.Before == nil {
		a.Before = &Offer{}
	}
	a.sources()
	a.choose()
	a.claim()
	for _, c := range a.candidates {
		a.judge(c)
	}
	a.shadow()
	a.wrap()
	a.relay()
	a.finish()
	return a.offer
}

// admission is one run of Admit.
type admission struct {
	Admission
	offer *Offer

	order      []*source // by age: of two that want the same, the older one has it
	byName     map[string]*source
	company    definition.Company
	sets       []*chosenSet
	candidates []*candidate
	told       [][2]string // tools with an event about their texts
}

// chosenSet is a set as it is put together.
type chosenSet struct {
	id      string
	cap     mcp.Level
	grade   string
	members []*candidate
	relays  []relayed
}

// candidate is one chosen tool of one set.
type candidate struct {
	set    *chosenSet
	source *source // nil if there is none of the name
	member Member
	alias  string
	def    *definition.Definition // nil if the server does not list it
	pin    *ledger.Pin
	risk   mcp.ComposedRisk
	final  mcp.Level
	cap    mcp.Level
	out    *Withheld
}

// identity is what makes two candidates the same tool: it may be in several sets.
type identity struct {
	upstream, tool, alias, description string
	approve                            bool
}

func (c *candidate) identity() identity {
	return identity{c.member.Upstream, c.member.Tool, c.alias, strings.TrimSpace(c.member.Description), c.member.Approve}
}

func (c *candidate) withhold(code Code, wayOut, why string, args ...any) {
	if c.out == nil {
		c.out = &Withheld{Set: c.set.id, Upstream: c.member.Upstream, Tool: c.member.Tool, Alias: c.alias, Code: code, Why: fmt.Sprintf(why, args...), WayOut: wayOut}
	}
}

// choose makes a candidate of every tool that a set names.
func (a *admission) choose() {
	damaged := map[[2]string]error{}
	for _, d := range a.Damaged {
		damaged[[2]string{d.Kind, d.Name}] = d.Err
		if d.Kind != "upstream" {
			w := Withheld{Code: Unreadable, Why: d.Err.Error(), WayOut: fmt.Sprintf("glovebox composition delete %s, and create it again", d.Name)}
			if d.Kind == "exposure" {
				w.Upstream, w.WayOut = d.Name, fmt.Sprintf("glovebox unexpose %s, and expose it again", d.Name)
			} else {
				w.Set = d.Name
			}
			a.offer.Withheld = append(a.offer.Withheld, w)
		}
	}
	exposed := &chosenSet{id: Exposed, cap: ExposureCap}
	a.sets = append(a.sets, exposed)
	exposures := map[string]*Exposure{}
	for i := range a.Exposures {
		exposures[a.Exposures[i].Upstream] = &a.Exposures[i]
	}
	for _, s := range a.order {
		if e := exposures[s.Name()]; e != nil {
			a.expose(exposed, s, e)
			delete(exposures, s.Name())
		}
	}
	for i := range a.Exposures {
		if e := &a.Exposures[i]; exposures[e.Upstream] != nil {
			w := Withheld{Upstream: e.Upstream, Code: Unregistered, Why: fmt.Sprintf("there is no server %q", e.Upstream), WayOut: fmt.Sprintf("glovebox upstream add %s", e.Upstream)}
			if err := damaged[[2]string{"upstream", e.Upstream}]; err != nil {
				w.Code, w.Why, w.WayOut = Unreadable, err.Error(), fmt.Sprintf("glovebox upstream remove %s, and add it again", e.Upstream)
			}
			a.offer.Withheld = append(a.offer.Withheld, w)
		}
	}
	compositions := slices.Clone(a.Compositions)
	slices.SortStableFunc(compositions, func(x, y Composition) int {
		return cmp.Or(x.Created.Compare(y.Created), strings.Compare(x.Name, y.Name))
	})
	for _, c := range compositions {
		if !c.Enabled {
			continue
		}
		set := &chosenSet{id: c.Name, cap: capOr(c.Cap, CompositionCap), grade: c.Grade}
		a.sets = append(a.sets, set)
		for _, m := range c.Members {
			a.add(set, m, m.alias(""))
		}
		for _, name := range c.Resources {
			set.relays = append(set.relays, relayed{upstream: name, resources: true, cap: set.cap})
		}
		for _, name := range c.Prompts {
			set.relays = append(set.relays, relayed{upstream: name, prompts: true, cap: set.cap})
		}
	}
}

func capOr(cap, other mcp.Level) mcp.Level {
	if cap == mcp.Unrated {
		return other
	}
	return cap
}

// expose adds what is exposed of one server.
func (a *admission) expose(set *chosenSet, s *source, e *Exposure) {
	named := map[string]bool{}
	for _, m := range e.Tools {
		m.Upstream = e.Upstream
		named[m.Tool] = true
		a.add(set, m, m.alias(e.Prefix)).cap = capOr(e.Cap, set.cap)
	}
	if e.All {
		for _, tool := range s.known(a.Pins) {
			if !named[tool] {
				m := Member{Upstream: e.Upstream, Tool: tool, Approve: e.Approve}
				a.add(set, m, m.alias(e.Prefix)).cap = capOr(e.Cap, set.cap)
			}
		}
	}
	if e.Resources || e.Prompts {
		set.relays = append(set.relays, relayed{e.Upstream, e.Resources, e.Prompts, capOr(e.Cap, set.cap)})
	}
}

func (a *admission) add(set *chosenSet, m Member, alias string) *candidate {
	c := &candidate{set: set, member: m, alias: alias, source: a.byName[m.Upstream], cap: set.cap}
	if c.source != nil {
		c.def, c.pin = c.source.ByName[m.Tool], a.Pins.Of(m.Upstream, m.Tool)
	}
	set.members = append(set.members, c)
	a.candidates = append(a.candidates, c)
	return c
}

// raise is the way out for a tool above its cap. An approval is worth one level, and is
// only advised where that is enough.
func (c *candidate) raise() string {
	if credited := !c.source.report(c.def).Flagged(); !c.member.Approve && credited && mcp.Mitigate(mcp.Default, c.risk.Level, true).Within(c.cap) {
		return "offer it with --approve, which counts one level less, or raise the cap with --cap"
	}
	return "raise the cap with --cap"
}

// rate computes the level of a candidate.
func (c *candidate) rate() {
	if c.def == nil || c.def.Fault != "" || c.risk.Level != mcp.Unrated {
		return
	}
	c.risk = c.source.riskOf(c.def)
	credit := c.member.Approve && !c.source.report(c.def).Flagged()
	c.final = mcp.Mitigate(mcp.Default, c.risk.Level, credit)
}

// claim gives every name to the oldest tool that was ever accepted under it, also while
// that tool is withheld: a name must not pass to another server because its owner
// changed.
func (a *admission) claim() {
	type holder struct {
		alias, whose string
		id           identity
	}
	held := map[string]holder{}
	for name, of := range a.Taken {
		held[lookalike.Skeleton(name)] = holder{alias: name, whose: fmt.Sprintf("a tool of the source %q", of)}
	}
	for _, c := range a.candidates {
		if !composition.ValidAlias(c.alias) {
			c.withhold(BadAlias, fmt.Sprintf("glovebox expose %s %q --alias NAME", c.member.Upstream, c.member.Tool), "no model takes the name %q: want 1 to 64 letters, digits, _ or -", c.alias)
			continue
		}
		if c.pin == nil || c.pin.Accepted.Hash == "" {
			continue
		}
		skeleton := lookalike.Skeleton(c.alias)
		h, taken := held[skeleton]
		way := fmt.Sprintf("glovebox expose %s %s --alias NAME, or the whole server with --prefix", c.member.Upstream, c.member.Tool)
		switch {
		case !taken:
			held[skeleton] = holder{c.alias, fmt.Sprintf("the tool %q of the server %q", c.member.Tool, c.member.Upstream), c.identity()}
		case h.id == c.identity():
		case h.alias == c.alias && h.id.upstream == c.member.Upstream && h.id.tool == c.member.Tool:
			c.withhold(NameTaken, "give it the same description and approval in both sets, or another alias", "another set offers it under the same name in another way")
		case h.alias == c.alias:
			c.withhold(NameTaken, way, "the name %q belongs to %s", c.alias, h.whose)
		default:
			c.withhold(NameTaken, way, "the name %q can be taken for %q, %s", c.alias, h.alias, h.whose)
		}
	}
}

// judgeServer decides about the server of a candidate.
func (a *admission) judgeServer(c *candidate) {
	name, s := c.member.Upstream, c.source
	switch {
	case s == nil:
		c.withhold(Unregistered, "glovebox upstream add "+name, "there is no server %q", name)
	case s.State == Disabled:
		c.withhold(ServerDisabled, "glovebox upstream enable "+name, "the server is disabled")
	case s.State != Enabled:
		c.withhold(InQuarantine, fmt.Sprintf("glovebox upstream show %s, then glovebox upstream enable %s", name, name), "the server is in quarantine")
	case s.Surface == nil:
		c.withhold(NotListed, "glovebox upstream test "+name, "%s", cmp.Or(s.Absent, "the server did not list its tools yet"))
	default:
		c.judgeScan()
	}
}

// judge decides about one candidate by itself, in the order in which a person would ask.
func (a *admission) judge(c *candidate) {
	m := c.member
	if a.judgeServer(c); c.out != nil {
		return
	}
	switch {
	case c.source.Twice[m.Tool]:
		c.withhold(Ambiguous, onlyItsAuthor, "the server lists more than one tool of this name")
	case c.def == nil:
		c.withhold(NoSuchTool, "glovebox upstream show "+m.Upstream, "the server does not list it")
	case c.def.Fault != "":
		c.withhold(BadDefinition, onlyItsAuthor, "%s", c.def.Fault)
	case a.Pins.Damage(m.Upstream) != nil:
		c.withhold(Unreadable, fmt.Sprintf("glovebox pin forget %s, and review its tools again", m.Upstream), "%v", a.Pins.Damage(m.Upstream))
	default:
		a.judgePin(c, m.Upstream+" "+m.Tool)
		a.judgeLevel(c)
	}
}

// onlyItsAuthor is the way out of what neither the operator nor the gateway can mend.
const onlyItsAuthor = "only its author can change that"

// judgeLevel refuses what is above the cap.
func (a *admission) judgeLevel(c *candidate) {
	c.rate()
	switch {
	case c.out != nil:
	case c.final == mcp.Unrated:
		c.withhold(AboveCap, onlyItsAuthor, "nobody rated it")
	case !c.final.Within(c.cap):
		c.withhold(AboveCap, c.raise(), "it is %v, exceeding the cap of %v", c.final, c.cap)
	}
}

// judgePin refuses what nobody accepted.
func (a *admission) judgePin(c *candidate, ref string) {
	review := fmt.Sprintf("glovebox pin diff %s, then glovebox pin approve %s", ref, ref)
	switch state := c.pin.State(); {
	case c.pin == nil:
		c.withhold(NotPinned, fmt.Sprintf("glovebox upstream test %s; a server has at most %d pins", c.member.Upstream, ledger.MaxPins), "the ledger has not seen it")
	case state == ledger.Revoked:
		c.withhold(PinRevoked, "glovebox pin forget "+ref, "it was revoked: %s", cmp.Or(c.pin.Reason, "no reason was given"))
	case state == ledger.New:
		c.withhold(AwaitsReview, review, "nobody accepted it yet")
	case state == ledger.Changed:
		c.withhold(ChangedSince, review, "its server changed it after it was accepted")
	case !c.pin.Covers(c.def.Ours):
		c.withhold(ChangedSince, fmt.Sprintf("glovebox upstream test %s", c.member.Upstream), "its server sends another definition than the ledger has seen")
	}
	if report := c.source.report(c.def); report.Flagged() {
		a.offer.flagged[[2]string{c.member.Upstream, c.member.Tool}] = c.def.Ours.Hash
		if c.pin == nil || c.pin.Cleared != c.def.Ours.Hash {
			c.withhold(Poisoned, fmt.Sprintf("read it with glovebox pin diff %s, then glovebox pin approve %s --despite-orders", ref, ref), "it reads like an attack: %s", worst(report))
		}
	}
}
