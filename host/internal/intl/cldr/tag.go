package cldr

import (
	"slices"
	"strings"
)

// Tag is a Unicode BCP 47 locale identifier in canonical form.
type Tag struct {
	Language, Script, Region string

	Variants []string
	// Keywords are those of the -u- extension, sorted by key; a value may be empty.
	Keywords   []Keyword
	attributes []string
	extensions []string // other singletons, each whole: "t-de-latn"
	private    string   // "x-..."
}

// Keyword is one of the -u- extension.
type Keyword struct{ Key, Value string }

// maxTag is how long an identifier may be: ten times what is ever written.
const maxTag = 512

// ParseTag reads an identifier as ECMA-402 does (IsStructurallyValidLanguageTag
// and CanonicalizeUnicodeLocaleId).
func ParseTag(text string) (Tag, bool) {
	var t Tag
	if len(text) > maxTag {
		return t, false
	}
	world, err := World()
	if err != nil {
		return t, false
	}
	parts := strings.Split(strings.ToLower(text), "-")
	for _, p := range parts {
		if len(p) == 0 || len(p) > 8 || !is(p, alphanumeric) {
			return t, false
		}
	}
	p := &tagParser{parts: parts}
	if !p.language(&t) || !p.extensions(&t) {
		return t, false
	}
	t.canonical(world)
	return t, true
}

type tagParser struct {
	parts []string
	at    int
}

func (p *tagParser) peek() string {
	if p.at < len(p.parts) {
		return p.parts[p.at]
	}
	return ""
}

func (p *tagParser) next() string {
	s := p.peek()
	p.at++
	return s
}

// language reads up to the first singleton.
func (p *tagParser) language(t *Tag) bool {
	t.Language = p.next()
	if n := len(t.Language); n < 2 || n == 4 || !is(t.Language, letter) {
		return false
	}
	if s := p.peek(); len(s) == 4 && is(s, letter) {
		t.Script = title(p.next())
	}
	if s := p.peek(); len(s) == 2 && is(s, letter) || len(s) == 3 && is(s, digit) {
		t.Region = strings.ToUpper(p.next())
	}
	for s := p.peek(); len(s) >= 5 || len(s) == 4 && s[0] >= '0' && s[0] <= '9'; s = p.peek() {
		if slices.Contains(t.Variants, s) {
			return false
		}
		t.Variants = append(t.Variants, p.next())
	}
	slices.Sort(t.Variants)
	return p.at >= len(p.parts) || len(p.peek()) == 1
}

func (p *tagParser) extensions(t *Tag) bool {
	seen := map[string]bool{}
	for p.at < len(p.parts) {
		singleton := p.next()
		if len(singleton) != 1 || seen[singleton] {
			return false
		}
		seen[singleton] = true
		start := p.at
		if singleton == "x" {
			if start == len(p.parts) {
				return false
			}
			t.private = "x-" + strings.Join(p.parts[start:], "-")
			p.at = len(p.parts)
			return true
		}
		for len(p.peek()) > 1 {
			p.at++
		}
		subtags := p.parts[start:p.at]
		if len(subtags) == 0 {
			return false
		}
		if singleton == "u" {
			t.unicode(subtags)
			continue
		}
		if singleton == "t" && !validTransform(subtags) {
			return false
		}
		t.extensions = append(t.extensions, singleton+"-"+strings.Join(subtags, "-"))
	}
	slices.Sort(t.extensions)
	return true
}

// validTransform holds of "-t-" when a language or a field (letter, digit) leads.
func validTransform(subtags []string) bool {
	first := subtags[0]
	if len(first) == 2 && first[1] >= '0' && first[1] <= '9' {
		return len(subtags) > 1 && len(subtags[1]) > 2
	}
	return is(first, letter) && len(first) != 4
}

// unicode reads attributes and keywords; of two of one key the first counts.
func (t *Tag) unicode(subtags []string) {
	for len(subtags) > 0 && len(subtags[0]) > 2 {
		t.attributes = append(t.attributes, subtags[0])
		subtags = subtags[1:]
	}
	slices.Sort(t.attributes)
	t.attributes = slices.Compact(t.attributes)
	for len(subtags) > 0 {
		key := subtags[0]
		n := 1
		for n < len(subtags) && len(subtags[n]) > 2 {
			n++
		}
		value := strings.Join(subtags[1:n], "-")
		switch value {
		case "true":
			value = ""
		case "yes":
			if slices.Contains([]string{"kb", "kc", "kh", "kk", "kn"}, key) {
				value = ""
			}
		}
		if _, ok := t.Keyword(key); !ok {
			t.Keywords = append(t.Keywords, Keyword{key, value})
		}
		subtags = subtags[n:]
	}
	slices.SortFunc(t.Keywords, func(a, b Keyword) int { return strings.Compare(a.Key, b.Key) })
}

