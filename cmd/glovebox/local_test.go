package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/runtime/audit"
)

// These tests let real processes share a state folder, and end them in every way.

func TestClientsOfOneMachineShareAServer(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	owner := m.start(t, "owner", "--stdio").begin()
	older := m.start(t, "older", "--stdio").begin()
	newer := m.start(t, "newer", "--stdio", "--ceiling", "L2")
	third := m.start(t, "third", "--stdio")
	owner.adds(1, "")
	older.adds(1, "")
	newer.adds(1, stateless)
	third.adds(1, stateless)
	if callers := m.callers(t); len(callers) != 4 || !strings.HasPrefix(callers[0], "local:") || !strings.HasPrefix(callers[3], "stdio:") {
		t.Errorf("%v called", callers)
	}
	s := m.status(t)
	if s.PID != owner.cmd.Process.Pid || s.Mode != "stdio" || len(s.Clients) != 3 || !slices.Contains(m.callers(t), s.Clients[0].Principal) {
		t.Errorf("%+v", s)
	}
	if said := newer.stderr.String(); strings.Count(said, `--ceiling L2 (it has L5)`) != 1 || strings.Contains(said, "--folder") {
		t.Errorf("of its flags it said %q", said)
	}
	if said := older.stderr.String(); said != "" {
		t.Errorf("it said %q", said)
	}

	// A question goes through, and the answer counts for the client that was asked.
	newer.send(callTool(2, "tidy", `{}`, stateless))
	state := newer.next(`"id":2,`).Get("result.requestState").Str
	answer := `,"requestState":"` + state + `","inputResponses":{"approval":{"action":"accept"}}` + stateless
	third.send(callTool(3, "tidy", `{}`, answer))
	if text := third.next(`"id":3,`).Get("result.content.0.text").Str; !strings.Contains(text, "not for this call") {
		t.Errorf("another client's approval: %s", text)
	}
	newer.send(callTool(4, "tidy", `{}`, answer))
	if text := newer.next(`"id":4,`).Get("result.content.0.text").Str; text != `"tidied"` {
		t.Errorf("its own approval: %s", text)
	}
	older.send(callTool(5, "tidy", `{}`, ""))
	question := older.next(`"elicitation/create"`)
	older.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{}}}`, question.Get("id").Raw))
	if text := older.next(`"id":5,`).Get("result.content.0.text").Str; text != `"tidied"` {
		t.Errorf("a question of the older protocol: %s", text)
	}

	// The owner's client leaves; the owner stays until the others have.
	owner.in.Close()
	newer.leave()
	older.adds(6, "")
	third.adds(6, stateless)
	third.leave()
	older.adds(7, "")
	select {
	case <-owner.ended:
		t.Error("the owner left before its clients")
	default:
	}
	older.leave()
	if code := owner.exit(); code != exitGood {
		t.Errorf("the owner's exit code is %d", code)
	}
}

// TestAnOwnersClientMayVanish with its pipes, before it has its answers.
func TestAnOwnersClientMayVanish(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	owner := m.start(t, "owner", "--stdio").begin()
	other := m.start(t, "other", "--stdio").begin()
	owner.send(callTool(1, "slow", `{"ms":200}`, ""))
	owner.adds(2, "")
	owner.out.Close()
	owner.in.Close()
	other.send(callTool(1, "slow", `{"ms":500}`, ""))
	if answer := other.next(`"id":1,`); answer.Get("result.structuredContent.slept").Int() != 500 {
		t.Errorf("%s", answer.Raw)
	}
	if s := m.status(t); s.PID != owner.cmd.Process.Pid {
		t.Errorf("process %d owns the folder now, not %d", s.PID, owner.cmd.Process.Pid)
	}
	other.leave()
	if code := owner.exit(); code != exitGood {
		t.Errorf("exit code %d", code)
	}
}

// TestAnOperatorAnswersForAClientThatCannotAsk: the call waits for the inbox, a
// grant that comes later is for the same client alone, and it outlives the owner.
func TestAnOperatorAnswersForAClientThatCannotAsk(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	cannot := strings.Replace(stateless, `{"elicitation":{}}`, `{}`, 1)
	owner := m.start(t, "owner", "--stdio")
	owner.adds(1, stateless)
	client, other := m.start(t, "client", "--stdio"), m.start(t, "other", "--stdio")
	client.adds(1, stateless)
	other.adds(1, stateless)
	answer := func(verb string) string {
		t.Helper()
		for started := time.Now(); time.Since(started) < patience; time.Sleep(5 * time.Millisecond) {
			if out, err := m.command("approvals", "list", "--json").Output(); err == nil && len(out) > 0 {
				id := gjson.GetBytes(out, "id").Str
				if out, err := m.command("approvals", verb, id, "--note", "as asked").CombinedOutput(); err != nil || len(out) > 0 {
					t.Fatalf("%s: %v", out, err)
				}
				return id
			}
		}
		t.Fatal("no question comes up")
		return ""
	}
	for id, row := range map[int]struct{ verb, says string }{2: {"approve", `"tidied"`}, 3: {"deny", "was not run"}} {
		client.send(callTool(id, "tidy", fmt.Sprintf(`{"n":%d}`, id), cannot))
		answer(row.verb)
		if text := client.next(fmt.Sprintf(`"id":%d,`, id)).Get("result.content.0.text").Str; !strings.Contains(text, row.says) {
			t.Errorf("after %s: %s", row.verb, text)
		}
	}

	// The client gives up, the operator says yes, the owner is killed, the client
	// calls again.
	client.send(callTool(4, "tidy", `{"n":4}`, cannot))
	for len(m.open(t)) == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
	id := answer("approve")
	owner.cmd.Process.Kill()
	<-owner.ended
	client.adds(5, stateless)
	other.adds(5, stateless)
	// It has to be the same client.
	other.send(callTool(6, "tidy", `{"n":4}`, cannot), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}`)
	other.adds(7, stateless)
	client.send(callTool(6, "tidy", `{"n":4}`, cannot))
	if text := client.next(`"id":6,`).Get("result.content.0.text").Str; text != `"tidied"` {
		t.Errorf("with the grant %s: %s", id, text)
	}
	tidied := 0
	err := audit.Read(filepath.Join(m.state, "glovebox", "audit", "audit.jsonl"), audit.Filter{Tool: "tidy", Outcome: audit.OK}, func(e audit.Entry) error {
		if strings.HasPrefix(e.Caller, "local:") {
			tidied++
		}
		return nil
	})
	if err != nil || tidied != 2 {
		t.Errorf("it ran %d times, %v", tidied, err)
	}
	client.in.Close()
	other.in.Close()
	client.exit()
	other.exit()
}

