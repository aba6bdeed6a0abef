package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Of 200 pairs of samples whose medians are in a known ratio, the interval holds it in
// about 95 of 100 cases: fewer than 90 would be a defect, and 100 an interval that says
// nothing.
func TestTheIntervalHoldsTheRatio(t *testing.T) {
	source := rand.New(rand.NewPCG(7, 7))
	draw := func(middle float64) sample {
		s := make(sample, 300)
		for n := range s {
			s[n] = time.Duration(middle * (1 + source.NormFloat64()/5))
		}
		return s
	}
	held := 0
	for range 200 {
		if low, high := interval(draw(3e6), draw(2e6)); low <= 1.5 && 1.5 <= high {
			held++
		}
	}
	if held < 180 || held == 200 {
		t.Errorf("%d of 200", held)
	}
}

// A percentile needs a call beyond it: of 19 calls the 95th is the longest, and says nothing.
func TestATailNeedsCallsBeyondIt(t *testing.T) {
	for _, c := range []struct {
		calls   int
		percent float64
		want    string
	}{{0, 50, "-"}, {1, 50, "1"}, {19, 95, "-"}, {20, 95, "19"}, {99, 99, "-"}, {100, 99, "99"}} {
		var s sample
		for n := range c.calls {
			s = append(s, time.Duration(n+1))
		}
		if got := s.tail(c.percent, func(d time.Duration) string { return fmt.Sprint(int64(d)) }); got != c.want {
			t.Errorf("%d calls, %v: %s, want %s", c.calls, c.percent, got, c.want)
		}
	}
}

// The page is well formed, says what is in the run, runs nothing, and lets no name of the
// machine out of its place.
func TestThePageShowsTheRun(t *testing.T) {
	r := &report{Machine: machine{CPU: "<script>alert(1)</script>"}}
	r.Sections = []section{
		{Title: "A call", Columns: []string{"engine", "p50"}, Rows: [][]string{{"ours", "10.0"}, {"theirs", "20.0"}}, Bars: []int{1}},
		{Title: "Far apart", Columns: []string{"engine", "p50", "what"}, Rows: [][]string{{"ours", "10.0", "a word"}, {"theirs", "1000.0", "-"}}, Bars: []int{1}, Logarithmic: true},
		{Title: "Density", Columns: []string{"instances", "p99"}, Rows: [][]string{{"0", "5"}, {"10", "10"}}, Curve: &curve{Y: []int{1}, Across: "alive", Up: "us"}},
	}
	r.bar("too slow", 2, 1, "x")
	var page bytes.Buffer
	if err := r.page(&page); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	for _, want := range []string{`width="220.0"`, `width="146.7"`, `<td class="w">a word</td>`, `<td>10.0</td>`, `width="440.0"`, `points="60.0,130.0 660.0,40.0"`, `text-anchor="end">10</text>`, `class="missed"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "<script") {
		t.Error("a script")
	}
	d := xml.NewDecoder(strings.NewReader(strings.ReplaceAll(text, `<meta charset="utf-8">`, "")))
	d.Strict, d.AutoClose, d.Entity = false, []string{"br", "meta"}, xml.HTMLEntity
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
