package main

import (
	"html/template"
	"io"
	"strconv"
	"strings"
)

// page writes the run as one HTML file: tables, and plots that need no script.
func (r *report) page(w io.Writer) error {
	return pageTemplate.Execute(w, r)
}

// plotWidth and the others are in units of the SVG.
const (
	plotWidth  = 720
	plotHeight = 260
	plotMargin = 60
	barHeight  = 18
	barLeft    = 190
	barWidth   = 440
)

// barRow is one bar and its label.
type barRow struct {
	Label, Value string
	Y, Text      int
	Width        float64
	Series       int
}

// bars draws columns of a table on one scale from zero.
func bars(s section) (rows []barRow) {
	most := 0.0
	for _, row := range s.Rows {
		for _, column := range s.Bars {
			if v, err := strconv.ParseFloat(row[column], 64); err == nil {
				most = max(most, v)
			}
		}
	}
	for _, row := range s.Rows {
		for n, column := range s.Bars {
			v, err := strconv.ParseFloat(row[column], 64)
			if err != nil || most == 0 {
				continue
			}
			y := len(rows) * barHeight
			rows = append(rows, barRow{Label: row[0] + ", " + s.Columns[column], Value: row[column], Y: y, Text: y + barHeight - 5, Width: barWidth * v / most, Series: n})
		}
	}
	return rows
}

// line is one line of a plot, with the mark of each row.
type line struct {
	Name   string
	Points string
	Marks  []mark
	Series int
	LabelY int
}

type mark struct {
	X, Y   float64
	Across string
}

// lines draws columns of a table over another, both axes from zero.
func lines(s section) (drawn []line) {
	value := func(row []string, column int) float64 {
		v, _ := strconv.ParseFloat(row[column], 64)
		return v
	}
	widest, highest := 1.0, 1.0
	for _, row := range s.Rows {
		widest = max(widest, value(row, s.Curve.X))
		for _, column := range s.Curve.Y {
			highest = max(highest, value(row, column))
		}
	}
	for n, column := range s.Curve.Y {
		l := line{Name: s.Columns[column], Series: n, LabelY: 14 + 16*n}
		var points []string
		for _, row := range s.Rows {
			m := mark{
				X:      plotMargin + (plotWidth-2*plotMargin)*value(row, s.Curve.X)/widest,
				Y:      plotHeight - 40 - (plotHeight-80)*value(row, column)/highest,
				Across: row[s.Curve.X] + " " + s.Curve.Across + ": " + row[column] + " " + s.Curve.Up,
			}
			l.Marks = append(l.Marks, m)
			points = append(points, strconv.FormatFloat(m.X, 'f', 1, 64)+","+strconv.FormatFloat(m.Y, 'f', 1, 64))
		}
		l.Points = strings.Join(points, " ")
		drawn = append(drawn, l)
	}
	return drawn
}

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"bars": bars, "lines": lines, "met": bar.met,
	"high": func(rows []barRow) int { return len(rows) * barHeight },
	"add":  func(a float64, b int) float64 { return a + float64(b) },
}).Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>What the sandbox costs</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:72em;margin:2em auto;padding:0 1em;color:#1c1c1c;background:#fff}
table{border-collapse:collapse;margin:.5em 0}td,th{padding:.15em .7em;text-align:right;border-bottom:1px solid #ddd}
td:first-child,th:first-child,td:last-child{text-align:left}svg{max-width:100%;font:12px system-ui,sans-serif}
.s0{fill:#1f6feb;stroke:#1f6feb}.s1{fill:#b35900;stroke:#b35900}.l{fill:none;stroke-width:2}text{fill:#1c1c1c;stroke:none}
.missed{color:#a40000;font-weight:bold}
</style></head><body>
<h1>What the sandbox costs</h1>
<p>{{.Machine.CPU}}, {{.Machine.Cores}} cores, kernel {{.Machine.Kernel}}, {{.Machine.Go}}{{with .Machine.Node}}, node {{.}}{{end}}, {{.Machine.Time.Format "2006-01-02 15:04"}} UTC.<br>
{{.Health}}.<br>{{range $module, $version := .Machine.Versions}}{{$module}} {{$version}} &nbsp; {{end}}</p>
{{range .Sections}}<h2>{{.Title}}</h2>
{{if .Bars}}{{$rows := bars .}}<svg viewBox="0 0 720 {{high $rows}}" width="720" role="img" aria-label="{{.Title}}">{{range $rows}}
<text x="185" y="{{.Text}}" text-anchor="end">{{.Label}}</text><rect class="s{{.Series}}" x="190" y="{{.Y}}" width="{{printf "%.1f" .Width}}" height="13"/><text x="{{printf "%.1f" (add .Width 195)}}" y="{{.Text}}">{{.Value}}</text>{{end}}
</svg>{{end}}
{{with .Curve}}<svg viewBox="0 0 720 260" width="720" role="img" aria-label="{{.Up}} over {{.Across}}">
<path d="M60 40V220H660" stroke="#777" fill="none"/><text x="660" y="240" text-anchor="end">{{.Across}}</text><text x="10" y="40">{{.Up}}</text>{{end}}{{if .Curve}}{{range lines .}}
<polyline class="l s{{.Series}}" style="fill:none" points="{{.Points}}"/><text x="70" y="{{.LabelY}}">{{.Name}}</text><rect class="s{{.Series}}" x="56" y="{{.LabelY}}" width="10" height="3"/>{{range .Marks}}<circle cx="{{printf "%.1f" .X}}" cy="{{printf "%.1f" .Y}}" r="3"><title>{{.Across}}</title></circle>{{end}}{{end}}
</svg>{{end}}
<table><tr>{{range .Columns}}<th>{{.}}</th>{{end}}</tr>{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>{{end}}</table>
{{with .Note}}<p>{{.}}.</p>{{end}}{{end}}
<h2>Bars</h2><table><tr><th>what</th><th>measured</th><th>at most</th><th></th></tr>{{range .Bars}}
<tr><td>{{.What}}</td><td>{{printf "%.3g" .Value}}{{.Unit}}</td><td>{{printf "%.3g" .Most}}{{.Unit}}</td><td>{{if met .}}met{{else}}<span class="missed">missed</span>{{end}}</td></tr>{{end}}</table>
</body></html>
`))