func TestCancellationGoesThroughARelay(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	owner := m.start(t, "owner", "--stdio", "--parallel", "1").begin()
	for _, row := range []struct {
		name, more string
		begin      func(*program) *program
	}{
		{"older", "", (*program).begin},
		{"newer", stateless, func(p *program) *program { return p }},
	} {
		client := row.begin(m.start(t, row.name, "--stdio"))
		// One call runs at a time, so the second is answered only if the first ended.
		client.send(callTool(1, "slow", `{"ms":25000}`, row.more), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		client.adds(2, row.more)
		client.leave()
	}
	owner.leave()
}

// TestAKilledOwnerIsReplaced while calls and questions are under way.
func TestAKilledOwnerIsReplaced(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	owner := m.start(t, "owner", "--stdio").begin()
	older := m.start(t, "older", "--stdio").begin()
	newer := m.start(t, "newer", "--stdio")
	newer.adds(1, stateless)
	older.send(callTool(1, "slow", `{"ms":25000}`, ""), callTool(2, "tidy", `{}`, ""))
	first := older.next(`"elicitation/create"`).Get("id").Raw
	newer.send(callTool(2, "slow", `{"ms":25000}`, stateless))
	newer.adds(9, stateless) // so the call before it has arrived
	names := map[string]bool{}
	for _, c := range m.status(t).Clients {
		names[c.Principal] = true
	}

	owner.cmd.Process.Kill()
	<-owner.ended
	told := map[string]bool{}
	for range 4 {
		message := older.next("")
		switch {
		case message.Get("method").Str == "notifications/cancelled" && message.Get("params.requestId").Raw == first:
			told["the question is withdrawn"] = true
		case message.Get("method").Str == "notifications/tools/list_changed":
			told["the list may have changed"] = true
		case strings.Contains(message.Get("error.message").Str, "not known"):
			told["lost: "+message.Get("id").Raw] = true
		}
	}
	if len(told) != 4 || !told["lost: 1"] || !told["lost: 2"] {
		t.Errorf("the client of the older protocol heard %v", told)
	}
	if lost := newer.next(`"id":2,`).Get("error.message").Str; !strings.Contains(lost, "not known") {
		t.Errorf("the client of the newer protocol heard %q", lost)
	}

	// Both continue with their identity. The late yes has no effect.
	older.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{}}}`, first))
	older.adds(3, "")
	newer.adds(3, stateless)
	older.send(callTool(4, "tidy", `{}`, ""))
	question := older.next(`"elicitation/create"`).Get("id").Raw
	older.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{}}}`, first))
	older.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"decline","content":{}}}`, question))
	if text := older.next(`"id":4,`).Get("result.content.0.text").Str; question == first || !strings.Contains(text, "declined") {
		t.Errorf("question %s after %s: %s", question, first, text)
	}
	s := m.status(t)
	if s.PID != older.cmd.Process.Pid && s.PID != newer.cmd.Process.Pid || len(s.Clients) != 2 || !names[s.Clients[0].Principal] || !names[s.Clients[1].Principal] {
		t.Errorf("%+v, before there were %v", s, names)
	}
	if said := older.stderr.String() + newer.stderr.String(); strings.Count(said, "takes its place") != 2 {
		t.Errorf("they said %q", said)
	}
	for _, p := range []*program{older, newer} {
		p.in.Close()
	}
	for _, p := range []*program{older, newer} {
		if code := p.exit(); code != exitGood {
			t.Errorf("%s: exit code %d", p.name, code)
		}
	}
}

// TestAStoppedServerHandsOver: what runs is answered, and the client goes on.
func TestAStoppedServerHandsOver(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--listen", "127.0.0.1:0"}, {"--stdio"}} {
		// Nobody outside can know that a call has begun: at times the signal is faster.
		for tries := 1; handedOver(t, args) == "stopping"; tries++ {
			if tries == 10 {
				t.Errorf("%v: not one of %d calls had begun", args, tries)
				break
			}
		}
	}
}

// handedOver stops a server in the middle of a call and says how that ended.
func handedOver(t *testing.T, args []string) string {
	t.Helper()
	m := newMachine(t)
	owner := m.start(t, "owner", args...)
	m.serving(t, owner.cmd.Process.Pid)
	client := m.start(t, "client", "--stdio").begin()
	client.send(callTool(1, "slow", `{"ms":300}`, ""))
	client.adds(2, "")
	owner.cmd.Process.Signal(syscall.SIGTERM)
	ended := "run"
	if slept := client.next(`"id":1,`); strings.Contains(slept.Get("result.content.0.text").Str, "the server is stopping") {
		ended = "stopping"
	} else if slept.Get("result.structuredContent.slept").Int() != 300 {
		t.Errorf("%v: the call that ran: %s", args, slept.Raw)
	}
	if code := owner.exit(); code != exitGood {
		t.Errorf("%v: exit code %d", args, code)
	}
	m.serving(t, client.cmd.Process.Pid)
	client.adds(3, "")
	client.leave()
	return ended
}

// TestQuestionsAreWatched as they come and go, also when the owner changes.
func TestQuestionsAreWatched(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	owner := m.start(t, "owner", "--stdio").begin()
	client := m.start(t, "client", "--stdio")
	client.adds(1, stateless)
	watch := m.run(t, "watch", "approvals", "list", "--watch", "--json", "--state", "all")
	client.send(callTool(2, "tidy", `{}`, stateless))
	client.next(`"id":2,`)
	first := watch.next(`"state":"open"`).Get("id").Str
	owner.cmd.Process.Kill()
	<-owner.ended
	client.adds(3, stateless)
	if out, err := m.command("approvals", "deny", first).CombinedOutput(); err != nil {
		t.Fatalf("%s\n%v", out, err)
	}
	if id := watch.next(`"state":"denied"`).Get("id").Str; id != first {
		t.Errorf("%s was denied, not %s", id, first)
	}
	watch.cmd.Process.Signal(os.Interrupt)
	if code := watch.exit(); code != exitGood {
		t.Errorf("exit code %d: %s", code, watch.stderr.String())
	}
	client.leave()
}

// TestASpecThatIsTestedBesideAServerIsServed, and relayed clients hear of it.
func TestASpecThatIsTestedBesideAServerIsServed(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	owner := m.start(t, "owner", "--stdio").begin()
	client := m.start(t, "client", "--stdio").begin()
	file := filepath.Join(m.specs, "late.json")
	if err := os.WriteFile(file, []byte(`{"name": "late", "description": "Comes late.", "code": "return 'here';", "codeType": "Javascript", "draft": true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := m.command("test", "--write", file).CombinedOutput(); err != nil {
		t.Fatalf("%s\n%v", out, err)
	}
	client.next(`"notifications/tools/list_changed"`)
	client.send(callTool(1, "late", `{}`, ""))
	if text := client.next(`"id":1,`).Get("result.content.0.text").Str; text != `"here"` {
		t.Errorf("it says %s", text)
	}
	client.leave()
	owner.leave()
}

