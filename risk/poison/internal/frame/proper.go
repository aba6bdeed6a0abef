package frame

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"
)

// proper notes a chunk that is a name, such as that of a firm: a capital within a
// sentence and small letters after it. Documentation is about kinds of things, and
// who bends an answer has somebody in mind.
func (x *cutter) proper(i, end int) {
	if len(x.words) == x.word || x.names > maxNames {
		return
	}
	s := strings.TrimSuffix(x.s[i:end], "'s")
	first, size := utf8.DecodeRuneInString(s)
	if !unicode.IsUpper(first) || utf8.RuneCountInString(s) < 3 || strings.ContainsFunc(s[size:], func(c rune) bool { return !unicode.IsLower(c) }) || commonNames[s] {
		return
	}
	if before := strings.TrimRight(x.s[x.start:i], " "); before != "" && strings.IndexByte(":*-#\n\"'`(/|>", before[len(before)-1]) >= 0 {
		return // opens something as a sentence does
	}
	x.names++
	x.note(Named, len(x.words)-x.word)
}

// maxNames is from how many names on a sentence is a title, or German.
const maxNames = 3

// withoutNames takes back the names of a sentence that writes every noun with a
// capital.
func (x *cutter) withoutNames() {
	if x.names == 0 || x.names*4 <= len(x.words)-x.word && !x.isGerman() {
		return
	}
	x.has, x.bare = x.has.Without(Of(Named)), x.bare.Without(Of(Named))
	kept := x.spots[:x.spot]
	for _, s := range x.spots[x.spot:] {
		if s.Concept != Named {
			kept = append(kept, s)
		}
	}
	x.spots = kept
}

// isGerman reports a word that only German has.
func (x *cutter) isGerman() bool {
	for _, w := range x.words[x.word:] {
		switch string(x.Folded[w.From:w.To]) {
		case "und", "der", "nicht", "wird", "werden", "eine", "einen", "einem", "einer", "für", "oder", "zur", "zum", "sind", "wenn", "auf", "sich", "auch", "aus", "bei", "nach", "vom":
			return true
		}
	}
	return false
}

// commonNames are names of things, not of somebody: of languages, formats, programs, days.
var commonNames = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq("Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October November December " +
		"English German French Spanish Italian Portuguese Dutch Polish Russian Chinese Japanese Korean Arabic Hebrew Greek Turkish Latin Cyrillic European American British Celsius Fahrenheit Kelvin " +
		"Markdown Unicode Python Java Rust Ruby Swift Kotlin Perl Linux Windows Android Unix Debian Ubuntu Docker Kubernetes Git Gitlab Github Slack Jira Confluence Notion Trello Asana Linear Figma " +
		"Excel Word Outlook Teams Gmail Google Microsoft Amazon Apple Stripe Shopify Salesforce Hubspot Zendesk Telegram Discord Whatsapp Twitter Youtube Spotify Wikipedia Postgres Redis Mongo Mongodb Elasticsearch Kafka Grafana Prometheus " +
		"Chrome Firefox Safari Chromium Playwright Selenium Node Unix Bash Terraform Ansible Jenkins Internet Web Bluetooth Ethernet Base Boolean String Integer Number Object Array True False None Null Optional Required Default Note Returns " +
		"Use The This That These Those When With From For And But Not Never Always Only Each All Any You Your Must Should May Can Set See Defaults Example Examples Important Please If It Its In On At To By As Or") {
		names[name] = true
	}
	return names
}()

// figure notes a number with what makes it an amount, and a short one that is the
// number of something: no year and no standard.
func (x *cutter) figure(i, end int) {
	s := x.s[i:end]
	digits, signs := 0, 0
	for k := range len(s) {
		switch c := s[k]; {
		case ascii.Digit(c):
			digits++
		case c == '%' || c == '$':
			signs++
		case c != '.' && c != ',' && c != '-' && c != '+':
			return
		}
	}
	if digits == 0 {
		return
	}
	around := x.s[max(0, i-len("\u20ac")):i]
	if signs > 0 || strings.HasSuffix(around, "\u20ac") || strings.HasSuffix(around, "\u00a3") || strings.HasPrefix(x.s[end:], "\u20ac") || strings.HasPrefix(x.s[end:], " %") || strings.HasPrefix(x.s[end:], " \u20ac") || strings.HasPrefix(x.s[end:], "\uff05") {
		x.note(Figure, len(x.words)-x.word)
	} else if digits == len(s) && digits >= 4 && digits < 8 && (digits > 4 || s[0] > '2' && s != "8601" && s != "3339") && strings.Trim(s, "0") != s[:1] {
		x.note(Digits, len(x.words)-x.word)
	}
}
