package probe

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// server is an MCP server as a test wants it. It answers JSON-RPC over HTTP.
type server struct {
	modern       bool   // 2026-07-28 alone; otherwise up to 2025-11-25 alone
	info         string // serverInfo
	version      string // protocolVersion; "" is the newest of the era, "none" leaves it out
	instructions string
	tools        []string
	page         int // tools in one page; 0 for all
	loop         bool
	resources    []string
	contents     string
	prompts      []string
	fails        string        // the method that ends in an error
	stream       bool          // answers as a stream of events
	pause        time.Duration // before each answer
	lax          bool          // admits every Origin
	header       http.Header   // of every answer
	token        string        // demanded
	challenge    string

	calls atomic.Int64 // of tools/call, which nobody may make
	asked atomic.Int64
}

const goodTool = `{"name":"get_tide_height","description":"Gets the height of the tide at a station.","inputSchema":{"type":"object","properties":{"station":{"type":"string","enum":["Brest","Dover"]}},"additionalProperties":false},"annotations":{"readOnlyHint":true}}`

// tides is an honest server.
func tides() *server {
	return &server{info: `{"name":"tides","version":"1.0.0"}`, tools: []string{goodTool}, header: http.Header{"Strict-Transport-Security": {"max-age=31536000"}}}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, values := range s.header {
		w.Header()[name] = values
	}
	if o := r.Header.Get("Origin"); o != "" && !s.lax {
		http.Error(w, "foreign origin", http.StatusForbidden)
		return
	}
	if s.token != "" && r.Header.Get("Authorization") != "Bearer "+s.token {
		if s.challenge != "" {
			w.Header().Set("WWW-Authenticate", s.challenge)
		}
		http.Error(w, "sign in", http.StatusUnauthorized)
		return
	}
	if r.Method != http.MethodPost {
		http.Error(w, "post", http.StatusMethodNotAllowed)
		return
	}
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Cursor string
			URI    string
		}
	}
	if json.NewDecoder(r.Body).Decode(&m) != nil {
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	s.asked.Add(1)
	select {
	case <-time.After(s.pause):
	case <-r.Context().Done():
		return
	}
	result, code := s.answer(m.Method, m.Params.Cursor)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	if code != 0 {
		body = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"refused"}}`, m.ID, code)
	}
	if s.stream {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: message\ndata: %s\n\n", body)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, body)
}

func (s *server) answer(method, cursor string) (result string, code int) {
	if method == s.fails {
		return "", -32603
	}
	switch method {
	case "server/discover":
		if !s.modern {
			return "", -32601
		}
		return fmt.Sprintf(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":%s,"instructions":%q,"_meta":{"io.modelcontextprotocol/serverInfo":%s}}`, s.capabilities(), s.instructions, s.info), 0
	case "initialize":
		version := `"protocolVersion":"2025-11-25",`
		switch {
		case s.modern:
			return "", -32601
		case s.version == "none":
			version = ""
		case s.version != "":
			version = fmt.Sprintf(`"protocolVersion":%q,`, s.version)
		}
		info := ""
		if s.info != "" {
			info = `"serverInfo":` + s.info + ","
		}
		return fmt.Sprintf(`{%s%s"capabilities":%s,"instructions":%q}`, version, info, s.capabilities(), s.instructions), 0
	case "tools/list":
		return s.list("tools", s.tools, cursor), 0
	case "resources/list":
		return s.list("resources", s.resources, cursor), 0
	case "prompts/list":
		return s.list("prompts", s.prompts, cursor), 0
	case "resources/read":
		text, _ := json.Marshal(s.contents)
		return fmt.Sprintf(`{"contents":[{"uri":"https://x/","text":%s}]}`, text), 0
	case "tools/call":
		s.calls.Add(1)
		return `{"content":[]}`, 0
	}
	return "", -32601
}

func (s *server) capabilities() string {
	all := []string{`"tools":{}`}
	if s.resources != nil {
		all = append(all, `"resources":{}`)
	}
	if s.prompts != nil {
		all = append(all, `"prompts":{}`)
	}
	return "{" + strings.Join(all, ",") + "}"
}

func (s *server) list(key string, items []string, cursor string) string {
	from, _ := strconv.Atoi(cursor)
	to := len(items)
	next := ""
	if s.page > 0 && from+s.page < to {
		to = from + s.page
		next = fmt.Sprintf(`,"nextCursor":"%d"`, to)
	}
	if s.loop {
		next = `,"nextCursor":"0"`
	}
	return fmt.Sprintf(`{"resultType":"complete","ttlMs":0,%q:[%s]%s}`, key, strings.Join(items[from:to], ","), next)
}

// many returns tools that differ.
func many(n, padding int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`{"name":"get_%d","description":"Gets number %d.%s","inputSchema":{"type":"object","properties":{},"additionalProperties":false}}`, i, i, strings.Repeat(" x", padding))
	}
	return all
}

// tool writes a tool without arguments.
func tool(name, description string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{},"additionalProperties":false}}`, name, description)
}

func with(s *server, change func(*server)) *server { change(s); return s }

// at serves handlers by path, and next for all others.
func at(next http.Handler, paths map[string]http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := paths[r.URL.Path]; h != nil {
			h(w, r)
			return
		}
		if slices.ContainsFunc([]string{"/.well-known/"}, func(p string) bool { return strings.HasPrefix(r.URL.Path, p) }) {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func document(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, body)
	}
}

func sendTo(status int, to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(status)
	}
}
