package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/risk/score"
	"github.com/glovebox-run/glovebox/risk/unseen"
)

// clean makes a server's text safe to show: one line, nothing invisible.
func clean(s string) string { return unseen.Spell(strings.Join(strings.Fields(s), " ")) }

// target names what was scanned.
func target(t score.Target) string {
	switch {
	case t.URL != "":
		return clean(t.URL)
	case len(t.Command) > 0:
		return clean(strings.Join(t.Command, " "))
	}
	return clean(t.Name)
}

// grade is the score as people read it.
func grade(r *score.Report) string {
	if !r.Scored {
		return "not scored"
	}
	return fmt.Sprintf("%s %d/100", r.Grade, r.Score)
}

// server is what the server calls itself.
func server(r *score.Report) string {
	name := clean(r.Server.Name + " " + r.Server.Version)
	if name == "" {
		return "a server without a name"
	}
	return name
}

// vantage says from where and how deep it was looked.
func vantage(r *score.Report) string {
	from := clean(r.Vantage)
	if from == "" {
		from = "an unnamed place"
	}
	scan := fmt.Sprintf("%s scan from %s on %s", depths[r.Depth], from, r.Seen.UTC().Format(time.RFC3339))
	if p := r.Published; p != nil {
		said := clean(p.Version)
		if said == "" {
			said = clean(p.Problem)
		}
		scan += fmt.Sprintf("; %s asked for %s on %s: %s", p.Registry, clean(p.Package), p.Asked.UTC().Format(time.RFC3339), said)
	}
	return scan
}

var depths = map[score.Depth]string{
	score.Passive: "passive", score.Limited: "limited passive", score.DCR: "authenticated passive (via DCR)",
	score.APIKey: "authenticated passive (via API key)", score.SignIn: "authenticated passive (via sign-in)", "": "passive",
}

// hints writes the annotations of a tool.
func hints(t score.ToolRow) string {
	var all []string
	if t.ReadOnly != nil {
		all = append(all, fmt.Sprintf("readOnly=%t", *t.ReadOnly))
	}
	if t.Destructive != nil {
		all = append(all, fmt.Sprintf("destructive=%t", *t.Destructive))
	}
	return strings.Join(all, " ")
}

// verbs counts tools as "3R 1W 0D".
func verbs(tools []score.ToolRow) string {
	n := map[score.Verb]int{}
	for _, t := range tools {
		n[t.Verb]++
	}
	text := fmt.Sprintf("%dR %dW %dD", n[score.ReadVerb], n[score.WriteVerb], n[score.DestructiveVerb])
	if n[score.NoVerb] > 0 {
		text += fmt.Sprintf(" %d unclear", n[score.NoVerb])
	}
	return text
}

// unevaluated lists the rules that did not count, with their reasons.
func unevaluated(r *score.Report) []score.Result {
	var all []score.Result
	for _, f := range r.Rules {
		if f.Status == score.NotApplicable || f.Status == score.Unknown {
			all = append(all, f)
		}
	}
	return all
}
