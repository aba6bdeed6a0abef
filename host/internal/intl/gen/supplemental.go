package main

import (
	"maps"
	"slices"
	"strings"
)

// supplemental is what belongs to no one locale.
func supplemental(s source, names []string, parentOf map[string]string) (object, error) {
	files := map[string]object{}
	for _, name := range []string{"aliases", "currencyData", "dayPeriods", "likelySubtags", "metaZones", "numberingSystems", "ordinals", "pluralRanges", "plurals", "timeData"} {
		file, err := s.read("cldr-core", "supplemental", name+".json")
		if err != nil {
			return nil, err
		}
		files[name] = at(file, "supplemental")
	}
	content, err := s.read("cldr-core", "defaultContent.json")
	if err != nil {
		return nil, err
	}
	identifiers, err := s.read("cldr-bcp47", "bcp47", "timezone.json")
	if err != nil {
		return nil, err
	}
	base := map[string]bool{}
	for _, name := range names {
		language, _, _ := strings.Cut(name, "-")
		base[language] = true
	}
	// Locales without data of their own: their parent's is theirs.
	empty := []string{}
	for _, name := range content["defaultContent"].([]any) {
		if language, _, _ := strings.Cut(name.(string), "-"); base[language] {
			empty = append(empty, name.(string))
		}
	}
	likely := object{}
	for from, to := range files["likelySubtags"]["likelySubtags"].(object) {
		likely[from] = to
	}
	return object{
		"locales":       append(slices.Clone(names), empty...),
		"parents":       parentOf,
		"aliases":       aliases(at(files["aliases"], "metadata", "alias")),
		"likely":        likely,
		"cardinals":     plurals(at(files["plurals"], "plurals-type-cardinal")),
		"ordinals":      plurals(at(files["ordinals"], "plurals-type-ordinal")),
		"pluralRanges":  pluralRanges(at(files["pluralRanges"], "plurals")),
		"digits":        digits(at(files["numberingSystems"], "numberingSystems")),
		"fractions":     at(files["currencyData"], "currencyData", "fractions"),
		"hours":         hours(at(files["timeData"], "timeData")),
		"dayPeriods":    at(files["dayPeriods"], "dayPeriodRuleSet"),
		"zoneAliases":   zoneAliases(at(identifiers, "keyword", "u", "tz")),
		"zonePeriods":   zonePeriods(at(files["metaZones"], "metaZones", "metazoneInfo", "timezone")),
		"zoneOfMeta":    zoneOfMeta(files["metaZones"]),
		"zoneTerritory": zoneTerritory(at(identifiers, "keyword", "u", "tz")),
	}, nil
}

func aliases(o object) object {
	out := object{}
	for kind, short := range map[string]string{"languageAlias": "languages", "scriptAlias": "scripts", "territoryAlias": "regions", "variantAlias": "variants"} {
		list := object{}
		for from, to := range at(o, kind) {
			list[from] = at(to.(object))["_replacement"]
		}
		out[short] = list
	}
	return out
}

// plurals are the conditions of the categories other than "other", without their
// examples.
func plurals(o object) object {
	out := object{}
	for locale, rules := range o {
		entry := object{}
		for name, rule := range rules.(object) {
			condition, _, _ := strings.Cut(rule.(string), "@")
			entry[strings.TrimPrefix(name, "pluralRule-count-")] = strings.TrimSpace(condition)
		}
		out[locale] = entry
	}
	return out
}

// pluralRanges are "start end" -> category.
func pluralRanges(o object) object {
	out := object{}
	for locale, rules := range o {
		entry := object{}
		for name, category := range rules.(object) {
			start, end, _ := strings.Cut(strings.TrimPrefix(name, "pluralRange-start-"), "-end-")
			entry[start+" "+end] = category
		}
		out[locale] = entry
	}
	return out
}

func digits(o object) object {
	out := object{}
	for name, system := range o {
		if system := system.(object); system["_type"] == "numeric" {
			out[name] = system["_digits"]
		}
	}
	return out
}

func hours(o object) object {
	out := object{}
	for region, data := range o {
		data := data.(object)
		out[region] = data["_preferred"].(string) + " " + data["_allowed"].(string)
	}
	return out
}

// zoneAliases leads from every known name of a zone to the one CLDR uses.
func zoneAliases(o object) object {
	out := object{}
	for _, zone := range o {
		zone, ok := zone.(object)
		names, _ := zone["_alias"].(string)
		if !ok || names == "" {
			continue
		}
		all := strings.Fields(names)
		for _, name := range all {
			out[name] = all[0]
		}
	}
	return out
}

// zoneTerritory is the region of a zone, from its BCP 47 name: two letters.
func zoneTerritory(o object) object {
	out := object{}
	for id, zone := range o {
		zone, ok := zone.(object)
		names, _ := zone["_alias"].(string)
		if !ok || names == "" || len(id) < 4 {
			continue
		}
		region := strings.ToUpper(id[:2])
		if r, ok := zone["_region"].(string); ok {
			region = r
		}
		out[strings.Fields(names)[0]] = region
	}
	return out
}

// zonePeriods are the metazones of a zone: [name, from, to], UTC.
func zonePeriods(o object) object {
	out := object{}
	var walk func(path string, o object)
	walk = func(path string, o object) {
		for _, name := range slices.Sorted(maps.Keys(o)) {
			full := strings.TrimPrefix(path+"/"+name, "/")
			switch child := o[name].(type) {
			case object:
				walk(full, child)
			case []any:
				periods := []any{}
				for _, p := range child {
					use := at(p.(object), "usesMetazone")
					from, _ := use["_from"].(string)
					to, _ := use["_to"].(string)
					periods = append(periods, []any{use["_mzone"], from, to})
				}
				out[full] = periods
			}
		}
	}
	walk("", o)
	return out
}

// zoneOfMeta is the zone of a metazone for a region: "America_Eastern/001".
func zoneOfMeta(o object) object {
	out := object{}
	for _, m := range o["metaZones"].(object)["metazones"].([]any) {
		zone := at(m.(object), "mapZone")
		out[zone["_other"].(string)+"/"+zone["_territory"].(string)] = zone["_type"]
	}
	return out
}
