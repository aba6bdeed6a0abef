package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// wipe asks before it runs, with its own question.
var wipe = tool("wipe", "return {wiped: disk};", `"params":[{"name":"disk","type":"STRING","required":true,"testValue":"x"}],
	"sandboxOverrides":{"fileWrite":true}, "humanInTheLoop":{"mode":"REQUIRED","promptTemplate":"{toolName} wants {args}"}`)

// person answers every question with answer.
func person(answer func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: answer}
}

func says(action string) func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: action, Content: map[string]any{}}, nil
	}
}

// asking are the eras in which a client can be asked.
var asking = []string{"2025-06-18", sessions, stateless}

// TestOnlyAYesRuns answers in every way, in every era, over both transports.
func TestOnlyAYesRuns(t *testing.T) {
	for _, row := range []struct {
		answer  string
		person  func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)
		says    string
		outcome string
	}{
		{"accept", says("accept"), "", "approved"},
		{"decline", says("decline"), "a person declined. Do not retry.", "declined"},
		{"cancel", says("cancel"), "did not decide. Do not retry.", "cancelled"},
		{"nonsense", says("ACCEPT"), "asking a person failed. Do not retry.", "ask-failed"},
	} {
		t.Run(row.answer, func(t *testing.T) {
			f := newFixture(t, mcpserver.Config{}, wipe)
			endpoint := f.http(t)
			var asked atomic.Int32
			options := person(func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked.Add(1)
				if got, want := r.Params.Message, "> wipe wants {\"disk\":\"{toolName}\"}\nTool: wipe\nSource: library\nRisk level: L4 High\n"; !strings.Contains(got, want) {
					t.Errorf("the question is %q, want %q", got, want)
				}
				if schema, _ := json.Marshal(r.Params.RequestedSchema); string(schema) != `{"properties":{},"type":"object"}` {
					t.Errorf("the schema is %s", schema)
				}
				return row.person(ctx, r)
			})
			calls := 0
			for _, version := range asking {
				for name, client := range map[string]*mcp.ClientSession{"stdio": f.stdio(t, version, options), "http": f.overHTTP(t, endpoint.URL, version, options)} {
					calls++
					result := call(t, client, "wipe", `{"disk": "{toolName}"}`)
					ran := !result.IsError && textOf(t, result) == `{"wiped":"{toolName}"}`
					if ran != (row.answer == "accept") || !ran && !strings.Contains(textOf(t, result), row.says) {
						t.Errorf("%s over %s: %v", version, name, textOf(t, result))
					}
				}
			}
			if int(asked.Load()) != calls {
				t.Errorf("asked %d times about %d calls", asked.Load(), calls)
			}
			for _, r := range f.records(t) {
				want := audit.Refused
				if row.answer == "accept" {
					want = audit.OK
				}
				if r.Outcome != want || !strings.HasSuffix(r.Decision, "; "+row.outcome) {
					t.Errorf("recorded as %s, %s", r.Outcome, r.Decision)
				}
			}
		})
	}
}

// TestAnErrorInsteadOfAnAnswer: with sessions the call is answered; without, the
// client gives up by itself. In neither case does the call run.
func TestAnErrorInsteadOfAnAnswer(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, wipe)
	options := person(func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return nil, errors.New("no window")
	})
	for _, version := range asking {
		result, err := f.stdio(t, version, options).CallTool(t.Context(), &mcp.CallToolParams{Name: "wipe", Arguments: map[string]any{"disk": "a"}})
		if err == nil && (!result.IsError || !strings.Contains(textOf(t, result), "asking a person failed")) || err != nil && version != stateless {
			t.Errorf("%s: %v, %v", version, result, err)
		}
	}
	for _, r := range f.records(t) {
		if r.Outcome != audit.Refused {
			t.Errorf("recorded as %s", r.Outcome)
		}
	}
}

func TestNobodyAnswers(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Desk: desk(t, t.TempDir(), approve.Settings{Answer: 50 * time.Millisecond})}, wipe)
	options := person(func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
		return &mcp.ElicitResult{Action: "accept"}, nil // too late
	})
	for version, says := range map[string]string{sessions: "nobody answered in time", stateless: "was used or expired"} {
		before := len(f.records(t))
		result := call(t, f.stdio(t, version, options), "wipe", `{"disk":"a"}`)
		if !result.IsError || !strings.Contains(textOf(t, result), says) {
			t.Errorf("%s: %s", version, textOf(t, result))
		}
		records := f.records(t)[before:]
		if len(records) != 1 || records[0].Approval == nil || records[0].Approval.ID == "" {
			t.Errorf("%s: %d records, and none says which question it was", version, len(records))
		}
	}
}

// TestAClientWithoutFormsCannotBeAsked: URL elicitation alone does not suffice.
func TestAClientWithoutFormsCannotBeAsked(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Desk: desk(t, t.TempDir(), approve.Settings{Wait: time.Millisecond})}, wipe)
	options := person(says("accept"))
	options.Capabilities = &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}}
	for _, version := range asking {
		if result := call(t, f.stdio(t, version, options), "wipe", `{"disk":"a"}`); !result.IsError || !strings.Contains(textOf(t, result), "cannot ask one") {
			t.Errorf("%s: %s", version, textOf(t, result))
		}
	}
}

