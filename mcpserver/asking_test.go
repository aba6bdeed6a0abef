package mcpserver_test

//lint:file-ignore SA1019 what is deprecated is relayed for as long as servers use it

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/admission"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// survey is a tool whose server asks: for each of its arguments' questions, in turn. Its
// result tells what came of them.
func survey() *theirs {
	o := newTheirs("shop", `{"name":"survey"}`, "")
	o.run = func(ctx context.Context, p *governed.Permit) (out governed.Output) {
		p.Peer.Notify("notifications/progress", json.RawMessage(`{"progressToken":"of the gateway","progress":1,"total":2.50}`))
		var told []string
		for _, q := range gjson.GetBytes(p.Arguments, "ask").Array() {
			answers, err := p.Peer.Request(ctx, governed.Asked{Method: q.Get("method").String(), Params: json.RawMessage(q.Get("params").Raw)})
			if err != nil {
				told = append(told, "error: "+err.Error())
				continue
			}
			told = append(told, string(answers[0]))
		}
		if err := ctx.Err(); err != nil {
			out.Failure = &governed.Failure{Kind: governed.Cancelled, Message: "cancelled", Cause: context.Cause(ctx)}
			return out
		}
		text, _ := json.Marshal(strings.Join(told, "; "))
		out.Value = fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, text)
		return out
	}
	return o
}

const (
	askName  = `{"method":"elicitation/create","params":{"message":"Your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","later":1.0}}}}}`
	askModel = `{"method":"sampling/createMessage","params":{"maxTokens":5,"messages":[{"role":"user","content":{"type":"text","text":"Say hi"}}]}}`
	askRoots = `{"method":"roots/list","params":{}}`
)

func asks(questions ...string) string { return `{"ask":[` + strings.Join(questions, ",") + `]}` }

func newShop(t *testing.T, config mcpserver.Config, tools ...governed.Tool) *fixture {
	f := newFixture(t, config)
	if len(tools) == 0 {
		tools = []governed.Tool{survey()}
	}
	if withheld := f.server.Publish("shop", tools); len(withheld) > 0 {
		t.Fatal(withheld)
	}
	return f
}

// TestAServerAsksInTheMiddleOfACall: in every era and over both transports, of a client
// of the SDK; one call, one record, however many questions.
func TestAServerAsksInTheMiddleOfACall(t *testing.T) {
	f := newShop(t, mcpserver.Config{})
	progress := make(chan *mcp.ProgressNotificationParams, 100)
	options := &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{}},
		ElicitationHandler: func(_ context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if q.Params.Message != "Your name?" {
				t.Errorf("%+v", q.Params)
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
		CreateMessageHandler: func(_ context.Context, q *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "hi"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, n *mcp.ProgressNotificationClientRequest) { progress <- n.Params },
	}
	everywhere(t, f, options, func(t *testing.T, version string, client *mcp.ClientSession) {
		before := len(f.records(t))
		params := &mcp.CallToolParams{Name: "survey", Arguments: json.RawMessage(asks(askName, askModel, askRoots, askName))}
		params.SetProgressToken("mine")
		result, err := client.CallTool(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Split(textOf(t, result), "; ")
		if len(told) != 4 || gjson.Get(told[0], "content.name").Str != "Ada" || gjson.Get(told[1], "model").Str != "m" || !gjson.Get(told[2], "roots").IsArray() || told[3] != told[0] {
			t.Errorf("%q", told)
		}
		select {
		case n := <-progress:
			if n.ProgressToken != "mine" || n.Total != 2.5 {
				t.Errorf("%+v", n)
			}
		case <-time.After(enough):
			t.Error("no progress was heard")
		}
		if n := len(f.records(t)) - before; n != 1 {
			t.Errorf("%d records", n)
		}
	})
}

// TestAClientThatCannotBeAsked gets its result; the server behind hears why.
func TestAClientThatCannotBeAsked(t *testing.T) {
	f := newShop(t, mcpserver.Config{})
	everywhere(t, f, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}, func(t *testing.T, version string, client *mcp.ClientSession) {
		if got := textOf(t, call(t, client, "survey", asks(askName, askModel, askRoots))); strings.Count(got, "error: the client does not take such requests") != 3 {
			t.Error(got)
		}
	})
}

// shopper is a client of the protocol without sessions that answers by hand.
type shopper struct {
	*wire
	next int
}

const sealed = `,"inputResponses":{"server":{"action":"accept","content":{"name":"Ada"}}},"requestState":%q`

