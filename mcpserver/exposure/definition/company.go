package definition

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Company is the names of all tools that one model can call, by their servers.
type Company struct {
	names map[uint64][]named
}

type named struct{ server, tool string }

// Add adds a tool. Server may also be another source of tools.
func (c *Company) Add(server, tool string) {
	if c.names == nil {
		c.names = map[uint64][]named{}
	}
	h := hash(tool)
	if n := (named{server, tool}); !slices.Contains(c.names[h], n) {
		c.names[h] = append(c.names[h], n)
	}
}

// maxForeign bounds the foreign names given to one scan. A text that names more tools
// of others than this is found with these.
const maxForeign = 64

// foreign returns the tools of other servers whose names stand in a definition. Looking
// up its words keeps many servers linear, and a scan has to be repeated only when one
// of these names comes or goes.
func (c *Company) foreign(server string, d *Definition) []string {
	var found []string
	for _, w := range d.words {
		for _, n := range c.names[w] {
			if n.server != server && len(found) < maxForeign && !slices.Contains(found, n.tool) {
				found = append(found, n.tool)
			}
		}
	}
	slices.Sort(found)
	return found
}

// wordsOf returns the hashes of the words in a definition, escapes read, each once.
func wordsOf(raw []byte) []uint64 {
	var all []uint64
	for word := range strings.FieldsFuncSeq(unescaped(raw), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !isJoint(r)
	}) {
		all = append(all, hash(word))
	}
	slices.Sort(all)
	return slices.Clip(slices.Compact(all))
}

// unescaped replaces the escapes of JSON that can stand in a name.
func unescaped(raw []byte) string {
	text := string(raw)
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch text[i] {
		case 'u':
			var r rune
			for _, c := range []byte(text[i+1 : min(i+5, len(text))]) {
				r = r<<4 | rune(strings.IndexByte("0123456789abcdef", c|0x20)&15)
			}
			b.WriteRune(r)
			i += 4
		case '/':
			b.WriteByte('/')
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// isJoint reports whether a character joins the words of one name.
func isJoint(r rune) bool { return strings.ContainsRune("_-./:", r) }

// hash is that of a name without what different spellings of it differ in: case and
// joints. FNV-1a, 64 bits.
func hash(name string) uint64 {
	h := uint64(14695981039346656037)
	for _, r := range name {
		if isJoint(r) {
			continue
		}
		var buf [utf8.UTFMax]byte
		for _, c := range buf[:utf8.EncodeRune(buf[:], unicode.ToLower(r))] {
			h = (h ^ uint64(c)) * 1099511628211
		}
	}
	return h
}
