package replica_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/replica"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// pair is a member that answers, and the address of another one that passes requests on
// to it.
func pair(t testing.TB, handler http.HandlerFunc) (owner *replica.Member, url string) {
	t.Helper()
	address := natstest.One(t, nil).ClientURL()
	owner = member(t, address)
	owner.Serve(handler)
	front := member(t, address)
	server := httptest.NewServer(passing(front, owner.Name()))
	t.Cleanup(server.Close)
	return owner, server.URL
}

func member(t testing.TB, address string) *replica.Member {
	t.Helper()
	s, err := store.Connect(context.Background(), store.Cluster{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	m, err := replica.Join(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Leave)
	return m
}

func passing(front *replica.Member, owner string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = front.Forward(w, r, owner, body)
		}
		switch {
		case errors.Is(err, replica.ErrGone):
			http.Error(w, err.Error(), http.StatusNotFound)
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadGateway)
		}
	}
}

// TestARequestIsTheSameThere: what the owner sees is what the client sent, and what the
// client sees is what the owner answered, whatever the sizes. The oracle is net/http.
func TestARequestIsTheSameThere(t *testing.T) {
	_, url := pair(t, func(w http.ResponseWriter, r *http.Request) {
		if !replica.Passed(r) {
			t.Error("nobody passed it on")
		}
		w.Header().Add("X-Two", "1")
		w.Header().Add("X-Two", r.Header.Get("X-Two"))
		w.Header().Set("X-Seen", fmt.Sprint(r.Method, " ", r.URL.Path, " ", r.URL.RawQuery, " ", r.Host, " ", r.ContentLength))
		w.WriteHeader(http.StatusTeapot)
		if _, err := io.Copy(w, r.Body); err != nil {
			t.Error(err)
		}
	})
	for _, size := range []int{0, 1, 256<<10 - 1, 256 << 10, 256<<10 + 1, 4 << 20} {
		body := make([]byte, size)
		rand.Read(body)
		r, err := http.NewRequest("POST", url+"/mcp/a?b=c%20d", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Two", "2\t\"é\"")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		back, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || !bytes.Equal(back, body) || answer.StatusCode != http.StatusTeapot {
			t.Errorf("%d bytes came back as %d, %s, %v", size, len(back), answer.Status, err)
		}
		if two := answer.Header.Values("X-Two"); len(two) != 2 || two[1] != "2\t\"é\"" {
			t.Errorf("the headers came back as %q", two)
		}
		if seen, want := answer.Header.Get("X-Seen"), fmt.Sprintf("POST /mcp/a b=c%%20d %s %d", strings.TrimPrefix(url, "http://"), size); seen != want {
			t.Errorf("the owner saw %q instead of %q", seen, want)
		}
	}
}

// TestAStreamComesAsItIsWritten: each event arrives before the next one is written.
func TestAStreamComesAsItIsWritten(t *testing.T) {
	next := make(chan struct{})
	_, url := pair(t, func(w http.ResponseWriter, r *http.Request) {
		for n := range 5 {
			fmt.Fprintln(w, n)
			http.NewResponseController(w).Flush()
			<-next
		}
	})
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for n := range 5 {
		if !lines.Scan() || lines.Text() != fmt.Sprint(n) {
			t.Fatalf("event %d is %q, %v", n, lines.Text(), lines.Err())
		}
		next <- struct{}{}
	}
	if lines.Scan() {
		t.Errorf("one more: %q", lines.Text())
	}
}

// TestHangingUpIsNoticed: the owner's request ends when the client goes, although the
// owner writes nothing.
func TestHangingUpIsNoticed(t *testing.T) {
	ended := make(chan error, 1)
	_, url := pair(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "begun")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		ended <- context.Cause(r.Context())
	})
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(answer.Body).ReadString('\n'); line != "begun\n" {
		t.Fatal(line, err)
	}
	answer.Body.Close()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "hung up") {
		t.Errorf("it ended because of %v", err)
	}
}

// TestAnOwnerThatIsGone is told apart at once; nothing is tried for long.
func TestAnOwnerThatIsGone(t *testing.T) {
	owner, url := pair(t, func(http.ResponseWriter, *http.Request) {})
	owner.Leave()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusNotFound {
		t.Errorf("%s", answer.Status)
	}
}

