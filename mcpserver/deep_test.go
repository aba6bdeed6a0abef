package mcpserver_test

import (
	"fmt"
	"net/http"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver"
)

// TestDeepMessages: nesting is cheap to send, so no parser may recurse with it. 4 MiB
// of brackets would take hundreds of megabytes of stack.
func TestDeepMessages(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	endpoint := f.http(t)
	for _, unit := range []string{"[", `{"a":`} {
		deep := strings.Repeat(unit, 4<<20/len(unit)-100)
		for _, message := range []string{
			deep,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":%s`, deep[:3<<20]),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":%s}}`, strings.Repeat("[", 1<<20)+strings.Repeat("]", 1<<20)),
		} {
			w := f.wire(t)
			w.say(message)
			if said := <-w.heard; !strings.Contains(said, "-32700") {
				t.Errorf("stdio: %s", said)
			}
			w.close()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint.URL+"/mcp", strings.NewReader(message))
			if err != nil {
				t.Fatal(err)
			}
			r.Header = http.Header{"Authorization": {"Bearer " + secret}, "Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != http.StatusBadRequest {
				t.Errorf("http: %s", response.Status)
			}
		}
	}
	stacks := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(stacks)
	if got := stacks[0].Value.Uint64(); got > 64<<20 {
		t.Errorf("stacks of %d MiB", got>>20)
	}
}
