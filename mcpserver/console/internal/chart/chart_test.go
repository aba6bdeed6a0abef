package chart_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/glovebox-run/glovebox/mcpserver/console/internal/chart"
)

func TestBarsStayWithinTheDrawing(t *testing.T) {
	c := chart.Chart{Title: `a "title"`, Series: []string{"ok", "failed"}, Bars: []chart.Bar{{Values: []float64{1e6, 1}}, {Values: []float64{0, -5}}, {}, {Values: []float64{3, 4, 5}}}}
	doc, err := html.Parse(strings.NewReader(string(c.SVG())))
	if err != nil {
		t.Fatal(err)
	}
	rects := 0
	for n := range doc.Descendants() {
		if n.Data == "rect" {
			rects++
		}
		for _, a := range n.Attr {
			if (a.Key == "y" || a.Key == "x") && strings.HasPrefix(a.Val, "-") {
				t.Errorf("%s of a %s is %s", a.Key, n.Data, a.Val)
			}
			if a.Key == "aria-label" && a.Val != `a "title"` {
				t.Errorf("the name is %q", a.Val)
			}
		}
	}
	if rects != 4 { // what is 0, less, or of no series has no bar
		t.Errorf("%d bars", rects)
	}
	if strings.Contains(string(chart.Chart{}.SVG()), "NaN") {
		t.Error("an empty chart divides by nothing")
	}
}
