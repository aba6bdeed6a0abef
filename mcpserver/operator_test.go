package mcpserver_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// waitingFor returns the next question that reaches the inbox.
func waitingFor(t *testing.T, d *approve.Desk, known ...string) approve.Entry {
	t.Helper()
	for t.Context().Err() == nil {
		all, err := d.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			if e.State == approve.Open && !strings.Contains(strings.Join(known, " "), e.ID) {
				return e
			}
		}
		time.Sleep(time.Millisecond) // another goroutine asks
	}
	t.Fatal("nothing came")
	return approve.Entry{}
}

func resolve(t *testing.T, d *approve.Desk, id string, yes bool) {
	t.Helper()
	if err := d.Resolve(t.Context(), id, approve.Resolution{Approve: yes, By: "uid 7"}); err != nil {
		t.Fatal(err)
	}
}

// called starts a call and returns the channel of its result.
func called(t *testing.T, client *mcp.ClientSession, arguments string) <-chan *mcp.CallToolResult {
	t.Helper()
	results := make(chan *mcp.CallToolResult, 1)
	go func() {
		result, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: "wipe", Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Error(err)
		}
		results <- result
	}()
	return results
}

// TestAnOperatorAnswersForAClientThatCannotAsk: in every era, over both transports.
func TestAnOperatorAnswersForAClientThatCannotAsk(t *testing.T) {
	d := desk(t, t.TempDir(), approve.Settings{})
	f := newFixture(t, mcpserver.Config{Desk: d}, wipe)
	everywhere(t, f, nil, func(t *testing.T, _ string, client *mcp.ClientSession) {
		for _, yes := range []bool{true, false} {
			arguments := map[bool]string{true: `{"disk":"a"}`, false: `{"disk":"` + t.Name() + `"}`}[yes]
			result := called(t, client, arguments)
			e := waitingFor(t, d)
			if want := "> wipe wants " + arguments + "\nTool: wipe\n"; !strings.Contains(e.Question, want) || e.Source != "library" || string(e.Arguments) != arguments || e.Tool != "wipe" || e.Level.String() != "L4" {
				t.Errorf("the operator sees %+v", e)
			}
			if shown := "test <U+001B>[2JLevel: L0 <U+202E>x"; !strings.HasPrefix(e.Client, shown) || !strings.HasSuffix(e.Client, "x… 1") || len(e.Client) > 100 {
				t.Errorf("the client calls itself %q", e.Client)
			}
			resolve(t, d, e.ID, yes)
			got := textOf(t, <-result)
			if ran := got == `{"wiped":"a"}`; ran != yes || !ran && !strings.Contains(got, "a person declined. Do not retry.") {
				t.Errorf("%v: %s", yes, got)
			}
			all := f.allRecords(t)
			asked, ended := all[len(all)-2], all[len(all)-1]
			if asked.Client != e.Client || ended.Client != e.Client {
				t.Errorf("on record it calls itself %q and %q, to the operator %q", asked.Client, ended.Client, e.Client)
			}
			if asked.Outcome != audit.Asked || asked.ID != ended.ID || *asked.Approval != (audit.Approval{ID: e.ID, Outcome: "open"}) {
				t.Errorf("the question is recorded as %+v", asked)
			}
			want := audit.Approval{ID: e.ID, Outcome: map[bool]string{true: "approved", false: "declined"}[yes], By: "uid 7"}
			if *ended.Approval != want || (ended.Outcome == audit.OK) != yes {
				t.Errorf("the end is recorded as %s, %+v", ended.Outcome, *ended.Approval)
			}
		}
	})
}