func TestASecondServerOverHTTPIsRefused(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	owner := m.start(t, "owner", "--stdio").begin()
	second := m.start(t, "second", "--listen", "127.0.0.1:0")
	if code, said := second.exit(), second.stderr.String(); code != exitUsage || !strings.Contains(said, fmt.Sprintf("process %d (glovebox serve --stdio", owner.cmd.Process.Pid)) {
		t.Errorf("exit code %d: %s", code, said)
	}
	owner.leave()
}

func TestAFolderThatOthersReachIsRefused(t *testing.T) {
	t.Parallel()
	m := &machine{state: t.TempDir(), specs: t.TempDir()}
	run := filepath.Join(m.state, "glovebox", "run")
	if err := errors.Join(os.MkdirAll(run, 0o700), os.Chmod(run, 0o770)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--stdio"}, {"--listen", "127.0.0.1:0"}} {
		p := m.start(t, "server", args...)
		if code, said := p.exit(), p.stderr.String(); code != exitUsage || !strings.Contains(said, "has mode 0770, so others may reach what is in it; run chmod 700 on it") {
			t.Errorf("%v: exit code %d: %s", args, code, said)
		}
	}
}

// TestHostileLinesHurtNobody: a line that is not a message gets an error and is
// skipped, and a protocol violation ends only its own session.
func TestHostileLinesHurtNobody(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	owner := m.start(t, "owner", "--stdio").begin()
	other := m.start(t, "other", "--stdio").begin()
	for name, line := range map[string]string{
		"broken JSON": `{"jsonrpc":}`, "no JSON": "\x00\xff nonsense", "too long": `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 5<<20),
		"deep": strings.Repeat("[", 100_000), "no message": `[1,2,{}]`,
	} {
		hostile := m.start(t, name, "--stdio").begin()
		hostile.send(line)
		hostile.next(`"id":null,"error"`)
		hostile.adds(1, "")
		hostile.leave()
	}
	forbidden := m.start(t, "forbidden", "--stdio").begin()
	forbidden.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`) // several at once were given up
	if code, said := forbidden.exit(), forbidden.stderr.String(); code != exitIncomplete || !strings.Contains(said, "ended the session of this client") {
		t.Errorf("exit code %d: %s", code, said)
	}
	owner.told("session.broken") // and why
	other.adds(1, "")
	owner.adds(1, "")
	other.leave()
	owner.leave()
}
