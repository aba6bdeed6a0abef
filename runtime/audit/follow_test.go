package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// toTheEnd takes steps until everything was read.
func (f *Follower) toTheEnd(t *testing.T, most int64) Checked {
	t.Helper()
	for range 10_000 {
		c, err := f.Step(most)
		if err != nil {
			t.Fatal(err)
		}
		if c.Whole {
			return c
		}
	}
	t.Fatal("it never ends")
	return Checked{}
}

// TestAFollowerFindsWhatVerifyFinds: in steps of any size, over files that are closed, added
// to, archived, edited, cut and removed, the follower ends with the report of Verify.
func TestAFollowerFindsWhatVerifyFinds(t *testing.T) {
	for _, most := range []int64{1, 700, 1 << 20} {
		dir := t.TempDir()
		path := logIn(dir)
		f := NewFollower(path, time.Hour, nil, time.Now)
		same := func(what string) Report {
			t.Helper()
			want, err := Verify(path)
			if err != nil {
				t.Fatal(what, err)
			}
			got := f.toTheEnd(t, most)
			if !reflect.DeepEqual(got.Report, want) {
				t.Errorf("%s, %d bytes a step:\n%+v\nwant\n%+v", what, most, got.Report, want)
			}
			return got.Report
		}
		same("nothing yet")
		n := 0
		l := openLog(t, dir, Options{SegmentSize: 3000})
		same("an empty chain")
		write := func(more int) {
			for range more {
				n++
				if _, err := l.Append(various(n)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, more := range []int{1, 1, 30, 7, 2} {
			write(more)
			if r := same("a chain that grows"); len(r.Defects) != 0 || r.Records != uint64(n) {
				t.Fatalf("%+v after %d records", r, n)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		segments, err := segmentFiles(path)
		if err != nil || len(segments) < 3 {
			t.Fatal(segments, err)
		}
		spoil := func(name string, change func([]byte) []byte) (mend func()) {
			t.Helper()
			whole, err := os.ReadFile(name)
			if err == nil {
				err = os.WriteFile(name, change(bytes.Clone(whole)), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			return func() {
				if err := os.WriteFile(name, whole, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		mend := spoil(segments[1], func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"outcome":"OK"`), []byte(`"outcome":"KO"`), 1)
		})
		if r := same("a line was edited in a file that was read"); len(r.Defects) == 0 {
			t.Error("nothing was found")
		}
		mend()
		if r := same("it was mended"); len(r.Defects) != 0 {
			t.Error(r.Defects)
		}
		mend = spoil(path, func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] })
		if r := same("the tail was cut off"); len(r.Defects) == 0 {
			t.Error("nothing was found")
		}
		mend()
		same("it was mended")
		l = openLog(t, dir, Options{SegmentSize: 3000, Retention: Retention{Size: 7000, Folder: t.TempDir()}})
		// The log begins by itself, and whoever comes second does nothing.
		for started := time.Now(); ; time.Sleep(time.Millisecond) {
			if _, err := l.Retire(); err != nil {
				t.Fatal(err)
			}
			if r, err := Verify(path); err != nil || r.Archived != nil && len(r.Defects) == 0 {
				break
			}
			if time.Since(started) > 2*time.Minute {
				t.Fatal("nothing is archived")
			}
		}
		if r := same("files were archived"); len(r.Defects) != 0 || r.Archived == nil {
			t.Errorf("%+v", r)
		}
		write(3)
		same("and it grows")
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if segments, err = segmentFiles(path); err != nil || len(segments) == 0 {
			t.Fatal(segments, err)
		}
		if err := os.Remove(segments[0]); err != nil {
			t.Fatal(err)
		}
		if r := same("a file is gone"); len(r.Defects) == 0 {
			t.Error("nothing was found")
		}
	}
}

// TestAFollowerBeginsAnew: what changed without a trace is found when the time of a round is
// over, and a checkpoint that the chain does not pass through, too.
func TestAFollowerBeginsAnew(t *testing.T) {
	dir := t.TempDir()
	path := logIn(dir)
	l := openLog(t, dir, Options{SegmentSize: 3000})
	for n := 1; n <= 30; n++ {
		if _, err := l.Append(various(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	kept := map[string][]byte{}
	f := NewFollower(path, time.Hour, func() (map[string][]byte, error) { return kept, nil }, func() time.Time { return now })
	if c := f.toTheEnd(t, 5000); len(c.Defects) != 0 || c.Last != 30 {
		t.Fatalf("%+v", c)
	}
	segments, err := segmentFiles(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(segments[0])
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(segments[0])
	if err == nil {
		err = os.WriteFile(segments[0], bytes.Replace(text, []byte(`"outcome":"OK"`), []byte(`"outcome":"KO"`), 1), 0o600)
	}
	if err == nil {
		err = os.Chtimes(segments[0], info.ModTime(), info.ModTime())
	}
	if err != nil {
		t.Fatal(err)
	}
	if c := f.toTheEnd(t, 5000); len(c.Defects) != 0 {
		t.Errorf("%+v: it was read again at once", c.Defects)
	}
	now = now.Add(2 * time.Hour)
	if c := f.toTheEnd(t, 5000); len(c.Defects) != 1 || c.Defects[0].Kind != Edited {
		t.Errorf("%+v, want one line that was edited", c.Defects)
	}
	if err := os.WriteFile(segments[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	other := openLog(t, filepath.Join(dir, "other"), Options{})
	if _, err := other.Append(various(1)); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if kept["elsewhere"], _, err = Checkpoint(logIn(filepath.Join(dir, "other"))); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * time.Hour)
	if c := f.toTheEnd(t, 5000); len(c.Defects) != 1 || c.Defects[0].File != "elsewhere" {
		t.Errorf("%+v, want the checkpoint of another chain", c.Defects)
	}
}
