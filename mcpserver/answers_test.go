package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver"
)

// written are answers with what no SDK knows: members, numbers, and an order of members.
var written = map[string]string{
	askName:  `{"content":{"name":"Ada","age":1.0,"n":9007199254740993},"later":{"a":[1e2]},"action":"accept","_meta":{"x":1}}`,
	askModel: `{"model":"m","role":"assistant","content":[{"type":"hologram","depth":2.50}],"usage":{"input":7}}`,
	askRoots: `{"roots":[{"uri":"file:///a","since":"2026"}],"more":true}`,
}

// misread are answers that two readers could understand differently, or that answer
// something else.
var misread = []string{
	`{"action":"accept","action":"decline"}`, `{"action":"accept","content":{"name":"a","name":"b"}}`, `{"action":"perhaps"}`, `{"action":1}`,
	`{"action":"accept","content":[1]}`, `{"roots":[]}`, `{}`, `{"action":"accept","content":{"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}}`,
}

const canAll = `{"elicitation":{},"sampling":{},"roots":{}}`

// TestAnswersArriveAsTheyWereWritten: a server behind gets the bytes of the client, in
// both eras, over both transports, whether or not the SDK serves the call.
func TestAnswersArriveAsTheyWereWritten(t *testing.T) {
	newShop(t, mcpserver.Config{}).wires(t, func(t *testing.T, connect func(*testing.T) *wire) {
		for _, meta := range []string{"", `,"_meta":{"progressToken":"p"}`} {
			t.Run("with a session"+meta, func(t *testing.T) {
				w := connect(t)
				begin(t, w, "2025-11-25", canAll)
				ask := func(question, answer string) string {
					t.Helper()
					w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"survey","arguments":%s%s}}`, asks(question), meta))
					asked := hear(t, w, func(m gjson.Result) bool { return m.Get("method").Str == gjson.Get(question, "method").Str })
					w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.Get("id").Raw, answer))
					return hear(t, w, func(m gjson.Result) bool { return m.Get("id").Raw == "7" && m.Get("result").Exists() }).Get("result.content.0.text").Str
				}
				for question, answer := range written {
					if got := ask(question, answer); got != answer {
						t.Errorf("%s\narrived as %s", answer, got)
					}
				}
				for _, answer := range misread {
					if got := ask(askName, answer); got != "error: the client's answer is none to what it was asked" {
						t.Errorf("%.60s: %.200s", answer, got)
					}
				}
			})
		}
		t.Run("without a session", func(t *testing.T) {
			w, next := connect(t), 0
			meta := strings.Replace(newMetaAsks, `{"elicitation":{}}`, canAll, 1)
			call := func(question, more string) gjson.Result {
				t.Helper()
				next++
				return exchange(t, w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"survey","arguments":%s,%s%s}}`, next, asks(question), meta, more))
			}
			answered := func(question, state, answer string) gjson.Result {
				t.Helper()
				return call(question, fmt.Sprintf(`,"requestState":%q,"inputResponses":{"server":%s}`, state, answer))
			}
			for question, answer := range written {
				state := call(question, "").Get("result.requestState").Str
				if got := answered(question, state, answer).Get("result.content.0.text").Str; got != answer {
					t.Errorf("%s\narrived as %s", answer, got)
				}
			}
			state := call(askName, "").Get("result.requestState").Str
			for _, answer := range append(misread, `{"action":"accept"},"server":{"action":"decline"}`) {
				if got := answered(askName, state, answer); got.Get("error.message").Str != "inputResponses does not answer what was asked" {
					t.Errorf("%.60s: %.200s", answer, got.Raw)
				}
			}
			if got := answered(askName, state, written[askName]).Get("result.content.0.text").Str; got != written[askName] {
				t.Error("a wrong answer has ended the call: ", got)
			}
		})
	})
}
