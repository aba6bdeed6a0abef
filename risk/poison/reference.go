package poison

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/poison/glyph"
	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"
)

// Match is one hit of a reference pattern: its id, the text it matched and the
// byte offset of that text.
type Match struct {
	Pattern string `json:"pattern"`
	Text    string `json:"text"`
	Offset  int    `json:"offset"`
}

// The nine published patterns, in the order in which they are reported.
const (
	HiddenInstruction    = "HIDDEN_INSTRUCTION"
	SystemPromptOverride = "SYSTEM_PROMPT_OVERRIDE"
	RoleHijack           = "ROLE_HIJACK"
	ZeroWidth            = "UNICODE_ZERO_WIDTH"
	RTLOverride          = "UNICODE_RTL_OVERRIDE"
	ANSIEscape           = "ANSI_ESCAPE"
	Exfiltration         = "EXFILTRATION_DIRECTIVE"
	HomoglyphRisk        = "UNICODE_HOMOGLYPH_RISK"
	CrossServer          = "CROSS_SERVER_IMPERATIVE"
)

// Reference runs the nine patterns of the reference scanner over one text,
// faults included: an emoji sequence trips it and "disregard" does not. The
// cross-server pattern runs when otherTools is not empty. The patterns are
// written out by hand; a test holds them to their regular expressions.
func Reference(s string, otherTools []string) []Match {
	var found []Match
	words, signs := mayMatch(s), !glyph.Plain(s)
	for _, p := range referencePatterns {
		if p.signs && signs || !p.signs && words {
			found = p.find(s, found)
		}
	}
	return crossServer(s, otherTools, found)
}

// mayMatch looks for the first two letters that one of the patterns needs, and
// then for its word. It is asked of every string, and nearly all answers are no.
func mayMatch(s string) bool {
	for i := 1; i < len(s); i++ {
		if pair := uint(s[i-1])<<8 | uint(s[i]); firstPairs[pair>>6]&(1<<(pair&63)) != 0 &&
			word(s, i-1, "ignore", "you", "exfil", "send", "post", "forward", "<", "[") >= 0 {
			return true
		}
	}
	return false
}

// firstPairs is a set of pairs of bytes.
var firstPairs = func() (set [1 << 16 / 64]uint64) {
	add := func(a, b byte) {
		pair := uint(a)<<8 | uint(b)
		set[pair>>6] |= 1 << (pair & 63)
	}
	for _, p := range []string{"ig", "yo", "ex", "se", "po", "fo"} {
		for _, upper := range [][2]byte{{0, 0}, {0x20, 0}, {0, 0x20}, {0x20, 0x20}} {
			add(p[0]-upper[0], p[1]-upper[1])
		}
	}
	for c := range 256 {
		add('<', byte(c))
		add('[', byte(c))
	}
	return set
}()

var referencePatterns = []struct {
	id    string
	signs bool // looks for characters beyond plain ASCII, not for words
	find  func(s string, found []Match) []Match
}{
	{HiddenInstruction, false, func(s string, found []Match) []Match {
		return each(s, "ignore", HiddenInstruction, hiddenInstruction, found)
	}},
	{SystemPromptOverride, false, systemPromptOverride},
	{RoleHijack, false, func(s string, found []Match) []Match { return each(s, "you", RoleHijack, roleHijack, found) }},
	{ZeroWidth, true, func(s string, found []Match) []Match { return runes(s, ZeroWidth, isReferenceZeroWidth, found) }},
	{RTLOverride, true, func(s string, found []Match) []Match { return runes(s, RTLOverride, glyph.IsBidi, found) }},
	{ANSIEscape, true, func(s string, found []Match) []Match { return each(s, "\x1b", ANSIEscape, glyph.EscapeEnd, found) }},
	{Exfiltration, false, exfiltration},
	{HomoglyphRisk, true, homoglyphRisk},
}

// each reports every place where anchor (lower case) starts a match; end returns
// the offset behind the match that starts at i, or -1.
func each(s, anchor, id string, end func(s string, i int) int, found []Match) []Match {
	for i := 0; ; {
		at := indexFold(s, anchor, i)
		if at < 0 {
			return found
		}
		i = at + 1
		if e := end(s, at); e >= 0 {
			found = append(found, Match{id, s[at:e], at})
			i = e
		}
	}
}

func hiddenInstruction(s string, i int) int {
	i = spaces(s, i+len("ignore"))
	if i < 0 {
		return -1
	}
	if j := spaces(s, word(s, i, "all")); j >= 0 {
		if e := hiddenTail(s, j); e >= 0 {
			return e
		}
	}
	return hiddenTail(s, i)
}

func hiddenTail(s string, i int) int {
	return word(s, spaces(s, word(s, i, "previous", "prior", "above")), "instructions")
}

func roleHijack(s string, i int) int {
	i = word(s, spaces(s, i+len("you")), "are")
	i = word(s, spaces(s, i), "now", "actually", "really")
	return spaces(s, word(s, spaces(s, i), "a"))
}

