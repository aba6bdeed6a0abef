package exposure

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/risk/composition"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

// Member is one tool of a set.
type Member struct {
	Upstream string `json:"upstream"`
	Tool     string `json:"tool"`
	// Alias is the name under which it is offered; empty means its own name.
	Alias string `json:"alias,omitempty"`
	// Description is shown instead of the server's; empty means the server's.
	Description string `json:"description,omitempty"`
	// Approve has a person asked before every call, which lowers the level by one.
	Approve bool `json:"approve,omitempty"`
}

// Exposure is what the operator offers of one server by hand. All exposures together
// are the set that clients see without naming one.
type Exposure struct {
	Upstream string `json:"upstream"`
	// All offers every tool, also those that the server gets later; Tools then only
	// says how some of them are offered.
	All   bool     `json:"all,omitempty"`
	Tools []Member `json:"tools,omitempty"` // their Upstream is empty or this one
	// Prefix, if set, is put in front of the names of tools without an alias, with two
	// underscores between.
	Prefix string `json:"prefix,omitempty"`
	// Approve is that of every tool offered through All.
	Approve bool `json:"approve,omitempty"`
	// Resources and Prompts offer these too.
	Resources bool `json:"resources,omitempty"`
	Prompts   bool `json:"prompts,omitempty"`
	// Cap is the highest level offered; unrated means [ExposureCap].
	Cap     mcp.Level `json:"cap"`
	Origin  Origin    `json:"origin,omitempty"`
	Updated time.Time `json:"updated,omitzero"`
	By      string    `json:"by,omitempty"`
}

// Composition is a named set of tools, offered at an endpoint of its own.
type Composition struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Members     []Member `json:"members"`
	// Resources and Prompts name the servers whose resources and prompts it offers.
	Resources []string `json:"resources,omitempty"`
	Prompts   []string `json:"prompts,omitempty"`
	// Cap is the highest level offered; unrated means [CompositionCap].
	Cap mcp.Level `json:"cap"`
	// Grade is the worst that the last scan of a server may have, A to D; empty demands
	// no scan.
	Grade    string    `json:"grade,omitempty"`
	Enabled  bool      `json:"enabled"`
	Origin   Origin    `json:"origin,omitempty"`
	Revision int       `json:"revision"`
	Created  time.Time `json:"created,omitzero"`
	Updated  time.Time `json:"updated,omitzero"`
	By       string    `json:"by,omitempty"`
}

// The caps of sets that name none. What a person picks tool by tool may hold anything;
// what is put together once and then used by others may not.
const (
	ExposureCap    = mcp.L5
	CompositionCap = composition.DefaultCap
)

// Exposed is the id of the set that the exposures make together. It is no valid name,
// so no composition has it.
const Exposed = ""

// exposedID is what telemetry and events call that set.
const exposedID = "exposed"

const (
	maxMembers     = 1000 // of a set: far more than a model can choose from
	maxDescription = 8 << 10
)

// Check returns why the exposure cannot be kept, or nil.
func (e *Exposure) Check() error {
	errs := []error{ValidName(e.Upstream), checkCap(e.Cap), checkMembers(e.Tools, e.Upstream)}
	if e.Prefix != "" && !composition.ValidAlias(e.Prefix) {
		errs = append(errs, fmt.Errorf("the prefix %q: want letters, digits, _ or -", e.Prefix))
	}
	return errors.Join(errs...)
}

// Check returns why the composition cannot be kept, or nil. Whether it may be enabled
// is decided by [Admit].
func (c *Composition) Check() error {
	errs := []error{ValidName(c.Name), checkCap(c.Cap), checkGrade(c.Grade), checkMembers(c.Members, "")}
	for _, name := range slices.Concat(c.Resources, c.Prompts) {
		errs = append(errs, ValidName(name))
	}
	return errors.Join(errs...)
}

func checkCap(cap mcp.Level) error {
	if cap > mcp.L5 {
		return fmt.Errorf("the cap %v: want L0 to L5", cap)
	}
	return nil
}

// checkMembers checks the members of a set. owner is the server that all must be of;
// empty for any.
func checkMembers(members []Member, owner string) error {
	var errs []error
	if len(members) > maxMembers {
		errs = append(errs, fmt.Errorf("%d tools: a set has at most %d", len(members), maxMembers))
	}
	seen := map[[2]string]bool{}
	for _, m := range members {
		of := cmp.Or(m.Upstream, owner)
		switch {
		case of == "" || owner != "" && of != owner:
			errs = append(errs, fmt.Errorf("the tool %q is of the server %q, want %q", m.Tool, of, owner))
		case m.Tool == "":
			errs = append(errs, fmt.Errorf("a tool of %q has no name", of))
		case m.Alias != "" && !composition.ValidAlias(m.Alias):
			errs = append(errs, fmt.Errorf("the alias %q of %q: want 1 to 64 letters, digits, _ or -", m.Alias, m.Tool))
		case len(m.Description) > maxDescription:
			errs = append(errs, fmt.Errorf("the description of %q has %d bytes, more than %d", m.Tool, len(m.Description), maxDescription))
		case seen[[2]string{of, m.Tool}]:
			errs = append(errs, fmt.Errorf("the tool %q of %q is there twice", m.Tool, of))
		}
		seen[[2]string{of, m.Tool}] = true
	}
	return errors.Join(errs...)
}

// OfferedAs returns the name under which a member of an exposure is offered, if it is.
func (m Member) OfferedAs(prefix string) string { return m.alias(prefix) }

// alias returns the name under which a member is offered.
func (m Member) alias(prefix string) string {
	switch {
	case m.Alias != "":
		return m.Alias
	case prefix != "":
		return composition.DefaultAlias(mcp.Default, prefix, m.Tool)
	}
	return m.Tool
}
