package approve_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// trays are the values that a desk keeps, as another program sees them.
func trays(t *testing.T, s *store.Store) (*store.Bucket, []store.Entry) {
	t.Helper()
	b, err := s.Bucket(t.Context(), store.BucketConfig{Name: "glovebox-approvals", TTL: 30 * 24 * time.Hour, MaxValue: 900 << 10, MaxBytes: 128 << 20})
	if err != nil {
		t.Fatal(err)
	}
	all, err := b.List(t.Context(), "tray.*")
	if err != nil {
		t.Fatal(err)
	}
	return b, all
}

func newStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// TestQuestionsOfANewerProgramAreLeftAlone: an older program would drop members it
// does not know.
func TestQuestionsOfANewerProgramAreLeftAlone(t *testing.T) {
	s := newStore(t)
	d := deskIn(t, s, &clock{})
	state := ask(t, d, theCall())
	b, all := trays(t, s)
	newer := strings.Replace(string(all[0].Value), `"version":2`, `"version":3`, 1)
	if newer == string(all[0].Value) {
		t.Fatalf("no version in %s", newer)
	}
	if _, err := b.Update(t.Context(), all[0].Key, []byte(newer), all[0].Revision); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Answer(t.Context(), state, theCall(), approve.Approved, false); err == nil || !strings.Contains(err.Error(), "version 3") {
		t.Errorf("answer: %v", err)
	}
	if _, all = trays(t, s); string(all[0].Value) != newer {
		t.Errorf("it is now %s", all[0].Value)
	}
}

// TestOneQuestionIsFoundByItself: it is found without reading other principals' questions.
func TestOneQuestionIsFoundByItself(t *testing.T) {
	s := newStore(t)
	d := deskIn(t, s, &clock{})
	e, _, err := d.Ask(t.Context(), question(theCall()))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := trays(t, s)
	if _, err := b.Create(t.Context(), "tray.other", []byte("no questions")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.List(t.Context()); err == nil {
		t.Fatal("the other is not in the way of a list")
	}
	if err := d.Resolve(t.Context(), strings.ToLower(e.ID), approve.Resolution{Approve: true}); err != nil {
		t.Error(err)
	}
}

// TestAnAnswerWaitsForTheCluster: an answer counts although the cluster is briefly
// unavailable, while it elects a leader or restarts.
func TestAnAnswerWaitsForTheCluster(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port, dir := l.Addr().(*net.TCPAddr).Port, t.TempDir()
	l.Close()
	start := func() *server.Server {
		s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, NoSigs: true, NoLog: true, JetStream: true, StoreDir: dir, SyncAlways: true})
		if err != nil {
			t.Error(err)
			return nil
		}
		s.Start()
		return s
	}
	member := start()
	if !member.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	s, err := store.Connect(t.Context(), store.Cluster{URL: member.ClientURL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	d := deskIn(t, s, &clock{})
	state := ask(t, d, theCall())
	member.Shutdown()
	member.WaitForShutdown()
	back := make(chan *server.Server, 1)
	go func() { back <- start() }()
	_, err = d.Answer(t.Context(), state, theCall(), approve.Approved, false)
	again := <-back
	t.Cleanup(func() { again.Shutdown(); again.WaitForShutdown() })
	if err != nil {
		t.Error(err)
	}
}
