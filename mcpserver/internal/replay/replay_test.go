package replay_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/replay"
)

var _ mcp.EventStore = (*replay.Store)(nil)

// rest follows a stream that has ended.
func rest(s *replay.Store, session, last string) (said []string, err error) {
	err = s.Follow(context.Background(), session, last, func() error { return nil }, func(id string, data []byte) error {
		said = append(said, id+"="+string(data))
		return nil
	})
	return said, err
}

// TestFollow: whoever comes back gets what is behind the event it names, once, and
// nothing of another session or of a number that no event had.
func TestFollow(t *testing.T) {
	s := replay.New()
	stream := s.Begin("a")
	first := stream.Append(nil)
	name, _ := first[:len(first)-2], first
	stream.Append([]byte("one"))
	followed := make(chan []string)
	go func() {
		said, err := rest(s, "a", first)
		if err != nil {
			t.Error(err)
		}
		followed <- said
	}()
	stream.Append([]byte("two"))
	stream.End()
	if got, want := <-followed, []string{name + "_1=one", name + "_2=two"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, err := rest(s, "a", name+"_2"); err != nil || got != nil {
		t.Errorf("at the end: %q, %v", got, err)
	}
	for session, last := range map[string]string{"b": first, "a": name + "_3", "": first} {
		if got, err := rest(s, session, last); err == nil || got != nil {
			t.Errorf("%s of session %q: %q", last, session, got)
		}
	}
	for _, last := range []string{"", "own", name, name + "_", name + "_-1", name + "_x", name + "_1_1", "_0", name + "_99999999999999999999"} {
		if got, err := rest(s, "a", last); err == nil || got != nil {
			t.Errorf("%q: %q", last, got)
		}
	}
}

// TestFollowEndsWithItsContext: a client that hangs up again is let go.
func TestFollowEndsWithItsContext(t *testing.T) {
	s := replay.New()
	first := s.Begin("a").Append(nil)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Follow(ctx, "a", first, func() error { cancel(); return nil }, func(string, []byte) error { return nil })
	if err != nil {
		t.Error(err)
	}
}

// TestBounds: what is kept stays within the bounds of a session and of all, the oldest
// goes first, and a closed session leaves nothing.
func TestBounds(t *testing.T) {
	s := replay.New()
	const session, all, event = 4 << 20, 32 << 20, 100_000
	first := s.Begin("a").Append(make([]byte, event))
	for n := range 2 * session / event {
		stream := s.Begin("a")
		last := stream.Append(nil)
		stream.Append(make([]byte, event))
		stream.End()
		if s.Size() > session {
			t.Fatalf("%d bytes of one session after %d", s.Size(), n)
		}
		if got, err := rest(s, "a", last); err != nil || len(got) != 1 {
			t.Fatalf("the newest is not there: %v", err)
		}
	}
	if _, err := rest(s, "a", first); err == nil {
		t.Error("the oldest is there")
	}
	big := s.Begin("a")
	id := big.Append(nil)
	big.Append(make([]byte, session))
	big.End()
	if got, err := rest(s, "a", id); err == nil {
		t.Errorf("an event beyond the bounds: %d", len(got))
	}
	for n := range 2 * all / event {
		of := fmt.Sprint("session", n)
		if err := s.Open(t.Context(), of, ""); err != nil {
			t.Fatal(err)
		}
		if err := s.Append(t.Context(), of, "", make([]byte, event)); err != nil {
			t.Fatal(err)
		}
		if s.Size() > all {
			t.Fatalf("%d bytes after %d sessions", s.Size(), n)
		}
	}
	for n := range 2 * all / event {
		if err := s.SessionClosed(t.Context(), fmt.Sprint("session", n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SessionClosed(t.Context(), "a"); err != nil || s.Size() != 0 {
		t.Errorf("%d bytes are left, %v", s.Size(), err)
	}
	if id := s.Begin("a").Append([]byte("x")); id == "" {
		t.Error("no id")
	}
}

// TestTheSDKsStreams: what was dropped is an error, and of the stream without a name what
// is left.
func TestTheSDKsStreams(t *testing.T) {
	s := replay.New()
	after := func(stream string, index int) (n int, err error) {
		for _, e := range s.After(t.Context(), "a", stream, index) {
			if err = e; err == nil {
				n++
			}
		}
		return n, err
	}
	for _, stream := range []string{"", "ONE"} {
		if err := s.Open(t.Context(), "a", stream); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if err := s.Append(t.Context(), "a", stream, make([]byte, 1<<20)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n, err := after("ONE", 6); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := after("ONE", 0); n != 0 || err == nil {
		t.Errorf("%d of what was dropped, %v", n, err)
	}
	if n, err := after("", 0); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := after("TWO", 0); n != 0 || err == nil {
		t.Errorf("%d of an unknown stream, %v", n, err)
	}
}
