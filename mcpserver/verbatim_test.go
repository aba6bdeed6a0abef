package mcpserver_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// theirs is a tool of another server.
type theirs struct {
	about  governed.About
	listed string
	run    func(context.Context, *governed.Permit) governed.Output
}

// newTheirs is a tool with the definition listed, which answers the same each time.
func newTheirs(source, listed, answer string) *theirs {
	return &theirs{
		about:  governed.About{Source: source, Name: gjson.Get(listed, "name").Str, Hash: sha256.Sum256([]byte(source + listed + answer)), Level: risk.L0, Standing: source},
		listed: listed,
		run: func(context.Context, *governed.Permit) governed.Output {
			return governed.Output{Value: json.RawMessage(answer)}
		},
	}
}

func (o *theirs) About() *governed.About  { return &o.about }
func (o *theirs) Listed() json.RawMessage { return json.RawMessage(o.listed) }
func (o *theirs) Check(arguments []byte) (json.RawMessage, catalog.Problems) {
	if len(arguments) == 0 {
		return json.RawMessage(`{}`), nil
	}
	return arguments, nil
}

func (o *theirs) Run(ctx context.Context, p *governed.Permit) (out governed.Output) {
	if err := p.Check(o.about.Hash); err != nil {
		out.Failure = &governed.Failure{Kind: governed.NotCleared, Cause: err}
		return out
	}
	return o.run(ctx, p)
}

// exchange says a request and hears the answer; notifications in between are passed
// over.
func exchange(t testing.TB, w *wire, message string) gjson.Result {
	t.Helper()
	w.say(message)
	id := gjson.Get(message, "id").Raw
	return hear(t, w, func(m gjson.Result) bool { return m.Get("id").Raw == id && !m.Get("method").Exists() })
}

func hear(t testing.TB, w *wire, wanted func(gjson.Result) bool) gjson.Result {
	t.Helper()
	for patience := time.After(enough); ; {
		select {
		case text, more := <-w.heard:
			if !more {
				t.Fatal("hung up")
			}
			if m := gjson.Parse(text); wanted(m) {
				return m
			}
		case <-patience:
			t.Fatalf("not heard within %v", enough)
		}
	}
}

// begin opens a session of the older protocol.
func begin(t testing.TB, w *wire, version, capabilities string) gjson.Result {
	t.Helper()
	opened := exchange(t, w, fmt.Sprintf(`{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"t","version":"1"}}}`, version, capabilities))
	w.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return opened
}

// wires connects a client over both transports, and over HTTP also with a session that
// sleeps whenever it can.
func (f *fixture) wires(t *testing.T, test func(t *testing.T, connect func(*testing.T) *wire)) {
	t.Run("stdio", func(t *testing.T) {
		test(t, func(t *testing.T) *wire {
			w := f.wire(t)
			t.Cleanup(w.close)
			return w
		})
	})
	for name, url := range map[string]string{"http": f.http(t).URL, "http between sleeps": f.drowsy(t).URL} {
		t.Run(name, func(t *testing.T) {
			test(t, func(t *testing.T) *wire {
				w := httpWire(t, url+"/mcp")
				t.Cleanup(w.close)
				return w
			})
		})
	}
}

