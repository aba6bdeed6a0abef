package score

import (
	"maps"
	"slices"
	"time"

	"github.com/tidwall/gjson"
)

// Comparison is what changed between two scans of one server.
type Comparison struct {
	Before Side `json:"before"`
	After  Side `json:"after"`

	NewFailures []string `json:"newFailures"` // ids of rules
	Fixed       []string `json:"fixed"`
	Added       []string `json:"toolsAdded"`
	Removed     []string `json:"toolsRemoved"`
	Reworded    []string `json:"toolsReworded"` // the description changed
	Changed     []string `json:"toolsChanged"`  // the schema or the annotations did
}

// Side is one of two scans.
type Side struct {
	Seen        time.Time `json:"seen"`
	Methodology string    `json:"methodology"`
	Score       int       `json:"score"`
	Grade       string    `json:"grade"`
	Verdict     Verdict   `json:"verdict"`
	Surface     string    `json:"surface"`
}

func sideOf(r *Report) Side {
	return Side{Seen: r.Seen, Methodology: r.Methodology, Score: r.Score, Grade: r.Grade, Verdict: r.Verdict, Surface: r.Surface}
}

// Same reports whether the server is as it was. The score alone can differ, because
// more rules apply to a second scan than to a first one.
func (c Comparison) Same() bool {
	return c.Before.Verdict == c.After.Verdict && c.Before.Surface == c.After.Surface && len(c.NewFailures)+len(c.Fixed) == 0
}

// Compare compares two scans, the reports with the observations that they are of.
func Compare(before, after *Report, was, is *Observation) Comparison {
	c := Comparison{Before: sideOf(before), After: sideOf(after), NewFailures: []string{}, Fixed: []string{}, Added: []string{}, Removed: []string{}, Reworded: []string{}, Changed: []string{}}
	old, current := statuses(before), statuses(after)
	for _, r := range after.Rules {
		if r.Status == Fail && old[r.ID] != Fail {
			c.NewFailures = append(c.NewFailures, r.ID)
		}
	}
	for _, r := range before.Rules {
		if r.Status == Fail && current[r.ID] == Pass {
			c.Fixed = append(c.Fixed, r.ID)
		}
	}
	a, b := toolsByName(was), toolsByName(is)
	for _, name := range slices.Sorted(maps.Keys(b)) {
		previous, known := a[name]
		switch {
		case !known:
			c.Added = append(c.Added, name)
			continue
		case previous.Get("description").Raw != b[name].Get("description").Raw:
			c.Reworded = append(c.Reworded, name)
		}
		if previous.Get("inputSchema").Raw != b[name].Get("inputSchema").Raw || previous.Get("annotations").Raw != b[name].Get("annotations").Raw {
			c.Changed = append(c.Changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !b[name].Exists() {
			c.Removed = append(c.Removed, name)
		}
	}
	return c
}

func statuses(r *Report) map[string]Status {
	all := map[string]Status{}
	for _, rule := range r.Rules {
		all[rule.ID] = rule.Status
	}
	return all
}

func toolsByName(o *Observation) map[string]gjson.Result {
	all := map[string]gjson.Result{}
	for _, raw := range o.Tools.Items {
		doc := gjson.ParseBytes(raw)
		all[text(doc.Get("name"))] = doc
	}
	return all
}
