package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata/conversations")

// TestConversations replays recorded client messages over stdio and over HTTP, also with
// sessions that sleep whenever they can, with the same result, and compares what the server sends. A file is a comment, a
// section transports and a section conversation with one step a line:
//
//	> MESSAGE    say this, and hear until it is answered
//	>> MESSAGE   say this and go on
//	? METHOD     hear until the server says this
//	answer       hear until something is answered
//	offer NAMES  publish these tools and no others
//	stream       open the stream for what the server says unasked
//	reconnect    be another client
//	hang up      end, and hear the rest
//	oversized    say a message of more than 4 MiB
//	< MESSAGE    what the server says; -update writes these
//
// {new} and {new asks} stand for the _meta of a request in the protocol without
// sessions, the second of a client that can ask a person; {state} is the last
// state that came with a question.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/conversations/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		transports, script := strings.Fields(string(archive.Files[0].Data)), string(archive.Files[1].Data)
		if slices.Contains(transports, "http") {
			transports = append(transports, "http between sleeps")
		}
		for _, transport := range transports {
			t.Run(name+" over "+transport, func(t *testing.T) {
				got := play(t, transport, script)
				if *update && transport == transports[0] {
					archive.Files[1].Data, script = []byte(got), got
					if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if got != script {
					t.Errorf("it went differently (-update rewrites it):\n%s", difference(script, got))
				}
			})
		}
	}
}

func answered(message gjson.Result) bool { return !message.Get("method").Exists() }

func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			return fmt.Sprintf("line %d\nwant %s\ngot  %s", i+1, strings.Join(w[min(i, len(w)):min(i+1, len(w))], ""), strings.Join(g[min(i, len(g)):min(i+1, len(g))], ""))
		}
	}
	return ""
}

const (
	newMeta     = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"script","version":"1"}}`
	newMetaAsks = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/clientInfo":{"name":"script","version":"1"}}`
)

// passing are texts that differ between runs, and their placeholders.
var passing = []struct {
	pattern *regexp.Regexp
	as      string
}{
	{regexp.MustCompile(`"requestState":"[A-Za-z0-9_.-]+"`), `"requestState":"{state}"`},
	{regexp.MustCompile(`"progress":[0-9.e-]+`), `"progress":0`},
	{regexp.MustCompile(`reference [A-Z2-7]{8}`), `reference {id}`},
	{regexp.MustCompile(`approval [A-Z2-7]{8,}`), `approval {id}`},
	{regexp.MustCompile(`approvals (show|approve) [A-Z2-7]{8,}`), `approvals $1 {id}`},
	{regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`), `{time}`},
}

// byItself are methods that arrive at any time; they are recorded where a step waits for them.
var byItself = []string{"notifications/tools/list_changed", "notifications/progress"}

// wire is one client's connection.
type wire struct {
	say    func(message string)
	stream func() // opens a stream for unsolicited messages
	close  func() // hangs up; heard is closed after the last message
	heard  chan string
}

func play(t *testing.T, transport, script string) string {
	nap := tool("nap", "await new Promise(done => setTimeout(done, 100)); return 1;", "")
	specs := map[string]string{"add": add, "list": list, "nothing": nothing, "throws": throws, "forever": forever, "wipe": wipe, "nap": nap}
	f := newFixture(t, mcpserver.Config{
		ProgressEvery: 10 * time.Millisecond,
		Calls:         limited(jsengine.Limits{Statements: 1 << 60, Time: time.Minute}),
	})
	connect := func() *wire { return f.wire(t) }
	if transport, sleeps := strings.CutSuffix(transport, " between sleeps"); transport == "http" {
		url := f.http(t).URL
		if sleeps {
			url = f.drowsy(t).URL
		}
		connect = func() *wire { return httpWire(t, url+"/mcp") }
	}
	w := connect()
	defer func() { w.close() }()
	var told strings.Builder
	state, asked, cancelled := "", "", []string(nil)
	// hear records what the server sends until done accepts a message.
	hear := func(what string, done func(message gjson.Result) bool) {
		t.Helper()
		last := ""
		for patience := time.After(enough); ; {
			select {
			case text, more := <-w.heard:
				if !more {
					return
				}
				if said := gjson.Get(text, "method").Str; slices.Contains(byItself, said) && said != what {
					continue
				}
				if slices.Contains(cancelled, gjson.Get(text, "id").Raw) {
					continue // it may or may not be answered
				}
				if s := gjson.Get(text, "result.requestState").Str; s != "" {
					state = s
				}
				line := text
				if m := gjson.Parse(text); m.Get("method").Exists() && m.Get("id").Exists() {
					asked = m.Get("id").Raw
					line = strings.Replace(line, `"id":`+asked, `"id":{asked}`, 1)
				}
				for _, p := range passing {
					line = p.pattern.ReplaceAllString(line, p.as)
				}
				if line != last { // the number of reports varies
					told.WriteString("< " + line + "\n")
				}
				last = line
				if done(gjson.Parse(text)) {
					return
				}
			case <-patience:
				t.Fatalf("not heard: %s\n%s", what, told.String())
			}
		}
	}
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "< ") {
			continue
		}
		told.WriteString(line + "\n")
		if id := gjson.Get(strings.TrimLeft(line, "> "), "params.requestId"); id.Exists() {
			cancelled = append(cancelled, id.Raw)
		}
		verb, rest, _ := strings.Cut(line, " ")
		message := strings.NewReplacer("{new}", newMeta, "{new asks}", newMetaAsks, "{state}", state, "{asked}", asked).Replace(rest)
		switch verb {
		case "", "#":
		case ">":
			w.say(message)
			if said := gjson.Parse(message); !said.Get("method").Exists() || said.Get("id").Exists() {
				hear("an answer to "+message, answered)
			}
		case ">>":
			w.say(message)
		case "?":
			hear(rest, func(m gjson.Result) bool { return m.Get("method").Str == rest })
		case "answer":
			hear("an answer", answered)
		case "offer":
			var offered []string
			for _, name := range strings.Fields(rest) {
				offered = append(offered, specs[name])
			}
			f.offer(t, offered...)
		case "stream":
			w.stream()
		case "reconnect":
			w.close()
			w, cancelled = connect(), nil
		case "hang":
			w.close()
			hear("the end", func(gjson.Result) bool { return false })
		case "oversized":
			w.say(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 4<<20) + `"}}`)
			hear("an answer to too much", func(gjson.Result) bool { return true })
		default:
			t.Fatalf("no such step: %s", line)
		}
	}
	return told.String()
}

