package mcpserver

import (
	"context"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// late is a connection that delivers a call after its end.
type late struct{ mcp.Connection }

func (late) Read(context.Context) (jsonrpc.Message, error) {
	id, err := jsonrpc.MakeID("1")
	return &jsonrpc.Request{ID: id, Method: "ping"}, err
}

func (late) Close() error { return nil }

// TestACallAfterTheEndIsOwedNoAnswer: a drain would wait for it for ever.
func TestACallAfterTheEndIsOwedNoAnswer(t *testing.T) {
	s := New(Config{})
	c := &owingConn{Connection: late{}, server: s, owed: map[jsonrpc.ID]func(){}}
	c.Close()
	if m, err := c.Read(t.Context()); m == nil || err != nil {
		t.Fatal(m, err)
	}
	drained := make(chan struct{})
	go func() {
		s.Drain(context.Background())
		close(drained)
	}()
	select {
	case <-drained:
	case <-time.After(2 * time.Minute):
		t.Error("the drain waits")
	}
}
