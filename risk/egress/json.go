package egress

import "bytes"

// deepestText is how many layers of JSON inside JSON strings are read as JSON;
// below that they are read as prose, which sees the same members.
const deepestText = 3

// shortestLeaf is the length from which a string can hold something to hide.
const shortestLeaf = 6

// name is what the member name of a value says about it.
type name struct {
	start, end  int // in the JSON text
	is          naming
	vendors     []int // rules whose word occurs in it
	named, dull bool
	strong      bool // its value may be a word
}

// any searches a text that may be JSON.
func (w *sweep) any(text []byte, depth int) []hit {
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
	return w.long(text)
}

// json searches the strings and member names of a JSON text. A member name is
// context for its value.
func (w *sweep) json(text []byte, depth int) ([]hit, bool) {
	var (
		walk  walker
		hits  []hit
		plain shadow
		known name
		list  stringList
	)
	ok := walk.walk(text, func(l leaf) {
		if l.kind == leafNumber || l.end-l.start-2 < shortestLeaf {
			if l.kind == leafString {
				walk.noteName(l)
			}
			return
		}
		inside := text[l.start+1 : l.end-1]
		if leafParts(&walk, text, l, inside, &list) {
			list.add(text, part{start: l.start + 1, end: l.end - 1, whole: true, joint: item})
		} else {
			hits = w.listed(&list, text, hits)
		}
		if l.escaped {
			plain.unquoteJSON(inside)
			inside = plain.text
		}
		var found []hit
		if l.kind == leafKey {
			w.scan.reset(w.engine, inside)
			w.scan.tokensOnly = true
			w.scan.run()
			found = w.engine.merge(w.scan.hits, inside)
			walk.open[len(walk.open)-1].secretKey = len(found) > 0
		} else {
			walk.noteName(l)
			w.nameOf(&walk, &known)
			found = w.member(&known, inside, depth)
		}
		if len(found) == 0 {
			return
		}
		pointer := walk.pointer()
		for _, h := range found {
			if l.escaped {
				h = plain.back(h)
			}
			h.shift(l.start + 1)
			h.pointer = pointer
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
	open  []frame // where the first of them is
	found bool
}

// leafParts reports whether a leaf goes on with a list of parts, or begins one.
func leafParts(walk *walker, text []byte, l leaf, inside []byte, list *stringList) bool {
	if l.kind != leafString || l.escaped || len(walk.open) == 0 || walk.open[len(walk.open)-1].object {
		return false
	}
	for _, c := range inside {
		if !tokenSet.Has(c) {
			return false
		}
	}
	switch n := len(list.parts); {
	case n == 0:
		list.reset()
	case len(list.text) >= longestChain || !onlyComma(text[list.parts[n-1].end+1:l.start]):
		return false
	case n == 1:
		list.open = append(list.open[:0], walk.open...)
		list.open[len(list.open)-1].index--
	}
	return true
}

func onlyComma(between []byte) bool {
	return len(between) < longestBorder && len(bytes.TrimSpace(between)) == 1
}

// listed searches the parts of a list and forgets them.
func (w *sweep) listed(list *stringList, text []byte, hits []hit) []hit {
	if len(list.parts) > 1 {
		w.chain, list.chain = list.chain, w.chain
		w.scan.reset(w.engine, nil)
		w.across()
		for _, h := range w.scan.hits {
			h.pointer = (&walker{data: text, open: list.open}).pointer()
			hits = append(hits, h)
			list.found = true
		}
		w.chain, list.chain = list.chain, w.chain
	}
	list.reset()
	return hits
}

// member searches the value of a member.
func (w *sweep) member(n *name, value []byte, depth int) []hit {
	if rule, start := n.secret(value); rule != "" {
		if i, ok := w.engine.ids[rule]; ok {
			return []hit{{rule: i, start: start, end: len(value)}}
		}
	}
	if n.is == namesCookie {
		w.scan.reset(w.engine, value)
		if w.scan.cookies(0, len(value)); len(w.scan.hits) > 0 {
			return w.scan.hits
		}
	}
	if !n.dull {
		for _, rule := range n.vendors {
			r := &w.engine.rules[rule]
			if r.pattern.Whole(value) && w.scan.vendorValue(r, value, w.nameBuffer, n.named) {
				return []hit{{rule: rule, start: 0, end: len(value)}}
			}
		}
	}
	return w.any(value, depth+1)
}

// secret returns the rule by which the name alone makes the value a secret, and
// where in the value it begins.
func (n *name) secret(value []byte) (rule string, start int) {
	switch n.is {
	case namesNothing:
		return "", 0
	case namesHeader:
		if i := bytes.IndexByte(value, ' '); i > 0 && i < 16 {
			start = i + 1
		}
		if rest := value[start:]; len(rest) >= 8 && !standIn(rest) && !identifier(rest) && bytes.IndexByte(rest, ' ') < 0 {
			return "named-secret", start
		}
		return "", 0
	case namesCookie:
		return "", 0
	}
	if convincing(n.is, value) || n.strong && (n.is == namesPassword || n.is == namesSecret) && lettersOnly(value) && wordSecret(nil, value) {
		return ruleOf(n.is, false), 0
	}
	return "", 0
}

// nameOf fills in what the name above the current value says, unless it is known.
func (w *sweep) nameOf(walk *walker, known *name) {
	start, end := walk.valueName()
	if start == known.start && end == known.end {
		return
	}
	*known = name{start: start, end: end, vendors: known.vendors[:0]}
	text := walk.data[start:end]
	w.nameBuffer = text
	w.scan.reset(w.engine, text)
	naming := false
	w.engine.each(text, func(u *use, _, _ int) {
		switch u.role {
		case roleWord:
			known.vendors = append(known.vendors, u.rule)
		case roleName:
			naming = true
		case rolePhrase:
			if known.is == namesNothing {
				known.is = u.phrase.is
			}
		}
	})
	if naming && known.is == namesNothing {
		known.is = classify(text)
	}
	known.strong = known.is != namesNothing && strong(text)
	if len(known.vendors) > 0 {
		known.named, known.dull = secretWord(text)
	}
}

// noteName remembers the value of a member that names a value beside it.
func (w *walker) noteName(l leaf) {
	if len(w.open) == 0 {
		return
	}
	top := &w.open[len(w.open)-1]
	if !top.object {
		w.noteColumn(l, top.index)
		return
	}
	switch string(w.data[top.keyStart:top.keyEnd]) {
	case "name", "key", "Name", "Key", "header", "variable", "env", "field", "setting", "parameter":
		top.nameStart, top.nameEnd = l.start+1, l.end-1
	}
}

// noteColumn remembers an element of an array that names the columns of a table.
func (w *walker) noteColumn(l leaf, index int) {
	n := len(w.open)
	if n < 2 || !w.open[n-2].object {
		return
	}
	switch string(w.data[w.open[n-2].keyStart:w.open[n-2].keyEnd]) {
	case "columns", "header", "headers", "fields", "cols", "columnNames", "column_names":
		if index == 0 {
			w.columns = w.columns[:0]
		}
		if index == len(w.columns) {
			w.columns = append(w.columns, [2]int{l.start + 1, l.end - 1})
		}
	}
}

// valueName returns the name that says most about the current value: that of its
// member, or the one given beside it when the member is called "value".
func (w *walker) valueName() (start, end int) {
	if n := len(w.open); n > 2 && !w.open[n-1].object && !w.open[n-2].object {
		if i := w.open[n-1].index; i < len(w.columns) {
			return w.columns[i][0], w.columns[i][1]
		}
	}
	start, end = w.member()
	if len(w.open) > 0 {
		top := &w.open[len(w.open)-1]
		if top.object && top.nameEnd > 0 {
			switch string(w.data[start:end]) {
			case "value", "Value", "val", "content", "data":
				return top.nameStart, top.nameEnd
			}
		}
	}
	return start, end
}
