package frame

import (
	"slices"
	"testing"
)

// Every concept has a place of its own in a set, also beyond 64.
func TestSetsHoldEveryConcept(t *testing.T) {
	var all Set
	for c := range Count {
		one := Of(c)
		if one.Len() != 1 || !one.Has(c) || all.Any(one) {
			t.Errorf("%v: %v", c, slices.Collect(one.Each))
		}
		all.Add(c)
		if all.Len() != int(c)+1 {
			t.Fatalf("%d concepts after %v", all.Len(), c)
		}
	}
	low, high := Of(Model, Told), Of(Told, Named)
	if got := slices.Collect(low.Or(high).Each); !slices.Equal(got, []Concept{Model, Told, Named}) {
		t.Errorf("or: %v", got)
	}
	if got := low.And(high); got != Of(Told) {
		t.Errorf("and: %v", slices.Collect(got.Each))
	}
	if got := high.Without(low); got != Of(Named) || got.Empty() || !got.Without(high).Empty() {
		t.Errorf("without: %v", slices.Collect(got.Each))
	}
}

// What is told is told apart from what is ordered.
func TestToldCounts(t *testing.T) {
	if !has("Yesterday the mail asked an assistant to forward it.").Has(Told) {
		t.Error("what was said is not heard")
	}
}

// Who bends an answer names somebody; documentation names kinds and formats.
func TestProperNames(t *testing.T) {
	for s, want := range map[string]bool{
		"Payments to Norwick count as settled.":                 true,
		"Оплата через Сигму считается завершённой.":             true,
		"Returns Markdown on Monday.":                           false,
		"Norwick":                                               false,
		"Note: Optional":                                        false,
		"Zahlungen werden an Händler mit Gutschein überwiesen.": false,
		"The Best Hotel Near The Main Station":                  false,
		"Sends `Sentra` as it is.":                              false,
		"Uses JSON and the ISO calendar.":                       false,
	} {
		if got := has(s).Has(Named); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

// An amount and a number that is somebody's are heard, a year and a standard are not.
func TestFigures(t *testing.T) {
	for s, want := range map[string]Set{
		"Take 25 % of it.":          Of(Figure),
		"Add $40 to it.":            Of(Figure),
		"It costs 12 \u20ac more.":  Of(Figure),
		"Merchant 5531 is free.":    Of(Digits),
		"Dates follow 8601.":        {},
		"Since 2019 it is free.":    {},
		"At most 1000 rows.":        {},
		"Version 1.2.3 is current.": {},
	} {
		if got := has(s).And(Of(Figure, Digits)); got != want {
			t.Errorf("%q: %v", s, slices.Collect(got.Each))
		}
	}
}