// TestAnAnswerThatBreaksOff must not look whole to the client.
func TestAnAnswerThatBreaksOff(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"before": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"within": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintln(w, "half")
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
	} {
		_, url := pair(t, handler)
		answer, err := http.Get(url)
		if err == nil {
			_, err = io.ReadAll(answer.Body)
			answer.Body.Close()
		}
		if err == nil && answer.StatusCode < 500 {
			t.Errorf("%s: %s", name, answer.Status)
		}
	}
}

// TestLeavingCancels what is under way, and waits for it.
func TestLeavingCancels(t *testing.T) {
	begun, ended := make(chan bool), false
	owner, url := pair(t, func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		ended = true
	})
	go http.Get(url)
	<-begun
	owner.Leave()
	if !ended {
		t.Error("it left before its request had ended")
	}
}

// TestNamesLeadToTheirMembers, and nothing that a client makes up leads anywhere else.
func TestNamesLeadToTheirMembers(t *testing.T) {
	address := natstest.One(t, nil).ClientURL()
	a, b := member(t, address), member(t, address)
	if name, elsewhere := a.OwnerOf(b.SessionID()); !elsewhere || name != b.Name() {
		t.Errorf("an id of %s leads to %q, %v", b.Name(), name, elsewhere)
	}
	for _, id := range []string{a.SessionID(), "", ".", "x.y", "*.x", ">.x", "AAAAAAAAA*.x", "AAAAA.AAAA", "aaaaaaaaaa.x", strings.Repeat("A", 1000) + ".x", b.Name()} {
		if name, elsewhere := a.OwnerOf(id); elsewhere {
			t.Errorf("%q leads to %q", id, name)
		}
	}
}

// FuzzMessages: whatever another member says, nothing panics and it is answered.
func FuzzMessages(f *testing.F) {
	f.Add([]byte(`{"exchange":"glovebox.exchange.a.b","method":"GET","uri":"/","length":0}` + "\n"))
	f.Add([]byte(`{"exchange":"glovebox.exchange.a.b","method":"POST","uri":"/","length":-1}` + "\nabc"))
	f.Add([]byte(`{"head":{"status":99},"body":{"from":-1,"to":9}}` + "\n"))
	address := natstest.One(f, nil).ClientURL()
	owner := member(f, address)
	owner.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	s, err := store.Connect(context.Background(), store.Cluster{URL: address})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, message []byte) {
		if _, err := s.Ask(t.Context(), "glovebox.replica."+owner.Name(), message); err != nil {
			t.Fatal(err)
		}
	})
}

// losing is a line that loses what is asked of one subject, and keeps it.
type losing struct {
	*store.Store
	lost chan []byte
}

func (l losing) Ask(ctx context.Context, subject string, message []byte) ([]byte, error) {
	if !strings.HasPrefix(subject, "glovebox.inner.") {
		return l.Store.Ask(ctx, subject, message)
	}
	l.lost <- message
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestAnOpeningThatIsLost: a call may take minutes, and the request to take it does not: the
// call was then not made, and who gets the request later gets no body.
func TestAnOpeningThatIsLost(t *testing.T) {
	s, err := store.Connect(t.Context(), store.Cluster{URL: natstest.One(t, nil).ClientURL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	line := losing{s, make(chan []byte, 1)}
	m, err := replica.Join(line, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Leave)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", http.NoBody)
	if err := m.Call(httptest.NewRecorder(), r, "AAAAAAAAAA", []byte("the body"), make(chan struct{})); !errors.Is(err, replica.ErrGone) {
		t.Fatalf("it ended with %v", err)
	}
	var opening struct{ Exchange string }
	if err := json.NewDecoder(bytes.NewReader(<-line.lost)).Decode(&opening); err != nil {
		t.Fatal(err)
	}
	answer, err := s.Ask(t.Context(), opening.Exchange, []byte(`{"body":{"from":0,"to":8}}`+"\n"))
	if err != nil || string(answer) != `{"gone":true}`+"\n" {
		t.Errorf("what was given up is still given: %s, %v", answer, err)
	}
}
