package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// maxInPlace is the size in bytes up to which arguments stay in the body for the SDK.
// Copying them costs less than keeping them elsewhere.
const maxInPlace = 512

// held is the member of the placeholder for arguments that are kept elsewhere. A
// client that sends it itself names no stored arguments.
const held = "glovebox:held"

// Inner returns the body for the SDK: ids that would change are encoded as strings,
// arguments of more than a few hundred bytes are taken out, and answers of a client are
// carried past it, see [Carried]. hold stores arguments and returns their name. If nothing has to change, the body is only trimmed of
// surrounding space.
func (b Body) Inner(hold func(arguments []byte) (name string)) []byte {
	var out []byte
	from := len(b.Text) - len(bytes.TrimLeft(b.Text, " \t\r\n"))
	replace := func(at, length int, by []byte) {
		out = append(append(out, b.Text[from:at]...), by...)
		from = at + length
	}
	for i := range b.Messages {
		m := &b.Messages[i]
		type edit struct {
			at, length int
			by         []byte
		}
		var edits []edit
		for _, id := range []struct {
			ID
			at int
		}{{m.ID, m.id}, {m.RequestID, m.requestID}} {
			if !id.survives() {
				edits = append(edits, edit{id.at, len(id.raw), id.Inner()})
			}
		}
		if len(m.Arguments) > maxInPlace || bytes.Contains(m.Arguments, []byte(held)) {
			edits = append(edits, edit{m.arguments, len(m.Arguments), []byte(`{"` + held + `":"` + hold(m.Arguments) + `"}`)})
		}
		if m.Answer && len(m.Result) > 0 && m.Result[0] == '{' {
			edits = append(edits, edit{m.result, len(m.Result), carry(m.Result)})
		}
		if m.Responses != nil {
			edits = append(edits, edit{m.responses, len(m.Responses), append(append([]byte(`{"`+held+`":`), carry(m.Responses)...), '}')})
		}
		for len(edits) > 0 { // members stand in any order
			first := 0
			for j := range edits {
				if edits[j].at < edits[first].at {
					first = j
				}
			}
			replace(edits[first].at, edits[first].length, edits[first].by)
			edits = append(edits[:first], edits[first+1:]...)
		}
	}
	if out == nil {
		return bytes.TrimSpace(b.Text)
	}
	return append(out, bytes.TrimRight(b.Text[from:], " \t\r\n")...)
}

// Escapes reports whether an answer to one of the messages must pass through
// [Outer].
func (b Body) Escapes() bool {
	for i := range b.Messages {
		if !b.Messages[i].ID.survives() {
			return true
		}
	}
	return false
}

// Held returns the name of arguments kept elsewhere, if arguments is a
// placeholder.
func Held(arguments []byte) (name string, ok bool) {
	if !bytes.HasPrefix(arguments, []byte(`{"`+held+`":`)) {
		return "", false
	}
	var placeholder map[string]string
	if err := json.Unmarshal(arguments, &placeholder); err != nil {
		return "", false
	}
	return placeholder[held], true
}

// carry returns an answer that the SDK can decode, whatever question it takes it to be
// the answer to, and that carries text.
func carry(text []byte) []byte {
	return append(base64.StdEncoding.AppendEncode([]byte(`{"_meta":{"`+held+`":"`), text),
		`"},"action":"cancel","role":"assistant","model":"","content":{"type":"text","text":""},"roots":[]}`...)
}

// CarriedKey is the name of the one answer that stands for all answers of a request.
const CarriedKey = held

// Carried returns what a client answered, as it was written, from the _meta of what the
// SDK took for the answer: its types lose members that they do not know.
func Carried(meta map[string]any) (text []byte, ok bool) {
	carried, ok := meta[held].(string)
	if !ok {
		return nil, false
	}
	text, err := base64.StdEncoding.DecodeString(carried)
	return text, err == nil
}

// head begins every message that the SDK writes with an escaped id. The SDK writes
// the members of a message in this order, so nothing that a tool returns can precede
// them.
var head = []byte(`{"jsonrpc":"2.0","id":"` + escaped)

// Outer restores the ids in one write of the SDK: a message, a batch, or an event
// whose data is a message. Text without an escaped id is returned unchanged.
func Outer(text []byte) []byte {
	switch {
	case len(text) > 0 && text[0] == '{':
		return outerMessage(text, 0)
	case len(text) > 0 && text[0] == '[' && bytes.Contains(text, head):
		return outerBatch(text)
	}
	// The lines of an event before its data are short, and data is one line.
	const data = "data: "
	for at := 0; ; {
		if bytes.HasPrefix(text[at:], []byte(data)) {
			return outerMessage(text, at+len(data))
		}
		next := bytes.IndexByte(text[at:min(len(text), at+256)], '\n')
		if next < 0 {
			return text
		}
		at += next + 1
	}
}

// subscription is the member in which the SDK names the request on whose stream a
// notification is sent; notification is how a notification begins. Neither contains
// tool output.
var (
	subscription = []byte(`"io.modelcontextprotocol/subscriptionId":"` + escaped)
	notification = []byte(`{"jsonrpc":"2.0","method":"notifications/`)
)

// outerMessage restores the id of the message that begins at offset at.
func outerMessage(text []byte, at int) []byte {
	if bytes.HasPrefix(text[at:], head) {
		text = outerID(text, at+len(head)-len(escaped))
	} else if !bytes.HasPrefix(text[at:], notification) {
		return text
	}
	if len(text)-at > maxSubscription {
		return text
	}
	if found := bytes.Index(text[at:], subscription); found >= 0 {
		return outerID(text, at+found+len(subscription)-len(escaped))
	}
	return text
}

// maxSubscription bounds a message about a subscription in bytes; it has one id.
const maxSubscription = 4 * MaxID

// outerID restores the id in the escaped string that begins, after its quotation
// mark, at offset begin.
func outerID(text []byte, begin int) []byte {
	length := bytes.IndexByte(text[begin:], '"')
	if length < 0 {
		return text
	}
	raw := outer(text[begin : begin+length])
	if raw == nil {
		return text
	}
	out := make([]byte, 0, len(text))
	out = append(append(out, text[:begin-1]...), raw...)
	return append(out, text[begin+length+1:]...)
}

func outerBatch(text []byte) []byte {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := d.ReadToken(); err != nil {
		return text
	}
	out := []byte("[")
	for d.PeekKind() == '{' {
		m, err := d.ReadValue()
		if err != nil {
			return text
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, outerMessage(m, 0)...)
	}
	if token, err := d.ReadToken(); err != nil || token.Kind() != ']' {
		return text
	}
	return append(append(out, ']'), text[d.InputOffset():]...)
}

// WithID returns the message as JSON with another id.
func (m *Message) WithID(raw []byte) []byte { return m.splice(m.id, m.ID, raw) }

// WithRequestID returns the message as JSON with another params.requestId.
func (m *Message) WithRequestID(raw []byte) []byte { return m.splice(m.requestID, m.RequestID, raw) }

func (m *Message) splice(at int, old ID, raw []byte) []byte {
	if len(old.raw) == 0 {
		return m.Raw
	}
	at -= m.start
	out := make([]byte, 0, len(m.Raw)+len(raw))
	out = append(append(out, m.Raw[:at]...), raw...)
	return append(out, m.Raw[at+len(old.raw):]...)
}
