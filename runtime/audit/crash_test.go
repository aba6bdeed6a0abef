package audit

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
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

// Every moment at which a process can be killed inside an append or a rotation,
// rebuilt from a chain that was written whole.
func TestEveryInterruptedAppendRecovers(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 2, Options{})
	before := readChain(t, dir)
	fill(t, dir, 1, Options{})
	after := readChain(t, dir)

	for cut := len(before.lines); cut <= len(after.lines); cut++ {
		state := files{lines: after.lines[:cut], head: slices.Concat(before.head[:len(headMagic)+slotLength], after.head[len(headMagic)+slotLength:])}
		want := 2
		if cut == len(after.lines) {
			want = 3
		}
		state.write(t, dir)
		l, err := Open(logIn(dir), Options{})
		if err != nil {
			t.Fatalf("killed after %d bytes of the line: %v", cut-len(before.lines), err)
		}
		if seq, err := l.Append(record(9)); err != nil || seq != uint64(want+1) {
			t.Fatalf("after %d bytes: record %d, %v", cut, seq, err)
		}
		l.Close()
		wholeChain(t, dir, want+1)
	}
}

type files struct{ lines, head []byte }

func readChain(t *testing.T, dir string) files {
	t.Helper()
	lines, err := os.ReadFile(logIn(dir))
	head, err2 := os.ReadFile(headName(logIn(dir)))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return files{lines, head}
}

func (f files) write(t *testing.T, dir string) {
	t.Helper()
	if err := errors.Join(os.WriteFile(logIn(dir), f.lines, 0o600), os.WriteFile(headName(logIn(dir)), f.head, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestAnInterruptedRotationRecovers(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 5, Options{})
	l := openLog(t, dir, Options{})
	// what rotate does before it is killed
	if err := l.head.write(intended, position{count: l.at.count, last: l.at.last}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(logIn(dir), segmentName(logIn(dir), 1)); err != nil {
		t.Fatal(err)
	}
	fill(t, dir, 1, Options{})
	wholeChain(t, dir, 6)
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
