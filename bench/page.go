package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// page writes the run as one HTML file: tables, and plots that need no script.
func (r *report) page(w io.Writer) error {
	return pageTemplate.Execute(w, r)
}

// pageAgain writes the page of a run that was kept, beside its JSON.
func pageAgain(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	var page bytes.Buffer
	if err := r.page(&page); err != nil {
		return err
	}
	return os.WriteFile(strings.TrimSuffix(file, ".json")+".html", page.Bytes(), 0o644)
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

// bars draws columns of a table on one scale, from zero or, if it is logarithmic, from one.
func bars(s section) (rows []barRow) {
	most := 0.0
	length := func(v float64) float64 { return v }
	if s.Logarithmic {
		length = func(v float64) float64 { return math.Log10(max(1, v)) }
	}
	for _, row := range s.Rows {
		for _, column := range s.Bars {
			if v, err := strconv.ParseFloat(row[column], 64); err == nil {
				most = max(most, length(v))
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
			rows = append(rows, barRow{Label: row[0] + ", " + s.Columns[column], Value: row[column], Y: y, Text: y + barHeight - 5, Width: barWidth * length(v) / most, Series: n})
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

func value(row []string, column int) float64 {
	v, _ := strconv.ParseFloat(row[column], 64)
	return v
}

// ends are where the axes of a curve end: the largest values.
func ends(s section) (e struct{ X, Y float64 }) {
	e.X, e.Y = 1, 1
	for _, row := range s.Rows {
		e.X = max(e.X, value(row, s.Curve.X))
		for _, column := range s.Curve.Y {
			e.Y = max(e.Y, value(row, column))
		}
	}
	return e
}

// lines draws columns of a table over another, both axes from zero.
func lines(s section) (drawn []line) {
	end := ends(s)
	for n, column := range s.Curve.Y {
		l := line{Name: s.Columns[column], Series: n, LabelY: 14 + 16*n}
		var points []string
		for _, row := range s.Rows {
			m := mark{
				X:      plotMargin + (plotWidth-2*plotMargin)*value(row, s.Curve.X)/end.X,
				Y:      plotHeight - 40 - (plotHeight-80)*value(row, column)/end.Y,
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

// number is a cell that stands at the right, below others.
var number = regexp.MustCompile(`^(-|[0-9].*)$`)

// words reports whether a column is of words, and not of figures.
func words(s section, column int) bool {
	return len(s.Rows) > 0 && column < len(s.Rows[0]) && !number.MatchString(s.Rows[0][column])
}

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"words": words, "ends": ends, "bars": bars, "lines": lines, "met": bar.met,
	"high": func(rows []barRow) int { return len(rows) * barHeight },
	"add":  func(a float64, b int) float64 { return a + float64(b) },
}).Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>What the sandbox costs</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:72em;margin:2em auto;padding:0 1em;color:#1c1c1c;background:#fff}
table{border-collapse:collapse;margin:.5em 0}td,th{padding:.15em .7em;text-align:right;border-bottom:1px solid #ddd}
td{white-space:nowrap;vertical-align:top}td.w{white-space:normal}.w{text-align:left}.note{color:#555}h2{margin-top:2em}svg{max-width:100%;font:12px system-ui,sans-serif}
.s0{fill:#1f6feb;stroke:#1f6feb}.s1{fill:#b35900;stroke:#b35900}.l{fill:none;stroke-width:2}text{fill:#1c1c1c;stroke:none}
.missed{color:#a40000;font-weight:bold}
</style></head><body>
<h1>What the sandbox costs</h1>
<p>{{.Machine.CPU}}, {{.Machine.Cores}} cores, kernel {{.Machine.Kernel}}, {{.Machine.Go}}{{with .Machine.Node}}, Node {{.}} for its engines{{end}}{{with .Machine.Commit}}, Glovebox at {{.}}{{end}}, {{.Machine.Time.Format "2006-01-02 15:04"}} UTC.<br>
{{.Health}}.<br>{{range $module, $version := .Machine.Versions}}{{$module}} {{$version}} &nbsp; {{end}}</p>
{{with .LeftOut}}<p>Left out: {{range .}}{{.}}. {{end}}</p>
{{end}}{{range .Sections}}<h2>{{.Title}}</h2>
{{if .Bars}}{{$rows := bars .}}<svg viewBox="0 0 720 {{high $rows}}" width="720" role="img" aria-label="{{.Title}}">{{range $rows}}
<text x="185" y="{{.Text}}" text-anchor="end">{{.Label}}</text><rect class="s{{.Series}}" x="190" y="{{.Y}}" width="{{printf "%.1f" .Width}}" height="13"/><text x="{{printf "%.1f" (add .Width 195)}}" y="{{.Text}}">{{.Value}}</text>{{end}}
</svg>{{end}}
{{$section := .}}{{with .Curve}}{{$end := ends $section}}<svg viewBox="0 0 720 260" width="720" role="img" aria-label="{{.Up}} over {{.Across}}">
<path d="M60 40V220H660" stroke="#777" fill="none"/><text x="660" y="235" text-anchor="end">{{$end.X}}</text><text x="660" y="252" text-anchor="end">{{.Across}}</text><text x="55" y="235">0</text><text x="55" y="44" text-anchor="end">{{$end.Y}}</text><text x="55" y="60" text-anchor="end">{{.Up}}</text>{{end}}{{if .Curve}}{{range $line := lines .}}
<polyline class="l s{{.Series}}" style="fill:none" points="{{.Points}}"/><text x="70" y="{{.LabelY}}">{{.Name}}</text><rect class="s{{.Series}}" x="52" y="{{add -5 .LabelY}}" width="12" height="3"/>{{range .Marks}}<circle class="s{{$line.Series}}" cx="{{printf "%.1f" .X}}" cy="{{printf "%.1f" .Y}}" r="3"><title>{{.Across}}</title></circle>{{end}}{{end}}
</svg>{{end}}
{{if .Logarithmic}}<p class="note">Bars are on a logarithmic scale, from 1.</p>
{{end}}{{$s := .}}<table><tr>{{range $n, $c := .Columns}}<th{{if words $s $n}} class="w"{{end}}>{{$c}}</th>{{end}}</tr>{{range .Rows}}<tr>{{range $n, $c := .}}<td{{if words $s $n}} class="w"{{end}}>{{$c}}</td>{{end}}</tr>
{{end}}</table>
{{with .Note}}<p class="note">{{.}}.</p>{{end}}{{end}}
<h2>Bars</h2><table><tr><th class="w">what</th><th>measured</th><th>at most</th><th></th></tr>{{range .Bars}}
<tr><td class="w">{{.What}}</td><td>{{printf "%.3g" .Value}}{{.Unit}}</td><td>{{printf "%.3g" .Most}}{{.Unit}}</td><td>{{if met .}}met{{else}}<span class="missed">missed</span>{{end}}</td></tr>{{end}}</table>
</body></html>
`))
