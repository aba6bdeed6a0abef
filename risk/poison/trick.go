package poison

import (
	"strings"
	"unicode"
)

// trickRules say how much a way of hiding text means by itself.
var trickRules = map[string]struct {
	class      Class
	confidence Confidence
	why        string
}{
	tagCharacters:      {HiddenText, High, "tag characters spell text that no font shows"},
	variationSelectors: {HiddenText, High, "a run of variation selectors carries bytes; one alone picks the shape of a character"},
	zeroWidthRun:       {HiddenText, High, "a run of characters without width carries a message in two symbols"},
	zeroWidthInWord:    {HiddenText, Medium, "a character without width splits a word for whoever searches it"},
	zeroWidthStray:     {HiddenText, Low, "a character without width stands between words"},
	bidiOverride:       {DeceptiveText, Medium, "an override shows the text in another order than it is read"},
	bidiControl:        {DeceptiveText, Low, "a direction mark can reorder what is shown"},
	terminalEscape:     {HiddenText, High, "a terminal takes the sequence as a command: it can hide or overwrite text"},
	controlCharacter:   {HiddenText, Low, "a control character does not belong into a text"},
	mixedScript:        {DeceptiveText, Medium, "a word mixes letters of two scripts that look the same"},
}

// trick makes the finding for a trick, weighed by the text around it. What the
// trick hid is judged as a text of its own.
func (s *scanner) trick(t text, tr trick) {
	r := trickRules[tr.rule]
	f := Finding{Rule: tr.rule, Class: r.class, Confidence: r.confidence, Start: tr.start, End: tr.end, Hidden: tr.hidden, Why: r.why}
	switch tr.rule {
	case variationSelectors:
		if tr.hidden == "" && tr.end-tr.start < 12 {
			f.Confidence = Low // doubled by an editor
		}
	case bidiControl:
		if !strings.ContainsFunc(t.value, rightToLeft) {
			f.Confidence = Medium // nothing here is written from right to left
		}
	case mixedScript:
		if strings.ContainsFunc(t.value[:tr.start]+" "+t.value[tr.end:], func(c rune) bool { return unicode.Is(unicode.Cyrillic, c) && lookAlikes[c] == 0 }) {
			f.Confidence = Low // a text in both scripts, typed on the wrong keyboard layout
		}
	}
	if tr.hidden != "" && tr.rule != mixedScript {
		inner, _ := reveal(tr.hidden)
		if worst, _ := s.judge(inner.text, 50, false); worst.points >= pointsLow {
			_, f.Evidence, f.Why = s.lang.explain(worst)
			f.Why, f.Points = r.why+"; "+f.Why, worst.points
		}
	}
	s.add(t, f)
}

func rightToLeft(c rune) bool {
	return unicode.In(c, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
}
