package shadow

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/lookalike"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

// Names of the rules. R1 to R3 are those of the reference; the others exist in
// the default profile only.
const (
	AliasCollision       = "R1_ALIAS_COLLISION"
	CrossServerReference = "R2_CROSS_SERVER_REFERENCE"
	SelfScopeViolation   = "R3_SELF_SCOPE_VIOLATION"
	NearAlias            = "R4_NEAR_ALIAS"
	CopiedDescription    = "R5_COPIED_DESCRIPTION"
	ClaimedServer        = "R6_CLAIMED_SERVER"
)

// Member is one upstream tool as it is re-published.
type Member struct {
	Server      string `json:"server"`
	Tool        string `json:"tool"`
	Alias       string `json:"alias"`
	Description string `json:"description"`
}

// Composition is a set of members that is enabled as a whole.
type Composition struct {
	ID      string   `json:"id"`
	Enabled bool     `json:"enabled"`
	Members []Member `json:"members"`
}

// Finding is one rule that fired for one member.
type Finding struct {
	Rule   string `json:"rule"`
	Server string `json:"server"` // the member that the finding is about
	Tool   string `json:"tool"`
	Other  string `json:"other"` // the alias, tool or server it conflicts with
	// Refuses is set when the composition must not be enabled; otherwise the finding
	// is advice for the reviewer.
	Refuses bool   `json:"refuses"`
	Why     string `json:"why"`
}

// Check compares the composition with the given id with all enabled ones. Its
// findings are about members of that composition. In the reference only R1 looks
// at other compositions; in the default profile every rule does, because a model
// sees all enabled tools side by side. The result does not depend on the order of
// compositions or members.
func Check(p mcp.Profile, all []Composition, id string) []Finding {
	at := slices.IndexFunc(all, func(c Composition) bool { return c.ID == id })
	if at < 0 {
		return nil
	}
	members := all[at].Members
	findings := collisions(all, members)
	if p == mcp.Reference {
		findings = append(findings, referenceTexts(members)...)
	} else {
		visible := slices.Clone(members)
		for _, c := range all {
			if c.Enabled && c.ID != id {
				visible = append(visible, c.Members...)
			}
		}
		// Sorted, so that the order given does not decide what a bound cuts off.
		slices.SortFunc(visible, compare)
		findings = append(findings, nearAliases(all, members)...)
		findings = append(findings, mentions(members, visible)...)
		findings = append(findings, copies(members, visible)...)
		findings = append(findings, claims(members, visible)...)
	}
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Rule, b.Rule), strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool), strings.Compare(a.Other, b.Other), strings.Compare(a.Why, b.Why))
	})
	return slices.Compact(findings)
}

func compare(a, b Member) int {
	return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool), strings.Compare(a.Alias, b.Alias), strings.Compare(a.Description, b.Description))
}

// Refused reports whether any finding prevents the composition from being enabled.
func Refused(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Refuses })
}

func collisions(all []Composition, members []Member) []Finding {
	count := map[string]int{}
	for _, c := range all {
		if c.Enabled {
			for _, m := range c.Members {
				count[m.Alias]++
			}
		}
	}
	var findings []Finding
	for _, m := range members {
		if n := count[m.Alias]; n > 1 {
			findings = append(findings, Finding{AliasCollision, m.Server, m.Tool, m.Alias, true, fmt.Sprintf("%d enabled tools are called %q", n, m.Alias)})
		}
	}
	return findings
}

// imperative matches words that tell the reader to use something. The reference
// looks for them anywhere in the description.
var imperative = regexp.MustCompile(`\b(use|call|invoke|run|trigger|delegate to|then call|first call|after that)\b`)

// referenceTexts applies R2 and R3 as the reference does: it matches substrings, so
// it finds a tool called "search" in "research".
func referenceTexts(members []Member) []Finding {
	var findings []Finding
	for _, m := range members {
		text := strings.ToLower(m.Description)
		commands := imperative.MatchString(text)
		for _, other := range members {
			if other.Server == m.Server {
				continue
			}
			for _, name := range []string{other.Tool, other.Alias} {
				if commands && name != "" && strings.Contains(text, strings.ToLower(name)) {
					findings = append(findings, Finding{CrossServerReference, m.Server, m.Tool, other.Tool, true,
						fmt.Sprintf("the description tells the model to use %q of server %q", other.Tool, other.Server)})
					break
				}
			}
			if other.Server != "" && strings.Contains(text, strings.ToLower(other.Server)) {
				findings = append(findings, selfScope(m, other.Server, true))
			}
		}
	}
	return findings
}

func selfScope(m Member, server string, refuses bool) Finding {
	return Finding{SelfScopeViolation, m.Server, m.Tool, server, refuses, fmt.Sprintf("the description names the server %q", server)}
}

func nearAliases(all []Composition, members []Member) []Finding {
	bySkeleton := map[string][]string{}
	for _, c := range all {
		if c.Enabled {
			for _, m := range c.Members {
				s := lookalike.Skeleton(m.Alias)
				if !slices.Contains(bySkeleton[s], m.Alias) {
					bySkeleton[s] = append(bySkeleton[s], m.Alias)
					slices.Sort(bySkeleton[s])
					bySkeleton[s] = bySkeleton[s][:min(2, len(bySkeleton[s]))] // two are enough to show there is another
				}
			}
		}
	}
	var findings []Finding
	for _, m := range members {
		for _, alias := range bySkeleton[lookalike.Skeleton(m.Alias)] {
			if alias != m.Alias {
				findings = append(findings, Finding{NearAlias, m.Server, m.Tool, alias, true, fmt.Sprintf("the alias %q can be taken for %q", m.Alias, alias)})
				break
			}
		}
	}
	return findings
}