// ask calls the tool with arguments; more are further params.
func (v *shopper) ask(t testing.TB, arguments, more string) gjson.Result {
	t.Helper()
	v.next++
	return exchange(t, v.wire, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"survey","arguments":%s,%s%s}}`, v.next, arguments, newMetaAsks, more))
}

// TestAnswersThatDoNotCount: tampered with, of another call, of another client, twice,
// of another kind, missing, late. The call behind never runs twice, and ends.
func TestAnswersThatDoNotCount(t *testing.T) {
	f := newShop(t, mcpserver.Config{})
	f.wires(t, func(t *testing.T, connect func(*testing.T) *wire) {
		v := &shopper{wire: connect(t)}
		before := len(f.records(t))
		asked := v.ask(t, asks(askName), "")
		state := asked.Get("result.requestState").Str
		if asked.Get("result.resultType").Str != "input_required" || asked.Get("result.inputRequests.server.params").Raw != gjson.Get(askName, "params").Raw || state == "" {
			t.Fatal(asked.Raw)
		}
		tampered := []byte(state)
		tampered[len(tampered)-2] ^= 1
		for _, row := range []struct{ what, arguments, more, want string }{
			{"tampered", asks(askName), fmt.Sprintf(sealed, tampered), "must come back unchanged"},
			{"cut", asks(askName), fmt.Sprintf(sealed, "call.x"), "must come back unchanged"},
			{"another call", asks(askModel), fmt.Sprintf(sealed, state), "must come back unchanged"},
			{"another kind", asks(askName), fmt.Sprintf(`,"inputResponses":{"server":{"roots":[]}},"requestState":%q`, state), "does not answer what was asked"},
		} {
			if got := v.ask(t, row.arguments, row.more); !strings.Contains(got.Get("error.message").Str, row.want) || got.Get("error.code").Int() != -32602 {
				t.Errorf("%s: %s", row.what, got.Raw)
			}
		}
		// Without the answer the question is put again, and the state of before is spent.
		again := v.ask(t, asks(askName), fmt.Sprintf(`,"inputResponses":{"approval":{"action":"accept"}},"requestState":%q`, state))
		renewed := again.Get("result.requestState").Str
		if again.Get("result.resultType").Str != "input_required" || renewed == state {
			t.Fatal(again.Raw)
		}
		if got := v.ask(t, asks(askName), fmt.Sprintf(sealed, state)); !strings.Contains(got.Get("error.message").Str, "is over") {
			t.Error(got.Raw)
		}
		if got := v.ask(t, asks(askName), fmt.Sprintf(sealed, renewed)); !strings.Contains(got.Get("result.content.0.text").Str, "Ada") {
			t.Error(got.Raw)
		}
		if got := v.ask(t, asks(askName), fmt.Sprintf(sealed, renewed)); !strings.Contains(got.Get("error.message").Str, "is over") {
			t.Error(got.Raw)
		}
		if n := len(f.records(t)) - before; n != 1 {
			t.Errorf("%d records", n)
		}
	})
	// Another process gets the answer.
	other := &shopper{wire: newShop(t, mcpserver.Config{}).wire(t)}
	defer other.close()
	lost := &shopper{wire: f.wire(t)}
	defer lost.close()
	elsewhere := lost.ask(t, asks(askName), "").Get("result.requestState").Str
	if got := other.ask(t, asks(askName), fmt.Sprintf(sealed, elsewhere)); !strings.Contains(got.Get("error.message").Str, "must reach the same process") || got.Get("error.code").Int() != -32602 {
		t.Error(got.Raw)
	}
	// Another principal steals the state.
	one, two := &shopper{wire: f.wire(t)}, &shopper{wire: httpWire(t, f.http(t).URL+"/mcp")}
	defer one.close()
	defer two.close()
	state := one.ask(t, asks(askName), "").Get("result.requestState").Str
	if got := two.ask(t, asks(askName), fmt.Sprintf(sealed, state)); !strings.Contains(got.Get("error.message").Str, "from the same client") {
		t.Error(got.Raw)
	}
}

// waitFor waits until the server has this many records.
func (f *fixture) waitFor(t testing.TB, n int) {
	t.Helper()
	for deadline := time.Now().Add(enough); len(f.records(t)) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d records, want %d", len(f.records(t)), n)
		}
	}
}

// TestParkedCallsEnd: when nobody comes back, when the client hangs up, when the server
// stops; and there are never too many.
func TestParkedCallsEnd(t *testing.T) {
	t.Run("late", func(t *testing.T) {
		f := newShop(t, mcpserver.Config{AnswerTime: 20 * time.Millisecond})
		v := &shopper{wire: f.wire(t)}
		defer v.close()
		state := v.ask(t, asks(askName), "").Get("result.requestState").Str
		f.waitFor(t, 1)
		if got := v.ask(t, asks(askName), fmt.Sprintf(sealed, state)); !strings.Contains(got.Get("error.message").Str, "came too late") {
			t.Error(got.Raw)
		}
	})
	t.Run("hung up", func(t *testing.T) {
		f := newShop(t, mcpserver.Config{})
		v := &shopper{wire: f.wire(t)}
		v.ask(t, asks(askName), "")
		v.close()
		f.waitFor(t, 1)
	})
	t.Run("drain", func(t *testing.T) {
		f := newShop(t, mcpserver.Config{})
		v := &shopper{wire: httpWire(t, f.http(t).URL+"/mcp")}
		defer v.close()
		v.ask(t, asks(askName), "")
		f.server.Drain(t.Context()) // would wait for ever
		if n := len(f.records(t)); n != 1 {
			t.Errorf("%d records", n)
		}
	})
	t.Run("too many", func(t *testing.T) {
		f := newShop(t, mcpserver.Config{Limits: admission.Limits{Parallel: 1, PerPrincipal: 1}}) // none of them has the slot
		v := &shopper{wire: f.wire(t)}
		for range 8 {
			if got := v.ask(t, asks(askName), ""); got.Get("result.resultType").Str != "input_required" {
				t.Fatal(got.Raw)
			}
		}
		if got := v.ask(t, asks(askName), ""); !strings.Contains(got.Get("result.content.0.text").Str, "too many calls wait") {
			t.Error(got.Raw)
		}
		v.close()
		f.waitFor(t, 9)
	})
}

// TestWhatIsAskedAtOnceIsAnsweredAtOnce: under the server's names, and only when every
// answer is there.
func TestWhatIsAskedAtOnceIsAnsweredAtOnce(t *testing.T) {
	both := newTheirs("shop", `{"name":"survey"}`, "")
	both.run = func(ctx context.Context, p *governed.Permit) (out governed.Output) {
		ask := governed.Asked{Method: "elicitation/create", Params: json.RawMessage(`{"message":"?","requestedSchema":{"type":"object"}}`)}
		name, place, again := ask, ask, ask
		name.Key, place.Key, again.Key = "name", "place", "name"
		answers, err := p.Peer.Request(ctx, name, place, again)
		if err != nil {
			t.Error(err)
		}
		text, _ := json.Marshal(fmt.Sprintf("%s", answers))
		out.Value = fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, text)
		return out
	}
	f := newShop(t, mcpserver.Config{}, both)
	v := &shopper{wire: f.wire(t)}
	defer v.close()
	first := v.ask(t, "{}", "")
	for _, key := range []string{"name", "place", "server 3"} {
		if !first.Get("result.inputRequests." + key).Exists() {
			t.Fatalf("no %s: %s", key, first.Raw)
		}
	}
	say := func(state, rest string) gjson.Result {
		return v.ask(t, "{}", fmt.Sprintf(`,"inputResponses":{"name":{"action":"accept","content":{"is":"a"}},"place":{"action":"decline"}%s},"requestState":%q`, rest, state))
	}
	second := say(first.Get("result.requestState").Str, "")
	if second.Get("result.resultType").Str != "input_required" {
		t.Fatalf("one answer is missing: %s", second.Raw)
	}
	third := say(second.Get("result.requestState").Str, `,"server 3":{"action":"cancel"}`)
	if got, want := third.Get("result.content.0.text").Str, `[{"action":"accept","content":{"is":"a"}} {"action":"decline"} {"action":"cancel"}]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestAnApprovalComesBeforeTheServersQuestions: they have different keys and states, and
