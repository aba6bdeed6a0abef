package number

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// layers are the pieces of a written number from the inside out: the digits, the
// exponent, sign and symbols around, a unit or a currency's name around that.
type layers struct {
	number         []Part
	prefix, suffix []Part // sign, symbol, percent, compact
	before, after  []Part // unit, currency name
}

func (l layers) parts() []Part {
	var all []Part
	for _, p := range [][]Part{l.before, l.prefix, l.number, l.suffix, l.after} {
		all = append(all, p...)
	}
	return join(all)
}

// join merges literals that meet and drops empty ones.
func join(parts []Part) []Part {
	out := parts[:0:0]
	for _, p := range parts {
		if p.Value == "" {
			continue
		}
		if n := len(out); n > 0 && p.Type == "literal" && out[n-1].Type == "literal" && out[n-1].Source == p.Source {
			out[n-1].Value += p.Value
			continue
		}
		out = append(out, p)
	}
	return out
}

// Text is the parts in one.
func Text(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Value)
	}
	return b.String()
}

// Parts writes a number, given as text.
func (f *Format) Parts(text string) ([]Part, error) {
	w, err := f.write(text)
	if err != nil {
		return nil, err
	}
	return f.layers(w).parts(), nil
}

func (f *Format) layers(w written) layers {
	l := layers{number: f.digitsOf(w)}
	l.prefix, l.suffix = f.affixes(w)
	var alone bool
	l.before, l.after, alone = f.outer(w.whole)
	if alone || f.Options.Notation == "compact" && wordAlone(f.pattern(w)) {
		l.number = nil
	}
	if alone {
		l.prefix, l.suffix = nil, nil
	}
	return l
}

// digitsOf writes integer, fraction and exponent.
func (f *Format) digitsOf(w written) []Part {
	symbols := f.system.Symbols
	switch w.kind {
	case notANumber:
		return []Part{{Type: "nan", Value: symbols.NaN}}
	case infinite:
		return []Part{{Type: "infinity", Value: symbols.Infinity}}
	}
	group, point := symbols.Group, symbols.Decimal
	if f.Options.Style == "currency" {
		if symbols.CurrencyGroup != "" {
			group = symbols.CurrencyGroup
		}
		if symbols.CurrencyDecimal != "" {
			point = symbols.CurrencyDecimal
		}
	}
	var parts []Part
	for i, g := range f.group(w.integer) {
		if i > 0 {
			parts = append(parts, Part{Type: "group", Value: group})
		}
		parts = append(parts, Part{Type: "integer", Value: f.native(g)})
	}
	if w.fraction != "" {
		parts = append(parts, Part{Type: "decimal", Value: point}, Part{Type: "fraction", Value: f.native(w.fraction)})
	}
	if f.Options.Notation == "scientific" || f.Options.Notation == "engineering" {
		parts = append(parts, Part{Type: "exponentSeparator", Value: symbols.Exponential})
		power := w.power
		if power < 0 {
			parts = append(parts, Part{Type: "exponentMinusSign", Value: symbols.MinusSign})
			power = -power
		}
		integer, _ := decimalOf(power).split(1, 0)
		parts = append(parts, Part{Type: "exponentInteger", Value: f.native(integer)})
	}
	return parts
}

func decimalOf(n int) decimal {
	var digits []byte
	for ; n > 0; n /= 10 {
		digits = append([]byte{byte('0' + n%10)}, digits...)
	}
	d := decimal{exponent: len(digits)}
	d.set(digits)
	return d
}

// group cuts an integer into groups of digits.
func (f *Format) group(integer string) []string {
	g := f.grouping
	if g.primary == 0 || len(integer) < g.primary+g.minimum {
		return []string{integer}
	}
	var groups []string
	cut := len(integer) - g.primary
	groups = append(groups, integer[cut:])
	for cut > g.secondary {
		groups = append(groups, integer[cut-g.secondary:cut])
		cut -= g.secondary
	}
	groups = append(groups, integer[:cut])
	for i, j := 0, len(groups)-1; i < j; i, j = i+1, j-1 {
		groups[i], groups[j] = groups[j], groups[i]
	}
	return groups
}

