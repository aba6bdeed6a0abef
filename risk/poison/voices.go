package poison

import (
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/poison/glyph"
	"github.com/glovebox-run/glovebox/risk/poison/internal/frame"
	"github.com/glovebox-run/glovebox/risk/poison/internal/language"
	"github.com/glovebox-run/glovebox/risk/poison/voice"
)

// voiceRule is the id of findings of the voice model.
const voiceRule = "voice"

const whyVoice = "the passage does not belong to what the tool is for"

// bars are the score thresholds of the voice model, in sixteenths of a logit.
// Below veto it overrides the language rules: their findings are reported as low.
// Rules that are certain it overrides only below doubt, and those that are
// overwhelming never: a page can be made to read like documentation all around an
// order. Where the rules find something remarkable as well, agreed stands for medium.
type bars struct{ doubt, veto, low, agreed, medium, high int32 }

// Chosen on texts of this project that the weights had not seen; see
// make eval-poisoning.
var (
	definitionBars = bars{doubt: -80, veto: -16, low: 16, agreed: 11, medium: 24, high: 80}
	resultBars     = bars{doubt: -16, veto: 0, low: 8, agreed: 25, medium: 25, high: 80}
)

// A long text is asked more often: the worst of a hundred passages is worse than the
// worst of five, also where all are honest. So the bars rise with the sentences, by
// seventeen points for twice as many. The rise ends, so that no length hides an order
// that is plain.
const (
	shortText = 8 // sentences
	longText  = 16 * shortText
	rise      = 7 // for a third more
)

// raised are the bars for a text of so many sentences.
func (b bars) raised(sentences int) bars {
	for n := min(sentences, longText); n > shortText; n = n * 3 / 4 {
		b.low, b.agreed, b.medium, b.high = b.low+rise, b.agreed+rise, b.medium+rise, b.high+rise
	}
	return b
}

// reasons is how many concepts a finding names.
const reasons = 4

// speak runs the voice model, adds its findings and downgrades those it contradicts.
func (s *scanner) speak() {
	definitions, results := voice.Trained()
	w, b := definitions, definitionBars
	if s.isResult {
		w, b = results, resultBars
	}
	if s.voice != nil {
		w = s.voice
	}
	if !s.isResult {
		b = b.raised(len(s.doc.Sentences))
	}
	o, ok := w.Ask(&s.doc)
	if !ok || o.Score < b.veto {
		s.veto(language.Certain)
	}
	if !ok || o.Score < b.doubt {
		s.veto(language.Overwhelming)
	}
	if s.remarked() {
		b.medium = b.agreed
	}
	if !ok || o.Score < min(b.low, b.medium) {
		return
	}
	f := Finding{Rule: voiceRule, Confidence: Low, Points: int(o.Score)}
	switch {
	case o.Score >= b.high:
		f.Confidence = High
	case o.Score >= b.medium:
		f.Confidence = Medium
	}
	why := []string{}
	for _, c := range w.Reasons(&s.doc, o, reasons) {
		f.Evidence = append(f.Evidence, voiceRule+"-"+c.String())
		why = append(why, c.Why())
	}
	f.Class = s.classOf(o)
	f.Why = whyVoice
	if len(why) > 0 {
		f.Why += ": it " + strings.Join(why, "; ")
	}
	t := s.passage(w.Core(&s.doc, o), &f)
	s.add(t, f)
}

// remarked reports whether the language rules found something worth a line.
func (s *scanner) remarked() bool {
	return slices.ContainsFunc(s.report, func(f Finding) bool { return f.Rule == languageRule })
}

// passage finds the text that holds most of the passage, and its place there.
func (s *scanner) passage(o voice.Opinion, f *Finding) text {
	all := s.doc.Sentences[o.From:o.To]
	longest := slices.MaxFunc(all, func(a, b voice.Sentence) int { return (a.End - a.Start) - (b.End - b.Start) })
	number, inner := longest.Text, longest.Text < 0
	if inner {
		number = ^number
	}
	at := slices.IndexFunc(s.texts, func(t text) bool { return t.number == number })
	t := s.texts[at]
	if inner {
		f.Start, f.End = 0, len(t.value)
		return t
	}
	v, _ := glyph.Reveal(t.value)
	start, end := len(v.Text), 0
	for _, n := range all {
		if n.Text == longest.Text {
			start, end = min(start, n.Start), max(end, n.End)
		}
	}
	f.Start, f.End = v.Original(start), v.Original(end)
	return t
}

// veto downgrades findings of the language rules that have fewer points.
func (s *scanner) veto(points int) {
	for i := range s.report {
		if f := &s.report[i]; f.Rule == languageRule && f.Confidence > Low && f.Points < points {
			f.Confidence = Low
			f.Why += "; it reads like the documentation of the tool"
		}
	}
}

// deedClasses gives the class of a passage by what it asks for, the gravest first.
var deedClasses = []struct {
	has   frame.Set
	any   frame.Set
	class Class
}{
	{frame.Of(frame.Ignore), frame.Of(frame.Rules, frame.Prompt, frame.Prior), InstructionOverride},
	{frame.Of(frame.Role), frame.Of(frame.You, frame.Rules, frame.Model), InstructionOverride},
	{frame.Set{}, frame.Of(frame.Disable, frame.Delete), DestructiveAction},
	{frame.Of(frame.Send), frame.Of(frame.Secret, frame.SecretPath, frame.Talk, frame.Prompt, frame.Personal, frame.File, frame.Env, frame.Address), DataExfiltration},
	{frame.Set{}, frame.Of(frame.Secret, frame.SecretPath, frame.Talk, frame.Prompt, frame.Personal, frame.Env), SensitiveAccess},
	{frame.Set{}, frame.Of(frame.Run), CommandExecution},
	{frame.Of(frame.Change), frame.Of(frame.OwnParam, frame.Money, frame.User, frame.Unknown, frame.Sibling), ParameterOverride},
	{frame.Of(frame.Call), frame.Of(frame.Sibling, frame.Unknown, frame.Foreign, frame.Other), ToolShadowing},
	{frame.Set{}, frame.Of(frame.Hide, frame.NoAsk), Concealment},
	{frame.Set{}, frame.Of(frame.Say, frame.Rank, frame.Untrue), OutputManipulation},
}

func (s *scanner) classOf(o voice.Opinion) Class {
	var has frame.Set
	for _, n := range s.doc.Sentences[o.From:o.To] {
		has = has.Or(n.Has())
	}
	for _, d := range deedClasses {
		if (d.has.Empty() || has.Any(d.has)) && has.Any(d.any) {
			return d.class
		}
	}
	return InstructionOverride
}
