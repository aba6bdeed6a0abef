package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// TestServersShareAClustersApprovals: a call waits at one server, and the operator
// of another answers. The records of both are in one stream.
func TestServersShareAClustersApprovals(t *testing.T) {
	t.Parallel()
	cluster := natstest.One(t, nil)
	here, there := newMachine(t), newMachine(t)
	client := here.start(t, "here", "--stdio", "--nats", cluster.ClientURL())
	other := there.start(t, "there", "--stdio", "--nats", cluster.ClientURL())
	client.adds(1, stateless)
	other.adds(1, stateless)
	client.send(callTool(2, "tidy", `{"n":2}`, strings.Replace(stateless, `{"elicitation":{}}`, `{}`, 1)))
	id := ""
	for started := time.Now(); id == ""; time.Sleep(5 * time.Millisecond) {
		out, err := there.command("approvals", "list", "--json").Output()
		if err != nil || time.Since(started) > patience {
			t.Fatalf("no question comes up: %v", err)
		}
		id = gjson.GetBytes(out, "id").Str
	}
	if out, err := there.command("approvals", "approve", id).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	if text := client.next(`"id":2,`).Get("result.content.0.text").Str; text != `"tidied"` {
		t.Errorf("after the answer: %s", text)
	}
	client.in.Close()
	other.in.Close()
	client.exit()
	other.exit()

	conn, err := nats.Connect(cluster.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := conn.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	records, err := js.SubscribeSync("glovebox.audit.*", nats.OrderedConsumer())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for n := 0; n < 16; { // with those of the tests that the specs have passed
		m, err := records.NextMsg(patience)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(m.Data) {
			n++
			r := gjson.ParseBytes(line)
			seen[fmt.Sprint(r.Get("name").Str, " ", r.Get("outcome").Str, " ", r.Get("approval.outcome").Str, " ", r.Get("approval.id").Str == id)]++
		}
	}
	if seen["add OK  false"] < 2 || seen["tidy ASKED open true"] != 1 || seen["tidy OK approved true"] != 1 {
		t.Errorf("the stream has %v", seen)
	}
}

// TestAStoreThatCannotBeOpened stops serve with a code and a way out.
func TestAStoreThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	out, err := m.command("serve", "--listen", "127.0.0.1:0", "--nats", "nats://me:hunter22@127.0.0.1:1").CombinedOutput()
	var ended *exec.ExitError
	if text := string(out); !errors.As(err, &ended) || ended.ExitCode() != exitIncomplete || !strings.Contains(text, "store-unreachable: connect nats://me:xxxxx@127.0.0.1:1") || strings.Contains(text, "hunter22") {
		t.Errorf("%s, %v", out, err)
	}
}
