package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/glovebox-run/glovebox/risk/score"
)

//go:embed report.html
var page string

// ring is the circumference of the score ring: its radius in the picture is 52.
const ring = 2 * math.Pi * 52

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"clean":  clean,
	"target": target,
	"server": server,
	"grade":  grade,
	"from":   vantage,
	"hints":  hints,
	"verbs":  verbs,
	"colour": func(grade string) template.CSS { return template.CSS(gradeColours[grade]) },
	"dash":   func(points int) string { return fmt.Sprintf("%.1f %.1f", ring*float64(points)/100, ring) },
	"result": func(r score.Result) string {
		if r.Status == score.Fail && r.Confidence != score.Certain {
			return "fail (" + string(r.Confidence) + ")"
		}
		return string(r.Status)
	},
	"failing":     func(r *score.Report) []score.Result { return r.Failing() },
	"unevaluated": unevaluated,
	"first": func(list []score.Action) []score.Action {
		return list[:min(len(list), firstActions)]
	},
}).Parse(page))

// firstActions is how many actions stand at the top: what somebody does today.
const firstActions = 5

// HTML writes the report as one page. It holds everything it needs, loads nothing and
// runs no script.
func HTML(w io.Writer, r *score.Report) error { return pageTemplate.Execute(w, r) }
