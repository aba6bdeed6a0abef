package poison

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Item is one definition of an input, as it arrived.
type Item struct {
	ID     string // the row's own, else the name, else the place in the input
	Server string // "" when the input does not say
	Raw    []byte
	Names  *Names // of its server; nil if it names none
}

// definitions are the members of an MCP list result, or of several put together,
// that carry text for a model.
type definitions struct {
	Tools        []jsontext.Value `json:"tools"`
	Prompts      []jsontext.Value `json:"prompts"`
	Resources    []jsontext.Value `json:"resources"`
	Templates    []jsontext.Value `json:"resourceTemplates"`
	Instructions jsontext.Value   `json:"instructions"`
	Result       *definitions     `json:"result"` // a whole JSON-RPC response
}

// row is one line of a JSON Lines input; members it does not list are ignored.
type row struct {
	ID     jsontext.Value `json:"id"`
	Server string         `json:"server"`
	Tool   jsontext.Value `json:"tool"`
	definitions
}

// Items reads a tools/list result (also prompts/list, resources/list, an
// initialize result, or the JSON-RPC response around them), a list of tools, or
// JSON Lines of {id, server, tool}. Tools of one server are siblings; rows that
// name no server stand alone.
func Items(input []byte) ([]Item, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(input), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var items []Item
	for n := 1; ; n++ {
		raw, err := dec.ReadValue()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			line := 1 + bytes.Count(input[:dec.InputOffset()], []byte("\n"))
			return nil, fmt.Errorf("line %d: not JSON: %w", line, err)
		}
		more, err := read(raw.Clone(), "#"+strconv.Itoa(n))
		if err != nil {
			return nil, fmt.Errorf("value %d: %w", n, err)
		}
		items = append(items, more...)
	}
	if len(items) == 0 {
		return nil, errors.New("no definitions: want a tools/list result or JSON Lines of {id, server, tool}")
	}
	setSiblings(items)
	return items, nil
}

// listServer is the server of the tools of one list, which names none. No row
// can name it.
const listServer = "\x00list"

func read(raw jsontext.Value, place string) ([]Item, error) {
	var tools []jsontext.Value
	switch raw.Kind() {
	case '[':
		if err := unmarshal(raw, &tools); err != nil {
			return nil, err
		}
		return definitions{Tools: tools}.items(listServer + place), nil
	case '{':
	default:
		return nil, errors.New("want an object or a list")
	}
	var r row
	if err := unmarshal(raw, &r); err != nil {
		return nil, err
	}
	if r.Tool != nil {
		id := scalar(r.ID)
		if id == "" {
			id = nameOf(r.Tool, place)
		}
		return []Item{{ID: id, Server: r.Server, Raw: r.Tool}}, nil
	}
	server := r.Server
	if server == "" {
		server = listServer + place
	}
	d := r.definitions
	if d.Result != nil {
		d = *d.Result
	}
	if listed := d.items(server); listed != nil {
		return listed, nil
	}
	return []Item{{ID: nameOf(raw, place), Server: r.Server, Raw: raw}}, nil
}

func (d definitions) items(server string) (all []Item) {
	for _, list := range []struct {
		kind string
		raw  []jsontext.Value
	}{{"", d.Tools}, {"prompt:", d.Prompts}, {"resource:", d.Resources}, {"template:", d.Templates}} {
		for i, raw := range list.raw {
			all = append(all, Item{ID: list.kind + nameOf(raw, "#"+strconv.Itoa(i+1)), Server: server, Raw: raw})
		}
	}
	if d.Instructions != nil {
		all = append(all, Item{ID: "instructions", Server: server, Raw: append(append([]byte(`{"instructions":`), d.Instructions...), '}')})
	}
	return all
}

func setSiblings(items []Item) {
	siblings := map[string][]string{}
	for _, it := range items {
		if name := nameOf(it.Raw, ""); name != "" && it.Server != "" {
			siblings[it.Server] = append(siblings[it.Server], name)
		}
	}
	names := map[string]*Names{}
	for server, tools := range siblings {
		names[server] = NewNames(tools, nil)
	}
	for i := range items {
		items[i].Names = names[items[i].Server]
		if strings.HasPrefix(items[i].Server, listServer) {
			items[i].Server = ""
		}
	}
}

func nameOf(raw jsontext.Value, otherwise string) string {
	var named struct {
		Name jsontext.Value `json:"name"`
	}
	if unmarshal(raw, &named) == nil {
		if name := scalar(named.Name); name != "" {
			return name
		}
	}
	return otherwise
}

// scalar is a scalar as text: an id may be a number.
func scalar(v jsontext.Value) string {
	var s string
	if v.Kind() == '"' && json.Unmarshal(v, &s) == nil {
		return s
	}
	if v.Kind() == '0' {
		return v.String()
	}
	return ""
}

func unmarshal(raw []byte, into any) error {
	return json.Unmarshal(raw, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Returned is one text that a server returned, as it arrived.
type Returned struct {
	ID   string
	Text string // JSON if the server returned JSON
}

// returned are the members by which a result, a resource, a prompt or an
// elicitation is known, and the row of a JSON Lines input.
type returned struct {
	ID        jsontext.Value `json:"id"`
	Text      *string        `json:"text"`
	Content   jsontext.Value `json:"content"`
	Contents  jsontext.Value `json:"contents"`
	Messages  jsontext.Value `json:"messages"`
	Message   jsontext.Value `json:"message"`
	Requested jsontext.Value `json:"requestedSchema"`
	Result    jsontext.Value `json:"result"`
	Params    jsontext.Value `json:"params"`
}

func (r returned) known() bool {
	return r.Text != nil || r.Content != nil || r.Contents != nil || r.Messages != nil || r.Message != nil && r.Requested != nil || r.Result != nil || r.Params != nil
}

// Texts reads what a server returned: JSON Lines of {id, text}, results of
// tools/call, resources/read and prompts/get, elicitation requests, each with or
// without the JSON-RPC message around it. Any other input is one text.
func Texts(input []byte) []Returned {
	whole := []Returned{{ID: "#1", Text: string(input)}}
	dec := jsontext.NewDecoder(bytes.NewReader(input), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var all []Returned
	for n := 1; ; n++ {
		raw, err := dec.ReadValue()
		if errors.Is(err, io.EOF) {
			break
		}
		var r returned
		if err != nil || raw.Kind() != '{' || unmarshal(raw, &r) != nil || !r.known() {
			return whole
		}
		item := Returned{ID: scalar(r.ID), Text: string(raw)}
		if item.ID == "" {
			item.ID = "#" + strconv.Itoa(n)
		}
		if r.Text != nil {
			item.Text = *r.Text
		}
		all = append(all, item)
	}
	if len(all) == 0 {
		return whole
	}
	return all
}
