package score

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Baseline lists findings that somebody has accepted, each with a reason and an end.
// It changes neither score nor verdict: it only says what is not reported again.
type Baseline struct {
	Version  int        `json:"version"`
	Accepted []Accepted `json:"accepted"`
}

// Accepted is one finding, by its fingerprint.
type Accepted struct {
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule"`
	Reason      string `json:"reason"`
	Until       string `json:"until"` // a date; from then on it is reported again
}

// ParseBaseline reads a baseline and refuses entries without a reason or an end.
func ParseBaseline(raw []byte) (Baseline, error) {
	var b Baseline
	if err := json.Unmarshal(raw, &b); err != nil {
		return Baseline{}, fmt.Errorf("baseline: %w", err)
	}
	if b.Version != 1 {
		return Baseline{}, fmt.Errorf("baseline: version is %d: want 1", b.Version)
	}
	for i, a := range b.Accepted {
		_, err := time.Parse(time.DateOnly, a.Until)
		switch {
		case a.Fingerprint == "":
			err = errors.New("fingerprint is missing")
		case a.Reason == "":
			err = errors.New("reason is missing: say why this is not a problem")
		case err != nil:
			err = errors.New("until is missing or no date such as 2027-01-31")
		}
		if err != nil {
			return Baseline{}, fmt.Errorf("baseline: /accepted/%d: %w", i, err)
		}
	}
	return b, nil
}

// Open returns the failed rules that have findings which the baseline does not accept
// at that time, worst first, with those findings alone.
func (b Baseline) Open(r *Report, now time.Time) []Result {
	accepted := map[string]bool{}
	for _, a := range b.Accepted {
		until, err := time.Parse(time.DateOnly, a.Until)
		accepted[a.Fingerprint] = err == nil && now.Before(until)
	}
	var open []Result
	for _, f := range r.Failing() {
		var left []Evidence
		for _, e := range f.Evidence {
			if !accepted[e.Fingerprint] {
				left = append(left, e)
			}
		}
		if len(left) > 0 {
			f.Evidence = left
			open = append(open, f)
		}
	}
	return open
}

// BaselineOf accepts every finding of a report until a day.
func BaselineOf(r *Report, reason string, until time.Time) Baseline {
	b := Baseline{Version: 1, Accepted: []Accepted{}}
	for _, f := range r.Failing() {
		for _, e := range f.Evidence {
			b.Accepted = append(b.Accepted, Accepted{Fingerprint: e.Fingerprint, Rule: f.ID, Reason: reason, Until: until.UTC().Format(time.DateOnly)})
		}
	}
	return b
}
