package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
	"github.com/glovebox-run/glovebox/risk/egress/internal/joint"
	"github.com/glovebox-run/glovebox/risk/egress/internal/jsonwalk"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
	"github.com/glovebox-run/glovebox/risk/egress/internal/shadow"
)

// deepestText is how many layers of JSON inside JSON strings are read as JSON;
// below that they are read as prose, which sees the same members.
const deepestText = 3

// shortestLeaf is the length from which a string can hold something to hide.
const shortestLeaf = 6

// Any searches a text that may be JSON.
func (w *Sweep) Any(text []byte, depth int) []Hit {
	if depth < deepestText {
		first := 0
		for first < len(text) && (text[first] == ' ' || text[first] == '\n' || text[first] == '\t' || text[first] == '\r') {
			first++
		}
		if first < len(text) && (text[first] == '{' || text[first] == '[') {
			if hits, ok := w.json(text, depth); ok {
				return hits
			}
		}
	}
	return w.Long(text)
}

// json searches the strings and member names of a JSON text. A member name is
// context for its value.
func (w *Sweep) json(text []byte, depth int) ([]Hit, bool) {
	var (
		walk  jsonwalk.Walker
		hits  []Hit
		plain shadow.Shadow
		list  stringList
		names nameTable
		open  question
	)
	ok := walk.Walk(text, func(l jsonwalk.Leaf) {
		if l.Kind == jsonwalk.LeafNumber || l.End-l.Start-2 < shortestLeaf {
			if l.Kind == jsonwalk.LeafString {
				walk.NoteName(l)
			}
			return
		}
		inside := text[l.Start+1 : l.End-1]
		if leafParts(&walk, text, l, inside, &list) {
			list.add(text, part{start: l.Start + 1, end: l.End - 1, whole: true, joint: joint.Item})
		} else {
			hits = w.listed(&list, text, hits)
		}
		if l.Escaped {
			plain.UnquoteJSON(inside)
			inside = plain.Text
		}
		var found []Hit
		if l.Kind == jsonwalk.LeafKey {
			var n *name
			if l.Escaped {
				n = &name{} // what was unquoted does not stay
			} else if n = names.at(inside); n.plain {
				return
			}
			w.scan.reset(w.engine, inside)
			w.scan.tokensOnly = true
			w.scan.run(0)
			found = w.engine.merge(w.scan.hits, inside)
			n.plain = len(found) == 0
			walk.Open[len(walk.Open)-1].SecretKey = !n.plain
		} else {
			walk.NoteName(l)
			start, end := walk.ValueName()
			n := names.at(text[start:end])
			w.nameOf(n)
			if n.private && webKeyValue(inside) && inWebKey(text, l.Start) {
				w.scan.reset(w.engine, inside)
				w.scan.found("private-key", 0, len(inside))
				found = w.scan.hits
			} else {
				found = w.member(n, inside, depth)
			}
			found = w.talk(&open, n, inside, found)
		}
		if len(found) == 0 {
			return
		}
		pointer := walk.Pointer()
		for _, h := range found {
			if l.Escaped {
				h = h.from(&plain)
			}
			h.Shift(l.Start + 1)
			h.Pointer = pointer
			hits = append(hits, h)
		}
	})
	if hits = w.listed(&list, text, hits); list.found {
		hits = w.engine.merge(hits, text)
	}
	return hits, ok
}

// stringList is a token in several elements of an array of JSON.
type stringList struct {
	chain
	open  []jsonwalk.Frame // where the first of them is
	found bool
}

// leafParts reports whether a leaf goes on with a list of parts, or begins one.
func leafParts(walk *jsonwalk.Walker, text []byte, l jsonwalk.Leaf, inside []byte, list *stringList) bool {
	if l.Kind != jsonwalk.LeafString || l.Escaped || len(walk.Open) == 0 || walk.Open[len(walk.Open)-1].Object {
		return false
	}
	for _, c := range inside {
		if !decode.TokenSet.Has(c) {
			return false
		}
	}
	switch n := len(list.parts); {
	case n == 0:
		list.reset()
	case len(list.text) >= longestChain || !onlyComma(text[list.parts[n-1].end+1:l.Start]):
		return false
	case n == 1:
		list.open = append(list.open[:0], walk.Open...)
		list.open[len(list.open)-1].Index--
	}
	return true
}

func onlyComma(between []byte) bool {
	return len(between) < joint.LongestBorder && len(bytes.TrimSpace(between)) == 1
}

// listed searches the parts of a list and forgets them.
func (w *Sweep) listed(list *stringList, text []byte, hits []Hit) []Hit {
	if len(list.parts) > 1 {
		w.chain, list.chain = list.chain, w.chain
		w.scan.reset(w.engine, nil)
		w.across()
		for _, h := range w.scan.hits {
			h.Pointer = (&jsonwalk.Walker{Data: text, Open: list.open}).Pointer()
			hits = append(hits, h)
			list.found = true
		}
		w.chain, list.chain = list.chain, w.chain
	}
	list.reset()
	return hits
}

// shortestWebKey is the least length of a secret number in a JSON Web Key: 128 bits in base64.
const shortestWebKey = 22

// webKeyMembers are the members of a JSON Web Key that are secret (RFC 7518, 6.2 to 6.4).
var webKeyMembers = [...]string{"d", "p", "q", "dp", "dq", "qi", "k"}

// farthestKty is how far the type of a JSON Web Key may be from a member, in bytes: RSA of
// 8,192 bits has numbers of 1.4 KB.
const farthestKty = 4 << 10

// inWebKey reports whether a member at a place may be one of a JSON Web Key.
func inWebKey(text []byte, at int) bool {
	return bytes.Contains(text[max(0, at-farthestKty):min(len(text), at+farthestKty)], []byte(`"kty"`))
}

// webKeyValue reports whether a value may be such a number.
func webKeyValue(value []byte) bool {
	for _, c := range value {
		if !pattern.Base64.Has(c) {
			return false
		}
	}
	return len(value) >= shortestWebKey && secretvalue.Random(value)
}

// member searches the value of a member.
func (w *Sweep) member(n *name, value []byte, depth int) []Hit {
	if rule, start := n.secret(value); rule != "" {
		if i, ok := w.engine.ids[rule]; ok {
			return []Hit{{Rule: i, Start: start, End: len(value)}}
		}
	}
	if n.is == secretname.NamesCookie {
		w.scan.reset(w.engine, value)
		if w.scan.cookies(0, len(value)); len(w.scan.hits) > 0 {
			return w.scan.hits
		}
	}
	if !n.dull {
		for _, rule := range n.vendors {
			r := &w.engine.Rules[rule]
			if r.pattern.Whole(value) && w.scan.vendorValue(r, value, n.text, n.named) {
				return []Hit{{Rule: rule, Start: 0, End: len(value)}}
			}
		}
	}
	return w.Any(value, depth+1)
}
