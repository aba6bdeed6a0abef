package osfile_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/glovebox-run/glovebox/internal/osfile"
)

// TestMain is also the other process: it takes the lock, says so, and waits to be killed.
func TestMain(m *testing.M) {
	name := os.Getenv("OSFILE_LOCK")
	if name == "" {
		os.Exit(m.Run())
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err == nil {
		err = osfile.Lock(f)
	}
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("locked\n")
	os.Stdin.Read(make([]byte, 1))
}

func open(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestALockDiesWithItsProcess(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	f := open(t, name)
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), "OSFILE_LOCK="+name)
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := other.StdoutPipe()
	if err := errors.Join(err, other.Start()); err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(out).ReadString('\n'); said != "locked\n" {
		t.Fatalf("%q, %v", said, err)
	}
	if err := osfile.TryLock(f); !errors.Is(err, osfile.ErrLocked) {
		t.Errorf("while the other process holds it: %v", err)
	}
	if _, err := f.WriteString("readable"); err != nil {
		t.Errorf("a lock keeps nobody from the contents: %v", err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := osfile.Lock(f); err != nil { // waits until the kernel has cleaned up
		t.Fatal(err)
	}
	_ = other.Wait()
}

func TestALockBelongsToAnOpenFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	a, b := open(t, name), open(t, name)
	if err := osfile.TryLock(a); err != nil {
		t.Fatal(err)
	}
	if err := osfile.TryLock(b); !errors.Is(err, osfile.ErrLocked) {
		t.Errorf("the second: %v", err)
	}
	if err := osfile.Unlock(a); err != nil {
		t.Fatal(err)
	}
	if err := osfile.TryLock(b); err != nil {
		t.Errorf("after the first is released: %v", err)
	}
}

func TestAnOpenFileIsRenamed(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "log")
	f, err := osfile.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(name, filepath.Join(dir, "log.1")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("on"); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "log.1")); string(text) != "on" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

func TestFoldersAreFlushedAndMeasured(t *testing.T) {
	dir := t.TempDir()
	if err := osfile.SyncDir(dir); err != nil {
		t.Error(err)
	}
	if free, err := osfile.Free(dir); free <= 0 || err != nil {
		t.Errorf("%d bytes free, %v", free, err)
	}
	missing := filepath.Join(dir, "missing")
	if err := osfile.SyncDir(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	if _, err := osfile.Free(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("room in a missing folder: %v", err)
	}
}
