package exposure

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk"
)

// Registration is one upstream server that the operator knows of. The zero value is
// quarantined.
type Registration struct {
	// Config says how the server is reached. Its name identifies the registration.
	Config upstream.Config `json:"config"`
	State  State           `json:"state"`
	Origin Origin          `json:"origin"`
	// Entry is the id of the catalog entry that it was made from; empty for others. The
	// score does not believe it: it looks the server up by what is connected to.
	Entry  string    `json:"entry,omitempty"`
	Policy Policy    `json:"policy"`
	Added  time.Time `json:"added,omitzero"`
	By     string    `json:"by,omitempty"` // who added it, or changed its state last
}

// Name returns the server's name.
func (r *Registration) Name() string { return r.Config.Name }

// State says whether a server may be contacted.
type State string

const (
	Quarantined State = "quarantined" // known, never contacted; what an import finds starts here
	Enabled     State = "enabled"
	Disabled    State = "disabled" // by the operator
)

// Origin is the way on which a registration came in.
type Origin string

const (
	ByCommand       Origin = "command"
	ByConfiguration Origin = "configuration" // cannot be changed here
	ByImport        Origin = "import"
	ByCatalog       Origin = "catalog"
)

// Policy is how much of a server passes without a person. The zero value passes
// nothing.
type Policy struct {
	FirstSight      FirstSight      `json:"first_sight,omitempty"`
	Cosmetic        Cosmetic        `json:"cosmetic,omitempty"`
	PoisonedResults PoisonedResults `json:"poisoned_results,omitempty"`
	Elicitation     Leave           `json:"elicitation,omitempty"` // the server asks the user
	Sampling        Leave           `json:"sampling,omitempty"`    // the server uses the client's model
	Roots           Leave           `json:"roots,omitempty"`       // the server asks for the client's folders
}

// FirstSight says what becomes of a tool that was never seen before. Empty means review.
type FirstSight string

const (
	Review FirstSight = "review" // it waits for a person
	Trust  FirstSight = "trust"  // it is pinned as it is, unless it reads like an attack
)

// Cosmetic says what becomes of a change of spacing, case, punctuation or icons. Empty
// means review.
type Cosmetic string

const (
	ReviewCosmetic Cosmetic = "review"
	PassCosmetic   Cosmetic = "pass"
)

// PoisonedResults says what becomes of a result with text that gives orders to the
// model. Empty means mark.
type PoisonedResults string

const (
	Mark     PoisonedResults = "mark"     // passed on behind a warning
	Withhold PoisonedResults = "withhold" // not passed on
)

// Leave is a permission. Empty means deny.
type Leave string

const (
	Deny  Leave = "deny"
	Allow Leave = "allow"
)

// reserved are names that would be taken for our own: a policy may trust tools by their
// source, and these are the sources of the operator's specs and of our tools.
var reserved = []string{risk.Library, "contract", "glovebox", exposedID}

// ValidName returns why a server or a composition cannot have a name, or nil.
func ValidName(name string) error {
	switch {
	case !upstream.ValidName(name):
		return fmt.Errorf("the name %q: want 1 to 63 lower-case letters, digits and dashes, the first no dash", name)
	case slices.Contains(reserved, name):
		return fmt.Errorf("the name %q is taken by Glovebox itself; use another one", name)
	}
	return nil
}

// Check returns why the registration cannot be kept, or nil.
func (r *Registration) Check() error {
	errs := []error{ValidName(r.Config.Name), r.Config.Check()}
	errs = append(errs, oneOf("state", r.State, Quarantined, Enabled, Disabled))
	errs = append(errs, oneOf("origin", r.Origin, ByCommand, ByConfiguration, ByImport, ByCatalog))
	errs = append(errs, r.Policy.Check())
	return errors.Join(errs...)
}

// Check returns which word of the policy is unknown, or nil.
func (p Policy) Check() error {
	return errors.Join(
		oneOf("first_sight", p.FirstSight, "", Review, Trust),
		oneOf("cosmetic", p.Cosmetic, "", ReviewCosmetic, PassCosmetic),
		oneOf("poisoned_results", p.PoisonedResults, "", Mark, Withhold),
		oneOf("elicitation", p.Elicitation, "", Deny, Allow),
		oneOf("sampling", p.Sampling, "", Deny, Allow),
		oneOf("roots", p.Roots, "", Deny, Allow),
	)
}

func oneOf[W ~string](what string, word W, words ...W) error {
	if slices.Contains(words, word) {
		return nil
	}
	var known []W
	for _, w := range words {
		if w != "" {
			known = append(known, w)
		}
	}
	return fmt.Errorf("%s %q: want one of %q", what, word, known)
}