// TestAGrantThatCameLater: the call has ended with the approval's id; the same
// principal may repeat it once.
func TestAGrantThatCameLater(t *testing.T) {
	d := desk(t, t.TempDir(), approve.Settings{Wait: time.Millisecond})
	f := newFixture(t, mcpserver.Config{Desk: d}, wipe)
	client := f.stdio(t, sessions, nil)
	got := textOf(t, call(t, client, "wipe", `{"disk":"a"}`))
	e := waitingFor(t, d)
	if !strings.Contains(got, `"glovebox approvals approve `+e.ID+`"`) || !strings.Contains(got, "within 15m0s") {
		t.Errorf("the model is told: %s", got)
	}
	until := regexp.MustCompile(`until [0-9TZ:-]+;`) // changes with the clock
	again := textOf(t, call(t, client, "wipe", `{"disk":"a"}`))
	if until.ReplaceAllString(again, "") != until.ReplaceAllString(got, "") || until.FindString(again) == "" || until.FindString(again) < until.FindString(got) {
		t.Errorf("and when it tries again: %s", again)
	}
	resolve(t, d, e.ID, true)
	for name, refused := range map[string]string{
		"other arguments": textOf(t, call(t, client, "wipe", `{"disk":"b"}`)),
		"another client":  textOf(t, call(t, f.stdioAs(t, "stdio:other", sessions, nil), "wipe", `{"disk":"a"}`)),
		"over HTTP":       textOf(t, call(t, f.overHTTP(t, f.http(t).URL, sessions, nil), "wipe", `{"disk":"a"}`)),
	} {
		if !strings.Contains(refused, "was not run") {
			t.Errorf("%s: %s", name, refused)
		}
	}
	if ran := textOf(t, call(t, client, "wipe", `{"disk":"a"}`)); ran != `{"wiped":"a"}` {
		t.Errorf("the repetition: %s", ran)
	}
	if again := textOf(t, call(t, client, "wipe", `{"disk":"a"}`)); !strings.Contains(again, "was not run") || strings.Contains(again, e.ID) {
		t.Errorf("one more: %s", again)
	}
}

// TestTheOperatorIsFirst: the client shows a question that nobody answers, and the
// operator does. The client takes its question back.
func TestTheOperatorIsFirst(t *testing.T) {
	d := desk(t, t.TempDir(), approve.Settings{})
	f := newFixture(t, mcpserver.Config{Desk: d}, wipe)
	shown, takenBack := make(chan struct{}, 1), make(chan struct{}, 1)
	client := f.stdio(t, sessions, person(func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		shown <- struct{}{}
		<-ctx.Done()
		takenBack <- struct{}{}
		return nil, ctx.Err()
	}))
	for _, yes := range []bool{true, false} {
		result := called(t, client, `{"disk":"a"}`)
		<-shown // if the operator is first, there is nothing to take back
		resolve(t, d, waitingFor(t, d).ID, yes)
		if got := textOf(t, <-result); (got == `{"wiped":"a"}`) != yes {
			t.Errorf("%v: %s", yes, got)
		}
		<-takenBack
	}
	// Without sessions the client holds the question, and learns the outcome only with
	// its own answer.
	options := person(says("accept"))
	options.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	client = f.stdio(t, stateless, options)
	for _, row := range []struct {
		yes    bool
		client string
		runs   bool
	}{{true, "accept", true}, {false, "accept", false}, {true, "decline", false}} {
		params := &mcp.CallToolParams{Name: "wipe", Arguments: json.RawMessage(`{"disk":"` + row.client + `"}`)}
		if !row.yes {
			params.Arguments = json.RawMessage(`{"disk":"no"}`)
		}
		open, err := client.CallTool(t.Context(), params)
		if err != nil || !open.NeedsInput() {
			t.Fatal(open, err)
		}
		resolve(t, d, waitingFor(t, d).ID, row.yes)
		params.RequestState, params.InputResponses = open.RequestState, mcp.InputResponseMap{"approval": &mcp.ElicitResult{Action: row.client}}
		result, err := client.CallTool(t.Context(), params)
		if err != nil || result.IsError == row.runs {
			t.Errorf("%+v: %v, %v", row, result.Content, err)
		}
	}
}

// TestTheSameQuestionIsAskedOnce: of two identical concurrent calls one waits and the
// other is refused at once.
func TestTheSameQuestionIsAskedOnce(t *testing.T) {
	d := desk(t, t.TempDir(), approve.Settings{})
	f := newFixture(t, mcpserver.Config{Desk: d}, wipe)
	client := f.stdio(t, sessions, nil)
	first := called(t, client, `{"disk":"a"}`)
	e := waitingFor(t, d)
	if got := textOf(t, call(t, client, "wipe", `{"disk":"a"}`)); !strings.Contains(got, "the same call waits for a person's approval already. Do not retry.") {
		t.Errorf("the second: %s", got)
	}
	resolve(t, d, e.ID, true)
	if got := textOf(t, <-first); got != `{"wiped":"a"}` {
		t.Errorf("the first: %s", got)
	}
	if all, err := d.List(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("%d questions, %v", len(all), err)
	}
}

