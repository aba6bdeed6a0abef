package poison

import (
	"strings"
	"unicode"

	"github.com/glovebox-run/glovebox/risk/poison/glyph"
	"github.com/glovebox-run/glovebox/risk/poison/internal/language"
)

// characterRules are the rules of the character layer in a fixed order.
var characterRules = []string{
	glyph.TagCharacters, glyph.VariationSelectors, glyph.ZeroWidthInWord, glyph.ZeroWidthRun, glyph.ZeroWidthStray,
	glyph.BidiOverride, glyph.BidiControl, glyph.TerminalEscape, glyph.ControlCharacter, glyph.MixedScript,
}

// trickRules give the weight of each way of hiding text on its own.
var trickRules = map[string]struct {
	class      Class
	confidence Confidence
	why        string
}{
	glyph.TagCharacters:      {HiddenText, High, "tag characters spell text that no font shows"},
	glyph.VariationSelectors: {HiddenText, High, "a run of variation selectors carries bytes; one alone picks the shape of a character"},
	glyph.ZeroWidthRun:       {HiddenText, High, "a run of characters without width carries a message in two symbols"},
	glyph.ZeroWidthInWord:    {HiddenText, Medium, "a character without width splits a word for whoever searches it"},
	glyph.ZeroWidthStray:     {HiddenText, Low, "a character without width stands between words"},
	glyph.BidiOverride:       {DeceptiveText, Medium, "an override shows the text in another order than it is read"},
	glyph.BidiControl:        {DeceptiveText, Low, "a direction mark can reorder what is shown"},
	glyph.TerminalEscape:     {HiddenText, High, "a terminal takes the sequence as a command: it can hide or overwrite text"},
	glyph.ControlCharacter:   {HiddenText, Low, "a control character does not belong into a text"},
	glyph.MixedScript:        {DeceptiveText, Medium, "a word mixes letters of two scripts that look the same"},
}

// trick makes the finding for a trick, weighed by the text around it. What the
// trick hid is judged as a text of its own.
func (s *scanner) trick(t text, tr glyph.Trick) {
	r := trickRules[tr.Rule]
	f := Finding{Rule: tr.Rule, Class: r.class, Confidence: r.confidence, Start: tr.Start, End: tr.End, Hidden: tr.Hidden, Why: r.why}
	switch tr.Rule {
	case glyph.VariationSelectors:
		if tr.Hidden == "" && tr.End-tr.Start < 12 {
			f.Confidence = Low // doubled by an editor
		}
	case glyph.BidiControl:
		if !strings.ContainsFunc(t.value, rightToLeft) {
			f.Confidence = Medium // nothing here is written from right to left
		}
	case glyph.MixedScript:
		if strings.ContainsFunc(t.value[:tr.Start]+" "+t.value[tr.End:], func(c rune) bool { return unicode.Is(unicode.Cyrillic, c) && !glyph.LooksLatin(c) }) {
			f.Confidence = Low // a text in both scripts, typed on the wrong keyboard layout
		}
	}
	if tr.Hidden != "" && tr.Rule != glyph.MixedScript {
		inner, _ := glyph.Reveal(tr.Hidden)
		if worst := s.judge(inner.Text, hidden, false); worst.Points >= language.Remarkable {
			f.Evidence, f.Points, f.Why = worst.Rules(), worst.Points, r.why+"; "+worst.Why()
		}
	}
	s.add(t, f)
}

func rightToLeft(c rune) bool {
	return unicode.In(c, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
}
