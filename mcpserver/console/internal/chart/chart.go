// Package chart draws bars as SVG on the server. Colours come from the style sheet, by
// class, so that a chart follows the theme of the page. Beside every chart belongs a
// table with the same numbers; see Chart.Rows.
package chart

import (
	"fmt"
	"html"
	"html/template"
	"strings"
)

// Chart is a row of stacked bars. Its texts are our own.
type Chart struct {
	Title  string   // what it shows, read out in place of the picture
	Series []string // names, which are also the classes of the bars
	Bars   []Bar
}

// Bar is one place on the horizontal axis.
type Bar struct {
	Label  string
	Values []float64 // one for each series
}

// Size of the drawing in its own units; it is as wide as its column.
const (
	width, height = 640, 120
	gap           = 2
)

// Total returns the sum of a bar.
func (b Bar) Total() (sum float64) {
	for _, v := range b.Values {
		sum += max(0, v)
	}
	return sum
}

// Top returns the largest sum of a bar.
func (c Chart) Top() (top float64) {
	for _, b := range c.Bars {
		top = max(top, b.Total())
	}
	return top
}

// SVG returns the drawing.
func (c Chart) SVG() template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="%s">`, width, height, html.EscapeString(c.Title))
	fmt.Fprintf(&b, `<line class="axis" x1="0" y1="%[1]d" x2="%[2]d" y2="%[1]d"/>`, height-1, width)
	if top := c.Top(); top > 0 && len(c.Bars) > 0 {
		step := float64(width) / float64(len(c.Bars))
		for i, bar := range c.Bars {
			y := float64(height - 1)
			for k, v := range bar.Values {
				if v <= 0 || k >= len(c.Series) {
					continue
				}
				// A single call among thousands is still one unit high.
				h := max(1, v/top*float64(height-8))
				y -= h
				fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, html.EscapeString(c.Series[k]), float64(i)*step, y, max(1, step-gap), h)
			}
		}
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) // numbers, and texts that were escaped
}
