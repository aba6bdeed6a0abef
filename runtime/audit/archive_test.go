package audit

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// segmented writes a chain of 40 records in several segments and returns its log.
func segmented(t *testing.T, dir string, opts Options) *Log {
	t.Helper()
	opts.SegmentSize = 2000
	fill(t, dir, 40, opts)
	return openLog(t, dir, opts)
}

func retire(t *testing.T, l *Log) Archived {
	t.Helper()
	a, err := l.Retire()
	if err != nil || a == nil {
		t.Fatalf("%+v, %v", a, err)
	}
	return *a
}

func defects(t *testing.T, path string, e Evidence) Report {
	t.Helper()
	r, err := VerifyWith(path, e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// bySize is the retention that lets all full segments go. Tests call Retire themselves.
func bySize(folder string) func(*Log) {
	return func(l *Log) { l.opts.Retention = Retention{Size: 1, Folder: folder} }
}

func TestWhatIsArchivedIsVerifiedInThreeWays(t *testing.T) {
	dir, archive := t.TempDir(), filepath.Join(t.TempDir(), "deep", "archive")
	path := logIn(dir)
	l := segmented(t, dir, Options{})
	early, key, err := Checkpoint(path)
	if err != nil {
		t.Fatal(err)
	}
	bySize(archive)(l)
	first := retire(t, l)
	if first.From != 1 || first.Records == 0 || first.Records >= 40 {
		t.Fatalf("%+v", first)
	}
	for n := range 30 { // and once more, behind what is archived already
		if _, err := l.Append(record(40 + n)); err != nil {
			t.Fatal(err)
		}
	}
	a := retire(t, l)
	if a.From != 1 || a.Records <= first.Records {
		t.Fatalf("%+v after %+v", a, first)
	}
	if segments, _ := segmentFiles(path); len(segments) > 0 {
		t.Errorf("still here: %v", segments)
	}
	if again, err := l.Retire(); again != nil || err != nil {
		t.Errorf("nothing is due: %+v, %v", again, err)
	}
	l.Close()

	kept := Evidence{Checkpoints: map[string][]byte{"kept": early}}
	alone := defects(t, path, kept)
	if len(alone.Defects) > 0 || alone.Records != 70-a.Records || alone.Archived == nil || *alone.Archived != a || !slices.Equal(alone.Unchecked, []string{"kept"}) {
		t.Errorf("without the archive: %+v", alone)
	}
	kept.Archive = archive
	whole := defects(t, path, kept)
	if len(whole.Defects) > 0 || whole.Records != 70 || whole.Unchecked != nil {
		t.Errorf("with the archive: %+v", whole)
	}
	standing, err := VerifyArchive(filepath.Join(archive, "audit.jsonl"), key)
	if err != nil || len(standing.Defects) > 0 || standing.Records != a.Records || standing.Head != a.Hash {
		t.Errorf("the archive alone: %+v, %v", standing, err)
	}
	var n int
	if err := Read(filepath.Join(archive, "audit.jsonl"), Filter{Level: "L0"}, func(Entry) error { n++; return nil }); err != nil || uint64(n) != a.Records {
		t.Errorf("%d records read from the archive, %v", n, err)
	}
	// The chain goes on as before.
	fill(t, dir, 5, Options{SegmentSize: 2000})
	if r := defects(t, path, kept); len(r.Defects) > 0 || r.Records != 75 {
		t.Errorf("%+v", r)
	}
}

func TestHarmAroundAnArchiveIsFound(t *testing.T) {
	for _, tc := range []struct {
		name string
		harm func(t *testing.T, path, archive string, early []byte)
		here DefectKind // verify of the chain; empty if it cannot know
		both DefectKind // with the archive
		away DefectKind // of the archive alone
	}{
		{name: "none"},
		{"the note is deleted", func(t *testing.T, path, _ string, _ []byte) { os.Remove(archivedName(path)) }, Removed, Removed, ""},
		{"a checkpoint in its place", func(t *testing.T, path, _ string, early []byte) {
			os.WriteFile(archivedName(path), early, 0o600)
		}, Forged, Forged, ""},
		{"an older note", func(t *testing.T, path, archive string, _ []byte) {
			older, err := os.ReadFile(archive + ".older")
			if err != nil {
				t.Fatal(err)
			}
			os.WriteFile(archivedName(path), older, 0o600)
		}, Removed, Removed, ""},
		{"a segment of the archive is gone", func(t *testing.T, _, archive string, _ []byte) {
			segments, _ := segmentFiles(archive)
			os.Remove(segments[1])
		}, "", Removed, Removed},
		{"the last one is gone", func(t *testing.T, _, archive string, _ []byte) {
			segments, _ := segmentFiles(archive)
			os.Remove(segments[len(segments)-1])
		}, "", Removed, Cut},
		{"the first one is gone", func(t *testing.T, _, archive string, _ []byte) {
			segments, _ := segmentFiles(archive)
			os.Remove(segments[0])
		}, "", Removed, Removed},
		{"a value of the archive is edited", func(t *testing.T, _, archive string, _ []byte) {
			segments, _ := segmentFiles(archive)
			text, _ := os.ReadFile(segments[1])
			os.WriteFile(segments[1], []byte(strings.Replace(string(text), `"L0"`, `"L1"`, 1)), 0o600)
		}, "", Edited, Edited},
		{"the key is gone", func(t *testing.T, path, _ string, _ []byte) { os.Remove(keyName(path)) }, Forged, Forged, ""},
	} {
		dir, away := t.TempDir(), t.TempDir()
		path, archive := logIn(dir), logIn(away)
		l := segmented(t, dir, Options{})
		early, key, err := Checkpoint(path)
		if err != nil {
			t.Fatal(err)
		}
		bySize(away)(l)
		retire(t, l)
		older, _ := os.ReadFile(archivedName(path))
		os.WriteFile(archive+".older", older, 0o600)
		for n := range 30 {
			if _, err := l.Append(record(40 + n)); err != nil {
				t.Fatal(err)
			}
		}
		retire(t, l)
		l.Close()
		if tc.harm != nil {
			tc.harm(t, path, archive, early)
		}
		kind := func(r Report) DefectKind {
			if len(r.Defects) == 0 {
				return ""
			}
			return r.Defects[0].Kind
		}
		if r := defects(t, path, Evidence{}); kind(r) != tc.here {
			t.Errorf("%s: the chain: %+v", tc.name, r)
		}
		if r := defects(t, path, Evidence{Archive: away}); kind(r) != tc.both {
			t.Errorf("%s: with the archive: %+v", tc.name, r)
		}
		r, err := VerifyArchive(archive, key)
		if err != nil || kind(r) != tc.away {
			t.Errorf("%s: the archive: %+v, %v", tc.name, r, err)
		}
	}
}

// Signing what nobody checked would make harm good.
func TestADamagedSegmentIsNotArchived(t *testing.T) {
	for _, which := range []int{0, 1} {
		dir, archive := t.TempDir(), t.TempDir()
		l := segmented(t, dir, Options{})
		bySize(archive)(l)
		segments, _ := segmentFiles(logIn(dir))
		text, _ := os.ReadFile(segments[which])
		if err := os.WriteFile(segments[which], []byte(strings.Replace(string(text), `"L0"`, `"L9"`, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if a, err := l.Retire(); err == nil || a != nil || !strings.Contains(err.Error(), "verify") {
			t.Errorf("%+v, %v", a, err)
		}
		if now, _ := segmentFiles(logIn(dir)); !slices.Equal(now, segments) {
			t.Error("a segment was removed")
		}
		if _, err := os.Stat(archivedName(logIn(dir))); !errors.Is(err, os.ErrNotExist) {
			t.Error("it was signed")
		}
	}
}

// A process may end after any step; what is left is whole, and the next one finishes.
func TestArchivingThatEndsHalfWay(t *testing.T) {
	dir, away := t.TempDir(), t.TempDir()
	path := logIn(dir)
	l := segmented(t, dir, Options{})
	bySize(away)(l)
	segments, _ := segmentFiles(path)
	saved := map[string][]byte{}
	for _, name := range segments {
		saved[name], _ = os.ReadFile(name)
	}
	a := retire(t, l)
	note, _ := os.ReadFile(archivedName(path))
	restore := func(upTo int) {
		for _, name := range segments[upTo:] {
			if err := os.WriteFile(name, saved[name], 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for step, end := range map[string]func(){
		"before the removal":    func() { restore(0) },
		"during the removal":    func() { restore(2) },
		"before the notes":      func() { restore(0); os.Remove(archivedName(path)); os.Remove(archivedName(logIn(away))) },
		"between the two notes": func() { restore(0); os.Remove(archivedName(path)) },
	} {
		end()
		for _, archive := range []string{"", away} {
			if r := defects(t, path, Evidence{Archive: archive}); len(r.Defects) > 0 {
				t.Errorf("%s: %+v", step, r)
			}
		}
		if again := retire(t, l); again.Records != a.Records || again.From != 1 {
			t.Errorf("%s: %+v, before %+v", step, again, a)
		}
		if now, _ := segmentFiles(path); len(now) > 0 {
			t.Errorf("%s: still here: %v", step, now)
		}
		if r := defects(t, path, Evidence{Archive: away}); len(r.Defects) > 0 || r.Records != 40 {
			t.Errorf("%s, finished: %+v", step, r)
		}
		if err := os.WriteFile(archivedName(path), note, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAgeAndSizeSayWhatLeaves(t *testing.T) {
	dir := t.TempDir()
	l := segmented(t, dir, Options{})
	segments, _ := segmentFiles(logIn(dir))
	old := time.Now().Add(-48 * time.Hour)
	for _, name := range segments[:2] {
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	l.opts.Retention = Retention{Age: 72 * time.Hour}
	if a, err := l.Retire(); a != nil || err != nil {
		t.Errorf("%+v, %v", a, err)
	}
	l.opts.Retention.Age = 24 * time.Hour
	if a := retire(t, l); a.From != 0 || a.Records+1 != firstIn(segments[2]) {
		t.Errorf("by age: %+v", a)
	}
	l.opts.Retention = Retention{Size: 5000}
	retire(t, l)
	size := l.at.size
	rest, _ := segmentFiles(logIn(dir))
	for _, name := range rest {
		info, _ := os.Stat(name)
		size += info.Size()
	}
	if size > 5000 || size < 2000 || len(rest) == 0 {
		t.Errorf("%d bytes are kept in %d segments", size, len(rest))
	}
	l.Close()
	r := defects(t, logIn(dir), Evidence{})
	if len(r.Defects) > 0 || r.Archived == nil || r.Archived.From != 0 || r.Records+r.Archived.Records != 40 {
		t.Errorf("%+v", r)
	}
}

// A running log does it by itself.
func TestARunningLogArchives(t *testing.T) {
	dir, away := t.TempDir(), t.TempDir()
	heard := make(chan *Archived, 100)
	l := openLog(t, dir, Options{SegmentSize: 2000, Retention: Retention{Size: 1, Folder: away}, Retired: func(a *Archived, err error) {
		if err != nil {
			t.Error(err)
		}
		heard <- a
	}})
	for n := range 40 {
		if _, err := l.Append(record(n)); err != nil {
			t.Fatal(err)
		}
	}
	for a := range heard {
		if segments, _ := segmentFiles(logIn(dir)); len(segments) == 0 && a.Records > 30 {
			break
		}
	}
	l.Close()
	if r := defects(t, logIn(dir), Evidence{Archive: away}); len(r.Defects) > 0 || r.Records != 40 {
		t.Errorf("%+v", r)
	}
}

func FuzzBoundary(f *testing.F) {
	s, err := newSigner(make([]byte, keyLength))
	if err != nil {
		f.Fatal(err)
	}
	good, err := s.boundary(boundary{position: position{count: 7, last: hash{1}}, from: 1, time: time.Unix(0, 0)})
	if err != nil {
		f.Fatal(err)
	}
	checkpoint, err := s.checkpoint(position{count: 7, last: hash{1}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(checkpoint)
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := parseBoundary(text, s.Verifier)
		if err == nil && (b.count != 7 || b.from != 1) {
			t.Errorf("a note that nobody signed was read: %q", text)
		}
	})
}
