package poison

import (
	"sort"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/glovebox-run/glovebox/risk/poison/glyph"
	"github.com/glovebox-run/glovebox/risk/poison/internal/frame"
	"github.com/glovebox-run/glovebox/risk/poison/internal/language"
	"github.com/glovebox-run/glovebox/risk/poison/voice"
)

// Scanner scans with weights other than the built-in ones, to measure them. The
// zero value uses the built-in ones.
type Scanner struct{ Voice *voice.Weights }

// Scan reads one tool, prompt, resource or any other JSON document and judges
// every string in it. It fails only if raw is not JSON. names may be nil.
func Scan(raw []byte, names *Names) (Report, error) { return Scanner{}.Definition(raw, names) }

// Definition is [Scan] with the weights of the scanner.
func (with Scanner) Definition(raw []byte, names *Names) (Report, error) {
	s := newScanner(names)
	defer s.release()
	s.voice = with.Voice
	err := s.definition(raw)
	if err != nil && err != errDepth {
		return Report{}, err
	}
	s.finish(raw)
	if err == errDepth {
		// One such definition must not keep a whole list from being scanned.
		s.report = append(s.report, Finding{Rule: tooDeep, Class: DeceptiveText, Confidence: High, Place: placeOther.String(), Why: whyTooDeep})
	}
	return Report{s.report}, nil
}

// finish runs the voice model, sorts the findings in document order and adds their
// places.
func (s *scanner) finish(raw []byte) {
	s.speak()
	if len(s.found) == 0 {
		return
	}
	sort.Stable(byNumber{s})
	if raw != nil {
		s.place(raw)
	}
}

// byNumber sorts findings by the texts they are of.
type byNumber struct{ s *scanner }

func (b byNumber) Len() int           { return len(b.s.found) }
func (b byNumber) Less(i, j int) bool { return b.s.found[i] < b.s.found[j] }
func (b byNumber) Swap(i, j int) {
	b.s.found[i], b.s.found[j] = b.s.found[j], b.s.found[i]
	b.s.report[i], b.s.report[j] = b.s.report[j], b.s.report[i]
}

// What stands below maxDepth is not read, so the definition is not to be used.
const (
	tooDeep    = "too-deep"
	whyTooDeep = "the definition is nested more than 512 levels deep, beyond what anybody reads"
)

// ScanText judges one text that is not part of a document, such as the
// instructions of a server. names may be nil.
func ScanText(value string, names *Names) Report {
	s := newScanner(names)
	defer s.release()
	t := text{value: value, place: placeDescription}
	s.texts = append(s.texts, t)
	s.text(t)
	s.finish(nil)
	return Report{s.report}
}

// ScanResult judges what a server returned: a result, a resource, a prompt or an
// elicitation. Such texts come from third parties and quote each other, so the
// threshold differs from that for definitions, and a request to a person does not
// count as one to the model. JSON is read string by string.
func ScanResult(value string) Report { return Scanner{}.Result(value) }

// Result is [ScanResult] with the weights of the scanner.
func (with Scanner) Result(value string) Report {
	s := newScanner(nil)
	defer s.release()
	s.voice = with.Voice
	s.result(value)
	var raw []byte
	if s.isJSON {
		raw = []byte(value)
	}
	s.finish(raw)
	return Report{s.report}
}

// scanner is the state of one scan.
type scanner struct {
	reader           *language.Reader
	texts            []text
	frames           *frame.Reader
	asked            func(name string) frame.Concept // whose, made once
	doc              voice.Document
	voice            *voice.Weights // nil: those of the program
	own              nameSet        // names of the document itself; nil until one is asked for
	tool             string         // its own name
	names            *Names
	isResult, isJSON bool
	report           []Finding
	found            []int // the number of the text of each finding
}

// scanners keeps the slices of scanners that are done; without it a third of the
// time of a scan goes into making them.
var scanners = sync.Pool{New: func() any {
	s := &scanner{reader: language.NewReader(), frames: frame.NewReader()}
	s.asked = s.whose
	return s
}}

func newScanner(names *Names) *scanner {
	s := scanners.Get().(*scanner)
	if names == nil {
		names = &Names{}
	}
	s.names, s.report = names, []Finding{}
	return s
}

// release returns the slices to the pool, without any scanned content.
func (s *scanner) release() {
	clear(s.texts)
	s.doc.Reset()
	*s = scanner{reader: s.reader, frames: s.frames, asked: s.asked, doc: s.doc, texts: s.texts[:0]}
	if s.reader.Size() <= maxKept && s.frames.Size() <= maxKept && s.doc.Room() <= maxKept && cap(s.texts) <= maxKept {
		scanners.Put(s)
	}
}

