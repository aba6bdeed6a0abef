package intl

import (
	"context"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
	"github.com/glovebox-run/glovebox/host/internal/intl/number"
)

// Locales serves intl.locales: {"verb", "tags"} or {"verb": "values", "key"}.
func Locales(ctx context.Context, account *budget.Account, text, blob []byte) ([]byte, []byte, error) {
	return hostcall.JSON(helper, locales)(ctx, account, text, blob)
}

type localesArgs struct {
	Verb, Key string
	Tags      []string
}

func locales(_ context.Context, _ *budget.Account, a localesArgs) (any, error) {
	if a.Verb == "values" {
		return values(a.Key)
	}
	tags, err := parseTags(a.Tags)
	if err != nil {
		return nil, err
	}
	names := []string{}
	switch a.Verb {
	case "canonical":
		for _, t := range tags {
			names = append(names, t.String())
		}
	case "supported":
		for _, t := range tags {
			if _, ok := cldr.Lookup(t); ok {
				names = append(names, t.String())
			}
		}
	case "maximize", "minimize":
		for _, t := range tags {
			if a.Verb == "maximize" {
				t = t.Maximize()
			} else {
				t = t.Minimize()
			}
			names = append(names, t.String())
		}
	case "upper", "lower":
		return inCase(a.Verb, a.Key, tags), nil
	case "parts":
		if len(tags) == 1 {
			return partsOf(tags[0]), nil
		}
	default:
		return nil, noVerb(a.Verb)
	}
	return names, nil
}

// inCase answers with the text in capital or small letters when the first locale
// has rules of its own for that, and with nothing otherwise.
func inCase(verb, text string, tags []cldr.Tag) []string {
	if len(tags) == 0 || !slices.Contains([]string{"az", "el", "lt", "tr"}, tags[0].Language) {
		return []string{}
	}
	caser := cases.Upper
	if verb == "lower" {
		caser = cases.Lower
	}
	return []string{caser(language.Make(tags[0].Language)).String(text)}
}

// partsOf is what Intl.Locale reads off an identifier.
func partsOf(t cldr.Tag) any {
	keywords := map[string]string{}
	for _, k := range t.Keywords {
		keywords[k.Key] = k.Value
	}
	return struct {
		Tag      string            `json:"tag"`
		Base     string            `json:"base"`
		Language string            `json:"language"`
		Script   string            `json:"script"`
		Region   string            `json:"region"`
		Keywords map[string]string `json:"keywords"`
	}{t.String(), t.Base().String(), t.Language, t.Script, t.Region, keywords}
}

// values is Intl.supportedValuesOf.
func values(key string) ([]string, error) {
	w, err := cldr.World()
	if err != nil {
		return nil, err
	}
	switch key {
	case "calendar":
		return []string{"gregory"}, nil
	case "collation":
		found := map[string]bool{"emoji": true, "eor": true}
		for name := range collations {
			_, name, _ := strings.Cut(name, "/")
			found[name] = true
		}
		return slices.Sorted(maps.Keys(found)), nil
	case "currency":
		c, err := cldr.LoadCurrencies("en")
		return slices.Sorted(maps.Keys(c)), err
	case "numberingSystem":
		return slices.Sorted(maps.Keys(w.Digits)), nil
	case "timeZone":
		found := map[string]bool{}
		for _, name := range w.ZoneAliases {
			if name != "Etc/Unknown" && name != "Etc/UTC" && name != "Etc/GMT" {
				found[name] = true
			}
		}
		found["UTC"] = true
		return slices.Sorted(maps.Keys(found)), nil
	case "unit":
		return number.Simple, nil
	}
	return nil, badRange("Invalid key : %s", key)
}
