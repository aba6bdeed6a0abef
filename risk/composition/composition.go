package composition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/fingerprint"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/risk/shadow"
)

// DefaultCap is the highest level that a new composition admits.
const DefaultCap = mcp.L3

// Member is one upstream tool in a composition, with what is currently known about
// it. The zero value is unrated and withheld.
type Member struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Alias  string `json:"alias"`
	// Description is the upstream server's; a non-blank Override is published instead.
	Description string `json:"description"`
	Override    string `json:"override,omitempty"`
	// PersonApproves is set when a person is asked before every call.
	PersonApproves bool `json:"person_approves"`
	// Level is the effective level, after the credit for approval.
	Level  mcp.Level          `json:"level"`
	Status fingerprint.Status `json:"status"`
	// Flagged is set when the poisoning scan acts on the definition and no person has
	// cleared it since.
	Flagged bool `json:"flagged"`
}

// Published returns the description that a model will read.
func (m Member) Published() string {
	if strings.TrimSpace(m.Override) != "" {
		return m.Override
	}
	return m.Description
}

// Composition is a named set of members that is enabled as a whole.
type Composition struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Members     []Member  `json:"members"`
	Cap         mcp.Level `json:"cap"`
	Enabled     bool      `json:"enabled"`
}

// New returns a composition without members that is not enabled.
func New(id, name string) Composition { return Composition{ID: id, Name: name, Cap: DefaultCap} }

// Level returns the level of the composition: the worst of its members'.
func (c Composition) Level(p mcp.Profile) mcp.Level {
	var levels []mcp.Level
	for _, m := range c.Members {
		levels = append(levels, m.Level)
	}
	return mcp.Aggregate(p, levels)
}

// Refusal codes.
const (
	CodeEmpty     = "empty"
	CodeAboveCap  = "above-cap"
	CodeUnrated   = "unrated"
	CodeWithheld  = "withheld"
	CodeFlagged   = "flagged"
	CodeAlias     = "alias"
	CodeShadowing = "shadowing"
)

// Refusal is one reason why a composition cannot be enabled.
type Refusal struct {
	Code    string `json:"code"`
	Alias   string `json:"alias,omitempty"` // of the member it is about
	Message string `json:"message"`
}

// Check returns every reason why c must not be enabled beside the others, in a
// stable order; none means that it may. It is called again when a level, a
// fingerprint or another composition changes, to see whether an enabled composition
// may stay enabled.
//
// The reference skips unrated members, checks neither fingerprints nor the form of
// aliases, and treats a poisoning scan as advice.
func Check(p mcp.Profile, c Composition, others []Composition) []Refusal {
	if len(c.Members) == 0 {
		return []Refusal{{Code: CodeEmpty, Message: "a composition without members cannot be enabled"}}
	}
	var refusals []Refusal
	for _, m := range c.Members {
		switch {
		case m.Level == mcp.Unrated:
			if p != mcp.Reference {
				refusals = append(refusals, Refusal{CodeUnrated, m.Alias, fmt.Sprintf("nobody rated %q of server %q", m.Tool, m.Server)})
			}
		case !m.Level.Within(c.Cap):
			refusals = append(refusals, Refusal{CodeAboveCap, m.Alias, fmt.Sprintf("%q is %v, exceeding the cap of %v", m.Alias, m.Level, c.Cap)})
		}
		if p == mcp.Reference {
			continue
		}
		if m.Status != fingerprint.Active {
			refusals = append(refusals, Refusal{CodeWithheld, m.Alias, fmt.Sprintf("%q of server %q is %v in the ledger", m.Tool, m.Server, m.Status)})
		}
		if m.Flagged {
			refusals = append(refusals, Refusal{CodeFlagged, m.Alias, fmt.Sprintf("the definition of %q of server %q reads like an attack", m.Tool, m.Server)})
		}
		if !ValidAlias(m.Alias) {
			refusals = append(refusals, Refusal{CodeAlias, m.Alias, fmt.Sprintf("%q is no alias: want 1 to %d letters, digits, _ or -", m.Alias, maxAlias)})
		}
	}
	c.Enabled = true // as it would be
	all := []shadow.Composition{forShadow(c)}
	for _, o := range others {
		if o.ID != c.ID {
			all = append(all, forShadow(o))
		}
	}
	findings := shadow.Check(p, all, c.ID)
	if shadow.Refused(findings) {
		var why []string
		for _, f := range findings {
			if f.Refuses {
				why = append(why, fmt.Sprintf("%s (%q of server %q): %s", f.Rule, f.Server, f.Tool, f.Why))
			}
		}
		refusals = append(refusals, Refusal{Code: CodeShadowing, Message: "shadowing rule violations: " + strings.Join(why, "; ")})
	}
	return refusals
}

// Advice returns findings that a person should review before enabling the
// composition, although they do not prevent it.
func Advice(p mcp.Profile, c Composition) []shadow.Finding {
	c.Enabled = true
	return slices.DeleteFunc(shadow.Check(p, []shadow.Composition{forShadow(c)}, c.ID), func(f shadow.Finding) bool { return f.Refuses })
}

// Enable returns the enabled composition, or c unchanged with the refusals.
func Enable(p mcp.Profile, c Composition, others []Composition) (Composition, []Refusal) {
	if refusals := Check(p, c, others); len(refusals) > 0 {
		return c, refusals
	}
	c.Enabled = true
	return c, nil
}

// forShadow gives the rules what a model would see: the published descriptions.
func forShadow(c Composition) shadow.Composition {
	s := shadow.Composition{ID: c.ID, Enabled: c.Enabled}
	for _, m := range c.Members {
		s.Members = append(s.Members, shadow.Member{Server: m.Server, Tool: m.Tool, Alias: m.Alias, Description: m.Published()})
	}
	return s
}