// TestACallThatIsCancelledWaitsNoLonger: its question can still be answered.
func TestACallThatIsCancelledWaitsNoLonger(t *testing.T) {
	d := desk(t, t.TempDir(), approve.Settings{})
	f := newFixture(t, mcpserver.Config{Desk: d}, wipe)
	client := f.stdio(t, sessions, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "wipe", Arguments: map[string]any{"disk": "a"}})
		ended <- err
	}()
	e := waitingFor(t, d)
	cancel()
	if err := <-ended; err == nil {
		t.Error("the call went on")
	}
	for len(f.records(t)) == 0 { // the server learns of it a little later
		time.Sleep(time.Millisecond)
	}
	if r := f.records(t)[0]; r.Outcome != audit.Refused || r.Approval.Outcome != "cancelled" || r.Approval.ID != e.ID {
		t.Errorf("recorded as %+v", r)
	}
	resolve(t, d, e.ID, true)
	if got := textOf(t, call(t, client, "wipe", `{"disk":"a"}`)); got != `{"wiped":"a"}` {
		t.Errorf("afterwards: %s", got)
	}
}

// TestAStoppingServerDoesNotWaitForAnOperator: the client is told the approval's id,
// and the answer counts at the next server.
func TestAStoppingServerDoesNotWaitForAnOperator(t *testing.T) {
	d := desk(t, t.TempDir(), approve.Settings{})
	before := newFixture(t, mcpserver.Config{Desk: d}, wipe)
	result := called(t, before.stdio(t, sessions, nil), `{"disk":"a"}`)
	e := waitingFor(t, d)
	before.server.Drain(context.Background()) // would wait for ever
	if got := textOf(t, <-result); !strings.Contains(got, "glovebox approvals approve "+e.ID) {
		t.Errorf("the client is told: %s", got)
	}
	resolve(t, d, e.ID, true)
	after := newFixture(t, mcpserver.Config{Desk: d}, wipe)
	if got := textOf(t, call(t, after.stdio(t, sessions, nil), "wipe", `{"disk":"a"}`)); got != `{"wiped":"a"}` {
		t.Errorf("at the next server: %s", got)
	}
}

// TestAnAnswerAfterARestart: the server that asked has stopped.
func TestAnAnswerAfterARestart(t *testing.T) {
	dir := t.TempDir()
	options := person(says("accept"))
	options.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	params := &mcp.CallToolParams{Name: "wipe", Arguments: json.RawMessage(`{"disk":"a"}`)}
	t.Run("before", func(t *testing.T) {
		f := newFixture(t, mcpserver.Config{Desk: desk(t, dir, approve.Settings{})}, wipe)
		open, err := f.stdio(t, stateless, options).CallTool(t.Context(), params)
		if err != nil || !open.NeedsInput() {
			t.Fatal(open, err)
		}
		params.RequestState = open.RequestState
	})
	params.InputResponses = mcp.InputResponseMap{"approval": &mcp.ElicitResult{Action: "accept"}}
	f := newFixture(t, mcpserver.Config{Desk: desk(t, dir, approve.Settings{})}, wipe)
	client := f.stdio(t, stateless, options)
	for _, runs := range []bool{true, false} {
		if result, err := client.CallTool(t.Context(), params); err != nil || result.IsError == runs {
			t.Errorf("%v: %v, %v", runs, result.Content, err)
		}
	}
}

