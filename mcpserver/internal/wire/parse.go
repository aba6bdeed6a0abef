package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/glovebox-run/glovebox/catalog/nesting"
)

const (
	// MaxMessage bounds a body in bytes, over every transport: arguments of a few
	// megabytes are a file in the wrong place.
	MaxMessage = 4 << 20
	// MaxDepth is how deep the JSON of a body may be nested; the SDK takes no more.
	MaxDepth = 1000
	// MaxBatch is how many messages a body may hold. Each has a goroutine and some
	// 100 KiB of decoders while it is answered.
	MaxBatch = 100
	// MaxEnvelope bounds a body without the arguments of tools, in bytes: the SDK
	// decodes only this part, and it usually takes hundreds.
	MaxEnvelope = 64 << 10
)

// Problem is why a body is refused, as a JSON-RPC error. Message completes "the body
// is", such as "no JSON".
type Problem struct {
	Code    int64 // ParseError or InvalidRequest
	Message string
}

// Codes of JSON-RPC 2.0.
const (
	ParseError     = -32700
	InvalidRequest = -32600
)

func (p *Problem) Error() string { return p.Message }

func invalid(format string, args ...any) error {
	return &Problem{InvalidRequest, "no JSON-RPC 2.0 message: " + fmt.Sprintf(format, args...)}
}

var errNoMessage = &Problem{InvalidRequest, "no JSON-RPC 2.0 message"}

// Body is one message or, in old versions, a batch.
type Body struct {
	Text     []byte
	Messages []Message
	Batch    bool
}

// Message is a request, a notification or an answer. Its slices are parts of the
// body.
type Message struct {
	Raw       []byte
	ID        ID
	Method    string // empty for an answer
	Answer    bool   // it has no method
	Tool      string // params.name
	Arguments []byte // params.arguments, nil if there are none
	RequestID ID     // params.requestId: the request that a notification is about
	Version   string // protocol version in params._meta
	Params    []byte // nil if there are none
	Responses []byte // params.inputResponses: answers to questions of ours; nil if there are none
	Result    []byte // of an answer, nil if it is an error
	// ResultType is result.resultType. It decides who asks a person, so two of them are
	// refused: another reader might take the other one.
	ResultType string
	Error      []byte // of an answer, nil if it is a result

	start, id, requestID, arguments, responses, result int // their offsets in the body
}

// Request reports whether the message wants an answer.
func (m *Message) Request() bool { return !m.Answer && m.ID.Given() }

// Parse finds the messages of a body. The error is a [*Problem].
func Parse(text []byte) (Body, error) {
	if nesting.Beyond(text, MaxDepth) >= 0 {
		return Body{}, &Problem{ParseError, fmt.Sprintf("no JSON that is read: it is nested more than %d deep", MaxDepth)}
	}
	r := reader{text: text, Decoder: jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))}
	b, err := r.body()
	if problem := (*Problem)(nil); err == nil || errors.As(err, &problem) && problem.Code == InvalidRequest && jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true)) {
		return b, err
	}
	return Body{}, &Problem{ParseError, "no JSON"}
}

// VersionMember is the member of _meta that names the version of a message.
const VersionMember = "io.modelcontextprotocol/protocolVersion"

// reader reads the known members of messages and skips the rest.
type reader struct {
	*jsontext.Decoder
	text []byte
}

func (r reader) body() (Body, error) {
	b := Body{Text: r.text}
	switch r.PeekKind() {
	case '{':
		m, err := r.message()
		if err != nil {
			return b, err
		}
		b.Messages = []Message{m}
	case '[':
		b.Batch = true
		if _, err := r.ReadToken(); err != nil {
			return b, err
		}
		for r.PeekKind() != ']' {
			if len(b.Messages) == MaxBatch {
				return b, invalid("more than %d messages at once", MaxBatch)
			}
			m, err := r.message()
			if err != nil {
				return b, err
			}
			b.Messages = append(b.Messages, m)
		}
		if _, err := r.ReadToken(); err != nil {
			return b, err
		}
		if len(b.Messages) == 0 {
			return b, invalid("a batch without messages")
		}
	default:
		if err := r.SkipValue(); err != nil {
			return b, err
		}
		return b, errNoMessage
	}
	if _, err := r.ReadToken(); err != io.EOF {
		return b, &Problem{ParseError, "no JSON"}
	}
	return b, nil
}

