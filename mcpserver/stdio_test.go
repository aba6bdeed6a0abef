package mcpserver_test

import (
	"bufio"
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver"
)

// TestHangingUpEndsAtOnce when nothing is owed to the client: what it subscribed to
// or cancelled gets no answer.
func TestHangingUpEndsAtOnce(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	synctest.Test(t, func(t *testing.T) {
		server := mcpserver.New(mcpserver.Config{})
		in, client := io.Pipe()
		answers, out := io.Pipe()
		ended := make(chan error)
		go func() { ended <- server.ServeStdio(context.Background(), "stdio:test", in, out) }()
		io.WriteString(client, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+meta+"}}\n")
		if _, err := bufio.NewReader(answers).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		started := time.Now()
		client.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if took := time.Since(started); took > 0 {
			t.Errorf("it took %s", took)
		}
	})
}
