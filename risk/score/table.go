package score

import (
	"slices"
	"strconv"
)

// Profile selects the rules.
type Profile string

const (
	Classic Profile = "classic" // the published rules
	Refined Profile = "refined" // our readings where the published ones look for keywords
)

// Methodology is the version of the published rules.
const Methodology = "v2026-05-06-rebalance-and-false-positive-disclosure"

// RefinedMethodology is the version of our readings. It changes with their ids.
const RefinedMethodology = "glovebox-refined-4 over " + Methodology

// Methodology returns what reports are stamped with.
func (p Profile) Methodology() string {
	if p == Classic {
		return Methodology
	}
	return RefinedMethodology
}

// ParseProfile reads a profile's name.
func ParseProfile(s string) (Profile, error) {
	if s == string(Classic) || s == string(Refined) {
		return Profile(s), nil
	}
	return "", &unknownWord{"profile", s, []string{string(Classic), string(Refined)}}
}

var classic = slices.Concat(wireRows, toolRows, surfaceRows, authRows)

// refined is the classic table with the refinements in the places of what they replace.
var refined = func() []Row {
	rows := slices.Clone(classic)
	for _, r := range refinements {
		i := slices.IndexFunc(rows, func(row Row) bool { return row.ID == r.Refines })
		row := &rows[i]
		revision := max(r.Revision, 2)
		row.ID, row.Refines, row.check = r.Refines+"/"+strconv.Itoa(revision), r.Refines, r.check
		row.HardFail = row.HardFail || r.HardFail
		row.Summary = r.Summary
		if r.Mistakes != "" {
			row.Mistakes = r.Mistakes
		}
	}
	return rows
}()

// Rules returns the table of a profile, in the order of reports.
func Rules(p Profile) []Row {
	if p == Classic {
		return slices.Clone(classic)
	}
	return slices.Clone(refined)
}

// FindRule returns a rule of any profile.
func FindRule(id string) (Row, bool) {
	for _, table := range [][]Row{classic, refined} {
		if i := slices.IndexFunc(table, func(r Row) bool { return r.ID == id }); i >= 0 {
			return table[i], true
		}
	}
	return Row{}, false
}
