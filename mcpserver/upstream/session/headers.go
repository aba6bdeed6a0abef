package session

import (
	"encoding/json"
	"net/http"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/internal/paramheader"
)

// inHeaders returns what HTTP repeats of a request.
func (s *Session) inHeaders(r *Request) (name string, header http.Header) {
	if s.Info().Era != Modern {
		return "", nil
	}
	switch r.Method {
	case "resources/read":
		return gjson.GetBytes(r.Params, "uri").String(), nil
	case "prompts/get":
		return gjson.GetBytes(r.Params, "name").String(), nil
	case "tools/call":
		name = gjson.GetBytes(r.Params, "name").String()
	default:
		return "", nil
	}
	s.mu.Lock()
	bound := s.bindings[name]
	s.mu.Unlock()
	if len(bound) > 0 {
		header = http.Header{}
		paramheader.Set(header, bound, []byte(gjson.GetBytes(r.Params, "arguments").Raw))
	}
	return name, header
}

// bind remembers which arguments of listed tools are repeated in headers.
func (s *Session) bind(tools []json.RawMessage) {
	all := map[string][]paramheader.Binding{}
	for _, tool := range tools {
		if bound := paramheader.Of(json.RawMessage(gjson.GetBytes(tool, "inputSchema").Raw)); bound != nil {
			all[gjson.GetBytes(tool, "name").String()] = bound
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bindings = all
}