// TestStatesOfQuestions plays a client that answers questions by its own rules.
func TestStatesOfQuestions(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, wipe, strings.Replace(wipe, `"wipe"`, `"other"`, 1))
	elsewhere := newFixture(t, mcpserver.Config{}, wipe)
	endpoint := f.http(t)
	options := person(says("accept"))
	options.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	client := f.stdio(t, stateless, options)
	send := func(client *mcp.ClientSession, name, arguments, state, action string) *mcp.CallToolResult {
		t.Helper()
		params := &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments), RequestState: state}
		if action != "" {
			params.InputResponses = mcp.InputResponseMap{"approval": &mcp.ElicitResult{Action: action}}
		}
		result, err := client.CallTool(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	const arguments = `{"disk":"a"}`
	question := func(client *mcp.ClientSession) string {
		t.Helper()
		result := send(client, "wipe", arguments, "", "")
		if !result.NeedsInput() || result.RequestState == "" {
			t.Fatalf("no question: %v", result)
		}
		return result.RequestState
	}
	refused := func(name string, result *mcp.CallToolResult) {
		t.Helper()
		if !result.IsError || result.NeedsInput() || !strings.Contains(textOf(t, result), "Do not retry.") {
			t.Errorf("%s: %v", name, result.Content)
		}
	}

	state := question(client)
	refused("an answer without a state", send(client, "wipe", arguments, "", "accept"))
	first := "A"
	if state[0] == 'A' {
		first = "B"
	}
	refused("a state that was tampered with", send(client, "wipe", arguments, first+state[1:], "accept"))
	refused("other arguments", send(client, "wipe", `{"disk":"b"}`, state, "accept"))
	refused("another tool", send(client, "other", arguments, state, "accept"))
	refused("another principal", send(f.overHTTP(t, endpoint.URL, stateless, options), "wipe", arguments, state, "accept"))
	refused("another program", send(f.stdioAs(t, "stdio:other", stateless, options), "wipe", arguments, state, "accept"))
	refused("another server", send(client, "wipe", arguments, question(elsewhere.stdio(t, stateless, options)), "accept"))
	refused("a client of the other era", send(f.overHTTP(t, endpoint.URL, sessions, options), "wipe", arguments, state, "accept"))
	if result := send(client, "wipe", arguments, state, "accept"); result.IsError {
		t.Errorf("the genuine answer: %s", textOf(t, result))
	}
	refused("the answer once more", send(client, "wipe", arguments, state, "accept"))

	state = question(client)
	refused("a no", send(client, "wipe", arguments, state, "decline"))
	refused("a yes after the no", send(client, "wipe", arguments, state, "accept"))

	state = question(client)
	refused("a state without an answer", send(client, "wipe", arguments, state, ""))
	refused("a yes after that", send(client, "wipe", arguments, state, "accept"))

	state = question(client)
	f.offer(t, strings.Replace(wipe, "wiped", "gone", 1))
	refused("the tool has changed since", send(client, "wipe", arguments, state, "accept"))

	ran := 0
	for _, r := range f.records(t) {
		if r.Outcome == audit.OK {
			ran++
		}
	}
	if ran != 1 {
		t.Errorf("it ran %d times", ran)
	}
}

func TestQuestionsShowWhatCannotBeSeen(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Calls: judged(risk.DefaultLevelPolicy())}, wipe)
	var seen string
	options := person(func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		seen = r.Params.Message
		return &mcp.ElicitResult{Action: "decline"}, nil
	})
	client := f.stdio(t, sessions, options)
	call(t, client, "wipe", "{\n\n\n\"disk\":\n\"a\u202eb\u200b\"}")
	if want := "\n  disk: \"a<U+202E>b<U+200B>\""; !strings.HasSuffix(seen, want) {
		t.Errorf("got  %q\nwant %q", seen, want)
	}
	call(t, client, "wipe", `{"disk":"`+strings.Repeat("ä", 5000)+`"}`)
	if len(seen) > 6000 || !strings.Contains(seen, "... (6002 more bytes; sha256 of all ") {
		t.Errorf("%d bytes, ending in %q", len(seen), seen[len(seen)-50:])
	}
}

// neverAnswers is a person who never replies; asked is closed when the question arrives.
func neverAnswers() (options *mcp.ClientOptions, asked chan struct{}) {
	asked = make(chan struct{})
	return person(func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		close(asked)
		<-ctx.Done()
		return nil, ctx.Err()
	}), asked
}

// TestACallThatIsCancelledWhileAPersonIsAsked: the question is recorded as cancelled,
// not as failed.
func TestACallThatIsCancelledWhileAPersonIsAsked(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, wipe)
	silent, asked := neverAnswers()
	client := f.stdio(t, sessions, silent)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "wipe", Arguments: map[string]any{"disk": "a"}}); err == nil {
		t.Fatalf("it was answered: %s", textOf(t, result))
	}
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		records := f.records(t)
		if n := len(records); n > 0 && records[n-1].Outcome == audit.Refused {
			last := records[n-1]
			if last.Approval == nil || last.Approval.Outcome != "cancelled" {
				t.Errorf("recorded as %+v", last.Approval)
			}
			return
		}
		if time.Since(start) > enough {
			t.Fatal("the call has not ended")
		}
	}
}

// TestAQuestionDoesNotHoldTheServerUp: a question pending at the client when the
// server stops is dropped.
func TestAQuestionDoesNotHoldTheServerUp(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, wipe)
	silent, asked := neverAnswers()
	client := f.stdio(t, sessions, silent)
	answered := make(chan *mcp.CallToolResult, 1)
	go func() {
		result, _ := client.CallTool(context.Background(), &mcp.CallToolParams{Name: "wipe", Arguments: map[string]any{"disk": "a"}})
		answered <- result
	}()
	<-asked
	stopped, now := context.WithCancel(t.Context())
	now()
	f.server.Drain(stopped)
	if result := <-answered; result != nil && !result.IsError {
		t.Errorf("it ran: %s", textOf(t, result))
	}
	if records := f.records(t); len(records) != 1 || records[0].Outcome != audit.Refused {
		t.Errorf("recorded as %+v", records)
	}
}
