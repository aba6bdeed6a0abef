package live

import (
	"fmt"
	"strings"

	"github.com/glovebox-run/glovebox/risk/unseen"
)

// Bounds of a question, in bytes, so that it is read to the end.
const (
	maxValue  = 160 // of one value
	maxValues = 6   // values that are shown of what leaves
)

// Question is what a person is told about a call: why somebody asks, in one sentence, the
// passage with its source, what leaves, and where to. Characters that nobody sees are
// spelled out.
func (d *Decision) Question(c *Call) string {
	var b strings.Builder
	f := d.Deciding()
	if f == nil {
		return ""
	}
	b.WriteString(f.Why)
	for _, e := range f.Evidence {
		if e.Passage != "" {
			fmt.Fprintf(&b, "\nRead from %s: \"%s\"", unseen.Spell(e.Source), unseen.Spell(e.Passage))
		} else {
			fmt.Fprintf(&b, "\nIt comes from %s (%s).", unseen.Spell(e.Source), e.Label)
		}
	}
	if to := c.values(Destination); to != "" {
		fmt.Fprintf(&b, "\nGoes to: %s", to)
	}
	if what := c.values(Payload); what != "" {
		fmt.Fprintf(&b, "\nWhat goes: %s", what)
	}
	return b.String()
}

// values lists the arguments of a role.
func (c *Call) values(role Role) string {
	var list []string
	for _, a := range c.Arguments {
		if c.Profile.role(a.Name) != role {
			continue
		}
		if len(list) == maxValues {
			return strings.Join(list, ", ") + ", and more"
		}
		value := a.Value
		if len(value) > maxValue {
			value = strings.ToValidUTF8(value[:maxValue], "") + fmt.Sprintf("... (%d more bytes)", len(a.Value)-maxValue)
		}
		list = append(list, unseen.Spell(a.Name)+" = "+unseen.Spell(value))
	}
	return strings.Join(list, ", ")
}
