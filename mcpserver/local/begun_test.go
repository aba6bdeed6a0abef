package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hang is a verb that has its effect and does not end: it makes the file in its body.
func hang(_ context.Context, _, _ string, body []byte) (any, error) {
	if err := os.WriteFile(strings.Trim(string(body), `"`), nil, 0o600); err != nil {
		return nil, err
	}
	select {}
}

// appears waits for a file.
func appears(t *testing.T, path string) {
	t.Helper()
	for started := time.Now(); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if time.Since(started) > 2*time.Minute {
			t.Fatalf("%s does not appear", path)
		}
	}
}

// TestAVerbOfAKilledServerIsNotRepeated: whoever asked learns that it may have been done.
func TestAVerbOfAKilledServerIsNotRepeated(t *testing.T) {
	state, effect := t.TempDir(), filepath.Join(t.TempDir(), "effect")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "LOCAL_CHILD=own", "LOCAL_STATE="+state)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	if said, err := bufio.NewReader(out).ReadString('\n'); said != "<nil>\n" {
		t.Fatal(said, err)
	}
	answered := make(chan error)
	go func() { answered <- found(t, state).Gateway(t.Context(), "hang", effect, &struct{}{}) }()
	appears(t, effect)
	child.Process.Kill()
	if err := <-answered; !errors.Is(err, ErrCut) {
		t.Errorf("%v, want ErrCut", err)
	}
}

// TestAVerbThatNobodyReadIsNotBegun: whoever asked may do it.
func TestAVerbThatNobodyReadIsNotBegun(t *testing.T) {
	state := t.TempDir()
	o, err := Claim(state)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	listener, err := o.listen()
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	answered := make(chan error)
	go func() { answered <- found(t, state).Gateway(t.Context(), "x", "x", &struct{}{}) }()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if err := <-answered; !errors.Is(err, ErrNoOwner) {
		t.Errorf("%v, want ErrNoOwner", err)
	}
}

// TestAStoppingServerEndsItsVerbs: one under way is answered, and one that takes too long is
// ended, and answers that.
func TestAStoppingServerEndsItsVerbs(t *testing.T) {
	for _, patient := range []bool{true, false} {
		state, effect := t.TempDir(), filepath.Join(t.TempDir(), "effect")
		o, err := Claim(state)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		if !patient {
			o.last = 10 * time.Millisecond
		}
		times := 0
		release := make(chan struct{})
		err = o.Start(Config{
			About: func() About { return About{} }, Lines: echo, Logger: slog.New(slog.DiscardHandler), GatewayCode: func(error) string { return "ended" },
			Gateway: func(ctx context.Context, _, _ string, _ []byte) (any, error) {
				times++
				if err := os.WriteFile(effect, nil, 0o600); err != nil {
					return nil, err
				}
				select {
				case <-release:
					return "done", nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		var answer string
		answered, stopped := make(chan error), make(chan struct{})
		p := found(t, state)
		go func() { answered <- p.Gateway(t.Context(), "x", "x", &answer) }()
		appears(t, effect)
		go func() { o.Stop(); close(stopped) }()
		if patient {
			for _, err := p.Status(t.Context()); !errors.Is(err, ErrNoOwner); _, err = p.Status(t.Context()) {
				time.Sleep(time.Millisecond)
			}
			close(release)
		}
		err = <-answered
		if problem := (Problem{}); patient && (err != nil || answer != "done") || !patient && (!errors.As(err, &problem) || problem.Code != "ended") {
			t.Errorf("patient is %v: %q, %v", patient, answer, err)
		}
		<-stopped
		if times != 1 {
			t.Errorf("done %d times", times)
		}
	}
}

// TestTheListOfVerbsIsBounded: old ones leave, young ones stay.
func TestTheListOfVerbsIsBounded(t *testing.T) {
	state := t.TempDir()
	o, err := Claim(state)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	request := httptest.NewRequest("POST", "/", nil)
	const many = 3 * maxBegun / 8
	for i := range many {
		request.Header.Set(verbHeader, fmt.Sprintf("v%06d", i))
		if err := o.begun.add(request); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(begunPath(state)); err != nil || info.Size() > maxBegun {
		t.Errorf("%v, %v", info, err)
	}
	for id, want := range map[string]bool{"v000000": false, fmt.Sprintf("v%06d", many-1): true, fmt.Sprintf("v%06d", many-1000): true, "v": false, "": false} {
		if was, err := wasBegun(state, id); was != want || err != nil {
			t.Errorf("%q: %v, %v", id, was, err)
		}
	}
	request.Header.Set(verbHeader, strings.Repeat("x", maxVerbID+1))
	if err := o.begun.add(request); err == nil {
		t.Error("a long id is taken")
	}
}
