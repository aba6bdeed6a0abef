package score

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/risk/score/advisory"
)

// Background is what is known besides the observation. Its zero value knows
// nothing, and rules that need it do not apply or are unknown.
type Background struct {
	Previous   *Observation           // the last scan of the same server
	Elsewhere  map[string][]Elsewhere // other servers by DescriptionHash
	Advisories advisory.List
}

// Elsewhere is another server that has a description.
type Elsewhere struct {
	Identity string // of its target
	Name     string // serverInfo.name
}

// Verdict is the advice of a report. The zero value is no verdict.
type Verdict string

const (
	Block        Verdict = "block"
	NoVerdict    Verdict = "unknown"
	Review       Verdict = "review"
	Allow        Verdict = "allow"
	perimeterMax         = 87 // the highest score that a server gets whose tools were not seen
)

// Tier is how authenticated the scan was.
type Tier string

const (
	PerimeterTier   Tier = "perimeter"
	PublicHandshake Tier = "public_handshake"
	Authenticated   Tier = "authenticated"
)

// Level is how much of the protocol was seen.
type Level string

const (
	Full    Level = "full"
	Partial Level = "partial"
	Minimal Level = "minimal"
	None    Level = "none"
)

// ReportVersion is the version of the report's JSON form.
const ReportVersion = 1

// Report is a scored observation.
type Report struct {
	Version     int       `json:"version"`
	Methodology string    `json:"methodology"`
	Profile     Profile   `json:"profile"`
	Target      Target    `json:"target"`
	Server      Server    `json:"server"`
	Seen        time.Time `json:"seen"`
	Vantage     string    `json:"vantage,omitempty"`
	Depth       Depth     `json:"depth"`
	// Published is what a registry was asked; nil if none was.
	Published *Published `json:"published,omitempty"`

	Scored      bool    `json:"scored"` // false when there is no proof of an MCP server
	Score       int     `json:"score"`
	Uncapped    int     `json:"uncapped"` // before the cap of the tier
	Grade       string  `json:"grade"`    // "" when not scored
	Verdict     Verdict `json:"verdict"`
	Risk        string  `json:"riskLevel"`
	Tier        Tier    `json:"tier"`
	Level       Level   `json:"level"`
	Measurement string  `json:"measurement"` // full, limited or none

	Reasons    []string        `json:"reasons"`
	Next       []Action        `json:"next"`
	Counts     map[Status]int  `json:"counts"`
	Categories []CategoryScore `json:"categories"`
	Rules      []Result        `json:"rules"`
	Tools      []ToolRow       `json:"tools"`

	Surface     string       `json:"surface"` // SurfaceHash
	Assumptions []Assumption `json:"assumptions"`
	Limits      []string     `json:"limits"`
	OWASP       string       `json:"owaspRevision"`
}

