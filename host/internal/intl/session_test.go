package intl

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// call formats once.
func call(t testing.TB, request, verb string, args ...string) (string, error) {
	t.Helper()
	list, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := new(Session).Format(t.Context(), budgettest.Ample(), []byte(request+"\n"+verb+"\n"+string(list)), nil)
	return string(text), err
}

// Every locale of the data writes every kind of field: nothing that the code
// takes for granted is missing from one of them.
func TestEveryLocaleIsWhole(t *testing.T) {
	world, err := cldr.World()
	if err != nil {
		t.Fatal(err)
	}
	if len(world.Locales) < 300 {
		t.Fatalf("only %d locales", len(world.Locales))
	}
	requests := []struct{ service, options, verb, argument string }{
		{"DateTimeFormat", `{"dateStyle":"full","timeStyle":"full","timeZone":"Europe/Berlin"}`, "parts", "1770134707089"},
		{"DateTimeFormat", `{"era":"long","year":"numeric","month":"narrow","weekday":"narrow","dayPeriod":"long","hour":"numeric","timeZoneName":"longGeneric","timeZone":"Asia/Seoul"}`, "parts", "-99999999999999"},
		{"NumberFormat", `{"style":"currency","currency":"EUR","notation":"compact"}`, "parts", "-1234567.8"},
	}
	for _, locale := range world.Locales {
		for _, r := range requests {
			request := `{"service":"` + r.service + `","locales":["` + locale + `"],"options":` + r.options + `}`
			text, err := call(t, request, r.verb, r.argument)
			if err != nil {
				t.Fatalf("%s: %v", request, err)
			}
			var parts []struct{ Type, Value string }
			if err := json.Unmarshal([]byte(text), &parts); err != nil || len(parts) < 3 {
				t.Errorf("%s: %s", request, text)
			}
			for _, p := range parts {
				if p.Value == "" || strings.Contains(p.Value, "{") {
					t.Errorf("%s: %+v", request, p)
				}
			}
		}
	}
}

// What a tool sends through the prelude is checked there; what it could send
// around it is refused here.
func TestBadRequests(t *testing.T) {
	for _, c := range []struct{ request, verb string }{
		{`{`, "format"},
		{`[]`, "format"},
		{`{"service":"Nothing"}`, "format"},
		{`{"service":"NumberFormat","locales":["a"]}`, "format"},
		{`{"service":"NumberFormat","options":{"style":7}}`, "format"},
		{`{"service":"NumberFormat","options":{"style":"unit","unit":"x"}}`, "format"},
		{`{"service":"NumberFormat"}`, "explode"},
		{`{"service":"DateTimeFormat","options":{"timeZone":"../etc/passwd"}}`, "format"},
		{`{"service":"DateTimeFormat","options":{"timeZone":"Local"}}`, "format"},
		{`{"service":"DateTimeFormat"}`, "format"}, // "x" is no time
		{`{"service":"RelativeTimeFormat"}`, "format"},
		{`{"service":"DisplayNames","options":{"type":"colour"}}`, "of"},
	} {
		_, err := call(t, c.request, c.verb, "x", "y")
		var refused *hostcall.Error
		if !errors.As(err, &refused) || refused.Kind != hostcall.InvalidInput || refused.Helper != "Intl" || refused.Reason == "" {
			t.Errorf("%s %s: %v", c.request, c.verb, err)
		}
	}
}

// Options that only the prelude keeps in range do no harm out of it.
func TestOptionsOutOfRange(t *testing.T) {
	for _, options := range []string{
		`{"maximumFractionDigits":1000000000,"minimumFractionDigits":-5}`,
		`{"minimumIntegerDigits":-1,"roundingIncrement":-7}`,
		`{"minimumSignificantDigits":-3,"maximumSignificantDigits":-2}`,
		`{"numberingSystem":"nope","style":"nope","notation":"nope","useGrouping":"nope"}`,
	} {
		if text, err := call(t, `{"service":"NumberFormat","options":`+options+`}`, "format", "1234.5"); err == nil && len(text) > 100 {
			t.Errorf("%s: %d bytes", options, len(text))
		}
	}
}

func FuzzSession(f *testing.F) {
	for _, seed := range [][3]string{
		{`{"service":"DateTimeFormat","locales":["de"],"options":{"dateStyle":"full","timeZone":"Europe/Berlin"}}`, "rangeParts", `["0","99999999999"]`},
		{`{"service":"DateTimeFormat","locales":["en-u-hc-h11"],"options":{"hour":"numeric","timeZoneName":"longGeneric","timeZone":"+01:30"}}`, "parts", `["-1"]`},
		{`{"service":"NumberFormat","locales":["bn"],"options":{"style":"currency","currency":"XXX","notation":"compact"}}`, "range", `["1e5","-2.5e-7"]`},
		{`{"service":"NumberFormat","locales":["fr"],"options":{"style":"unit","unit":"liter-per-day","roundingIncrement":25}}`, "parts", `["123456789012345678901234567890"]`},
		{`{"service":"PluralRules","locales":["ar"],"options":{"type":"ordinal"}}`, "selectRange", `["1","2"]`},
		{`{"service":"RelativeTimeFormat","locales":["ja"],"options":{"numeric":"auto"}}`, "parts", `["-1","day"]`},
		{`{"service":"ListFormat","locales":["es"],"options":{"type":"disjunction"}}`, "parts", `["a","o","hi"]`},
		{`{"service":"DisplayNames","locales":["ko"],"options":{"type":"language","languageDisplay":"standard"}}`, "of", `["zh-Hant-TW-1996"]`},
		{`{"service":"Collator","locales":["ko-u-kn"],"options":{"sensitivity":"case","ignorePunctuation":true,"caseFirst":"upper"}}`, "key", `["가나 - 10"]`},
		{`{"service":"Segmenter","locales":["en"],"options":{"granularity":"word"}}`, "segment", `["a\ud83d\ude00b e\u0301"]`},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, request, verb, args string) {
		text := []byte(request + "\n" + verb + "\n" + args)
		s := new(Session)
		once, _, err := s.Format(t.Context(), budgettest.Ample(), text, nil)
		again, _, err2 := s.Format(t.Context(), budgettest.Ample(), text, nil)
		if string(once) != string(again) || (err == nil) != (err2 == nil) {
			t.Errorf("%q, then %q", once, again)
		}
	})
}
