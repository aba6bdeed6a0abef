package poison

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/glovebox-run/glovebox/risk/poison/glyph"
	"github.com/glovebox-run/glovebox/risk/poison/internal/frame"
	"github.com/glovebox-run/glovebox/risk/poison/internal/language"
	"github.com/glovebox-run/glovebox/risk/poison/voice"
)

// Read returns a definition as package voice sees it. The trainer uses it, so that
// training and scanning read the same input.
func Read(raw []byte, names *Names) (*voice.Document, error) {
	s := newScanner(names)
	if err := s.definition(raw); err != nil {
		return nil, err
	}
	return s.take(), nil
}

// ReadResult is [Read] for a text that a tool returned.
func ReadResult(value string) *voice.Document {
	s := newScanner(nil)
	s.result(value)
	return s.take()
}

// take gives the document away and lets the scanner go.
func (s *scanner) take() *voice.Document {
	d := s.doc
	s.doc = voice.Document{}
	s.release()
	return &d
}

// voicePlaces are the places as package voice knows them.
var voicePlaces = [...]voice.Place{
	placeName: voice.Name, placeTitle: voice.Title, placeDescription: voice.Prose, placeProperty: voice.Property, placeValue: voice.Value, placeOther: voice.Else,
}

// inner adds what a text hides. It stands nowhere in the text, so its number is
// the complement.
func (s *scanner) inner(number int, hidden string) {
	v, _ := glyph.Reveal(hidden)
	s.sentences(^number, voice.Value, v.Text)
}

// voicePlace is the place of a text.
func (t text) voicePlace() voice.Place {
	if t.field && t.place == placeDescription {
		return voice.Argument
	}
	return voicePlaces[t.place]
}

func (s *scanner) sentences(number int, place voice.Place, view string) {
	whose := s.asked
	if place == voice.Name || place == voice.Property {
		whose = nil // a name does not mention itself
	}
	s.doc.Add(number, place, s.frames.Read(view, whose), s.frames.Folded)
}

// speaks reports whether a text of a definition can say anything: the words of
// JSON Schema and the names of its types cannot.
func (s *scanner) speaks(t text) bool {
	switch {
	case s.isResult:
		return t.place != placeProperty
	case t.place == placeProperty:
		return !schemaWords[t.value]
	case t.place == placeOther || t.place == placeValue:
		return len(t.value) > 12 && (strings.IndexByte(t.value, ' ') >= 0 || strings.IndexByte(t.value, '_') >= 0 || !glyph.Plain(t.value))
	}
	return t.value != ""
}

// A first sentence that is longer, or that mentions more than a tool does, may be
// the attack itself and does not count as a purpose.
const maxPurpose = 14 // words

var notPurpose = frame.Of(frame.User, frame.Model, frame.Hide, frame.NoAsk, frame.Must, frame.Address, frame.SecretPath, frame.Always, frame.When, frame.Ignore, frame.Prompt, frame.You, frame.Role)

// purpose learns what the tool says it is for: its name, the names of its
// parameters, its title, the first sentence of its description.
func (s *scanner) purpose() {
	described := false
	s.doc.Bare = true
	for _, t := range s.texts {
		switch t.place {
		case placeName, placeTitle, placeProperty:
			if schemaWords[t.value] || len(t.value) > maxName {
				continue
			}
			if t.place == placeProperty {
				s.doc.Bare = false
			}
			for _, n := range s.frames.Read(t.value, nil) {
				if len(n.Words) <= 4 { // a name that is a sentence is no purpose
					s.doc.Purpose.Learn(n, t.place == placeProperty)
				}
			}
		case placeDescription:
			if described {
				continue
			}
			described = true
			const opening = 160 // bytes; maxPurpose words are fewer
			v, _ := glyph.Reveal(strings.ToValidUTF8(t.value[:min(len(t.value), opening)], ""))
			if n, ok := s.frames.First(v.Text); ok && len(n.Words) <= maxPurpose && !n.Has.Any(notPurpose) {
				s.doc.Purpose.Learn(n, false)
			}
		}
	}
}

// whose returns the concept of a name in a text.
func (s *scanner) whose(name string) frame.Concept {
	if s.own == nil {
		s.learn()
	}
	name = language.Canonical(name)
	switch {
	case s.names.siblings.has(name) && !s.own.has(name) || name == s.tool:
		return frame.Sibling
	case s.own.has(name):
		return frame.OwnParam
	case s.names.foreign.has(name):
		return frame.Foreign
	}
	return frame.Unknown
}

// learn takes in the names of the document.
func (s *scanner) learn() {
	s.own = nameSet{}
	for _, t := range s.texts {
		if t.place == placeName && s.tool == "" {
			s.tool = language.Canonical(t.value)
		}
		s.own.learn(t)
	}
}

// definition reads the strings of a definition and what they say.
func (s *scanner) definition(raw []byte) error {
	err := visit(raw, func(t text, _ *jsontext.Decoder) { s.texts = append(s.texts, t) })
	if err != nil && err != errDepth {
		return err
	}
	s.purpose()
	for _, t := range s.texts {
		s.text(t)
	}
	return err
}

// result reads a text that a tool returned; of JSON every string is one.
func (s *scanner) result(value string) {
	s.isResult = true
	if trimmed := strings.TrimSpace(value); trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') {
		if err := visit([]byte(value), func(t text, _ *jsontext.Decoder) { s.texts = append(s.texts, t) }); err != nil {
			s.texts = s.texts[:0]
		}
	}
	s.isJSON = len(s.texts) > 0
	if !s.isJSON {
		s.texts = append(s.texts, text{value: value, place: placeDescription})
	}
	for i, t := range s.texts {
		if t.place != placeProperty {
			s.texts[i].place = placeDescription
		}
		s.text(s.texts[i])
	}
}