// Server is what the server says of itself.
type Server struct {
	Name     string `json:"name,omitempty"`
	Version  string `json:"version,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	Era      string `json:"era,omitempty"`
}

// Action is something to do, worst failure first.
type Action struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Do       string   `json:"do"`
	Gain     int      `json:"gain"` // points of the score that it is worth
}

// CategoryScore is the score of one category.
type CategoryScore struct {
	Category   Category `json:"category"`
	Title      string   `json:"title"`
	Passed     int      `json:"passedWeight"`
	Applicable int      `json:"applicableWeight"`
	Percent    int      `json:"percent"` // 0 if nothing applied
	Rules      int      `json:"rules"`
	Failed     int      `json:"failed"`
}

// Result is the outcome of one rule.
type Result struct {
	Row
	Status     Status     `json:"status"`
	Confidence Confidence `json:"confidence,omitempty"`
	Note       string     `json:"note,omitempty"`
	Evidence   []Evidence `json:"evidence,omitempty"`
}

// ToolRow is one tool as reports show it.
type ToolRow struct {
	Name        string   `json:"name"`
	Verb        Verb     `json:"verb"`
	Flags       []string `json:"flags"`
	ReadOnly    *bool    `json:"readOnlyHint,omitempty"`
	Destructive *bool    `json:"destructiveHint,omitempty"`
	Failed      []string `json:"failed"` // ids of rules
}

// Evaluate scores an observation. It takes time linear in it and does not fail.
func Evaluate(o Observation, p Profile, bg Background) Report {
	s := newSubject(&o, &bg, p)
	r := Report{
		Version: ReportVersion, Methodology: p.Methodology(), Profile: p, Target: o.Target, Seen: o.Seen, Vantage: o.Vantage, Depth: o.Depth, Published: o.Published,
		Server: Server{Name: short(s.name), Version: short(s.version)}, Counts: map[Status]int{}, Limits: limits, OWASP: OWASPRevision, Surface: s.hash,
	}
	if o.Hello != nil {
		r.Server.Protocol, r.Server.Era = short(o.Hello.Protocol), o.Hello.Era
	}
	table := classic
	if p == Refined {
		table = refined
	}
	for _, row := range table {
		result := s.result(row)
		r.Rules = append(r.Rules, result)
		r.Counts[result.Status]++
	}
	r.tally()
	r.place(s)
	r.decide(s)
	r.advise()
	r.Tools = s.rows(r.Rules)
	r.trim()
	r.Assumptions = assumptionsFor(&r, &o)
	return r
}

func (s *subject) result(row Row) Result {
	r := Result{Row: row, Status: NotApplicable}
	switch {
	case row.Stage == Handshake && s.o.Hello == nil:
		r.Note = "the handshake did not complete"
		return r
	case row.Stage == AuthStage && s.o.Auth == nil:
		r.Note = "the server did not demand authorization"
		return r
	}
	out := row.check(s)
	r.Status, r.Note, r.Evidence = out.Status, shorter(out.Note, maxShown), out.Evidence
	if out.Status == Fail {
		r.Confidence = out.Confidence
	}
	for i := range r.Evidence {
		e := &r.Evidence[i]
		e.Place, e.Text = shorter(e.Place, maxShown), shorter(e.Text, maxShown)
		sum := sha256.Sum256([]byte(row.ID + "\x00" + s.o.Target.Identity() + "\x00" + e.Place + "\x00" + e.Text))
		e.Fingerprint = hex.EncodeToString(sum[:16])
	}
	return r
}

// maxShown bounds a place with its pointer, a text with what is said about it, and a
// note, in bytes.
const maxShown = 500

// tally adds up the weights. What did not apply or is unknown leaves both sums.
func (r *Report) tally() {
	var all CategoryScore
	for _, c := range Categories {
		sum := CategoryScore{Category: c, Title: c.Title()}
		for _, rule := range r.Rules {
			if rule.Category != c {
				continue
			}
			sum.Rules++
			switch rule.Status {
			case Pass:
				sum.Passed += rule.Weight
				sum.Applicable += rule.Weight
			case Fail:
				sum.Failed++
				sum.Applicable += rule.Weight
			}
		}
		sum.Percent = percent(sum.Passed, sum.Applicable)
		all.Passed += sum.Passed
		all.Applicable += sum.Applicable
		r.Categories = append(r.Categories, sum)
	}
	r.Uncapped = percent(all.Passed, all.Applicable)
	r.Score = r.Uncapped
}

func percent(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return int(math.Round(100 * float64(part) / float64(whole)))
}

// place sets tier and level, and whether there is proof of an MCP server.
func (r *Report) place(s *subject) {
	o := s.o
	proof := o.Hello != nil || s.challenged("bearer") || (o.Auth != nil && (s.resource() != nil || len(s.metadata()) > 0))
	switch {
	case o.Hello == nil:
		r.Tier = PerimeterTier
	case o.Depth == DCR || o.Depth == APIKey || o.Depth == SignIn:
		r.Tier = Authenticated
	default:
		r.Tier = PublicHandshake
	}
	switch {
	case !proof:
		r.Level = None
	case o.Hello == nil || (o.Hello.Protocol == "" && s.name == "" && o.Target.Kind != List):
		r.Level = Minimal
	case s.complete():
		r.Level = Full
	default:
		r.Level = Partial
	}
	r.Scored = proof
	r.Measurement = "full"
	switch {
	case !proof:
		r.Measurement, r.Score, r.Uncapped = "none", 0, 0
	case r.Tier == PerimeterTier:
		r.Measurement, r.Score = "limited", min(r.Score, perimeterMax)
	}
	if r.Scored {
		r.Grade = Grade(r.Score)
	}
}

// enough is the share of tools, in percent, that have to be described for a
// surface to count as seen in full.
const enough = 90

// complete reports whether the handshake and nearly all tools say what they should.
func (s *subject) complete() bool {
	if s.o.Target.Kind == List || s.o.Hello.Protocol == "" || s.name == "" || !s.o.Tools.OK() {
		return false
	}
	described, shaped := 0, 0
	for i := range s.tools {
		if s.tools[i].description != "" {
			described++
		}
		if s.tools[i].schema != nil {
			shaped++
		}
	}
	return described*100 >= enough*len(s.tools) && shaped*100 >= enough*len(s.tools)
}

// incomplete reports whether the server has tools that were not seen, or may have.
func (s *subject) incomplete() bool { return !s.o.Tools.OK() || s.o.Tools.More }

// Grade returns the letter of a score.
func Grade(score int) string {
	switch {
	case score >= 90:
		return "A"
	case score >= 80:
		return "B"
	case score >= 70:
		return "C"
	case score >= 60:
		return "D"
	}
	return "F"
}

// decide applies the rules of the verdict in their order: block, unknown, review,
// allow. A proven hard fail is never hidden by how little was seen.
func (r *Report) decide(s *subject) {
	hard, severe := r.failing(func(f Result) bool { return f.Blocks() }),
		r.failing(func(f Result) bool { return f.Counts() >= High })
	switch {
	case len(hard) > 0:
		r.Verdict = Block
	case r.Level == None, r.Level == Minimal && s.name == "" && len(s.tools) == 0 && r.Tier != PerimeterTier:
		r.Verdict = NoVerdict
	case r.Score < 80 || len(severe) > 0:
		r.Verdict = Review
	case r.Tier == PerimeterTier || r.Level == Minimal || s.incomplete():
		r.Verdict = Review
	default:
		r.Verdict = Allow
	}
	switch {
	case r.Verdict == Block:
		r.Risk = "critical"
	case len(severe) > 0:
		r.Risk = "high"
	case r.Verdict == Allow:
		r.Risk = "low"
	default:
		r.Risk = "medium"
	}
	r.Reasons = []string{}
	switch {
	case !r.Scored:
		r.Reasons = append(r.Reasons, "Nothing proves that this is an MCP server.")
	case r.Tier == PerimeterTier:
		r.Reasons = append(r.Reasons, "The tools were not seen: the server demands authorization or the handshake failed.")
	}
	if r.Scored && r.Tier != PerimeterTier && s.incomplete() {
		r.Reasons = append(r.Reasons, "Not all tools were seen, so they cannot be allowed.")
	}
	for _, f := range append(hard, severe...) {
		why := f.ID + ": " + firstEvidence(f)
		if len(r.Reasons) < maxReasons && !slices.Contains(r.Reasons, why) {
			r.Reasons = append(r.Reasons, why)
		}
	}
	if r.Scored && r.Score < 80 && len(r.Reasons) < maxReasons {
		r.Reasons = append(r.Reasons, fmt.Sprintf("The score is %d; 80 is the least for allow.", r.Score))
	}
}

// maxReasons is how many reasons a report starts with: more are a list, not a reason.
const maxReasons = 5

func firstEvidence(f Result) string {
	if len(f.Evidence) == 0 {
		return f.Summary
	}
	text := f.Evidence[0].Place + " " + f.Evidence[0].Text
	if more := len(f.Evidence) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// failing returns the failed rules that match, those that block first, then by severity.
func (r *Report) failing(match func(Result) bool) []Result {
	var all []Result
	for _, f := range r.Rules {
		if f.Status == Fail && match(f) {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b Result) int {
		switch {
		case a.Blocks() != b.Blocks() && a.Blocks():
			return -1
		case a.Blocks() != b.Blocks():
			return 1
		case a.Severity != b.Severity:
			return int(b.Severity) - int(a.Severity)
		}
		return b.Weight - a.Weight
	})
	return all
}

// Blocks reports whether a failed rule makes the verdict a block.
func (r Result) Blocks() bool { return r.Status == Fail && r.HardFail && r.Confidence == Certain }

// Counts returns the severity that a failure counts with for verdicts and builds: a HIGH
// rule of low confidence, which asks nobody for a review, counts as MEDIUM.
func (r Result) Counts() Severity {
	if r.Severity == High && r.Confidence == Vague {
		return Medium
	}
	return r.Severity
}

// Failing returns the failed rules, worst first.
func (r *Report) Failing() []Result { return r.failing(func(Result) bool { return true }) }

// advise says what to do first.
func (r *Report) advise() {
	r.Next = []Action{}
	if !r.Scored {
		return
	}
	whole := 0
	for _, c := range r.Categories {
		whole += c.Applicable
	}
	for _, f := range r.Failing() {
		r.Next = append(r.Next, Action{Rule: f.ID, Severity: f.Severity, Do: f.Fix, Gain: percent(f.Weight, whole)})
	}
}

// rows lists the tools, each with the rules that it made fail.
func (s *subject) rows(results []Result) []ToolRow {
	failed := map[string][]string{}
	for _, r := range results {
		for _, e := range r.Evidence {
			if name := e.tool; name != "" && !slices.Contains(failed[name], r.ID) {
				failed[name] = append(failed[name], r.ID)
			}
		}
	}
	rows := make([]ToolRow, 0, len(s.tools))
	for i := range s.tools {
		t := &s.tools[i]
		row := ToolRow{Name: short(t.name), Verb: t.verb, Flags: t.flags(), ReadOnly: t.readOnly, Destructive: t.destructive, Failed: failed[t.name]}
		if row.Flags == nil {
			row.Flags = []string{}
		}
		if row.Failed == nil {
			row.Failed = []string{}
		}
		rows = append(rows, row)
	}
	return rows
}

// trim keeps the first places of each rule, once the tools have theirs.
func (r *Report) trim() {
	for i := range r.Rules {
		if e := r.Rules[i].Evidence; len(e) > maxEvidence {
			r.Rules[i].Evidence = e[:maxEvidence]
		}
	}
}

// unknownWord is a word that is none of those that can be.
type unknownWord struct {
	kind, word string
	want       []string
}

func (e *unknownWord) Error() string {
	return fmt.Sprintf("%s %q: want %s", e.kind, e.word, strings.Join(e.want, ", "))
}
