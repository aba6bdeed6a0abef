// Package sarif writes findings in the Static Analysis Results Interchange
// Format 2.1.0, which code hosts and editors show at the line they belong to.
//
// It knows the few parts of the format that a list of findings needs and nothing
// about the analysis. Read [Write].
package sarif

import (
	"encoding/json"
	"io"
	"slices"
)

// Level is the severity of a finding.
type Level string

const (
	Error   Level = "error"
	Warning Level = "warning"
	Note    Level = "note"
)

// Rule is a kind of finding.
type Rule struct {
	ID      string
	Summary string
	Level   Level
}

// Result is one finding.
type Result struct {
	RuleID  string
	Level   Level
	Message string
	File    string // a path with slashes, relative or absolute
	Line    int    // from 1; 0 when the file as a whole is meant
	Column  int    // from 1, in characters
	Pointer string // the JSON pointer in the file, "" for the whole
}

type text struct {
	Text string `json:"text"`
}

type ruleObject struct {
	ID      string `json:"id"`
	Short   text   `json:"shortDescription"`
	Default struct {
		Level Level `json:"level"`
	} `json:"defaultConfiguration"`
}

type region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

type location struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *region `json:"region,omitempty"`
	} `json:"physicalLocation"`
	Logical []logical `json:"logicalLocations,omitempty"`
}

type logical struct {
	Name string `json:"fullyQualifiedName"`
}

type resultObject struct {
	RuleID    string     `json:"ruleId"`
	RuleIndex int        `json:"ruleIndex"`
	Level     Level      `json:"level"`
	Message   text       `json:"message"`
	Locations []location `json:"locations"`
}

type driver struct {
	Name           string       `json:"name"`
	Version        string       `json:"version,omitempty"`
	InformationURI string       `json:"informationUri"`
	Rules          []ruleObject `json:"rules"`
}

type run struct {
	Tool struct {
		Driver driver `json:"driver"`
	} `json:"tool"`
	ColumnKind string         `json:"columnKind"`
	Results    []resultObject `json:"results"`
}

// Write writes one run. The rules are those that were checked, with or without
// findings; a result whose rule is not among them gets index -1, as the format
// requires.
func Write(w io.Writer, version string, rules []Rule, results []Result) error {
	r := run{ColumnKind: "unicodeCodePoints", Results: []resultObject{}}
	r.Tool.Driver = driver{Name: "glovebox", Version: version, InformationURI: "https://github.com/glovebox-run/glovebox", Rules: []ruleObject{}}
	for _, rule := range rules {
		o := ruleObject{ID: rule.ID, Short: text{rule.Summary}}
		o.Default.Level = rule.Level
		r.Tool.Driver.Rules = append(r.Tool.Driver.Rules, o)
	}
	for _, found := range results {
		var at location
		at.Physical.Artifact.URI = found.File
		if found.Line > 0 {
			at.Physical.Region = &region{found.Line, max(1, found.Column)}
		}
		if found.Pointer != "" {
			at.Logical = []logical{{found.Pointer}}
		}
		r.Results = append(r.Results, resultObject{
			RuleID:    found.RuleID,
			RuleIndex: slices.IndexFunc(rules, func(rule Rule) bool { return rule.ID == found.RuleID }),
			Level:     found.Level,
			Message:   text{found.Message},
			Locations: []location{at},
		})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []run{r}})
}