// TestAnotherServersToolsAreListedAsSent: members that no SDK knows, schemas that the
// SDK refuses with a panic, spellings, and annotations that are absent.
func TestAnotherServersToolsAreListedAsSent(t *testing.T) {
	definitions := []string{
		`{"name":"a","inputSchema":{"type":"object","properties":{"n":{"type":"number","default":1.0,"maximum":12345678901234567890}}},"execution":{"taskSupport":"optional"},"icons":[{"src":"data:,"}],"_meta":{"x":null}}`,
		`{"name":"b","annotations":{"title":"é\u00e9","readOnlyHint":true},"inputSchema":{"anyOf":[{"type":"object"}]}}`,
		`{"name":"c","inputSchema":true,"outputSchema":{"type":"object","x-mcp-header":"no name"}}`,
		`{"name":"d"}`,
		`{"name":"e","description":"<b>&amp;\u2028","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}`,
	}
	var tools []governed.Tool
	for _, d := range definitions {
		tools = append(tools, newTheirs("other", d, `{"content":[]}`))
	}
	f := newFixture(t, mcpserver.Config{})
	if withheld := f.server.Publish("other", tools); len(withheld) > 0 {
		t.Fatal(withheld)
	}
	f.wires(t, func(t *testing.T, connect func(*testing.T) *wire) {
		modern := exchange(t, connect(t), `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+newMeta+`}}`)
		if got := modern.Get("result.tools").Raw; got != "["+strings.Join(definitions, ",")+"]" {
			t.Error(got)
		}
		old := connect(t)
		begin(t, old, "2025-11-25", "{}")
		legacy := exchange(t, old, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		want := "[" + strings.Join(definitions, ",") + "]"
		if got := legacy.Get("result.tools").Raw; got != strings.Replace(want, `,"outputSchema":{"type":"array"}`, "", 1) {
			t.Error(got)
		}
	})
	for _, bad := range []string{`{"name":"f"`, `{"name":"f","name":"f"}`, `["f"]`, `{"name":"g"}`} {
		tool := newTheirs("other", bad, `{}`)
		tool.about.Name = "f"
		if withheld := f.server.Publish("other", []governed.Tool{tool}); len(withheld) != 1 || withheld[0].Name != "f" {
			t.Errorf("%s: %v", bad, withheld)
		}
	}
}

// TestAnotherServersResultsArePassedOn: unchanged where the client's version has words
// for them, and never as a question of ours.
func TestAnotherServersResultsArePassedOn(t *testing.T) {
	const sent = `{"_meta":{"k":1.0},"content":[{"type":"resource_link","uri":"x:\u00e9","name":"n","size":12345678901234567890}],"structuredContent":{"z":1,"a":1.50},"later":[]}`
	f := newFixture(t, mcpserver.Config{})
	refuses := newTheirs("other", `{"name":"refuses"}`, "")
	refuses.run = func(context.Context, *governed.Permit) governed.Output {
		return governed.Output{Failure: &governed.Failure{Kind: governed.Exception, Verbatim: json.RawMessage(`{"code":-32042,"message":"first log in","data":{"elicitations":[]}}`)}}
	}
	breaks := newTheirs("other", `{"name":"breaks"}`, "")
	breaks.run = func(context.Context, *governed.Permit) governed.Output {
		return governed.Output{Failure: &governed.Failure{Kind: governed.Exception, Verbatim: json.RawMessage(`{"code":-32022,"message":"no such version","data":{"supported":["1"]}}`)}}
	}
	f.server.Publish("other", []governed.Tool{
		newTheirs("other", `{"name":"plain"}`, sent), refuses, breaks,
		newTheirs("other", `{"name":"asks"}`, `{"resultType":"input_required","inputRequests":{"approval":{"method":"elicitation/create","params":{"message":"Your password?"}}},"requestState":"s"}`),
	})
	f.wires(t, func(t *testing.T, connect func(*testing.T) *wire) {
		modern, old := connect(t), connect(t)
		begin(t, old, "2025-11-25", `{"elicitation":{}}`)
		call := func(w *wire, name string) gjson.Result {
			meta := ""
			if w == modern {
				meta = "," + newMetaAsks
			}
			return exchange(t, w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":%q%s}}`, name, name, meta))
		}
		if got := call(old, "plain").Get("result").Raw; got != sent {
			t.Error(got)
		}
		want := strings.Replace(sent, `{"k"`, `{"io.modelcontextprotocol/serverInfo":{"name":"glovebox","title":"Glovebox","version":""},"k"`, 1)
		want = strings.TrimSuffix(want, "}") + `,"resultType":"complete"}`
		if got := call(modern, "plain").Get("result").Raw; got != want {
			t.Error(got)
		}
		for _, w := range []*wire{modern, old} {
			if got := call(w, "refuses").Get("error").Raw; got != `{"code":-32042,"message":"first log in","data":{"elicitations":[]}}` {
				t.Error(got)
			}
			if got := call(w, "breaks").Get("error").Raw; got != `{"code":-32603,"message":"no such version"}` {
				t.Error(got)
			}
			got := call(w, "asks").Get("result")
			if !got.Get("isError").Bool() || strings.Contains(got.Raw, "password") || !strings.Contains(got.Raw, "does not pass its result on") {
				t.Error(got.Raw)
			}
		}
	})
}

// TestHeadersRepeatArguments: also of arguments that the SDK does not see because they
// are large.
func TestHeadersRepeatArguments(t *testing.T) {
	f := newFixture(t, mcpserver.Config{})
	f.server.Publish("other", []governed.Tool{newTheirs("other", `{"name":"a","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"text":{"type":"string"}}}}`, `{"content":[]}`)})
	url := f.http(t).URL + "/mcp"
	for _, size := range []int{1, 10_000} {
		for header, want := range map[string]int{"eu": http.StatusOK, "us": http.StatusBadRequest, "": http.StatusBadRequest} {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":{"region":"eu","text":%q},%s}}`, strings.Repeat("x", size), newMeta)
			headers := []string{"Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/call", "Mcp-Name", "a"}
			if header != "" {
				headers = append(headers, "Mcp-Param-Region", header)
			}
			response := ask(t, http.MethodPost, url, body, headers...)
			var text bytes.Buffer
			_, _ = text.ReadFrom(response.Body)
			if response.StatusCode != want || want != http.StatusOK && (gjson.GetBytes(text.Bytes(), "error.code").Int() != -32020 || gjson.GetBytes(text.Bytes(), "id").Int() != 7) {
				t.Errorf("%q: %d, %s", header, response.StatusCode, text.String())
			}
		}
	}
}

// BenchmarkFirstPage asks for the first page of 200 servers with 50 tools each over
// HTTP, from cached bytes; first-ms is the one request that encodes them.
func BenchmarkFirstPage(b *testing.B) {
	f := newFixture(b, mcpserver.Config{})
	var tools []governed.Tool
	for i := range 200 * 50 {
		tools = append(tools, newTheirs("other", fmt.Sprintf(`{"name":"server-%03d.tool-%02d","description":%q,"inputSchema":{"type":"object"}}`, i/50, i%50, strings.Repeat("A word of what it does. ", 25)), `{"content":[]}`))
	}
	f.server.Publish("other", tools)
	url := f.http(b).URL + "/mcp"
	page := func() (size int64) {
		response := ask(b, http.MethodPost, url, `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{`+newMeta+`}}`, "Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/list")
		defer response.Body.Close()
		var text bytes.Buffer
		size, err := text.ReadFrom(response.Body)
		if err != nil || size < 500_000 {
			b.Fatal(size, err)
		}
		return size
	}
	began := time.Now()
	size := page()
	first := time.Since(began)
	for b.Loop() {
		page()
	}
	b.ReportMetric(float64(size), "bytes/page")
	b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
}
