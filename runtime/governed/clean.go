package governed

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/glovebox-run/glovebox/catalog/nesting"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk/egress"
)

// MaxDepth is how deep the JSON that a tool returns may be nested. Decoders on
// the other side have their own limits: Python's stops at 1,000, Go's at 10,000.
const MaxDepth = 512

// clean removes secrets from all output: those given to this call, and anything that
// looks like one.
func (c *call) clean() *Failure {
	out := c.out
	if nesting.Beyond(out.Value, MaxDepth) >= 0 {
		out.Value = nil
		out.Failure = &Failure{Kind: jsengine.OutputTooLarge, Message: fmt.Sprintf("the result is nested more than %d deep", MaxDepth)}
	}
	value, outcome := c.cleanedValue()
	out.Value, out.Redactions = nil, append(out.Redactions, outcome.Findings...)
	mask := func(text string) string {
		cleaned, outcome := c.cleanedText(text)
		out.Redactions = append(out.Redactions, outcome.Findings...)
		return cleaned
	}
	maskAll(reflect.ValueOf(&out.Output).Elem(), mask)
	maskAll(reflect.ValueOf(&out.Warnings).Elem(), mask)
	out.Value = value
	if outcome.Blocked != "" && out.Failure == nil {
		out.Value, out.Failure = nil, &Failure{Kind: OutputBlocked, Message: "the result was not passed on: " + outcome.Blocked}
	}
	return nil
}

func (c *call) cleanedText(text string) (string, egress.Outcome) {
	if c.terms.Sanitiser == nil {
		return "", egress.Outcome{}
	}
	return c.terms.Sanitiser.Text(c.session, egress.Place{Tool: c.about.Name}, text)
}

func (c *call) cleanedBytes(text []byte) ([]byte, egress.Outcome) {
	if c.terms.Sanitiser == nil {
		return nil, egress.Outcome{}
	}
	return c.terms.Sanitiser.Bytes(c.session, egress.Place{Tool: c.about.Name}, text)
}

// cleanedValue returns the value, cleaned. That of another server's tool is an object of
// the protocol, with pictures in it that are no text.
func (c *call) cleanedValue() ([]byte, egress.Outcome) {
	if _, verbatim := c.Tool.(Verbatim); !verbatim || c.terms.Sanitiser == nil || len(c.out.Value) == 0 {
		return c.cleanedBytes(c.out.Value)
	}
	return c.terms.Sanitiser.Message(c.session, egress.Place{Tool: c.about.Name}, c.out.Value)
}

// describe returns the private cause in one line, cleaned: secrets do not belong in the
// record either.
func (c *call) describe(f *Failure) string {
	text := f.Message
	if f.Cause != nil {
		text = fmt.Sprintf("%s (%v)", text, f.Cause)
	}
	cleaned, _ := c.cleanedText(text)
	return cleaned
}

// shownArguments returns the arguments for a person, cleaned.
func (c *call) shownArguments() json.RawMessage {
	cleaned, _ := c.cleanedBytes(c.arguments)
	return asJSON(cleaned)
}

// parameters returns the arguments for the record, cleaned. Of long ones these are only
// the beginning, and size is that of the whole in bytes.
func (c *call) parameters() (text json.RawMessage, size int) {
	if c.terms.Sanitiser == nil {
		return asJSON(nil), 0
	}
	cleaned, whole := c.terms.Sanitiser.Beginning(c.session, egress.Place{Tool: c.about.Name}, c.arguments)
	if !whole {
		size = len(c.arguments)
	}
	return asJSON(cleaned), size
}

// asJSON returns cleaned arguments as they are, or what is not JSON as a string.
func asJSON(cleaned []byte) json.RawMessage {
	if len(cleaned) == 0 {
		return json.RawMessage(`{}`)
	}
	if json.Valid(cleaned) {
		return cleaned
	}
	text, err := json.Marshal(string(cleaned))
	if err != nil {
		return nil
	}
	return text
}
