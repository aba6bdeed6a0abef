package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// verified runs audit verify --cluster and returns what it says and its exit code.
func (m *machine) verified(t *testing.T, url string, more ...string) (gjson.Result, int) {
	t.Helper()
	out, err := m.command(append([]string{"audit", "verify", "--cluster", "--json", "--nats", url}, more...)...).Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	if ended != nil && len(out) == 0 {
		return gjson.Result{}, ended.ExitCode()
	}
	code := 0
	if ended != nil {
		code = ended.ExitCode()
	}
	return gjson.ParseBytes(out), code
}

// TestTheRecordsOfACluster: every server's record is in the cluster, whole and signed,
// and what is wrong with one has its name: a record that was taken out, one that somebody
// added, a server that was killed, a member of the cluster that is away, a copy that is
// gone. Somebody else's machine does it, with no more than the address.
func TestTheRecordsOfACluster(t *testing.T) {
	t.Parallel()
	cluster := natstest.Three(t)
	url := natstest.URL(cluster...)
	all := replicas(t, url, 3, "--nats-replicas", "3")
	other := newMachine(t)
	for n, r := range all {
		for range n + 1 {
			if status, answer := r.called("t", "add", `{"a":1}`); status != 200 {
				t.Fatal(answer)
			}
		}
	}
	// until says what is found once it is as a function wants it.
	until := func(what string, want func(found gjson.Result, code int) bool, more ...string) gjson.Result {
		t.Helper()
		for started := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			found, code := other.verified(t, url, more...)
			if want(found, code) {
				return found
			}
			if time.Since(started) > 2*time.Minute {
				t.Fatalf("%s: exit code %d, %s", what, code, found.Raw)
			}
		}
	}
	// Every machine has recorded the tests of its specs before.
	own := 0
	if err := audit.Read(filepath.Join(other.state, "glovebox", "audit", "audit.jsonl"), audit.Filter{}, func(audit.Entry) error { own++; return nil }); err != nil || own == 0 {
		t.Fatal(own, err)
	}
	records := func(found gjson.Result) string {
		sum := map[string]int{}
		for _, w := range found.Get("writers").Array() {
			sum[fmt.Sprint(int(w.Get("records").Int())-own, " ", w.Get("state").Str, " ", len(w.Get("defects").Array()))]++
		}
		return fmt.Sprint(sum)
	}
	whole := until("all is well", func(found gjson.Result, code int) bool {
		return code == 0 && records(found) == "map[1 writing 0:1 2 writing 0:1 3 writing 0:1]"
	})
	if whole.Get("store.copies").Int() != 3 || len(whole.Get("store.members").Array()) != 3 {
		t.Errorf("the cluster: %s", whole.Get("store"))
	}
	kept := filepath.Join(t.TempDir(), "kept.json")
	put(t, kept, whole.Raw)

	// One ends on purpose, one is killed.
	all[0].terminate()
	all[1].cmd.Process.Kill()
	<-all[1].ended
	until("one is silent", func(found gjson.Result, code int) bool {
		return code == exitIncomplete && records(found) == "map[1 ended 0:1 2 silent 0:1 3 writing 0:1]"
	})

	// A copy is taken out of the stream, and something else put in.
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := conn.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	writer := whole.Get(fmt.Sprintf("writers.#(records==%d).writer", own+3)).Str
	if status, answer := all[2].called("t", "add", `{"a":1}`); status != 200 {
		t.Fatal(answer)
	}
	until("the fourth record", func(found gjson.Result, _ int) bool {
		return found.Get(fmt.Sprintf("writers.#(records==%d).writer", own+4)).Str == writer
	})
	if _, err := js.Publish("glovebox.audit."+writer, []byte(`{"seq":9}`)); err != nil {
		t.Fatal(err)
	}
	defect := func(kind string) func(found gjson.Result, code int) bool {
		return func(found gjson.Result, code int) bool {
			return code == exitNo && found.Get(`writers.#(writer=="`+writer+`").defects.#(kind=="`+kind+`")`).Exists()
		}
	}
	until("something is forged", defect("forged"))
	last, err := js.GetLastMsg("glovebox-audit", "glovebox.audit."+writer)
	if err == nil {
		err = js.DeleteMsg("glovebox-audit", last.Sequence)
	}
	if err != nil {
		t.Fatal(err)
	}
	until("it is gone again", func(found gjson.Result, code int) bool { return code == exitIncomplete }, "--known", kept)
	if last, err = js.GetLastMsg("glovebox-audit", "glovebox.audit."+writer); err == nil {
		err = js.DeleteMsg("glovebox-audit", last.Sequence)
	}
	if err != nil {
		t.Fatal(err)
	}
	until("the end is cut", defect("cut"))

	// All copies of one server are gone, and its sign of life.
	ended := whole.Get(fmt.Sprintf("writers.#(records==%d).writer", own+1)).Str
	if err := js.PurgeStream("glovebox-audit", &nats.StreamPurgeRequest{Subject: "glovebox.audit." + ended}); err != nil {
		t.Fatal(err)
	}
	signs, err := js.KeyValue("glovebox-audit-writers")
	if err == nil {
		err = signs.Delete(ended)
	}
	if err != nil {
		t.Fatal(err)
	}
	found := until("a writer is gone", func(found gjson.Result, code int) bool {
		return code == exitNo && found.Get(`writers.#(writer=="`+ended+`").defects.0.kind`).Str == "missing"
	}, "--known", kept)
	if found.Get(`writers.#(writer=="`+ended+`").state`).Str != "gone" {
		t.Errorf("%s", found)
	}

	// A member of the cluster is away.
	cluster[0].Shutdown()
	cluster[0].WaitForShutdown()
	url = natstest.URL(cluster[1:]...)
	until("a member is away", func(found gjson.Result, _ int) bool {
		return found.Get("store.members.#(away==true).name").Str == "member0" && len(found.Get("store.members").Array()) == 3
	})
	if out, _ := other.command("audit", "verify", "--cluster", "--nats", url).CombinedOutput(); !strings.Contains(string(out), "member0, a member of the cluster, is away") {
		t.Errorf("%s", out)
	}
	if _, code := other.verified(t, ""); code != exitUsage {
		t.Errorf("without a cluster: exit code %d", code)
	}
}