// neither answers the other.
func TestAnApprovalComesBeforeTheServersQuestions(t *testing.T) {
	tool := survey()
	tool.about.Level, tool.about.Approval.Mode = risk.L4, catalog.ApprovalRequired
	f := newShop(t, mcpserver.Config{}, tool)
	v := &shopper{wire: f.wire(t)}
	defer v.close()
	first := v.ask(t, asks(askName), "")
	approval := first.Get("result.requestState").Str
	if !first.Get("result.inputRequests.approval").Exists() || first.Get("result.inputRequests.server").Exists() {
		t.Fatal(first.Raw)
	}
	second := v.ask(t, asks(askName), fmt.Sprintf(`,"inputResponses":{"approval":{"action":"accept","content":{}}},"requestState":%q`, approval))
	if !second.Get("result.inputRequests.server").Exists() {
		t.Fatal(second.Raw)
	}
	third := v.ask(t, asks(askName), fmt.Sprintf(sealed, second.Get("result.requestState").Str))
	if !strings.Contains(third.Get("result.content.0.text").Str, "Ada") {
		t.Error(third.Raw)
	}
	if got := f.records(t); len(got) != 1 || got[0].Approval == nil {
		t.Errorf("%+v", got)
	}
}

// TestCancellationReachesAnotherServersTool, in both eras, and nothing reaches the
// client after its answer.
func TestCancellationReachesAnotherServersTool(t *testing.T) {
	entered, ended := make(chan struct{}), make(chan error, 1)
	tool := newTheirs("shop", `{"name":"slow"}`, "")
	var late governed.Peer
	var mu sync.Mutex
	tool.run = func(ctx context.Context, p *governed.Permit) (out governed.Output) {
		mu.Lock()
		late = p.Peer
		mu.Unlock()
		entered <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		out.Failure = &governed.Failure{Kind: governed.Cancelled, Cause: ctx.Err()}
		return out
	}
	f := newShop(t, mcpserver.Config{}, tool)
	everywhere(t, f, nil, func(t *testing.T, version string, client *mcp.ClientSession) {
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "slow"})
			failed <- err
		}()
		<-entered
		cancel()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		case <-time.After(enough):
			t.Fatal("it goes on")
		}
		if err := <-failed; err == nil {
			t.Error("it was answered")
		}
	})
	if _, err := late.Request(t.Context(), governed.Asked{Method: "roots/list"}); err == nil {
		t.Error("a call that is over asked its client")
	}
	late.Notify("notifications/progress", json.RawMessage(`{}`))
}
