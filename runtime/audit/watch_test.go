package audit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhatHappensToTheFilesOfARunningLogIsNoticed(t *testing.T) {
	copyOver := func(name string) error {
		text, err := os.ReadFile(name)
		return errors.Join(err, os.Remove(name), os.WriteFile(name, text, 0o600))
	}
	for what, harm := range map[string]func(name string) error{
		"moved":    func(name string) error { return os.Rename(name, name+".away") },
		"deleted":  os.Remove,
		"replaced": copyOver,
	} {
		for _, part := range []func(string) string{logIn, func(d string) string { return headName(logIn(d)) }, func(d string) string { return keyName(logIn(d)) }, func(d string) string { return lockName(logIn(d)) }} {
			dir := t.TempDir()
			l := openLog(t, dir, Options{})
			if _, err := l.Append(record(1)); err != nil {
				t.Fatal(err)
			}
			name := part(dir)
			if err := harm(name); err != nil {
				t.Fatal(err)
			}
			if l.Failed() == nil {
				t.Errorf("%s was %s, and the log says that all is well", filepath.Base(name), what)
			}
			if seq, err := l.Append(record(2)); err == nil {
				t.Errorf("%s was %s, and record %d went into the void", filepath.Base(name), what, seq)
			}
		}
	}
	t.Run("cut in place", func(t *testing.T) {
		dir := t.TempDir()
		l := openLog(t, dir, Options{})
		l.Append(record(1))
		if err := os.Truncate(logIn(dir), 0); err != nil {
			t.Fatal(err)
		}
		if l.Failed() == nil {
			t.Error("not noticed")
		}
		if _, err := l.Append(record(2)); err == nil {
			t.Error("a record was written behind a hole")
		}
	})
	t.Run("rolled back in place", func(t *testing.T) {
		dir := t.TempDir()
		l := openLog(t, dir, Options{})
		l.Append(record(1))
		before := readChain(t, dir)
		l.Append(record(2))
		before.write(t, dir)
		if l.Failed() == nil {
			t.Error("not noticed")
		}
		if _, err := l.Append(record(3)); err == nil {
			t.Error("another record 2 was written")
		}
	})
}

func TestTheFolderThatComesBackHeals(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	synctest.Test(t, func(t *testing.T) {
		l, err := Open(logIn(dir), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if _, err := l.Append(record(1)); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(dir, dir+".away"); err != nil {
			t.Fatal(err)
		}
		if l.Failed() == nil {
			t.Fatal("not noticed")
		}
		if err := os.Rename(dir+".away", dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * probeEvery)
		if err := l.Failed(); err != nil {
			t.Fatalf("it is back: %v", err)
		}
		if seq, err := l.Append(record(2)); err != nil || seq != 2 {
			t.Fatalf("record %d, %v", seq, err)
		}
	})
	wholeChain(t, dir, 2)
}

// The sync of a file whose lines a disk lost may succeed the second time, so
// success alone proves nothing.
func TestAFailedSyncStaysFailedUntilItIsProven(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l, err := Open(logIn(dir), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		broken := errors.New("input/output error")
		fails := true
		l.flush = func(f *os.File) error {
			if fails {
				return broken
			}
			return f.Sync()
		}
		if _, err := l.Append(record(1)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * groupDelay)
		synctest.Wait()
		if !errors.Is(l.Failed(), broken) {
			t.Fatalf("a failed sync: %v", l.Failed())
		}
		if _, err := l.Append(record(2)); err == nil {
			t.Fatal("a record was built on lines that may be lost")
		}
		fails = false
		time.Sleep(2 * probeEvery)
		if err := l.Failed(); err != nil {
			t.Fatalf("the lines were written again: %v", err)
		}

		// The disk lost the line and says that all is well.
		fails = true
		if _, err := l.Append(record(2)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * groupDelay)
		synctest.Wait()
		fails = false
		text, _ := os.ReadFile(logIn(dir))
		lost := strings.Repeat("\x00", len(text)/2)
		if err := os.WriteFile(logIn(dir), append(text[:len(text)-len(lost):len(text)-len(lost)], lost...), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * probeEvery)
		if l.Failed() == nil {
			t.Fatal("lines that are gone were taken for synced")
		}
		if _, err := l.Append(record(3)); err == nil {
			t.Fatal("a record was built on a line that is gone")
		}
	})
}