func systemPromptOverride(s string, found []Match) []Match {
	for i := 0; i < len(s); i++ {
		at := strings.IndexAny(s[i:], "<[")
		if at < 0 {
			break
		}
		i += at
		closer := byte('>')
		if s[i] == '[' {
			closer = ']'
		}
		end := optionalSpaces(s, word(s, optionalSpaces(s, i+1), "system"))
		switch {
		case end >= 0 && end < len(s) && s[end] == closer:
			end++
		case word(s, i, "<|im_start|>") >= 0:
			end = i + len("<|im_start|>")
		default:
			continue
		}
		found = append(found, Match{SystemPromptOverride, s[i:end], i})
		i = end - 1
	}
	return found
}

func exfiltration(s string, found []Match) []Match {
	for i := 0; i < len(s); i++ {
		var end int
		switch s[i] | 0x20 {
		case 'e':
			end = word(s, i, "exfiltrate")
		case 's':
			end = word(s, spaces(s, word(s, i, "send")), "to")
		case 'p':
			end = word(s, spaces(s, word(s, i, "post")), "to")
		case 'f':
			end = word(s, spaces(s, word(s, i, "forward")), "all")
		default:
			continue
		}
		if end = address(s, spaces(s, end)); end >= 0 {
			found = append(found, Match{Exfiltration, s[i:end], i})
			i = end - 1
		}
	}
	return found
}

// address returns the offset behind "name@" or "https://" at i.
func address(s string, i int) int {
	if i < 0 {
		return -1
	}
	if e := word(s, i, "http://", "https://"); e >= 0 {
		return e
	}
	j := i
	for j < len(s) && (ascii.Word(s[j]) || s[j] == '-') {
		j++
	}
	if j > i && j < len(s) && s[j] == '@' {
		return j + 1
	}
	return -1
}

func homoglyphRisk(s string, found []Match) []Match {
	latin, cyrillic := false, false
	for _, r := range s {
		latin = latin || r < utf8.RuneSelf && ascii.Letter(byte(r))
		cyrillic = cyrillic || r >= 0x0400 && r <= 0x04FF
	}
	if latin && cyrillic {
		found = append(found, Match{HomoglyphRisk, s, 0})
	}
	return found
}

func runes(s, id string, is func(rune) bool, found []Match) []Match {
	for i, r := range s {
		if r >= utf8.RuneSelf && is(r) {
			found = append(found, Match{id, string(r), i})
		}
	}
	return found
}

func isReferenceZeroWidth(r rune) bool {
	return r >= 0x200B && r <= 0x200D || r == 0x2060 || r == 0xFEFF
}

// crossServerReach is how far behind the verb the reference looks for a name, in
// UTF-16 units.
const crossServerReach = 80

func crossServer(s string, otherTools []string, found []Match) []Match {
	var names []occurrence
	for i := 0; len(otherTools) > 0 && i < len(s); i++ {
		end := imperative(s, i)
		if end < 0 {
			continue
		}
		if names == nil {
			names = occurrences(s, otherTools)
		}
		stop := advanceUTF16(s, end, crossServerReach)
		k := sort.Search(len(names), func(k int) bool { return names[k].start >= end })
		if k < len(names) && names[k].soonestEnd <= stop {
			found = append(found, Match{CrossServer, s[i:stop], i})
		}
		i = end - 1
	}
	return found
}

// imperative returns the offset behind a verb of the cross-server pattern and
// the blanks that follow it, or -1.
func imperative(s string, i int) int {
	if i > 0 && ascii.Word(s[i-1]) {
		return -1
	}
	if j := spaces(s, word(s, i, "then")); j >= 0 {
		if e := spaces(s, word(s, j, "use", "call", "invoke")); e >= 0 {
			return e
		}
	}
	if j := spaces(s, word(s, i, "first")); j >= 0 {
		if e := spaces(s, word(s, j, "call", "use")); e >= 0 {
			return e
		}
	}
	return spaces(s, word(s, i, "use", "call", "invoke", "run"))
}

// occurrence is one place where a name stands. soonestEnd is the smallest end of
// this and all later ones, so one look answers whether a window holds a name.
type occurrence struct{ start, end, soonestEnd int }

func occurrences(s string, names []string) []occurrence {
	all := []occurrence{}
	lower := lowerInPlace(s)
	for _, name := range names {
		name = lowerInPlace(name)
		for i := 0; name != ""; {
			at := strings.Index(lower[i:], name)
			if at < 0 {
				break
			}
			all = append(all, occurrence{start: i + at, end: i + at + len(name)})
			i += at + 1
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].start < all[j].start })
	soonest := len(s) + 1
	for i := len(all) - 1; i >= 0; i-- {
		soonest = min(soonest, all[i].end)
		all[i].soonestEnd = soonest
	}
	return all
}

// lowerInPlace lowers what keeps its length, so that offsets stay true.
func lowerInPlace(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// advanceUTF16 returns the offset n UTF-16 units behind i, or the end.
func advanceUTF16(s string, i, n int) int {
	for i < len(s) && n > 0 {
		r, size := utf8.DecodeRuneInString(s[i:])
		if n -= utf16.RuneLen(r); n < 0 {
			break
		}
		i += size
	}
	return i
}
