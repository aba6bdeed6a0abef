package upstream_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// A misbehaving server answers everything as it should but for what its script says. The
// scripts are the same over every transport; a sink is what differs.
type sink interface {
	// message sends one message in the frame of the transport.
	message(text string)
	// raw sends bytes.
	raw(text string)
	// die ends the connection.
	die()
}

// asked is one request or notification that arrived.
type asked struct {
	id, method string
	params     gjson.Result
}

func (a asked) result(members string) string {
	return `{"jsonrpc":"2.0","id":` + a.id + `,"result":{` + members + `}}`
}

// script is how a server misbehaves when it is asked for something.
type script struct {
	method string // of the request; tools/call means the tool "bad"
	act    func(a asked, out sink)
}

const noise = `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}`

func ok(a asked) string { return a.result(`"content":[{"type":"text","text":"ok"}]`) }

var scripts = map[string]script{
	"wrong id":      {"tools/call", func(a asked, out sink) { a.id = "999999"; out.message(ok(a)) }},
	"text id":       {"tools/call", func(a asked, out sink) { a.id = `"` + a.id + `"`; out.message(ok(a)) }},
	"null id":       {"tools/call", func(a asked, out sink) { a.id = "null"; out.message(ok(a)) }},
	"answers twice": {"tools/call", func(a asked, out sink) { out.message(ok(a)); out.message(ok(a)) }},
	"result and error": {"tools/call", func(a asked, out sink) {
		out.message(`{"jsonrpc":"2.0","id":` + a.id + `,"result":{},"error":{"code":1,"message":"` + strings.Repeat("m", 10000) + `"}}`)
	}},
	"neither":        {"tools/call", func(a asked, out sink) { out.message(`{"jsonrpc":"2.0","id":` + a.id + `}`) }},
	"list as result": {"tools/call", func(a asked, out sink) { out.message(`{"jsonrpc":"2.0","id":` + a.id + `,"result":[]}`) }},
	"two results": {"tools/call", func(a asked, out sink) {
		out.message(`{"jsonrpc":"2.0","id":` + a.id + `,"result":{},"result":{"isError":true}}`)
	}},
	"two result types": {"tools/call", func(a asked, out sink) {
		out.message(a.result(`"resultType":"complete","resultType":"input_required","inputRequests":{}`))
	}},
	"too large": {"tools/call", func(a asked, out sink) {
		out.message(a.result(`"content":[{"type":"text","text":"` + strings.Repeat("x", 9<<20) + `"}]`))
	}},
	"no end": {"tools/call", func(a asked, out sink) {
		for range 100 {
			out.raw(strings.Repeat("x", 100<<10))
		}
		out.die()
	}},
	"invalid text": {"tools/call", func(a asked, out sink) { out.message(a.result(`"x":"` + "\xff\xfe" + `"`)) }},
	"deep": {"tools/call", func(a asked, out sink) {
		out.message(a.result(`"x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000)))
	}},
	"deeper": {"tools/call", func(a asked, out sink) {
		out.message(a.result(`"x":` + strings.Repeat("[", 1e6) + strings.Repeat("]", 1e6)))
	}},
	"deep and open": {"tools/call", func(a asked, out sink) {
		out.message(`{"jsonrpc":"2.0","id":` + a.id + `,"result":` + strings.Repeat(`{"a":`, 1e6))
	}},
	"no number":      {"tools/call", func(a asked, out sink) { out.message(a.result(`"x":NaN,"y":-Infinity`)) }},
	"a large number": {"tools/call", func(a asked, out sink) { out.message(a.result(`"x":1e999999999`)) }},
	"a long number":  {"tools/call", func(a asked, out sink) { out.message(a.result(`"x":` + strings.Repeat("9", 1<<20))) }},
	"a member twice": {"tools/call", func(a asked, out sink) { out.message(a.result(`"content":[],"a":{"b":1,"b":2}`)) }},
	"an earlier id":  {"tools/call", func(a asked, out sink) { a.id = "1"; out.message(ok(a)) }},
	"a thousand ids": {"tools/call", func(a asked, out sink) {
		for i := range 1000 {
			out.message(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, 1e6+i))
		}
		out.message(ok(a))
	}},
	"cancels our call": {"tools/call", func(a asked, out sink) {
		out.message(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + a.id + `,"reason":"` + strings.Repeat("r", 10000) + `"}}`)
		out.message(ok(a))
	}},
	"begins with us": {"tools/call", func(a asked, out sink) {
		for i, method := range []string{"initialize", "server/discover", "subscriptions/listen", "tools/list", "resources/read", ""} {
			out.message(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"protocolVersion":"2025-11-25","uri":"file:///etc/passwd"}}`, 1e6+i, method))
		}
		out.message(ok(a))
	}},
	"the other era asks": {"tools/call", func(a asked, out sink) {
		out.message(`{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"your password?"}}`)
		out.message(ok(a))
	}},
	"endless comments": {"tools/call", func(a asked, out sink) {
		for range 500 {
			out.raw(":" + strings.Repeat(" ", 1000) + "\n\n")
		}
		out.raw("\n")
		out.message(ok(a))
	}},
	"changes all the time": {"tools/call", func(a asked, out sink) {
		for range 1000 {
			out.message(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		out.message(ok(a))
	}},
	"leaves a child": {"tools/call", func(_ asked, out sink) {
		child := exec.Command("sleep", "600")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr // its end of the pipe stays open
		if err := child.Start(); err != nil {
			panic(err)
		}
		out.die()
	}},
	"cries without a line": {"tools/call", func(a asked, out sink) {
		for range 300 {
			_, _ = os.Stderr.WriteString(strings.Repeat("e", 100<<10))
		}
		out.message(ok(a))
	}},
	"batch":    {"tools/call", func(a asked, out sink) { out.message("[" + ok(a) + "]") }},
	"no JSON":  {"tools/call", func(a asked, out sink) { out.message("Server listening on port 8080!") }},
	"unproven": {"tools/call", func(a asked, out sink) { out.message(`{"id":` + a.id + `,"result":{}}`) }}, // without the version of JSON-RPC
	"chatter": {"tools/call", func(a asked, out sink) {
		for _, line := range []string{"", "DEBUG starting", "{", "[]", "null", `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","method":"notifications/nonsense"}`, `{"jsonrpc":"2.0","method":7}`, "\x00\x01\xff"} {
			out.message(line)
		}
		out.message(ok(a))
	}},
	"bare control characters": {"tools/call", func(a asked, out sink) {
		out.message(a.result(`"content":[{"type":"text","text":"` + "\x1b[2J\x00" + `"}]`))
	}},
	"control characters in ids and names": {"tools/call", func(a asked, out sink) {
		const text = `\u0000\u001b[2J\r\nX-Injected: yes\r\n\r\n`
		out.message(`{"jsonrpc":"2.0","id":"` + text + `","method":"roots/list"}`)
		out.message(`{"jsonrpc":"2.0","id":"7","method":"` + text + `"}`)
		out.message(`{"jsonrpc":"2.0","method":"notifications/` + text + `"}`)
		out.message(`{"jsonrpc":"2.0","id":"` + text + `","result":{}}`)
		out.message(ok(a))
	}},
	"control characters in an error": {"tools/call", func(a asked, out sink) {
		out.message(`{"jsonrpc":"2.0","id":` + a.id + `,"error":{"code":1,"message":"\u0000\u001b[2J\r\n","data":{"\u0000":"\u001b"}}}`)
	}},
	"flood": {"tools/call", func(a asked, out sink) {
		for range 5000 {
			out.message(noise)
		}
		out.message(ok(a))
	}},
	"progress of others": {"tools/call", func(a asked, out sink) {
		for _, token := range []string{"0", "-1", "1", "99999", `"` + a.id + `"`, a.id + ".5", "null", "{}", "1e999"} {
			out.message(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":1}}`)
		}
		out.message(`{"jsonrpc":"2.0","method":"notifications/progress"}`)
		out.message(ok(a))
	}},
	"drip": {"tools/call", func(a asked, out sink) {
		for range 40 {
			out.raw("{")
			time.Sleep(20 * time.Millisecond)
		}
	}},
	"silence": {"tools/call", func(asked, sink) {}},
	"dies":    {"tools/call", func(_ asked, out sink) { out.die() }},
	"dies in the middle": {"tools/call", func(a asked, out sink) {
		out.raw(ok(a)[:20])
		out.die()
	}},
	"asks what it was not offered": {"tools/call", func(a asked, out sink) {
		out.message(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`)
		out.message(`{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 900) + `","method":"tools/call","params":{"name":"x"}}`)
		out.message(ok(a))
	}},
	"asks in the other way": {"tools/call", func(a asked, out sink) {
		out.message(a.result(`"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{}}}`))
	}},
	"asks for ever": {"tools/call", func(a asked, out sink) {
		out.message(a.result(`"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{}}},"requestState":"s"`))
	}},
	"asks too much": {"tools/call", func(a asked, out sink) {
		var all []string
		for i := range 100 {
			all = append(all, fmt.Sprintf(`"%d":{"method":"elicitation/create","params":{}}`, i))
		}
		out.message(a.result(`"resultType":"input_required","inputRequests":{` + strings.Join(all, ",") + `}`))
	}},
	"asks twice in one name": {"tools/call", func(a asked, out sink) {
		if a.params.Get("inputResponses").Exists() {
			out.message(ok(a))
			return
		}
		out.message(a.result(`"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"},"a":{"method":"elicitation/create"}}`))
	}},
	"is always busy": {"tools/call", func(a asked, out sink) {
		out.message(a.result(`"resultType":"input_required","inputRequests":{}`))
	}},

	"endless pages": {"tools/list", func(a asked, out sink) {
		out.message(a.result(`"tools":[],"nextCursor":"` + a.id + `"`))
	}},
	"cursor again": {"tools/list", func(a asked, out sink) {
		out.message(a.result(`"tools":[{"name":"t` + a.id + `"}],"nextCursor":"again"`))
	}},
	"long cursor": {"tools/list", func(a asked, out sink) {
		out.message(a.result(`"tools":[],"nextCursor":"` + strings.Repeat("c", 10<<10) + `"`))
	}},
	"growing cursor": {"tools/list", func(a asked, out sink) {
		out.message(a.result(`"tools":[],"nextCursor":"` + a.params.Get("cursor").Str + strings.Repeat("c", 64) + `"`))
	}},
	"cursor of no kind": {"tools/list", func(a asked, out sink) {
		out.message(a.result(`"tools":[{"name":"t"}],"nextCursor":{"a":1}`))
	}},
	"changes while it lists": {"tools/list", func(a asked, out sink) {
		for range 1000 {
			out.message(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		out.message(a.result(`"tools":[{"name":"t"}]`))
	}},
	"names for the eye": {"tools/list", func(a asked, out sink) {
		out.message(a.result(`"tools":[{"name":"a\u202eb"},{"name":"a\u0000"},{"name":"` + strings.Repeat("n", 64<<10) + `"},{"name":7},{"name":""},{}]`))
	}},
	"many tools": {"tools/list", func(a asked, out sink) {
		out.message(a.result(`"tools":[` + strings.Repeat(`{"name":"t"},`, 6000) + `{"name":"t"}]`))
	}},
	"giant tools": {"tools/list", func(a asked, out sink) {
		out.message(a.result(`"nextCursor":"` + a.id + `","tools":[{"name":"t","description":"` + strings.Repeat("d", 5<<20) + `"}]`))
	}},
	"same names": {"tools/list", func(a asked, out sink) {
		out.message(a.result(`"tools":[{"name":"t","description":"a"},{"name":"t","description":"b"}]`))
	}},
	"tools of all kinds": {"tools/list", func(a asked, out sink) {
		out.message(a.result(`"tools":[{"name":"t"},null,7]`))
	}},
	"no list": {"tools/list", func(a asked, out sink) { out.message(a.result(`"tools":{"a":"b"}`)) }},

	"strange version": {"initialize", func(a asked, out sink) {
		out.message(a.result(`"protocolVersion":"1999-01-01","capabilities":{}`))
	}},
	"talkative": {"initialize", func(a asked, out sink) {
		out.message(a.result(`"protocolVersion":"2025-11-25","capabilities":{},"instructions":"` + strings.Repeat("i", 1<<20) + `"`))
	}},
}

// serve answers one message as the script says.
func serve(which, line string, out sink) {
	m := gjson.Parse(line)
	a := asked{m.Get("id").Raw, m.Get("method").Str, m.Get("params")}
	if a.id == "" || a.method == "" {
		return // a notification, or an answer
	}
	s := scripts[which]
	if a.method == s.method && (a.method != "tools/call" || a.params.Get("name").Str == "bad") {
		s.act(a, out)
		return
	}
	switch a.method {
	case "initialize":
		out.message(a.result(`"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bad","version":"1"}`))
	case "server/discover":
		out.message(a.result(`"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}`))
	case "tools/list":
		out.message(a.result(`"tools":[{"name":"bad"},{"name":"fine"}]`))
	default:
		out.message(ok(a))
	}
}

// lines is a sink for standard output.
type lines struct {
	mu  sync.Mutex
	out io.Writer
}

func (l *lines) message(text string) { l.raw(text + "\n") }
func (l *lines) die()                { os.Exit(3) }
func (l *lines) raw(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = io.WriteString(l.out, text)
}

// misbehaveOnStdio is what the test's own program does as a server.
func misbehaveOnStdio(which string) {
	out := &lines{out: os.Stdout}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		go serve(which, line, out)
	}
}

// events is a sink for a stream of events.
type events struct {
	mu   sync.Mutex
	w    http.ResponseWriter
	dead chan struct{}
}

func newEvents(w http.ResponseWriter) *events {
	w.Header().Set("Content-Type", "text/event-stream")
	e := &events{w: w, dead: make(chan struct{})}
	e.raw("")
	return e
}

func (e *events) message(text string) { e.raw("data: " + text + "\n\n") }
func (e *events) raw(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.w != nil {
		_, _ = io.WriteString(e.w, text)
		e.w.(http.Flusher).Flush()
	}
}

// over is called when the handler returns; nothing may be written afterwards.
func (e *events) over() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.w = nil
}
func (e *events) die() { close(e.dead) }

// document is a sink for one JSON document.
type document struct{ w http.ResponseWriter }

func (d document) message(text string) { d.raw(text) }
func (d document) die()                { panic(http.ErrAbortHandler) }
func (d document) raw(text string) {
	d.w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(d.w, text)
	d.w.(http.Flusher).Flush()
}

// misbehaveOnHTTP serves a script over streamable HTTP.
func misbehaveOnHTTP(which string, stream bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case !gjson.GetBytes(body, "id").Exists() || !gjson.GetBytes(body, "method").Exists():
			w.WriteHeader(http.StatusAccepted)
		case !stream:
			serve(which, string(body), document{w})
		default:
			e := newEvents(w)
			serve(which, string(body), e)
			select {
			case <-e.dead:
				panic(http.ErrAbortHandler)
			default:
			}
		}
	})
}

// misbehaveOnSSE serves a script over HTTP+SSE.
func misbehaveOnSSE(which string) http.Handler {
	var mu sync.Mutex
	var now *events
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			e := newEvents(w)
			defer e.over()
			mu.Lock()
			now = e
			mu.Unlock()
			e.raw("event: endpoint\ndata: /messages\n\n")
			select {
			case <-r.Context().Done():
			case <-e.dead:
				panic(http.ErrAbortHandler)
			}
			return
		}
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		mu.Lock()
		out := now
		mu.Unlock()
		serve(which, string(body), out)
	})
}

// teeBody keeps what is read of a body.
type teeBody struct {
	io.ReadCloser
	into *strings.Builder
}

func (b teeBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.into.Write(p[:n])
	return n, err
}