// native writes digits in the numbering system.
func (f *Format) native(ascii string) string {
	if f.digits == nil {
		return ascii
	}
	var b strings.Builder
	for i := range len(ascii) {
		b.WriteString(f.digits[ascii[i]-'0'])
	}
	return b.String()
}

// affixes are what a pattern puts around the digits.
func (f *Format) affixes(w written) (prefix, suffix []Part) {
	pattern := f.pattern(w)
	positive, negative, own := strings.Cut(pattern, ";")
	chosen := positive
	if w.sign != 0 {
		if chosen = "-" + positive; own {
			chosen = negative
		}
	}
	before, after := around(chosen)
	return f.expand(before, w, true), f.expand(after, w, false)
}

func (f *Format) pattern(w written) string {
	if f.Options.Notation == "compact" && w.kind == finite {
		if !w.zero() {
			if pattern, zeros, _ := f.compactPattern(w.shift(w.power).magnitude(), w.category, w.one()); zeros > 0 {
				if f.Options.Style == "percent" {
					return pattern + "%"
				}
				return pattern
			}
		}
	}
	return f.stylePattern()
}

// stylePattern is the pattern of a number that is written out.
func (f *Format) stylePattern() string {
	switch f.Options.Style {
	case "unit":
		if f.percentUnit() {
			return f.system.Percent
		}
	case "percent":
		return f.system.Percent
	case "currency":
		switch {
		case f.Options.CurrencyDisplay == "name":
			return f.system.Decimal
		case f.Options.CurrencySign == "accounting":
			return f.system.Accounting
		}
		return f.system.Currency
	}
	return f.system.Decimal
}

// around cuts a pattern at its digits. Quotes stay, for expand.
func around(pattern string) (before, after string) {
	quoted := false
	first, last := -1, -1
	for i, r := range pattern {
		if r == '\'' {
			quoted = !quoted
		} else if !quoted && strings.ContainsRune("#0,.@", r) {
			if first < 0 {
				first = i
			}
			last = i + 1
		}
	}
	if first < 0 {
		return pattern, ""
	}
	return pattern[:first], pattern[last:]
}

// expand writes one side of a pattern. The side of the digits is its end when it
// is the prefix, and its start otherwise.
func (f *Format) expand(affix string, w written, isPrefix bool) []Part {
	var parts []Part
	quoted := false
	literal := func(s string) { parts = append(parts, Part{Type: "literal", Value: s}) }
	runes := []rune(affix)
	for i, r := range runes {
		switch {
		case r == '\'':
			quoted = !quoted
			continue
		case quoted:
			literal(string(r))
			continue
		}
		switch r {
		case '-':
			switch w.sign {
			case '-':
				parts = append(parts, marked("minusSign", f.system.Symbols.MinusSign)...)
			case '+':
				parts = append(parts, marked("plusSign", f.system.Symbols.PlusSign)...)
			case '~':
				parts = append(parts, marked("approximatelySign", f.system.Symbols.ApproximatelySign)...)
			}
		case '%':
			kind := "percentSign"
			if f.Options.Style == "unit" {
				kind = "unit"
			}
			parts = append(parts, marked(kind, f.system.Symbols.PercentSign)...)
		case '¤':
			symbol := f.symbol()
			first, _ := utf8.DecodeRuneInString(symbol)
			last, _ := utf8.DecodeLastRuneInString(symbol)
			if !isPrefix && i == 0 && !isSymbol(first) && f.ends(w) {
				literal(f.system.SpaceAfter)
			}
			parts = append(parts, marked("currency", symbol)...)
			if isPrefix && i == len(runes)-1 && !isSymbol(last) && f.ends(w) {
				literal(f.system.SpaceBefore)
			}
		default:
			literal(string(r))
		}
	}
	parts = join(parts)
	if f.Options.Notation == "compact" {
		return compacted(parts)
	}
	return parts
}

// marked sets off the marks of direction around a symbol: they are literals.
func marked(kind, symbol string) []Part {
	bare := strings.Trim(symbol, "\u200e\u200f\u061c")
	before, after, _ := strings.Cut(symbol, bare)
	return []Part{{Type: "literal", Value: before}, {Type: kind, Value: bare}, {Type: "literal", Value: after}}
}

// ends reports whether digits meet the affixes, and not a word for infinity.
func (f *Format) ends(w written) bool { return w.kind == finite }

