package eras

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Method is a request whose result another server gave.
type Method string

// The methods whose results are passed on.
const (
	CallTool     Method = "tools/call"
	ReadResource Method = "resources/read"
	GetPrompt    Method = "prompts/get"
	Complete     Method = "completion/complete"
)

// ErrAsks means a result that asks the client for input. Another server's questions
// are put by the gateway or not at all; a server of the older protocol that sends one
// by itself would speak with the gateway's voice.
var ErrAsks = errors.New("the server's result asks for input in a way that is not passed on")

// Client is what a result has to suit.
type Client struct {
	// Version is the protocol version that the client speaks.
	Version string
	// Server is what this server says about itself in the _meta of its results, as a
	// member of a JSON object.
	Server []byte
}

// Modern reports whether the client speaks the protocol without sessions.
func (c Client) Modern() bool { return c.Version >= Stateless }

// member is one member of an object, as it was written.
type member struct {
	name  string
	key   []byte // quoted
	value []byte
}

// Result returns another server's result as a client can take it. Everything that the
// client's version knows or may ignore keeps its bytes.
func (c Client) Result(method Method, text []byte) ([]byte, error) {
	members, err := split(text)
	if err != nil {
		return nil, fmt.Errorf("the server's result is no object: %w", err)
	}
	r := result{client: c, method: method, has: map[string][]byte{}}
	for _, m := range members {
		if r.has[m.name] != nil {
			return nil, fmt.Errorf("the server's result has two members %q", m.name)
		}
		r.has[m.name] = m.value
	}
	if kind := r.has["resultType"]; r.has["inputRequests"] != nil || r.has["requestState"] != nil || kind != nil && string(kind) != `"complete"` {
		return nil, ErrAsks
	}
	r.out = append(make([]byte, 0, len(text)+len(c.Server)+64), '{')
	for _, m := range members {
		if value := r.fitted(m); value != nil {
			r.add(m.key, value)
		}
	}
	r.complete()
	return append(r.out, '}'), nil
}

type result struct {
	client Client
	method Method
	has    map[string][]byte
	out    []byte
}

func (r *result) add(key, value []byte) {
	if len(r.out) > 1 {
		r.out = append(r.out, ',')
	}
	r.out = append(append(append(r.out, key...), ':'), value...)
}

// fitted returns the value of a member for the client; nil leaves the member out.
func (r *result) fitted(m member) []byte {
	modern := r.client.Modern()
	switch {
	case m.name == "_meta" && modern:
		return r.signed(m.value)
	case m.name == "resultType" && !modern:
		return nil
	case m.name == "structuredContent" && !modern && m.value[0] != '{':
		return nil
	case m.name == "content" && r.method == CallTool:
		return r.client.blocks(m.value)
	case m.name == "messages" && r.method == GetPrompt:
		return r.client.messages(m.value)
	}
	return m.value
}

const serverInfo = "io.modelcontextprotocol/serverInfo"

// signed adds what we say about ourselves, unless the other server said it of itself.
func (r *result) signed(meta []byte) []byte {
	members, err := split(meta)
	if err != nil || len(r.client.Server) == 0 {
		return meta
	}
	for _, m := range members {
		if m.name == serverInfo {
			return meta
		}
	}
	out := append(append(make([]byte, 0, len(meta)+len(r.client.Server)+2), '{'), r.client.Server...)
	if len(members) > 0 {
		out = append(out, ',')
	}
	return append(out, bytes.TrimLeft(meta[1:], " \t\r\n")...)
}

// complete adds what the client's version requires and the other server did not send.
func (r *result) complete() {
	if r.method == CallTool && r.has["content"] == nil {
		r.add([]byte(`"content"`), r.instead())
	}
	if !r.client.Modern() {
		return
	}
	if r.has["_meta"] == nil && len(r.client.Server) > 0 {
		r.add([]byte(`"_meta"`), append(append([]byte("{"), r.client.Server...), '}'))
	}
	if r.has["resultType"] == nil {
		r.add([]byte(`"resultType"`), []byte(`"complete"`))
	}
	if r.method == ReadResource {
		// Who may read it is decided for each client, so nobody else may keep it.
		if r.has["ttlMs"] == nil {
			r.add([]byte(`"ttlMs"`), []byte("0"))
		}
		if r.has["cacheScope"] == nil {
			r.add([]byte(`"cacheScope"`), []byte(`"private"`))
		}
	}
}

// instead is the content of a tool result that came without: the structured content
// as text, if the client gets it in no other way.
func (r *result) instead() []byte {
	value := r.has["structuredContent"]
	if value == nil || r.client.Modern() || value[0] == '{' {
		return []byte("[]")
	}
	return append(append([]byte("["), text(string(value))...), ']')
}

// split returns the members of an object.
func split(text []byte) (members []member, err error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	if token, err := d.ReadToken(); err != nil {
		return nil, err
	} else if token.Kind() != '{' {
		return nil, fmt.Errorf("it is %s", token.Kind())
	}
	for d.PeekKind() == '"' {
		key, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		at := int(d.InputOffset()) - len(key)
		name, err := jsontext.AppendUnquote(nil, key)
		if err != nil {
			return nil, err
		}
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		end := int(d.InputOffset())
		members = append(members, member{string(name), text[at : at+len(key)], text[end-len(value) : end]})
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errors.New("more follows it")
	}
	return members, nil
}
