package replica_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/replica"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// noticing is a line that tells when nobody listens.
type noticing struct {
	*store.Store
	nobody chan struct{}
}

func (n noticing) Ask(ctx context.Context, subject string, message []byte) ([]byte, error) {
	answer, err := n.Store.Ask(ctx, subject, message)
	if errors.Is(err, store.NotFound) {
		select {
		case n.nobody <- struct{}{}:
		default:
		}
	}
	return answer, err
}

// TestAnOwnerThatMoves to another connection is not gone, and its sessions neither.
func TestAnOwnerThatMoves(t *testing.T) {
	node := natstest.One(t, nil)
	link := natstest.NewLink(t, strings.TrimPrefix(node.ClientURL(), "nats://"))
	joins := func(url string, line func(*store.Store) replica.Line) (*replica.Member, *store.Store) {
		t.Helper()
		s, err := store.Connect(t.Context(), store.Cluster{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		m, err := replica.Join(line(s), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Leave)
		return m, s
	}
	owner, its := joins("nats://"+link.Address(), func(s *store.Store) replica.Line { return s })
	owner.Serve(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	nobody := make(chan struct{}, 1)
	front, _ := joins(node.ClientURL(), func(s *store.Store) replica.Line { return noticing{s, nobody} })
	server := httptest.NewServer(passing(front, owner.Name()))
	t.Cleanup(server.Close)
	status := func() int {
		answer, err := http.Get(server.URL)
		if err != nil {
			t.Error(err)
			return 0
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	heard := its.Traffic().MessagesIn
	if got := status(); got != http.StatusOK {
		t.Fatalf("before: %d", got)
	}
	for its.Traffic().MessagesIn < heard+2 { // the request, and that the answer has come
		time.Sleep(time.Millisecond)
	}
	clients := node.NumClients()
	link.Set(natstest.Weather{Cut: true}, natstest.Weather{Cut: true})
	link.Reset()
	for node.NumClients() == clients {
		time.Sleep(time.Millisecond)
	}
	during := make(chan int, 1)
	go func() { during <- status() }()
	<-nobody
	link.Set(natstest.Weather{}, natstest.Weather{})
	if got := <-during; got != http.StatusOK {
		t.Errorf("while it moved: %d", got)
	}
	owner.Leave()
	for range 2 {
		if got := status(); got != http.StatusNotFound {
			t.Errorf("gone: %d", got)
		}
	}
}