// compacted names the words of a compact pattern; the spaces around them stay
// literals.
func compacted(parts []Part) []Part {
	var out []Part
	for _, p := range parts {
		if p.Type != "literal" {
			out = append(out, p)
			continue
		}
		word := strings.TrimFunc(p.Value, unicode.IsSpace)
		at := strings.Index(p.Value, word)
		if word == "" || strings.Trim(word, "()\u200e\u200f\u061c") == "" {
			out = append(out, p)
			continue
		}
		out = append(out, Part{Type: "literal", Value: p.Value[:at]}, Part{Type: "compact", Value: word}, Part{Type: "literal", Value: p.Value[at+len(word):]})
	}
	return join(out)
}

func (f *Format) symbol() string {
	c, code := f.currencies[f.Options.Currency], f.Options.Currency
	switch f.Options.CurrencyDisplay {
	case "code":
		return code
	case "narrowSymbol":
		if s := c["narrow"]; s != "" {
			return s
		}
	}
	if s := c["symbol"]; s != "" {
		return s
	}
	return code
}

// outer is the unit or the currency's name for a plural category; alone says that
// it stands for the number too, as Arabic words for one and two do.
func (f *Format) outer(category string) (before, after []Part, alone bool) {
	switch {
	case f.Options.Style == "currency" && f.Options.CurrencyDisplay == "name":
		c, name := f.currencies[f.Options.Currency], f.Options.Currency
		for _, key := range []string{category, "other", "name"} {
			if c[key] != "" {
				name = c[key]
				break
			}
		}
		pattern := f.system.CurrencyNames[category]
		if pattern == "" {
			pattern = f.system.CurrencyNames["other"]
		}
		left, right, _ := strings.Cut(pattern, "{0}")
		return f.fill(left, "currency", name), f.fill(right, "currency", name), false
	case f.Options.Style == "unit" && !f.percentUnit():
		left, right, with := strings.Cut(f.unitPattern(category), "{0}")
		return f.unit(left), f.unit(right), !with
	}
	return nil, nil, false
}

// percentUnit: the unit percent is written like the style, but for its long name.
func (f *Format) percentUnit() bool {
	return f.Options.Unit == "percent" && f.Options.UnitDisplay != "long"
}

// wordAlone reports whether a compact pattern says the number too: "mille".
func wordAlone(pattern string) bool {
	return !strings.ContainsAny(unquote(pattern), "#0")
}

// fill writes a side of a pattern whose {1} is a named part.
func (f *Format) fill(side, kind, value string) []Part {
	left, right, ok := strings.Cut(side, "{1}")
	if !ok {
		return []Part{{Type: "literal", Value: side}}
	}
	return join([]Part{{Type: "literal", Value: left}, {Type: kind, Value: value}, {Type: "literal", Value: right}})
}

// unit names the words of a side of a unit's pattern.
func (f *Format) unit(side string) []Part {
	word := strings.TrimFunc(side, unicode.IsSpace)
	if word == "" {
		return []Part{{Type: "literal", Value: side}}
	}
	const kind = "unit"
	at := strings.Index(side, word)
	return join([]Part{{Type: "literal", Value: side[:at]}, {Type: kind, Value: word}, {Type: "literal", Value: side[at+len(word):]}})
}

func cutPer(unit string) (string, string) {
	a, b, _ := strings.Cut(unit, "-per-")
	return a, b
}

// unitPattern is "{0} km/h" for a category: as listed, or made of two.
func (f *Format) unitPattern(category string) string {
	find := func(unit, category string) string {
		if p := f.units[unit][category]; p != "" {
			return p
		}
		return f.units[unit]["other"]
	}
	if p := find(f.Options.Unit, category); p != "" {
		return p
	}
	of, per := cutPer(f.Options.Unit)
	pattern := find(of, category)
	if wrap := f.units[per]["per"]; wrap != "" {
		return strings.Replace(wrap, "{0}", pattern, 1)
	}
	divisor := find(per, "one")
	divisor = strings.TrimFunc(strings.Replace(divisor, "{0}", "", 1), unicode.IsSpace)
	return strings.NewReplacer("{0}", pattern, "{1}", divisor).Replace(f.units["per"]["per"])
}
