package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
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

// TestAnsweredIsAnsweredHoweverItsIDIsSpelled: the server does not wait for an answer already sent.
func TestAnsweredIsAnsweredHoweverItsIDIsSpelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, id := range []string{`1`, `1.0`, `1e0`, `-0`, `"a"`, `"\u0061"`, `""`, `null`, `12345678901234567890`} {
			started := time.Now()
			in := io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`))
			if err := mcpserver.New(mcpserver.Config{}).ServeStdio(context.Background(), "stdio:test", in, new(answers)); err != nil {
				t.Error(err)
			}
			if took := time.Since(started); took > 0 {
				t.Errorf("%s: it took %s", id, took)
			}
		}
	})
}

// FuzzStdio: whatever a client writes, the server ends with the input and says
// nothing but messages.
func FuzzStdio(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	f.Add([]byte("\n\r\n \x00\n{}\n[]\n[{}]\n[[]]\nnull\n\"\"\n{\"jsonrpc\":\"2.0\"}\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":{},"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	f.Fuzz(func(t *testing.T, said []byte) {
		server := mcpserver.New(mcpserver.Config{})
		var heard answers
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			// A session that the protocol ends is an error, and in order.
			_ = server.ServeStdio(context.Background(), "stdio:fuzz", io.NopCloser(bytes.NewReader(said)), &heard)
		}()
		select {
		case <-ended:
		case <-time.After(enough):
			t.Fatal("it goes on")
		}
		for line := range bytes.Lines(heard.text()) {
			if !json.Valid(line) || !bytes.Contains(line, []byte(`"jsonrpc":"2.0"`)) {
				t.Errorf("it said %q", line)
			}
		}
	})
}

// answers keeps what is written to it.
type answers struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (a *answers) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all.Write(p)
}

func (a *answers) Close() error { return nil }

func (a *answers) text() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return bytes.Clone(a.all.Bytes())
}
