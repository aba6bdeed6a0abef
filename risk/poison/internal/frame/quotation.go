package frame

import (
	"strings"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"
)

// quotation is what the cutter knows of quotation marks. A mark opens a quotation
// only if its partner follows: an apostrophe or a sign for inches has none.
type quotation struct {
	quote     rune // that opened; 0 for none
	quoteAt   int  // words before it
	quoteFrom int  // behind the mark
	quoteEnd  int  // of the closing mark
	alone     [len(marks)]int
}

// marks are what opens a quotation, each with what may close it.
var marks = [...]struct {
	open  rune
	close [2]string
}{
	{'"', [2]string{"\""}}, {'`', [2]string{"`"}}, {'\'', [2]string{"'"}}, {'\u201c', [2]string{"\u201d"}}, {'\u201e', [2]string{"\u201c", "\u201d"}}, {'\u201d', [2]string{"\u201d"}},
	{'\u00ab', [2]string{"\u00bb"}}, {'\u00bb', [2]string{"\u00ab"}}, {'\u300c', [2]string{"\u300d"}}, {'\u300e', [2]string{"\u300f"}}, {'\u2039', [2]string{"\u203a"}},
}

// maxQuotation is the longest quotation, in bytes; it ends at an empty line too.
const maxQuotation = 600

// mark looks at a rune that is no letter: it may open a quotation.
func (x *cutter) mark(c rune, i int) {
	if x.quote != 0 {
		return
	}
	for kind := range marks {
		if marks[kind].open != c {
			continue
		}
		from := i + utf8.RuneLen(c)
		if (c == '"' || c == '\'') && i > 0 && ascii.Word(x.s[i-1]) || from < x.alone[kind] {
			return
		}
		if end := x.partner(kind, from); end > 0 {
			x.quote, x.quoteAt, x.quoteFrom, x.quoteEnd = c, len(x.words), from, end
		} else {
			// Until there no mark of the kind is looked at again, so that a text of
			// nothing else is not searched from each.
			x.alone[kind] = from + maxQuotation/4
		}
		return
	}
}

// partner returns where the closing mark stands, 0 for nowhere.
func (x *cutter) partner(kind, from int) int {
	ahead := x.s[from:min(len(x.s), from+maxQuotation)]
	end := -1
	for _, closing := range marks[kind].close {
		if closing == "" {
			continue
		}
		for at := 0; ; {
			n := strings.Index(ahead[at:], closing)
			if n < 0 {
				break
			}
			at += n
			if next := from + at + 1; marks[kind].open != '\'' || next == len(x.s) || !ascii.Word(x.s[next]) {
				if end < 0 || at < end {
					end = at
				}
				break
			}
			at++ // an apostrophe
		}
	}
	if end < 0 || strings.Contains(ahead[:end], "\n\n") {
		return 0
	}
	return from + end
}

// unquote ends the quotation.
func (x *cutter) unquote() {
	if len(x.words)-x.quoteAt >= 3 {
		x.noteAs(Quoted, max(0, x.quoteAt-x.word), false)
	}
	x.quote = 0
}