// Keyword returns the value of a key of the -u- extension.
func (t Tag) Keyword(key string) (string, bool) {
	for _, k := range t.Keywords {
		if k.Key == key {
			return k.Value, true
		}
	}
	return "", false
}

// WithKeyword returns the tag with one keyword set.
func (t Tag) WithKeyword(key, value string) Tag {
	t.Keywords = slices.DeleteFunc(slices.Clone(t.Keywords), func(k Keyword) bool { return k.Key == key })
	t.Keywords = append(t.Keywords, Keyword{key, value})
	slices.SortFunc(t.Keywords, func(a, b Keyword) int { return strings.Compare(a.Key, b.Key) })
	return t
}

// Base returns the tag without extensions.
func (t Tag) Base() Tag {
	return Tag{Language: t.Language, Script: t.Script, Region: t.Region, Variants: t.Variants}
}

// String returns the identifier.
func (t Tag) String() string {
	parts := []string{t.Language}
	for _, s := range []string{t.Script, t.Region} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	parts = append(parts, t.Variants...)
	extensions := slices.Clone(t.extensions)
	if len(t.attributes)+len(t.Keywords) > 0 {
		u := append([]string{"u"}, t.attributes...)
		for _, k := range t.Keywords {
			u = append(u, k.Key)
			if k.Value != "" {
				u = append(u, k.Value)
			}
		}
		extensions = append(extensions, strings.Join(u, "-"))
		slices.Sort(extensions)
	}
	parts = append(parts, extensions...)
	if t.private != "" {
		parts = append(parts, t.private)
	}
	return strings.Join(parts, "-")
}

// canonical replaces what has been renamed.
func (t *Tag) canonical(w *Supplemental) {
	for range 4 { // an alias may lead to another
		to, ok := w.Aliases.Languages[t.Base().String()]
		if !ok {
			if to, ok = w.Aliases.Languages[t.Language]; !ok {
				break
			}
		} else {
			t.Script, t.Region, t.Variants = "", "", nil
		}
		p := &tagParser{parts: strings.Split(strings.ToLower(to), "-")}
		var r Tag
		if !p.language(&r) {
			break
		}
		t.Language = r.Language
		if t.Script == "" {
			t.Script = r.Script
		}
		if t.Region == "" {
			t.Region = r.Region
		}
	}
	if to, ok := w.Aliases.Scripts[t.Script]; ok {
		t.Script = to
	}
	if to, ok := w.Aliases.Regions[t.Region]; ok {
		regions := strings.Fields(to)
		t.Region = regions[0]
		if likely := (Tag{Language: t.Language, Script: t.Script}).Maximize(); slices.Contains(regions, likely.Region) {
			t.Region = likely.Region
		}
	}
}

// Maximize adds likely subtags.
func (t Tag) Maximize() Tag {
	w, err := World()
	if err != nil {
		return t
	}
	for _, key := range []Tag{{Language: t.Language, Script: t.Script, Region: t.Region}, {Language: t.Language, Region: t.Region}, {Language: t.Language, Script: t.Script}, {Language: t.Language}, {Language: "und", Script: t.Script}} {
		if key.Language == "und" && key.Script == "" && t.Language != "und" {
			continue // nothing is likely of a language that nothing is known of
		}
		if to, ok := w.Likely[key.String()]; ok {
			p := &tagParser{parts: strings.Split(strings.ToLower(to), "-")}
			var r Tag
			if !p.language(&r) {
				return t
			}
			if t.Language == "und" {
				t.Language = r.Language
			}
			if t.Script == "" {
				t.Script = r.Script
			}
			if t.Region == "" {
				t.Region = r.Region
			}
			return t
		}
	}
	return t
}

// Minimize removes likely subtags.
func (t Tag) Minimize() Tag {
	whole := t.Maximize()
	for _, trial := range []Tag{{Language: whole.Language}, {Language: whole.Language, Region: whole.Region}, {Language: whole.Language, Script: whole.Script}} {
		m := trial.Maximize()
		if m.Script == whole.Script && m.Region == whole.Region && m.Language == whole.Language {
			whole.Script, whole.Region = trial.Script, trial.Region
			return whole
		}
	}
	return whole
}

type class func(byte) bool

func letter(c byte) bool       { return c >= 'a' && c <= 'z' }
func digit(c byte) bool        { return c >= '0' && c <= '9' }
func alphanumeric(c byte) bool { return letter(c) || digit(c) }

func is(s string, c class) bool {
	for i := range len(s) {
		if !c(s[i]) {
			return false
		}
	}
	return true
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
