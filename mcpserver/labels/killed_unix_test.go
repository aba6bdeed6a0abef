//go:build unix

package labels

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/live"
)

// The test binary is also the program that gets killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("LABELS_CHILD"); dir != "" {
		if err := meetForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func keptIn(ctx context.Context, dir string) (*Shelf, func(), error) {
	s, err := store.Open(ctx, dir, nil)
	if err != nil {
		return nil, nil, err
	}
	shelf, err := OpenShelf(ctx, s)
	if err != nil {
		s.Close()
	}
	return shelf, s.Close, err
}

// meetForever says each number once the session has met a text with it.
func meetForever(dir string) error {
	ctx := context.Background()
	shelf, _, err := keptIn(ctx, dir)
	if err != nil {
		return err
	}
	sessions := NewSessions(shelf, time.Now)
	heads, err := sessions.List(ctx)
	if err != nil {
		return err
	}
	from := 0
	for _, h := range heads {
		from = h.Texts
	}
	for n := from; ; n++ {
		t := live.Text{Source: "web/page", Label: live.Label{Untrusted: true, Private: true, Origins: []string{fmt.Sprintf("server %d", n%8)}}, Words: fmt.Sprintf("text number %d of somebody", n)}
		if err := sessions.Met(ctx, "ada", t); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// TestKilledServersForgetNothing: what a caller was shown, its session knows of, also when
// the server is killed right after it.
func TestKilledServersForgetNothing(t *testing.T) {
	dir := t.TempDir()
	// A head that a killed server wrote may count a text that it did not write any more, so
	// the next one goes on behind a number that nobody was told.
	var told []int
	for round := range 4 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "LABELS_CHILD="+dir)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err == nil {
			err = child.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for said := 0; lines.Scan(); said++ {
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				break // the kill may cut the last line of the pipe
			}
			told = append(told, n)
			if said == 20+round*7 {
				child.Process.Signal(syscall.SIGKILL)
			}
		}
		child.Wait()
		shelf, stop, err := keptIn(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		head, _, err := shelf.Head(t.Context(), keyOf("ada"))
		texts, failed := shelf.Texts(t.Context(), keyOf("ada"), head.Round)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		known := map[string]bool{}
		for _, text := range texts {
			known[text.Words] = true
		}
		for _, n := range told {
			if !known[fmt.Sprintf("text number %d of somebody", n)] {
				t.Errorf("round %d: text %d was acknowledged and is gone", round, n)
			}
		}
		if !head.Label.Untrusted || len(head.Label.Origins) != 8 || head.Texts < len(told) {
			t.Errorf("round %d: after %d texts the head is %+v", round, len(told), head)
		}
		stop()
	}
	if len(told) < 80 {
		t.Errorf("only %d texts were met", len(told))
	}
}
