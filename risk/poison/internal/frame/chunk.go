package frame

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"
)

// isPart reports a rune beyond ASCII that belongs to words.
func isPart(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) }

// inChunk says which ASCII bytes hold together.
var inChunk = func() (kinds [utf8.RuneSelf]uint8) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case ascii.Letter(c):
			kinds[c] = chunkLetter
		case ascii.Word(c) || strings.IndexByte(".-/@:~$%\\?=&#+'{}", c) >= 0:
			kinds[c] = chunkOdd
		}
	}
	return kinds
}()

const (
	chunkNot    = 0
	chunkLetter = 1
	chunkOdd    = 2
)

// chunk reads what holds together without blanks and notes what it is.
func (x *cutter) chunk(i int) int {
	end, odd, wide := i, false, false
	for end < len(x.s) {
		c := x.s[end]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(x.s[end:])
			if unbroken(r) && !wide && end > i || !isPart(r) {
				break
			}
			if wide && !unbroken(r) {
				break
			}
			wide = wide || unbroken(r)
			end += size
			if wide && end-i >= maxRun {
				break
			}
			continue
		}
		if wide || inChunk[c] == chunkNot {
			break
		}
		if inChunk[c] == chunkLetter {
			end++
			continue
		}
		if c == '\'' && end > i && x.s[end-1] == '=' || (c == '\'' || c == '{' || c == '}') && (end+1 >= len(x.s) || !ascii.Word(x.s[end+1]) && c == '\'') {
			break
		}
		odd = true
		end++
	}
	if end == i {
		r, size := utf8.DecodeRuneInString(x.s[i:])
		if strings.ContainsRune("。！？；؟।…", r) && r != '…' {
			x.close(i + size)
		}
		x.mark(r, i)
		return i + size
	}
	for odd && end > i+1 && strings.IndexByte(".:?=&#+'{-", x.s[end-1]) >= 0 {
		end--
	}
	x.proper(i, end)
	if odd {
		x.figure(i, end)
		x.thing(i, end)
	} else if x.quote != 0 && end == x.quoteEnd && i == x.quoteFrom {
		x.name(x.s[i:end], true)
	} else if !wide && x.scriptless() {
		x.name(x.s[i:end], false)
	}
	x.fold(i, end)
	return end
}

// scriptless reports whether the sentence so far is in another script than
// Latin: a Latin word in it that is a parameter is that parameter.
func (x *cutter) scriptless() bool {
	return len(x.Folded) > x.folded && x.Folded[x.folded] >= utf8.RuneSelf || x.start > 0 && len(x.words) > 0 && x.Folded[x.words[len(x.words)-1].From] >= utf8.RuneSelf
}

func (x *cutter) name(s string, quoted bool) {
	if x.whose == nil || len(s) > 64 {
		return
	}
	if c := x.whose(s); c != Unknown || quoted && strings.ContainsAny(s, "_-") {
		x.note(c, len(x.words)-x.word)
	}
}
