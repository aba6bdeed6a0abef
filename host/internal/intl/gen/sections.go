package main

import (
	"errors"
	"io/fs"
	"strings"
)

// section is one file of a locale in the archive: what one kind of formatter
// reads, so that a date needs no currency names.
type section struct {
	name    string
	extract func(source, string) (object, error)
}

var sections = []section{
	{"dates", dates},
	{"zones", zones},
	{"numbers", numbers},
	{"currencies", currencies},
	{"units", units},
	{"names", names},
	{"text", text},
}

// dates is the Gregorian calendar. Arrays are in the order of months and of days
// from Sunday.
func dates(s source, locale string) (object, error) {
	file, err := s.read("cldr-dates-full", "main", locale, "ca-gregorian.json")
	if err != nil {
		return nil, err
	}
	fields, err := s.read("cldr-dates-full", "main", locale, "dateFields.json")
	if err != nil {
		return nil, err
	}
	calendar := at(file, "main", locale, "dates", "calendars", "gregorian")
	months, days, periods := object{}, object{}, object{}
	for _, context := range []string{"format", "stand-alone"} {
		for _, width := range []string{"abbreviated", "narrow", "short", "wide"} {
			key := context + "/" + width
			if names := at(calendar, "months", context, width); names != nil {
				months[key] = list(names, strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12"))
			}
			if names := at(calendar, "days", context, width); names != nil {
				days[key] = list(names, strings.Fields("sun mon tue wed thu fri sat"))
			}
			if names := at(calendar, "dayPeriods", context, width); names != nil {
				periods[key] = plain(names)
			}
		}
	}
	eras := object{}
	for width, name := range map[string]string{"wide": "eraNames", "abbreviated": "eraAbbr", "narrow": "eraNarrow"} {
		eras[width] = list(at(calendar, "eras", name), []string{"0", "1"})
	}
	intervals := at(calendar, "dateTimeFormats", "intervalFormats")
	ranges := object{}
	for skeleton, byField := range intervals {
		if byField, ok := byField.(object); ok {
			ranges[skeleton] = plain(byField)
		}
	}
	fieldNames := object{}
	for name, field := range at(fields, "main", locale, "dates", "fields") {
		if display, ok := field.(object)["displayName"]; ok && !weekday(name) {
			fieldNames[name] = display
		}
	}
	return object{
		"months": months, "days": days, "periods": periods, "eras": eras,
		"date":     plain(at(calendar, "dateFormats")),
		"time":     plain(at(calendar, "timeFormats")),
		"dateTime": styles(at(calendar, "dateTimeFormats")), "atTime": styles(at(calendar, "dateTimeFormats-atTime", "standard")),
		"available": plain(at(calendar, "dateTimeFormats", "availableFormats")),
		"append":    plain(at(calendar, "dateTimeFormats", "appendItems")),
		"ranges":    ranges, "rangeFallback": intervals["intervalFormatFallback"],
		"fields": fieldNames,
	}, nil
}

func weekday(field string) bool {
	name, _, _ := strings.Cut(field, "-")
	return strings.Contains(" sun mon tue wed thu fri sat ", " "+name+" ")
}

func list(o object, keys []string) []any {
	l := make([]any, len(keys))
	for i, key := range keys {
		l[i] = o[key]
	}
	return l
}

// plain keeps the string members that are not alternatives or plural forms of
// patterns that JavaScript never asks for.
func plain(o object) object {
	p := object{}
	for name, value := range o {
		if _, ok := value.(string); ok && !strings.Contains(name, "-alt-") && !strings.Contains(name, "-count-") {
			p[name] = value
		}
	}
	return p
}

func styles(o object) object {
	p := object{}
	for _, name := range []string{"full", "long", "medium", "short"} {
		p[name] = o[name]
	}
	return p
}

// zones are the names of time zones: metazones, zones with names of their own,
// cities.
func zones(s source, locale string) (object, error) {
	file, err := s.read("cldr-dates-full", "main", locale, "timeZoneNames.json")
	if err != nil {
		return nil, err
	}
	source := at(file, "main", locale, "dates", "timeZoneNames")
	out := plain(source)
	cities, own := object{}, object{}
	var walk func(path string, o object)
	walk = func(path string, o object) {
		if o["_type"] != "zone" {
			for name, child := range o {
				if child, ok := child.(object); ok {
					walk(strings.TrimPrefix(path+"/"+name, "/"), child)
				}
			}
			return
		}
		if city, ok := o["exemplarCity"]; ok {
			cities[path] = city
		}
		if o["long"] != nil || o["short"] != nil {
			own[path] = object{"long": at(o, "long"), "short": at(o, "short")}
		}
	}
	walk("", at(source, "zone"))
	meta := object{}
	for name, m := range at(source, "metazone") {
		meta[name] = object{"long": at(m.(object), "long"), "short": at(m.(object), "short")}
	}
	out["cities"], out["zones"], out["meta"] = cities, own, meta
	return out, nil
}

// numbers are symbols and patterns of the Latin and the default digits.
func numbers(s source, locale string) (object, error) {
	file, err := s.read("cldr-numbers-full", "main", locale, "numbers.json")
	if err != nil {
		return nil, err
	}
	source := at(file, "main", locale, "numbers")
	systems := object{}
	for name := range source {
		system, ok := strings.CutPrefix(name, "symbols-numberSystem-")
		if !ok {
			continue
		}
		with := func(kind string) object { return at(source, kind+"-numberSystem-"+system) }
		decimal, currency := with("decimalFormats"), with("currencyFormats")
		systems[system] = object{
			"symbols":         plain(with("symbols")),
			"decimal":         decimal["standard"],
			"short":           texts(at(decimal, "short", "decimalFormat")),
			"long":            texts(at(decimal, "long", "decimalFormat")),
			"percent":         with("percentFormats")["standard"],
			"scientific":      with("scientificFormats")["standard"],
			"currency":        currency["standard"],
			"currencyAlpha":   currency["standard-alphaNextToNumber"],
			"accounting":      currency["accounting"],
			"accountingAlpha": currency["accounting-alphaNextToNumber"],
			"currencyShort":   texts(at(currency, "short", "standard")),
			"currencyNames":   counts(currency, "unitPattern-"),
			"range":           with("miscPatterns")["range"],
			"approximately":   with("miscPatterns")["approximately"],
			"spaceBefore":     at(currency, "currencySpacing", "beforeCurrency")["insertBetween"],
			"spaceAfter":      at(currency, "currencySpacing", "afterCurrency")["insertBetween"],
		}
	}
	return object{
		"default": source["defaultNumberingSystem"], "native": at(source, "otherNumberingSystems")["native"],
		"minimumGrouping": source["minimumGroupingDigits"],
		"systems":         systems,
	}, nil
}

// texts are the string members, with their alternatives but for those that spacing rules make anyway.
func texts(o object) object {
	p := object{}
	for name, value := range o {
		if _, ok := value.(string); ok && !strings.Contains(name, "-alt-alphaNextToNumber") {
			p[name] = value
		}
	}
	return p
}

// counts are the members "count-one" and so on behind a prefix, by category.
func counts(o object, prefix string) object {
	c := object{}
	for name, value := range o {
		if rest, ok := strings.CutPrefix(name, prefix+"count-"); ok && !strings.Contains(rest, "-") {
			c[rest] = value
		}
	}
	return c
}

// currencies are [symbol, narrow symbol, name] and the plural names.
func currencies(s source, locale string) (object, error) {
	file, err := s.read("cldr-numbers-full", "main", locale, "currencies.json")
	if err != nil {
		return nil, err
	}
	out := object{}
	for code, c := range at(file, "main", locale, "numbers", "currencies") {
		c := c.(object)
		entry := counts(c, "displayName-")
		for to, from := range map[string]string{"symbol": "symbol", "narrow": "symbol-alt-narrow", "name": "displayName"} {
			if value, ok := c[from]; ok && value != code {
				entry[to] = value
			}
		}
		for category, name := range entry {
			if strings.Contains(" zero one two few many ", " "+category+" ") && name == entry["other"] {
				delete(entry, category) // "other" stands in
			}
		}
		if entry["other"] == entry["name"] {
			delete(entry, "other")
		}
		out[code] = entry
	}
	return out, nil
}

// sanctioned are the units of ECMA-402, section 6.6.
var sanctioned = strings.Fields(`acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon gigabit
	gigabyte gram hectare hour inch kilobit kilobyte kilogram kilometer liter megabit megabyte meter microsecond mile
	mile-scandinavian milliliter millimeter millisecond minute month nanosecond ounce percent petabyte pound second
	stone terabit terabyte week yard year`)

func units(s source, locale string) (object, error) {
	file, err := s.read("cldr-units-full", "main", locale, "units.json")
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, a := range sanctioned {
		wanted[a] = true
		for _, b := range sanctioned {
			wanted[a+"-per-"+b] = true
		}
	}
	out := object{}
	for _, width := range []string{"long", "short", "narrow"} {
		patterns := object{}
		for name, unit := range at(file, "main", locale, "units", width) {
			unit := unit.(object)
			if name == "per" {
				patterns["per"] = object{"per": unit["compoundUnitPattern"]}
			}
			if _, short, _ := strings.Cut(name, "-"); wanted[short] {
				entry := counts(unit, "unitPattern-")
				if per, ok := unit["perUnitPattern"]; ok {
					entry["per"] = per
				}
				patterns[short] = entry
			}
		}
		out[width] = patterns
	}
	return out, nil
}

// names are those of languages, regions and scripts. Alternatives keep their key,
// "GB-alt-short".
func names(s source, locale string) (object, error) {
	out := object{}
	for _, member := range []string{"languages", "territories", "scripts", "variants"} {
		o, err := s.read("cldr-localenames-full", "main", locale, member+".json")
		if errors.Is(err, fs.ErrNotExist) && member == "variants" {
			continue // Bengali and its like name none
		}
		if err != nil {
			return nil, err
		}
		out[member] = texts(at(o, "main", locale, "localeDisplayNames", member))
	}
	o, err := s.read("cldr-localenames-full", "main", locale, "localeDisplayNames.json")
	if err != nil {
		return nil, err
	}
	display := at(o, "main", locale, "localeDisplayNames")
	out["pattern"] = at(display, "localeDisplayPattern")
	out["calendars"] = plain(at(display, "types", "calendar"))
	return out, nil
}

// text is lists and relative times.
func text(s source, locale string) (object, error) {
	file, err := s.read("cldr-misc-full", "main", locale, "listPatterns.json")
	if err != nil {
		return nil, err
	}
	lists := object{}
	for name, patterns := range at(file, "main", locale, "listPatterns") {
		lists[strings.TrimPrefix(name, "listPattern-type-")] = texts(patterns.(object))
	}
	if file, err = s.read("cldr-dates-full", "main", locale, "dateFields.json"); err != nil {
		return nil, err
	}
	relative := object{}
	for name, field := range at(file, "main", locale, "dates", "fields") {
		field := field.(object)
		if weekday(name) || field["relativeTime-type-past"] == nil {
			continue
		}
		entry := object{"past": counts(at(field, "relativeTime-type-past"), "relativeTimePattern-"), "future": counts(at(field, "relativeTime-type-future"), "relativeTimePattern-")}
		special := object{}
		for key, value := range field {
			if n, ok := strings.CutPrefix(key, "relative-type-"); ok {
				special[n] = value
			}
		}
		entry["special"] = special
		relative[name] = entry
	}
	return object{"lists": lists, "relative": relative}, nil
}
