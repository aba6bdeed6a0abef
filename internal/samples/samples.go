// Package samples makes material to measure the sanitiser with: values drawn at
// random from the formats of secrets, put into the texts that tools return, and
// texts that look like secrets and are none. Nothing in it was ever a secret, and
// no whole one stands in the source.
package samples

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// Sample is a text, and the part of it that must not get through. Benign texts
// have none.
type Sample struct {
	Name   string
	Text   string
	Secret string
}

// Draw returns a random string that a regular expression matches. Runs without
// an upper limit get up to twenty more than their least.
func Draw(random *rand.Rand, expr string) string {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(fmt.Sprintf("samples: %q: %v", expr, err))
	}
	var b strings.Builder
	draw(&b, random, tree)
	return b.String()
}

func draw(b *strings.Builder, random *rand.Rand, re *syntax.Regexp) {
	repeat := func(least, most int) {
		if most < 0 {
			most = least + 20
		}
		for range least + random.IntN(most-least+1) {
			draw(b, random, re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		literal := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			literal = strings.ToLower(literal)
		}
		b.WriteString(literal)
	case syntax.OpCharClass:
		var set []rune
		for i := 0; i < len(re.Rune); i += 2 {
			for r := max(re.Rune[i], '!'); r <= min(re.Rune[i+1], '~'); r++ {
				set = append(set, r)
			}
		}
		if len(set) > 0 {
			b.WriteRune(set[random.IntN(len(set))])
		}
	case syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		b.WriteByte('.') // a full stop that its author did not escape
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			draw(b, random, sub)
		}
	case syntax.OpAlternate:
		draw(b, random, re.Sub[random.IntN(len(re.Sub))])
	case syntax.OpCapture:
		draw(b, random, re.Sub[0])
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpStar:
		repeat(0, -1)
	case syntax.OpPlus:
		repeat(1, -1)
	case syntax.OpRepeat:
		repeat(re.Min, re.Max)
	}
}

// placings are texts in which tools return a value with a name.
var placings = []func(name, value string) string{
	func(n, v string) string { return n + "=" + v },
	func(n, v string) string {
		return "export " + strings.ToUpper(strings.ReplaceAll(n, "-", "_")) + "=\"" + v + "\""
	},
	func(n, v string) string { return n + ": " + v },
	func(n, v string) string { return "Error: 401 Unauthorized from upstream (" + n + "=" + v + ")" },
	func(n, v string) string {
		return "request to https://api.acme.test/v1/items failed: invalid " + n + " '" + v + "'."
	},
	func(n, v string) string {
		return "2026-02-03T04:05:06Z DEBUG client: using " + n + "=" + v + " timeout=30s"
	},
	func(n, v string) string { return JSON(map[string]any{"status": "ok", n: v, "count": 3}) },
	func(n, v string) string { return JSON(map[string]any{"config": map[string]any{"region": "eu", n: v}}) },
	func(n, v string) string {
		return JSON(map[string]any{"content": []any{map[string]any{"type": "text", "text": JSON(map[string]any{n: v})}}})
	},
	func(n, v string) string { return "settings:\n  region: eu\n  " + n + ": '" + v + "'\n  retries: 3\n" },
	func(n, v string) string { return "| setting | value |\n|---|---|\n| " + n + " | `" + v + "` |\n" },
	func(n, v string) string { return "GET /v1/items?limit=5&" + n + "=" + v + "&page=2 HTTP/1.1" },
}

// Place puts a value into the i-th of the texts, counted round.
func Place(i int, name, value string) string { return placings[i%len(placings)](name, value) }

// JSON is the usual encoding.
func JSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
