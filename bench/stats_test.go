package main

import (
	"bytes"
	"encoding/xml"
	"errors"
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

// The page is well formed, says what is in the run, runs nothing, and lets no name of the
// machine out of its place.
func TestThePageShowsTheRun(t *testing.T) {
	r := &report{Machine: machine{CPU: "<script>alert(1)</script>"}}
	r.Sections = []section{
		{Title: "A call", Columns: []string{"engine", "p50"}, Rows: [][]string{{"ours", "10.0"}, {"theirs", "20.0"}}, Bars: []int{1}},
		{Title: "Density", Columns: []string{"instances", "p99"}, Rows: [][]string{{"0", "5"}, {"10", "10"}}, Curve: &curve{Y: []int{1}, Across: "alive", Up: "us"}},
	}
	r.bar("too slow", 2, 1, "x")
	var page bytes.Buffer
	if err := r.page(&page); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	for _, want := range []string{`width="220.0"`, `width="440.0"`, `points="60.0,130.0 660.0,40.0"`, `class="missed"`} {
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
