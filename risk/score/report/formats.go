package report

import (
	_ "embed"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog/sarif"
	"github.com/glovebox-run/glovebox/risk/score"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (2020-12) of what JSON writes.
func Schema() []byte { return slices.Clone(schema) }

// JSON writes the whole report.
func JSON(w io.Writer, r *score.Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

var sarifLevels = map[score.Severity]sarif.Level{score.Critical: sarif.Error, score.High: sarif.Error, score.Medium: sarif.Warning, score.Low: sarif.Note, score.Info: sarif.Note}

// SARIF writes the failed rules of several servers as one run. The artifact of a
// result is the target: a server has no files.
func SARIF(w io.Writer, version string, reports []*score.Report) error {
	var rules []sarif.Rule
	var results []sarif.Result
	known := map[string]bool{}
	for _, r := range reports {
		for _, row := range r.Rules {
			if !known[row.ID] {
				known[row.ID] = true
				rules = append(rules, sarif.Rule{ID: row.ID, Summary: row.Summary, Level: sarifLevels[row.Severity]})
			}
		}
		for _, f := range r.Failing() {
			for _, e := range f.Evidence {
				results = append(results, sarif.Result{
					RuleID: f.ID, Level: sarifLevels[f.Severity], File: target(r.Target), Pointer: clean(e.Place),
					Message: clean(e.Place+": "+e.Text) + " " + f.Fix,
				})
			}
		}
	}
	return sarif.Write(w, version, rules, results)
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitFailure `xml:"failure"`
	Skipped *junitSkipped `xml:"skipped"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// JUnit writes each server as a suite and each rule as a test of it.
func JUnit(w io.Writer, reports []*score.Report) error {
	var all junitSuites
	for _, r := range reports {
		suite := junitSuite{Name: target(r.Target)}
		for _, f := range r.Rules {
			c := junitCase{Name: f.ID, Class: string(f.Category)}
			switch f.Status {
			case score.Fail:
				var text strings.Builder
				for _, e := range f.Evidence {
					text.WriteString(clean(e.Place+": "+e.Text) + "\n")
				}
				c.Failure = &junitFailure{Message: f.Summary, Type: f.Severity.String(), Text: text.String()}
				suite.Failures++
			case score.NotApplicable, score.Unknown:
				c.Skipped = &junitSkipped{Message: clean(f.Note)}
				suite.Skipped++
			}
			suite.Cases = append(suite.Cases, c)
			suite.Tests++
		}
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// cell makes a text safe inside a Markdown table: no markup, no line end, no link.
func cell(s string) string {
	var b strings.Builder
	var last [3]rune
	for _, r := range clean(s) {
		// Forges make a link of "www." as well.
		if strings.ContainsRune("\\`*_{}[]()<>#+!|~&:@", r) || r == '.' && strings.EqualFold(string(last[:]), "www") {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
		last = [3]rune{last[1], last[2], r}
	}
	return b.String()
}

// Markdown writes the report for a comment or a page.
func Markdown(w io.Writer, r *score.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s, %s\n\n%s, %s. Tier %s, level %s, measurement %s. Methodology %s.\n", cell(server(r)), grade(r), r.Verdict, cell(target(r.Target)), cell(vantage(r)), r.Tier, r.Level, r.Measurement, r.Methodology)
	if len(r.Reasons) > 0 {
		b.WriteString("\n")
		for _, reason := range r.Reasons {
			fmt.Fprintf(&b, "* %s\n", cell(reason))
		}
	}
	b.WriteString("\n| Category | Score | Failed |\n|---|---|---|\n")
	for _, c := range r.Categories {
		score := "not evaluated"
		if c.Applicable > 0 {
			score = fmt.Sprintf("%d %%", c.Percent)
		}
		fmt.Fprintf(&b, "| %s | %s | %d of %d |\n", c.Title, score, c.Failed, c.Rules)
	}
	if failing := r.Failing(); len(failing) > 0 {
		b.WriteString("\n## Failed, worst first\n\n| Rule | Severity | Where | Do |\n|---|---|---|---|\n")
		for _, f := range failing {
			where := ""
			if len(f.Evidence) > 0 {
				where = cell(f.Evidence[0].Place + ": " + f.Evidence[0].Text)
			}
			if more := len(f.Evidence) - 1; more > 0 {
				where += fmt.Sprintf(" and %d more", more)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.ID, f.Severity, where, f.Fix)
		}
	}
	if len(r.Tools) > 0 {
		fmt.Fprintf(&b, "\n## Tools (%s)\n\n| Tool | Verb | Flags |\n|---|---|---|\n", verbs(r.Tools))
		for _, t := range r.Tools {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(t.Name), t.Verb, strings.Join(t.Flags, ", "))
		}
	}
	b.WriteString("\n## What this score is not\n\n")
	for _, limit := range r.Limits {
		fmt.Fprintf(&b, "* %s\n", limit)
	}
	b.WriteString("\n## Assumptions\n\n")
	for _, a := range r.Assumptions {
		fmt.Fprintf(&b, "* %s: %s\n", a.ID, a.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var gradeColours = map[string]string{"A": "#1a7f37", "B": "#4c7a00", "C": "#9a6700", "D": "#bc4c00", "F": "#cf222e", "": "#6e7781"}

// Badge writes a small picture with grade and verdict.
func Badge(w io.Writer, r *score.Report) error {
	text := "not scored"
	if r.Scored {
		text = fmt.Sprintf("%s %d %s", r.Grade, r.Score, r.Verdict)
	}
	// The characters of the font are about 6.6 units wide; textLength holds them to it.
	left, right := 72, len(text)*7+12
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" role="img" aria-label="MCP score: %[2]s"><title>MCP score: %[2]s</title><rect width="%[3]d" height="20" fill="#24292f"/><rect x="%[3]d" width="%[4]d" height="20" fill="%[5]s"/><g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11"><text x="6" y="14" textLength="60">MCP score</text><text x="%[6]d" y="14" textLength="%[7]d">%[2]s</text></g></svg>
`, left+right, text, left, right, gradeColours[r.Grade], left+6, right-12)
	return err
}

// Comparison writes what changed between two scans.
func Comparison(w io.Writer, c score.Comparison) error {
	p := &painter{}
	fmt.Fprintf(p, "before  %s  %3d %s  %s\n", c.Before.Seen.UTC().Format("2006-01-02 15:04"), c.Before.Score, c.Before.Grade, c.Before.Verdict)
	fmt.Fprintf(p, "after   %s  %3d %s  %s\n", c.After.Seen.UTC().Format("2006-01-02 15:04"), c.After.Score, c.After.Grade, c.After.Verdict)
	if c.Before.Methodology != c.After.Methodology {
		p.wrapped("", "The methodologies differ, so the scores cannot be compared: "+c.Before.Methodology+" and "+c.After.Methodology+".")
	}
	for _, part := range []struct {
		lead string
		list []string
	}{{"fails now: ", c.NewFailures}, {"fixed: ", c.Fixed}, {"tools added: ", c.Added}, {"tools removed: ", c.Removed}, {"tools reworded: ", c.Reworded}, {"tools changed: ", c.Changed}} {
		if len(part.list) > 0 {
			p.wrapped(part.lead, clean(strings.Join(part.list, ", ")))
		}
	}
	if c.Same() {
		p.WriteString("nothing changed\n")
	}
	_, err := io.WriteString(w, p.String())
	return err
}
