package mcp

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Explain draws a score as a small table: one line for every driver of every
// axis, then the floor that decided if one did.
func (s Score) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, score %d (%s profile)\n", s.Chip(), s.Points, s.Profile)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, a := range s.Axes {
		of := ""
		if a.Max > 0 {
			of = fmt.Sprintf("/%d", a.Max)
		}
		for i, d := range a.Drivers {
			name, points := "", ""
			if i == 0 {
				name, points = a.Name, fmt.Sprintf("%d%s", a.Points, of)
			}
			fmt.Fprintf(w, "  %s\t%s\t%+d\t%s\n", name, points, d.Points, d.Why)
		}
	}
	if s.Floor.Tripped() {
		fmt.Fprintf(w, "  floor\t%s\t\t%s: %s\n", s.Floor.Level, s.Floor.ID, s.Floor.Why)
	}
	w.Flush()
	return b.String()
}

// Explain draws both sides and their combined level.
func (c ComposedRisk) Explain() string {
	chip := c.Level.String() + " - " + c.Label
	if c.Trigger.Tripped() {
		chip += " (" + c.Trigger.Short + ")"
	}
	return fmt.Sprintf("%s, score %d\nserver: %stool: %s", chip, c.Points, c.Server.Explain(), c.Tool.Explain())
}