// wire connects a client by pipes.
func (f *fixture) wire(t *testing.T) *wire {
	in, client := io.Pipe()
	answers, out := io.Pipe()
	w := &wire{heard: make(chan string, 1000), stream: func() {}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := f.server.ServeStdio(context.Background(), "stdio:"+t.Name(), in, out); err != nil {
			w.heard <- "the connection ends: " + err.Error()
		}
		out.Close()
	}()
	go func() {
		defer close(w.heard)
		lines := bufio.NewReaderSize(answers, 1<<20)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				<-ended
				return
			}
			w.heard <- strings.TrimSuffix(line, "\n")
		}
	}()
	w.say = func(message string) { io.WriteString(client, message+"\n") }
	w.close = func() { client.Close(); <-ended }
	return w
}

// httpWire connects a client by HTTP: each message is a request of its own.
func httpWire(t *testing.T, endpoint string) *wire {
	ctx, hangUp := context.WithCancel(t.Context())
	w := &wire{heard: make(chan string, 1000)}
	var session, version string
	send := func(method, message string, answered chan<- struct{}) {
		defer close(answered)
		r := httptest.NewRequestWithContext(ctx, method, endpoint, strings.NewReader(message))
		r.RequestURI = ""
		m := gjson.Parse(message)
		r.Header = http.Header{"Authorization": {"Bearer " + secret}, "Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
		if own := m.Get(`params._meta.io\.modelcontextprotocol/protocolVersion`).Str; own != "" {
			r.Header.Set("Mcp-Protocol-Version", own)
			r.Header.Set("Mcp-Method", m.Get("method").Str)
			r.Header.Set("Mcp-Name", m.Get("params.name").Str+m.Get("params.uri").Str)
		} else if version != "" {
			r.Header.Set("Mcp-Protocol-Version", version)
			r.Header.Set("Mcp-Session-Id", session)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return // hung up
		}
		defer response.Body.Close()
		if id := response.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		if method == http.MethodGet {
			answered <- struct{}{} // the stream is open
		}
		lines := bufio.NewReaderSize(response.Body, 1<<20)
		if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
			body, _ := io.ReadAll(lines)
			body = bytes.TrimSpace(body)
			if len(body) > 0 && !gjson.ValidBytes(body) {
				body = fmt.Appendf(nil, "HTTP %d: %s", response.StatusCode, body)
			}
			if len(body) > 0 {
				w.heard <- string(body)
			}
			return
		}
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			if text, ok := strings.CutPrefix(line, "data: "); ok && text != "\n" {
				text = strings.TrimSuffix(text, "\n")
				if v := gjson.Get(text, "result.protocolVersion").Str; v != "" {
					version = v
				}
				w.heard <- text
			}
		}
	}
	w.say = func(message string) {
		answered := make(chan struct{})
		go send(http.MethodPost, message, answered)
		if m := gjson.Parse(message); m.Get("method").Exists() && !m.Get("id").Exists() {
			<-answered // a notification is taken in order
		}
	}
	w.stream = func() {
		opened := make(chan struct{}, 1)
		go send(http.MethodGet, "", opened)
		<-opened
	}
	w.close = func() {
		hangUp()
	}
	return w
}

// TestPaging: the pages hold every tool once, ordered by name.
func TestPaging(t *testing.T) {
	const pageSize, tools = 1000, 1003
	var specs, want []string
	for n := range tools {
		want = append(want, fmt.Sprintf("tool%04d", n))
		specs = append(specs, tool(want[n], "return 1;", ""))
	}
	slices.Reverse(specs)
	f := newFixture(t, mcpserver.Config{}, specs...)
	everywhere(t, f, nil, func(t *testing.T, _ string, client *mcp.ClientSession) {
		var names []string
		var sizes []int
		params := &mcp.ListToolsParams{}
		for {
			page, err := client.ListTools(t.Context(), params)
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, len(page.Tools))
			for _, tool := range page.Tools {
				names = append(names, tool.Name)
			}
			if params.Cursor = page.NextCursor; params.Cursor == "" {
				break
			}
		}
		if !slices.Equal(sizes, []int{pageSize, tools - pageSize}) || !slices.Equal(names, want) {
			t.Errorf("pages of %v", sizes)
		}
	})
}
