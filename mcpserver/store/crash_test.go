package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// childDir tells this program to run as the process that is killed.
const childDir = "GLOVEBOX_TEST_STORE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		fmt.Println(write(dir))
		os.Exit(1) // the parent kills it before
	}
	if said := os.Getenv(memberOf); said != "" {
		fmt.Println(natstest.RunMember(strings.Fields(said)))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const writers = 4

// write counts under four keys, and reports each count once it is acknowledged.
func write(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir, nil)
	if err != nil {
		return err
	}
	b, err := s.Bucket(ctx, store.BucketConfig{Name: "counts", MaxBytes: 16 << 20, History: 2})
	if err != nil {
		return err
	}
	failed := make(chan error)
	for w := range writers {
		go func() {
			key := fmt.Sprintf("w%d", w)
			n, revision := 0, uint64(0)
			e, err := b.Get(ctx, key)
			if err == nil {
				_, err = fmt.Sscan(string(e.Value), &n)
				revision = e.Revision
			} else if errors.Is(err, store.NotFound) {
				err = nil
			}
			for err == nil {
				n++
				if revision == 0 {
					revision, err = b.Create(ctx, key, fmt.Appendf(nil, "%d %0500d", n, 0))
				} else {
					revision, err = b.Update(ctx, key, fmt.Appendf(nil, "%d %0500d", n, 0), revision)
				}
				if err == nil {
					os.Stdout.WriteString(fmt.Sprintf("%d %d\n", w, n)) // one write, so that the kernel has all of it
				}
			}
			failed <- err
		}()
	}
	return <-failed
}

// TestAKilledProcessLosesNothing repeatedly kills a process while it writes, and
// checks that every acknowledged write is stored.
func TestAKilledProcessLosesNothing(t *testing.T) {
	dir := t.TempDir()
	acknowledged := make([]int, writers)
	for round := range 8 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childDir+"="+dir)
		out, err := child.StdoutPipe()
		ok(t, err)
		ok(t, child.Start())
		kill := rand.IntN(300) // reports
		lines, once := bufio.NewScanner(out), sync.Once{}
		for n := 0; lines.Scan(); n++ {
			var w, count int
			if _, err := fmt.Sscanf(lines.Text(), "%d %d", &w, &count); err != nil {
				t.Fatalf("round %d: the writer says %q", round, lines.Text())
			}
			acknowledged[w] = count
			if n >= kill {
				once.Do(func() {
					time.AfterFunc(time.Duration(rand.IntN(2000))*time.Microsecond, func() { child.Process.Kill() })
				})
			}
		}
		child.Wait()
		s, err := store.Open(t.Context(), dir, nil)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		b := bucket(t, s, store.BucketConfig{Name: "counts", MaxBytes: 16 << 20, History: 2})
		for w, want := range acknowledged {
			e, err := b.Get(t.Context(), fmt.Sprintf("w%d", w))
			if want == 0 && errors.Is(err, store.NotFound) {
				continue
			}
			ok(t, err)
			var got int
			_, err = fmt.Sscan(string(e.Value), &got)
			ok(t, err)
			if got != want && got != want+1 { // stored, but killed before it reported
				t.Errorf("round %d: writer %d is at %d, and %d was acknowledged", round, w, got, want)
			}
		}
		s.Close()
	}
	if acknowledged[0] == 0 {
		t.Error("nothing was written")
	}
	t.Logf("acknowledged %v", acknowledged)
}
