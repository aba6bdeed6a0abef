package score

import (
	"slices"
	"strings"
)

// Severity is how bad a failure of a rule is. The zero value is the mildest.
type Severity uint8

const (
	Info Severity = iota
	Low
	Medium
	High
	Critical
)

var severityNames = [...]string{"INFO", "LOW", "MEDIUM", "HIGH", "CRITICAL"}

func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return severityNames[Critical]
}

// MarshalText writes the name in capitals, as the methodology does.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name in any case.
func (s *Severity) UnmarshalText(text []byte) error {
	for i, name := range severityNames {
		if strings.EqualFold(name, string(text)) {
			*s = Severity(i)
			return nil
		}
	}
	return &unknownWord{"severity", string(text), severityNames[:]}
}

// Category groups rules by what they look at.
type Category string

const (
	Transport    Category = "transport"
	Endpoint     Category = "endpoint"
	ToolSurface  Category = "tool-surface"
	Schema       Category = "schema"
	Discovery    Category = "discovery"
	Metadata     Category = "metadata"
	Exposure     Category = "exposure"
	AuthCategory Category = "auth"
)

// Categories are in the order of reports.
var Categories = [...]Category{Transport, Endpoint, ToolSurface, Schema, Discovery, Metadata, Exposure, AuthCategory}

var categoryTitles = map[Category]string{
	Transport: "Transport security", Endpoint: "Endpoint hygiene", ToolSurface: "Tool surface risk", Schema: "Schema quality",
	Discovery: "MCP discovery posture", Metadata: "Metadata transparency", Exposure: "Exposure minimization", AuthCategory: "Auth discovery posture",
}

// Title returns the name for people.
func (c Category) Title() string { return categoryTitles[c] }

// Stage is what a scan must have reached for a rule to apply.
type Stage string

const (
	Perimeter Stage = "perimeter" // always
	Handshake Stage = "handshake" // initialize or discover succeeded
	AuthStage Stage = "auth"      // authorization was demanded
)

// Row describes one rule.
type Row struct {
	ID       string   `json:"id"`
	Category Category `json:"category"`
	Severity Severity `json:"severity"`
	Weight   int      `json:"weight"`
	HardFail bool     `json:"hardFail,omitempty"`
	Stage    Stage    `json:"stage"`
	Summary  string   `json:"summary"`        // what passes
	Why      string   `json:"why"`            // what goes wrong otherwise
	Fix      string   `json:"fix"`            // what the server's author does
	Mistakes string   `json:"falsePositives"` // when it fails without a reason, "" if we know of none
	OWASP    []string `json:"owasp,omitempty"`
	// Refines is the id of the published rule that this one replaces in Refined.
	Refines string `json:"refines,omitempty"`
	// Revision ends the id of a refined rule; 0 stands for 2. One that is decided
	// otherwise than before gets the next.
	Revision int `json:"-"`

	check func(*subject) Outcome
}

// Status is the outcome of one rule. The zero value did not apply.
type Status string

const (
	Pass          Status = "pass"
	Fail          Status = "fail"
	NotApplicable Status = "not-applicable"
	Unknown       Status = "unknown" // what it needs was not looked at, or did not arrive
)

// Confidence is how certain a failure is. Classic rules are always certain.
type Confidence string

const (
	Certain Confidence = "high"
	Likely  Confidence = "medium"
	Vague   Confidence = "low"
)

// Evidence is one place that made a rule fail.
type Evidence struct {
	Place string `json:"place"` // such as "tool list_users /description"
	Text  string `json:"text"`  // what is there, as data of the server: never trusted
	// Fingerprint identifies the finding across scans, so that it can be accepted.
	Fingerprint string `json:"fingerprint"`
	// Confidence is how certain this place is; the rule has that of its surest one.
	Confidence Confidence `json:"confidence,omitempty"`

	tool string // the tool's name
}

// Outcome is what the check of a rule returns.
type Outcome struct {
	Status     Status
	Confidence Confidence
	Note       string
	Evidence   []Evidence
}

func pass() Outcome                  { return Outcome{Status: Pass} }
func notFor(note string) Outcome     { return Outcome{Status: NotApplicable, Note: note} }
func unknown(note string) Outcome    { return Outcome{Status: Unknown, Note: note} }
func at(place, text string) Evidence { return Evidence{Place: place, Text: text, Confidence: Certain} }

// maxEvidence bounds what one rule shows: a server with 500 tools fails a rule once.
const maxEvidence = 20

// failOr fails with the evidence, or passes if there is none.
func failOr(found []Evidence) Outcome {
	if len(found) == 0 {
		return pass()
	}
	slices.SortStableFunc(found, func(a, b Evidence) int { return b.Confidence.rank() - a.Confidence.rank() })
	o := Outcome{Status: Fail, Confidence: found[0].Confidence, Evidence: found}
	if len(found) > maxEvidence {
		o.Note = plural(len(found), "place", "places") + ", of which the first ones are shown"
	}
	return o
}

// rank orders confidences; none at all is the least.
func (c Confidence) rank() int { return slices.Index([]Confidence{Vague, Likely, Certain}, c) }

func fail(place, text string) Outcome { return failOr([]Evidence{at(place, text)}) }