// message reads one message, which must be an object with the version of JSON-RPC.
func (r reader) message() (m Message, err error) {
	if r.PeekKind() != '{' {
		if err := r.SkipValue(); err != nil {
			return m, err
		}
		return m, errNoMessage
	}
	versioned, asks := false, false
	err = r.members([]string{"jsonrpc", "id", "method", "params", "result", "error"}, func(name string) error {
		switch name {
		case "":
			m.start = int(r.InputOffset()) - 1
			return nil
		case "id":
			m.ID, m.id, err = r.id()
			return err
		case "params":
			m.Params, err = r.span(func() error { return r.params(&m) })
			return err
		case "result":
			m.Result, err = r.span(func() error { return r.result(&m) })
			m.result = int(r.InputOffset()) - len(m.Result)
			return err
		}
		value, _, err := r.value()
		if err != nil {
			return err
		}
		switch name {
		case "jsonrpc":
			if string(value) != `"2.0"` {
				return errNoMessage
			}
			versioned = true
		case "method":
			if value.Kind() != '"' {
				return invalid("the method is no string")
			}
			m.Method, asks = ID{value}.text(), true
		case "error":
			m.Error = value
		}
		return nil
	})
	if err != nil {
		return m, err
	}
	if !versioned {
		return m, errNoMessage
	}
	m.Answer = !asks
	m.Raw = r.text[m.start:r.InputOffset()]
	return m, nil
}

// Bounded refuses a body that is too large to decode even without the arguments of
// tools.
func (b Body) Bounded() error {
	size := len(bytes.TrimSpace(b.Text))
	for i := range b.Messages {
		size -= len(b.Messages[i].Arguments)
	}
	if size > MaxEnvelope {
		return &Problem{InvalidRequest, fmt.Sprintf("the message without the arguments of a tool is larger than %d KiB", MaxEnvelope>>10)}
	}
	return nil
}

// span returns the text of the value that read reads, which is a member's.
func (r reader) span(read func() error) ([]byte, error) {
	from := r.InputOffset() // after the name
	if err := read(); err != nil {
		return nil, err
	}
	value := bytes.TrimLeft(r.text[from:r.InputOffset()], ": \t\r\n")
	return value[:len(value):len(value)], nil
}

// result reads the one member of a result that decides what is done with it.
func (r reader) result(m *Message) error {
	if r.PeekKind() != '{' {
		return r.SkipValue()
	}
	return r.members([]string{"resultType"}, func(name string) error {
		if name == "" {
			return nil
		}
		value, _, err := r.value()
		if err == nil && value.Kind() == '"' {
			m.ResultType = ID{value}.text()
		}
		return err
	})
}

// params reads the members of params that are needed later. Params may be any value;
// only an object has members.
func (r reader) params(m *Message) error {
	if r.PeekKind() != '{' {
		return r.SkipValue()
	}
	return r.members([]string{"name", "arguments", "requestId", "inputResponses", "_meta"}, func(name string) (err error) {
		switch name {
		case "":
			return nil
		case "requestId":
			m.RequestID, m.requestID, err = r.idOrNone()
			return err
		case "_meta":
			return r.meta(m)
		}
		value, at, err := r.value()
		if err != nil {
			return err
		}
		switch {
		case name == "name" && value.Kind() == '"':
			m.Tool = ID{value}.text()
		case name == "arguments":
			m.Arguments, m.arguments = value, at
		case name == "inputResponses" && value.Kind() == '{':
			m.Responses, m.responses = value, at
		}
		return nil
	})
}

func (r reader) meta(m *Message) error {
	if r.PeekKind() != '{' {
		return r.SkipValue()
	}
	return r.members([]string{VersionMember}, func(name string) error {
		if name == "" {
			return nil
		}
		value, _, err := r.value()
		if err == nil && value.Kind() == '"' {
			m.Version = ID{value}.text()
		}
		return err
	})
}

// members visits the known members of an object: first "" at its start, then each by
// name. visit must read the value.
func (r reader) members(known []string, visit func(name string) error) error {
	if _, err := r.ReadToken(); err != nil {
		return err
	}
	if err := visit(""); err != nil {
		return err
	}
	var seen uint
	for r.PeekKind() != '}' {
		token, err := r.ReadToken()
		if err != nil {
			return err
		}
		which := -1
		if name := token.String(); token.Kind() == '"' {
			for i, k := range known {
				if k == name {
					which = i
				}
			}
		}
		if which < 0 {
			if err := r.SkipValue(); err != nil {
				return err
			}
			continue
		}
		if seen&(1<<which) != 0 {
			return invalid("the member %q is there twice", known[which])
		}
		seen |= 1 << which
		if err := visit(known[which]); err != nil {
			return err
		}
	}
	_, err := r.ReadToken()
	return err
}

// value reads one value and returns its offset.
func (r reader) value() (value jsontext.Value, at int, err error) {
	value, err = r.ReadValue()
	end := int(r.InputOffset())
	at = end - len(value)
	return jsontext.Value(r.text[at:end:end]), at, err
}

func (r reader) id() (ID, int, error) {
	value, at, err := r.value()
	switch {
	case err != nil:
		return ID{}, 0, err
	case !idKind(value.Kind()):
		return ID{}, 0, invalid("the id is neither string nor number")
	case len(value) > MaxID:
		return ID{}, 0, invalid("the id is longer than %d bytes", MaxID)
	}
	return ID{value}, at, nil
}

// idOrNone reads an id that is not the message's own; other values give the zero ID.
func (r reader) idOrNone() (ID, int, error) {
	value, at, err := r.value()
	if err != nil || !idKind(value.Kind()) || len(value) > MaxID {
		return ID{}, 0, err
	}
	return ID{value}, at, nil
}
