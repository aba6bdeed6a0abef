package cldr

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Operands are what plural rules look at in a number as it is written (UTS #35,
// Plural Operand Meanings). Digits are decimal, without sign.
type Operands struct {
	Integer  string // without leading zeros; "" is 0
	Fraction string // visible, with trailing zeros
	Exponent int    // of compact notation
}

// Categories in the order that JavaScript lists them.
var Categories = []string{"zero", "one", "two", "few", "many", "other"}

// Plural returns the category of a number in a locale.
func Plural(l Locale, ordinal bool, o Operands) (string, error) {
	rules, err := pluralRules(l, ordinal)
	if err != nil {
		return "", err
	}
	for _, rule := range rules {
		if rule.holds(o) {
			return rule.category, nil
		}
	}
	return "other", nil
}

// PluralCategories lists the categories that a locale tells apart.
func PluralCategories(l Locale, ordinal bool) ([]string, error) {
	rules, err := pluralRules(l, ordinal)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, category := range Categories {
		for _, rule := range rules {
			if rule.category == category {
				list = append(list, category)
			}
		}
	}
	return append(list, "other"), nil
}

// PluralOfRange returns the category of a range whose ends have the given ones.
func PluralOfRange(l Locale, start, end string) (string, error) {
	w, err := World()
	if err != nil {
		return "", err
	}
	for _, name := range l.Chain() {
		if category, ok := w.PluralRanges[name][start+" "+end]; ok {
			return category, nil
		}
	}
	return end, nil
}

type pluralRule struct {
	category string
	any      [][]relation // one of these, all of whose relations hold
}

// relation is "operand % modulus = values" or its negation.
type relation struct {
	operand byte
	modulus uint64 // 0: none
	not     bool
	ranges  [][2]uint64
}

var parsedRules sync.Map // "ordinal/locale" -> []pluralRule; only locales of the data get in

func pluralRules(l Locale, ordinal bool) ([]pluralRule, error) {
	w, err := World()
	if err != nil {
		return nil, err
	}
	table := w.Cardinals
	if ordinal {
		table = w.Ordinals
	}
	for _, name := range l.Chain() {
		conditions, ok := table[name]
		if !ok {
			continue
		}
		key := strconv.FormatBool(ordinal) + "/" + name
		if rules, ok := parsedRules.Load(key); ok {
			return rules.([]pluralRule), nil
		}
		var rules []pluralRule
		for _, category := range Categories[:5] {
			condition, ok := conditions[category]
			if !ok {
				continue
			}
			rule, err := parseRule(category, condition)
			if err != nil {
				return nil, err
			}
			rules = append(rules, rule)
		}
		parsedRules.Store(key, rules)
		return rules, nil
	}
	return nil, nil
}

func parseRule(category, condition string) (pluralRule, error) {
	rule := pluralRule{category: category}
	for alternative := range strings.SplitSeq(condition, " or ") {
		var all []relation
		for text := range strings.SplitSeq(alternative, " and ") {
			r, err := parseRelation(text)
			if err != nil {
				return rule, err
			}
			all = append(all, r)
		}
		rule.any = append(rule.any, all)
	}
	return rule, nil
}

func parseRelation(text string) (relation, error) {
	var r relation
	left, right, ok := strings.Cut(text, "=")
	if !ok {
		return r, fmt.Errorf("cldr: plural rule %q", text)
	}
	left, r.not = strings.CutSuffix(strings.TrimSpace(left), "!")
	operand, modulus, ok := strings.Cut(strings.TrimSpace(left), "%")
	r.operand = operand[0]
	var err error
	if ok {
		if r.modulus, err = strconv.ParseUint(strings.TrimSpace(modulus), 10, 64); err != nil {
			return r, err
		}
	}
	for item := range strings.SplitSeq(right, ",") {
		from, to, ok := strings.Cut(strings.TrimSpace(item), "..")
		if !ok {
			to = from
		}
		var pair [2]uint64
		if pair[0], err = strconv.ParseUint(from, 10, 64); err != nil {
			return r, err
		}
		if pair[1], err = strconv.ParseUint(to, 10, 64); err != nil {
			return r, err
		}
		r.ranges = append(r.ranges, pair)
	}
	return r, nil
}

func (r pluralRule) holds(o Operands) bool {
	for _, all := range r.any {
		ok := true
		for _, relation := range all {
			ok = ok && relation.holds(o)
		}
		if ok {
			return true
		}
	}
	return false
}

func (r relation) holds(o Operands) bool {
	trimmed := strings.TrimRight(o.Fraction, "0")
	var digits string
	switch r.operand {
	case 'n', 'i':
		digits = o.Integer
	case 'v':
		digits = strconv.Itoa(len(o.Fraction))
	case 'w':
		digits = strconv.Itoa(len(trimmed))
	case 'f':
		digits = o.Fraction
	case 't':
		digits = trimmed
	case 'e', 'c':
		digits = strconv.Itoa(o.Exponent)
	}
	if r.operand == 'n' && trimmed != "" {
		return r.not // a number with a fraction is in no list of integers
	}
	value := lowDigits(digits)
	if r.modulus > 0 {
		value %= r.modulus
	} else if r.operand == 'n' && len(strings.TrimLeft(digits, "0")) > 18 {
		return r.not // beyond every list; of i, ICU too looks at the last digits alone
	}
	for _, pair := range r.ranges {
		if value >= pair[0] && value <= pair[1] {
			return !r.not
		}
	}
	return r.not
}

// lowDigits is the number that the last 18 digits make: every modulus of CLDR
// is a power of ten far below it, or divides one.
func lowDigits(digits string) uint64 {
	if len(digits) > 18 {
		digits = digits[len(digits)-18:]
	}
	n, _ := strconv.ParseUint(digits, 10, 64) // "" is 0
	return n
}