// maxKept is how many elements a slice may have that is kept for later: enough
// for any honest tool, so that a hostile one does not stay in memory.
const maxKept = 1 << 14

// place fills in the pointers: few documents have findings, so pointers are made
// on a second walk instead of for every string on the first, which went well.
func (s *scanner) place(raw []byte) {
	next := 0
	_ = visit(raw, func(t text, at *jsontext.Decoder) {
		for ; next < len(s.found) && s.found[next] == t.number; next++ {
			s.report[next].Pointer = string(at.StackPointer())
		}
	})
}

// A plain text of fewer bytes is too short for any rule: the shortest that one
// of them acts on are "<system>" and "[system]".
const minText = 8

func (s *scanner) text(t text) {
	if len(t.value) < minText && glyph.Plain(t.value) || t.place == placeProperty && schemaWords[t.value] {
		return // a single word of a schema says nothing either
	}
	v, tricks := glyph.Reveal(t.value)
	if s.speaks(t) {
		s.sentences(t.number, t.voicePlace(), v.Text)
	}
	extra := 0
	if t.place == placeValue || t.place == placeProperty || t.place == placeTitle {
		extra = misplaced
	}
	for _, tr := range tricks {
		s.trick(t, tr)
		if tr.Hidden != "" && tr.Rule != glyph.MixedScript {
			s.inner(t.number, tr.Hidden)
		}
		if tr.Rule == glyph.MixedScript || tr.Rule == glyph.ZeroWidthInWord || tr.Rule == glyph.TerminalEscape {
			extra = hidden
		}
	}
	s.language(t, v, extra)
	for _, p := range payloads(v.Text) {
		s.payload(t, v, p)
		if p.rule != commentPayload && p.rule != paddingPayload {
			s.inner(t.number, p.text)
		}
	}
	for _, m := range Reference(t.value, s.names.others) {
		s.add(t, Finding{Rule: m.Pattern, Class: ReferencePattern, Confidence: Low, Start: m.Offset, End: m.Offset + len(m.Text), Why: "one of the nine published patterns"})
	}
}

// maxRepeats is how often one rule is reported for one text. A text can hold a
// million invisible characters; the report does not have to.
const maxRepeats = 8

func (s *scanner) add(t text, f Finding) {
	repeats := 0
	for i := len(s.report) - 1; i >= 0 && s.found[i] == t.number; i-- {
		if s.report[i].Rule == f.Rule {
			repeats++
		}
	}
	if repeats >= maxRepeats {
		return
	}
	f.Place = t.place.String()
	f.Text = glyph.Visible(t.value[f.Start:f.End])
	f.Hidden = glyph.Visible(f.Hidden)
	s.report = append(s.report, f)
	s.found = append(s.found, t.number)
}

// What a text gets for its place on top of what it says.
const (
	misplaced = 40 // an order where only data belongs
	hidden    = 50 // an order that was hidden
)

// language runs the rules over a view and reports its worst passage.
func (s *scanner) language(t text, v glyph.View, extra int) {
	worst := s.judge(v.Text, extra, t.place != placeValue)
	for id, at := range s.reader.Hits {
		s.doc.Rule(t.number, id, at)
	}
	if worst.Points < language.Remarkable {
		return
	}
	s.add(t, Finding{
		Rule: languageRule, Class: Class(worst.Class), Confidence: confidence(worst.Points), Points: worst.Points,
		Start: v.Original(worst.Start), End: v.Original(worst.End), Evidence: worst.Rules(), Why: worst.Why(),
	})
}

func (s *scanner) judge(text string, extra int, prose bool) language.Verdict {
	return s.reader.Judge(text, language.Place{Extra: extra, Prose: prose, Owner: s.owner, Foreign: len(s.names.foreign) > 0})
}

func confidence(points int) Confidence {
	switch {
	case points >= language.Certain:
		return High
	case points >= language.Actionable:
		return Medium
	}
	return Low
}

// payload judges a text that was encoded or out of sight. Encoding as such is
// innocent, hiding an order in it is not.
func (s *scanner) payload(t text, v glyph.View, p payload) {
	inner, _ := glyph.Reveal(p.text)
	worst := s.judge(inner.Text, hidden, false)
	if worst.Points < language.Actionable {
		return
	}
	f := Finding{
		Rule: p.rule, Confidence: confidence(worst.Points), Points: worst.Points, Start: v.Original(p.start), End: v.Original(p.end),
		Hidden: p.text, Evidence: worst.Rules(),
	}
	for _, r := range payloadRules {
		if r.id == p.rule {
			f.Class, f.Why = r.class, r.why+"; "+worst.Why()
		}
	}
	s.add(t, f)
}
