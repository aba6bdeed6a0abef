package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/glovebox-run/glovebox/risk/score"
)

// width is the number of columns of the text: what a terminal has at least.
const width = 80

// painter adds colours where the output is a terminal.
type painter struct {
	strings.Builder
	colour bool
}

var (
	verdictColours  = map[score.Verdict]string{score.Allow: "32", score.Review: "33", score.Block: "31", score.NoVerdict: "35"}
	severityColours = map[score.Severity]string{score.Critical: "1;31", score.High: "31", score.Medium: "33", score.Low: "36", score.Info: "2"}
)

func (p *painter) paint(colour, text string) string {
	if !p.colour || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// wrapped writes a text in lines of at most width columns, the first one after lead,
// which is already written out, the others after as many blanks.
func (p *painter) wrapped(lead, text string) {
	indent := strings.Repeat(" ", len([]rune(lead)))
	line, empty := lead, true
	for word := range strings.FieldsSeq(text) {
		for {
			room := width - len([]rune(line))
			if !empty {
				room--
			}
			if len([]rune(word)) <= room {
				break
			}
			if empty { // a word that fits no line is cut
				runes := []rune(word)
				p.WriteString(line + string(runes[:room]) + "\n")
				word, line = string(runes[room:]), indent
				continue
			}
			p.WriteString(line + "\n")
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	p.WriteString(strings.TrimRight(line, " ") + "\n")
}

// Text writes the report for a terminal, in colour if asked. open are the failed
// rules to show, such as Report.Failing or what a baseline leaves of it.
func Text(w io.Writer, r *score.Report, open []score.Result, colour bool) error {
	p := &painter{colour: colour}
	p.wrapped("", target(r.Target))
	p.wrapped("", server(r))
	p.WriteString("\n")
	fmt.Fprintf(p, "  %s   verdict %s   risk %s\n", p.paint("1", grade(r)), p.paint(verdictColours[r.Verdict], string(r.Verdict)), r.Risk)
	fmt.Fprintf(p, "  tier %s   level %s   measurement %s\n", r.Tier, r.Level, r.Measurement)
	if r.Scored && r.Uncapped != r.Score {
		fmt.Fprintf(p, "  %d before the cap of the tier\n", r.Uncapped)
	}
	p.wrapped("  ", vantage(r))
	p.wrapped("  ", "methodology "+r.Methodology+", profile "+string(r.Profile))
	p.reasons(r)
	p.categories(r)
	p.findings(open)
	p.tools(r)
	p.closing(r)
	_, err := io.WriteString(w, p.String())
	return err
}

func (p *painter) heading(text string) { p.WriteString("\n" + p.paint("1", text) + "\n") }

func (p *painter) reasons(r *score.Report) {
	if len(r.Reasons) == 0 {
		return
	}
	p.heading("Why")
	for _, reason := range r.Reasons {
		p.wrapped("  - ", clean(reason))
	}
}

func (p *painter) categories(r *score.Report) {
	p.heading("Categories")
	for _, c := range r.Categories {
		if c.Applicable == 0 {
			fmt.Fprintf(p, "  %-25s not evaluated\n", c.Title)
			continue
		}
		bar := strings.Repeat("#", c.Percent/5) + strings.Repeat(".", 20-c.Percent/5)
		fmt.Fprintf(p, "  %-25s %s %3d%%  %d/%d\n", c.Title, bar, c.Percent, c.Passed, c.Applicable)
	}
}

// shown is how many places of one rule the text shows; JSON has all.
const shown = 3

func (p *painter) findings(open []score.Result) {
	if len(open) == 0 {
		return
	}
	p.heading("Failed, worst first")
	for _, f := range open {
		note := ""
		if f.Confidence != score.Certain {
			note = ", " + string(f.Confidence) + " confidence"
		}
		if f.Blocks() {
			note += ", blocks"
		}
		fmt.Fprintf(p, "  %s %s (%d%s)\n", p.paint(severityColours[f.Severity], f.Severity.String()), f.ID, f.Weight, note)
		for i, e := range f.Evidence {
			if i == shown {
				fmt.Fprintf(p, "      and %d more\n", len(f.Evidence)-shown)
				break
			}
			p.wrapped("      ", clean(e.Place+": "+e.Text))
		}
		p.wrapped("      do: ", f.Fix)
		if f.Mistakes != "" {
			p.wrapped("      may err on: ", f.Mistakes)
		}
	}
}

func (p *painter) tools(r *score.Report) {
	if len(r.Tools) == 0 {
		return
	}
	p.heading(fmt.Sprintf("Tools (%d: %s)", len(r.Tools), verbs(r.Tools)))
	for _, t := range r.Tools {
		text := clean(t.Name) + " " + string(t.Verb)
		if len(t.Flags) > 0 {
			text += " [" + strings.Join(t.Flags, ", ") + "]"
		}
		if h := hints(t); h != "" {
			text += " " + h
		}
		p.wrapped("  ", text)
	}
}

func (p *painter) closing(r *score.Report) {
	c := r.Counts
	p.heading("Rules")
	fmt.Fprintf(p, "  %d passed, %d failed, %d do not apply, %d unknown\n", c[score.Pass], c[score.Fail], c[score.NotApplicable], c[score.Unknown])
	for _, f := range unevaluated(r) {
		if f.Status == score.Unknown {
			p.wrapped("  unknown: ", f.ID+": "+clean(f.Note))
		}
	}
	p.heading("What this score is not")
	for _, limit := range r.Limits {
		p.wrapped("  - ", limit)
	}
	p.heading("Assumptions")
	for _, a := range r.Assumptions {
		p.wrapped("  "+a.ID+" ", a.Text)
	}
}
