package session

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
)

// metas are the parts of requests that are the same each time.
type metas struct {
	initialize json.RawMessage
	modern     [8]string // members of _meta, by what is offered
}

func newMetas(o Options) metas {
	client, _ := json.Marshal(map[string]string{"name": o.Name, "version": o.Version})
	all := metas{initialize: json.RawMessage(`{"protocolVersion":"` + legacyVersions[0] + `","capabilities":` + capabilities(o.Offer) + `,"clientInfo":` + string(client) + `}`)}
	for i := range all.modern {
		offer := Offer{i&1 != 0, i&2 != 0, i&4 != 0}
		all.modern[i] = `"io.modelcontextprotocol/protocolVersion":"` + transport.Modern +
			`","io.modelcontextprotocol/clientInfo":` + string(client) +
			`,"io.modelcontextprotocol/clientCapabilities":` + capabilities(offer)
	}
	return all
}

func capabilities(o Offer) string {
	var all []string
	for _, c := range []struct {
		is   bool
		text string
	}{{o.Elicitation, `"elicitation":{"form":{}}`}, {o.Sampling, `"sampling":{}`}, {o.Roots, `"roots":{}`}} {
		if c.is {
			all = append(all, c.text)
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

// of returns the members of _meta for a request that peer stands behind.
func (m *metas) of(o Offer, peer Peer) string {
	i := 0
	for bit, c := range []struct {
		is     bool
		method string
	}{{o.Elicitation, "elicitation/create"}, {o.Sampling, "sampling/createMessage"}, {o.Roots, "roots/list"}} {
		if c.is && peer != nil && peer.Can(c.method) {
			i |= 1 << bit
		}
	}
	return m.modern[i]
}

// reserved are the members of _meta that belong to a client's own connection.
func reserved(key string) bool {
	return key == "progressToken" || strings.HasPrefix(key, "io.modelcontextprotocol/")
}

var errParams = errors.New("the parameters are no JSON object")

// body writes a request. round are the members that a repeated request has more, each
// after a comma.
func (s *Session) body(id int64, r *Request, round []byte) ([]byte, error) {
	params := gjson.ParseBytes(r.Params)
	if len(r.Params) > 0 && !params.IsObject() {
		return nil, errParams
	}
	meta := ""
	if s.Info().Era == Modern {
		meta = s.meta.of(s.options.Offer, r.Peer)
	}
	b := make([]byte, 0, 160+len(r.Method)+len(r.Params)+len(meta)+len(round))
	b = append(strconv.AppendInt(append(b, `{"jsonrpc":"2.0","id":`...), id, 10), `,"method":`...)
	b = strconv.AppendQuote(b, r.Method)
	b = append(b, `,"params":{`...)
	begun := len(b)
	b = append(append(b, `"_meta":{`...), meta...)
	inside := begun + len(`"_meta":{`)
	if r.Peer != nil {
		b = strconv.AppendInt(member(b, inside, `"progressToken"`), id, 10)
	}
	if level := s.level.Load(); level != nil && s.Info().Era == Modern && r.Peer != nil {
		b = strconv.AppendQuote(member(b, inside, `"io.modelcontextprotocol/logLevel"`), *level)
	}
	params.Get("_meta").ForEach(func(key, value gjson.Result) bool {
		if !reserved(key.String()) {
			b = append(member(b, inside, key.Raw), value.Raw...)
		}
		return true
	})
	if len(b) == inside {
		b = b[:begun] // an empty _meta
	} else {
		b = append(b, '}')
	}
	params.ForEach(func(key, value gjson.Result) bool {
		if key.String() != "_meta" {
			b = append(member(b, begun, key.Raw), value.Raw...)
		}
		return true
	})
	if len(round) > 0 && len(b) == begun {
		round = round[1:]
	}
	return append(append(b, round...), "}}"...), nil
}

// member begins a member of an object whose first one begins at offset first.
func member(b []byte, first int, key string) []byte {
	if len(b) > first {
		b = append(b, ',')
	}
	return append(append(b, key...), ':')
}
