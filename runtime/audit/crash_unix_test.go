//go:build unix

package audit

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// The test binary is also the program that gets killed and the one whose disk
// is full.
func TestMain(m *testing.M) {
	switch os.Getenv("AUDIT_CHILD") {
	case "append":
		appendForever()
	case "full":
		appendOnAFullDisk()
	}
	os.Exit(m.Run())
}

func appendForever() {
	l, err := Open(logIn(os.Getenv("AUDIT_DIR")), Options{SegmentSize: 20_000})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for n := 1; ; n++ {
		seq, err := l.Append(record(n))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(seq)
	}
}

func TestKilledProcessesLoseNothingThatWasAcknowledged(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	acknowledged := uint64(0)
	for round := range 5 {
		// Two processes at once, so that each is killed while the other writes.
		var children [2]*exec.Cmd
		var wg sync.WaitGroup
		for i := range children {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "AUDIT_CHILD=append", "AUDIT_DIR="+dir)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			children[i] = cmd
			wg.Go(func() {
				lines := bufio.NewScanner(out)
				for n := 0; lines.Scan(); n++ {
					seq, err := strconv.ParseUint(lines.Text(), 10, 64)
					if err != nil {
						return // the kill may cut the last line of the pipe
					}
					mu.Lock()
					acknowledged = max(acknowledged, seq)
					mu.Unlock()
					if n == 40+round*17 {
						cmd.Process.Signal(syscall.SIGKILL)
					}
				}
			})
		}
		wg.Wait()
		for _, cmd := range children {
			cmd.Wait()
		}
		openLog(t, dir, Options{}).Close()
		r, err := Verify(logIn(dir))
		if err != nil || len(r.Defects) != 0 {
			t.Fatalf("round %d: %+v, %v", round, r.Defects, err)
		}
		if r.Records < acknowledged {
			t.Fatalf("round %d: %d records, but %d were acknowledged", round, r.Records, acknowledged)
		}
	}
	if acknowledged < 200 {
		t.Errorf("only %d records were written", acknowledged)
	}
}

// appendOnAFullDisk lets the kernel refuse to grow files beyond a limit, in the
// middle of a line, and lifts the limit again.
func appendOnAFullDisk() {
	signal.Ignore(syscall.SIGXFSZ)
	l, err := Open(logIn(os.Getenv("AUDIT_DIR")), Options{})
	check := func(ok bool, what string, args ...any) {
		if !ok {
			fmt.Fprintf(os.Stderr, what+"\n", args...)
			os.Exit(1)
		}
	}
	check(err == nil, "open: %v", err)
	var old syscall.Rlimit
	syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old)
	syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 5000, Max: old.Max})
	written := 0
	for ; written < 100; written++ {
		if _, err = l.Append(record(written + 1)); err != nil {
			break
		}
	}
	check(err != nil && written > 2, "no error after %d records", written)
	check(l.Failed() != nil, "the log does not say that it failed")
	info, err := os.Stat(logIn(os.Getenv("AUDIT_DIR")))
	check(err == nil && info.Size() == l.at.size, "half a line was left: %v, want %d, %v", info.Size(), l.at.size, err)
	syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)
	seq, err := l.Append(record(written + 1))
	check(err == nil && seq == uint64(written+1) && l.Failed() == nil, "after the disk was cleared: %d, %v", seq, err)
	check(l.Close() == nil, "close")
	fmt.Println(written + 1)
	os.Exit(0)
}

func TestAFullDiskLosesNothingAndIsReported(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "AUDIT_CHILD=full", "AUDIT_DIR="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	wholeChain(t, dir, n)
}