// TestSecretsAreNotShown: the operator and the client see arguments as the record
// has them. What is approved are the bytes.
func TestSecretsAreNotShown(t *testing.T) {
	const key = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
	d := desk(t, t.TempDir(), approve.Settings{})
	f := newFixture(t, mcpserver.Config{Desk: d}, wipe)
	result := called(t, f.stdio(t, sessions, nil), `{"disk":"`+key+`"}`)
	e := waitingFor(t, d)
	text, err := json.Marshal(e)
	if err != nil || strings.Contains(string(text), key[8:]) || !strings.Contains(string(e.Arguments), "disk") {
		t.Errorf("%s, %v", text, err)
	}
	resolve(t, d, e.ID, true)
	if got := <-result; got.IsError {
		t.Error(textOf(t, got))
	}
}

func TestWithoutADeskNobodyIsAsked(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, wipe)
	calls := judged(risk.DefaultLevelPolicy())
	calls.Terms.Sanitiser = f.rt.Sanitiser()
	bare := mcpserver.New(mcpserver.Config{Calls: calls})
	f.server = bare
	f.offer(t, wipe)
	if got := textOf(t, call(t, f.stdio(t, sessions, person(says("accept"))), "wipe", `{"disk":"a"}`)); !strings.Contains(got, "nobody can be asked here. Do not retry.") {
		t.Error(got)
	}
}

// TestARuleLetsFurtherCallsRunUnasked: until it is revoked, and on record with its id.
func TestARuleLetsFurtherCallsRunUnasked(t *testing.T) {
	d := desk(t, t.TempDir(), approve.Settings{})
	f := newFixture(t, mcpserver.Config{Desk: d}, wipe)
	everywhere(t, f, nil, func(t *testing.T, _ string, client *mcp.ClientSession) {
		result := called(t, client, `{"disk":"`+t.Name()+`"}`)
		e := waitingFor(t, d)
		if err := d.Resolve(t.Context(), e.ID, approve.Resolution{Approve: true, By: "uid 7", Scope: &approve.Scope{For: time.Hour}}); err != nil {
			t.Fatal(err)
		}
		<-result
		rules, err := d.Rules(t.Context())
		if err != nil || len(rules) == 0 {
			t.Fatalf("%v, %v", rules, err)
		}
		if got := textOf(t, <-called(t, client, `{"disk":"b"}`)); got != `{"wiped":"b"}` {
			t.Errorf("by the rule: %s", got)
		}
		all := f.allRecords(t)
		if a := all[len(all)-1].Approval; a == nil || *a != (audit.Approval{ID: rules[0].ID, Outcome: "approved", By: "uid 7"}) {
			t.Errorf("on record: %+v", a)
		}
		if _, err := d.RevokeRule(t.Context(), rules[0].ID, "uid 8"); err != nil {
			t.Fatal(err)
		}
		result = called(t, client, `{"disk":"again `+t.Name()+`"}`)
		resolve(t, d, waitingFor(t, d).ID, false)
		if got := textOf(t, <-result); !strings.Contains(got, "a person declined") {
			t.Errorf("after it was revoked: %s", got)
		}
	})
}

// TestTwoPeopleForWhatDestroys: the client is not asked although it could be, one yes leaves
// the call waiting, and the same person does not count twice.
func TestTwoPeopleForWhatDestroys(t *testing.T) {
	d := desk(t, t.TempDir(), approve.Settings{People: 2})
	f := newFixture(t, mcpserver.Config{Desk: d}, strings.Replace(wipe, `"fileWrite":true`, `"fileWrite":true,"destructive":true`, 1))
	accepts := &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		t.Error("the client is asked")
		return &mcp.ElicitResult{Action: "accept"}, nil
	}}
	everywhere(t, f, accepts, func(t *testing.T, _ string, client *mcp.ClientSession) {
		result := called(t, client, `{"disk":"`+t.Name()+`"}`)
		e := waitingFor(t, d)
		if e.Need != 2 || e.Level != risk.L5 {
			t.Fatalf("%+v", e)
		}
		for _, by := range []string{"ada", "grace"} {
			select {
			case r := <-result:
				t.Fatalf("it ended before %s: %s", by, textOf(t, r))
			default:
			}
			if err := d.Resolve(t.Context(), e.ID, approve.Resolution{Approve: true, By: by}); err != nil {
				t.Fatal(err)
			}
		}
		if got := textOf(t, <-result); !strings.Contains(got, `{"wiped":`) {
			t.Error(got)
		}
	})
}
