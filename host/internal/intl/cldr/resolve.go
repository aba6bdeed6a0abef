package cldr

import (
	"slices"
	"strings"
)

// DefaultLocale is what a guest gets that names no locale: the same everywhere,
// never the host's.
const DefaultLocale = "en-US"

// Locale is the outcome of a negotiation.
type Locale struct {
	Tag  Tag    // as it is reported: what was asked for, cut to what there is
	Data string // the locale whose sections are loaded
}

// Resolve picks the first of the requested locales that there is data for, or
// the default. Extensions of the request are kept in asked.
func Resolve(requested []Tag) (l Locale, asked Tag) {
	for _, t := range requested {
		if l, ok := Lookup(t); ok {
			return l, t
		}
	}
	t, _ := ParseTag(DefaultLocale)
	l, _ = Lookup(t)
	return l, t
}

// Lookup is the BestAvailableLocale of ECMA-402: the identifier, then the
// identifier with subtags taken off its end.
func Lookup(t Tag) (Locale, bool) {
	w, err := World()
	if err != nil {
		return Locale{}, false
	}
	base := t.Base()
	for {
		if data, ok := w.dataLocale(base); ok {
			return Locale{base, data}, true
		}
		switch {
		case len(base.Variants) > 0:
			base.Variants = base.Variants[:len(base.Variants)-1]
		case base.Region != "":
			base.Region = ""
		case base.Script != "":
			base.Script = ""
		default:
			return Locale{}, false
		}
	}
}

// dataLocale is the name whose sections hold the data of an available locale:
// "de-DE" is kept in "de", "zh-TW" in "zh-Hant".
func (w *Supplemental) dataLocale(t Tag) (string, bool) {
	if len(t.Variants) > 0 {
		return "", false
	}
	name := t.String()
	if !w.available[name] {
		if t.Script != "" || t.Region == "" {
			return "", false
		}
		t.Script = t.Maximize().Script
		if name = t.String(); !w.available[name] {
			return "", false
		}
	}
	for {
		if files, err := open(); err == nil && files[name] != nil {
			return name, true
		}
		if parent, ok := w.Parents[name]; ok {
			return parent, true
		}
		at := strings.LastIndexByte(name, '-')
		if at < 0 {
			return "", false
		}
		name = name[:at]
	}
}

// Region returns the region of a locale, the likely one if it names none.
func (l Locale) Region() string { return l.Tag.Maximize().Region }

// Chain returns a locale's name, then those its rules may be listed under.
func (l Locale) Chain() []string {
	chain := []string{l.Tag.Base().String(), l.Data}
	if w, err := World(); err == nil {
		for name := l.Data; w.Parents[name] != ""; name = w.Parents[name] {
			chain = append(chain, w.Parents[name])
		}
	}
	return slices.Compact(append(chain, l.Tag.Language))
}
