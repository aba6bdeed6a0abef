package intl

import (
	"encoding/json"
	"strings"

	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
)

// displayNames is Intl.DisplayNames.
type displayNames struct {
	locale     string
	o          nameOptions
	names      *cldr.Names
	dates      *cldr.Dates
	currencies map[string]cldr.Currency
}

type nameOptions struct{ Type, Style, Fallback, LanguageDisplay string }

func newNames(l cldr.Locale, _ cldr.Tag, options json.RawMessage) (formatter, error) {
	d := displayNames{locale: l.Tag.String(), o: nameOptions{Style: "long", Fallback: "code"}}
	err := read(options, &d.o)
	if err != nil {
		return nil, err
	}
	if d.o.Type == "language" && d.o.LanguageDisplay == "" {
		d.o.LanguageDisplay = "dialect"
	}
	switch d.o.Type {
	case "currency":
		d.currencies, err = cldr.LoadCurrencies(l.Data)
	case "dateTimeField":
		d.dates, err = cldr.LoadDates(l.Data)
	default:
		d.names, err = cldr.LoadNames(l.Data)
	}
	return d, err
}

func (d displayNames) resolved() any {
	return struct {
		Locale          string `json:"locale"`
		Style           string `json:"style"`
		Type            string `json:"type"`
		Fallback        string `json:"fallback"`
		LanguageDisplay string `json:"languageDisplay,omitempty"`
	}{d.locale, d.o.Style, d.o.Type, d.o.Fallback, d.o.LanguageDisplay}
}

// do answers with [code or name], or [] when there is none.
func (d displayNames) do(verb string, args []string) (any, error) {
	if verb != "of" {
		return nil, noVerb(verb)
	}
	code, name, err := d.of(argument(args, 0))
	if err != nil {
		return nil, err
	}
	if name == "" && d.o.Fallback == "code" {
		name = code
	}
	if name == "" {
		return []string{}, nil
	}
	return []string{name}, nil
}

// of returns the canonical form of a code and its name, "" when it has none.
func (d displayNames) of(code string) (canonical, name string, err error) {
	bad := badRange("Invalid argument to Intl.DisplayNames.prototype.of: %q", code)
	switch d.o.Type {
	case "language":
		t, ok := cldr.ParseTag(code)
		if !ok || len(t.Keywords) > 0 || t.String() != t.Base().String() {
			return "", "", bad
		}
		return t.String(), d.language(t), nil
	case "region":
		t, ok := cldr.ParseTag("und-" + code)
		if !ok || t.Region == "" || t.String() != "und-"+t.Region {
			return "", "", bad
		}
		return t.Region, d.styled(d.names.Territories, t.Region), nil
	case "script":
		t, ok := cldr.ParseTag("und-" + code)
		if !ok || t.Script == "" || t.String() != "und-"+t.Script {
			return "", "", bad
		}
		return t.Script, d.styled(d.names.Scripts, t.Script), nil
	case "currency":
		if len(code) != 3 || strings.Trim(strings.ToLower(code), "abcdefghijklmnopqrstuvwxyz") != "" {
			return "", "", bad
		}
		code = strings.ToUpper(code)
		return code, d.currencies[code]["name"], nil // in every style, as in V8
	case "calendar":
		t, ok := cldr.ParseTag("und-u-ca-" + code)
		canonical, _ := t.Keyword("ca")
		if !ok || canonical == "" {
			return "", "", bad
		}
		key := map[string]string{"gregory": "gregorian", "ethioaa": "ethiopic-amete-alem"}[canonical]
		if key == "" {
			key = canonical
		}
		return canonical, d.names.Calendars[key], nil
	case "dateTimeField":
		key, ok := map[string]string{
			"era": "era", "year": "year", "quarter": "quarter", "month": "month", "weekOfYear": "week", "weekday": "weekday", "day": "day",
			"dayPeriod": "dayperiod", "hour": "hour", "minute": "minute", "second": "second", "timeZoneName": "zone",
		}[code]
		if !ok {
			return "", "", bad
		}
		if d.o.Style != "long" {
			if name := d.dates.Fields[key+"-"+d.o.Style]; name != "" {
				return code, name, nil
			}
		}
		return code, d.dates.Fields[key], nil
	}
	return "", "", bad
}

func (d displayNames) styled(names map[string]string, code string, endings ...string) string {
	if d.o.Style != "long" {
		endings = append([]string{"-alt-short"}, endings...)
	}
	for _, ending := range append(endings, "") {
		if name := names[code+ending]; name != "" {
			return name
		}
	}
	return ""
}

// language names a locale: a dialect that has a name of its own, or the language
// with what distinguishes it in brackets.
func (d displayNames) language(t cldr.Tag) string {
	rest := t
	name := ""
	if d.o.LanguageDisplay == "dialect" {
		dialect := cldr.Tag{Language: t.Language, Script: t.Script, Region: t.Region}
		if name = d.styled(d.names.Languages, dialect.String()); name != "" {
			rest.Script, rest.Region = "", ""
		}
	}
	if name == "" {
		if name = d.styled(d.names.Languages, t.Language); name == "" {
			return ""
		}
	}
	var details []string
	if rest.Script != "" {
		details = append(details, orCode(d.styled(d.names.Scripts, rest.Script), rest.Script))
	}
	if rest.Region != "" {
		details = append(details, orCode(d.styled(d.names.Territories, rest.Region), rest.Region))
	}
	for _, v := range rest.Variants {
		details = append(details, orCode(d.names.Variants[strings.ToUpper(v)], strings.ToUpper(v)))
	}
	if len(details) == 0 {
		return name
	}
	pattern := d.names.Pattern
	all := details[0]
	for _, detail := range details[1:] {
		all = strings.NewReplacer("{0}", all, "{1}", detail).Replace(pattern.LocaleSeparator)
	}
	// Brackets inside brackets are square.
	name, all = nested(name), nested(all)
	return strings.NewReplacer("{0}", name, "{1}", all).Replace(pattern.LocalePattern)
}

func nested(s string) string {
	return strings.NewReplacer("(", "[", ")", "]", "（", "［", "）", "］").Replace(s)
}

func orCode(name, code string) string {
	if name == "" {
		return code
	}
	return name
}
