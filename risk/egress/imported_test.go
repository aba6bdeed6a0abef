package egress

import (
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

const gitleaksRules = `
title = "house rules"
[[rules]]
id = "House-Key"
regex = '''(?i)house[ _-]?key["' ]{0,3}[:=]["' ]{0,3}([a-z0-9]{20})\b'''
keywords = ["house"]
entropy = 3
[[rules.allowlists]]
regexes = ['''^0+''']
stopwords = ["sample"]

[[rules]]
id = "whole-match"
regex = '''hk-[0-9]{8}'''
keywords = ["hk-"]

[[rules]]
id = "by-file"
regex = '''x'''
path = '''\.env$'''
keywords = ["x"]

[[rules]]
id = "no-keywords"
regex = '''y'''

[[rules]]
id = "by-line"
regex = '''z'''
keywords = ["z"]
[rules.allowlist]
regexTarget = "line"
regexes = ['''a''']
`

func TestImportedRulesAreSearchedNearTheirKeywords(t *testing.T) {
	list, skipped, err := rules.ImportGitleaks([]byte(gitleaksRules))
	if err != nil || len(list) != 2 || len(skipped) != 3 {
		t.Fatalf("imported %d, skipped %v, %v", len(list), skipped, err)
	}
	engine, err := NewEngine(list)
	if err != nil {
		t.Fatal(err)
	}
	s := New(engine, DefaultPolicy())
	value := strings.ToLower(fillerBase62(5, 20))
	for text, want := range map[string]string{
		"house_key = '" + value + "'":                       "house_key = '[REDACTED:house-key#1]'",
		"see hk-12345678.":                                  "see [REDACTED:whole-match#1].",
		"house_key = 00000000000000000000":                  "house_key = 00000000000000000000",
		"house_key = " + value[:14] + "sample":              "house_key = " + value[:14] + "sample",
		"a house" + strings.Repeat(" ", 300) + "hk-1234567": "a house" + strings.Repeat(" ", 300) + "hk-1234567",
	} {
		if got, _ := s.Text(session(), Place{}, text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	// Keywords close to each other do not make a text be read over and over, and
	// what stands at the border of two windows is found.
	text := strings.Repeat("house ", 200) + "house key: " + value
	if got, _ := s.Text(session(), Place{}, text); strings.Contains(got, value) {
		t.Error("the value at the end is still there")
	}
}

func TestImportRefusesWhatIsNoRuleFile(t *testing.T) {
	for _, text := range []string{"", "rules = 3", "[[rules]", "title = 'x'"} {
		if list, _, err := rules.ImportGitleaks([]byte(text)); err == nil {
			t.Errorf("%q gave %v", text, list)
		}
	}
}

func TestParseConfig(t *testing.T) {
	config, err := ParseConfig([]byte(`
max_bytes: 4096
classes: {personal: redact}
rules: {jwt: report}
tools:
  crm: {classes: {personal: block}}
formats:
  - id: acme-key
    pattern: 'acme_[A-Za-z0-9]{8}'
    examples:
      match: ['acme_Ab12Cd34', 'k=acme_zz99yy88;']
      ignore: ['acme_short', 'xacme_Ab12Cd34']
`))
	if err != nil {
		t.Fatal(err)
	}
	if config.Policy.MaxBytes != 4096 || config.Policy.Classes[rules.Personal] != Redact || config.Policy.Rules["jwt"] != Report ||
		config.Policy.Tools["crm"].Classes[rules.Personal] != Block || config.Policy.Classes[rules.Internal] != Report || len(config.Rules) != 1 {
		t.Errorf("got %+v", config)
	}
	for text, want := range map[string]string{
		"maxbytes: 1":                "maxbytes",
		"max_bytes: -1":              "less than nothing",
		"classes: {secrets: redact}": "secrets",
		"classes: {personal: hide}":  "hide",
		"rules: {no-such: redact}":   "no-such",
		"formats: [{id: Bad ID, pattern: a, examples: {match: [a, a], ignore: [b, b]}}]":                  "lower-case",
		"formats: [{id: jwt, pattern: abcd, examples: {match: [abcd, abcd], ignore: [b, b]}}]":            "taken",
		"formats: [{id: a, pattern: 'ab.*', examples: {match: [abc, abc], ignore: [b, b]}}]":              "not part of a token format",
		"formats: [{id: a, pattern: abcd, examples: {match: [abcd], ignore: [b, b]}}]":                    "at least 2",
		"formats: [{id: a, pattern: abcd, examples: {match: [abcd, xyz], ignore: [b, b]}}]":               "nothing is found",
		"formats: [{id: a, pattern: abcd, examples: {match: [abcd, abcd], ignore: [b, 'x abcd']}}]":       "something is found",
		"formats: [{id: a, pattern: '[a-z]{4}', examples: {match: [abcd, abcd], ignore: [b, b]}}]":        "literal",
		"formats: [{id: a, pattern: '(?:a{1,9}b){9}', examples: {match: [abcd, abcd], ignore: [b, b]}}]x": "",
	} {
		if _, err := ParseConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
