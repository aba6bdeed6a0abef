package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// disk is what may be on the disk of a chain at one moment: of the growing file any length
// between what was flushed and what was written, of the head each version since it was
// flushed.
type disk struct {
	t       *testing.T
	dir     string
	durable int64    // bytes of the growing file
	lines   uint64   // records in them and before
	count   uint64   // and how many of these the head has said since: they must stay
	heads   [][]byte // versions of the head, the first of which is durable
}

func (d *disk) read(name string) []byte {
	d.t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

// wrote notes the versions of the head that the last append went through, in the order of
// its writes; after a rotation those first that begin the new file.
func (d *disk) wrote(h headFile, rotated bool, start position) {
	version, now := bytes.Clone(d.heads[len(d.heads)-1]), d.read(headName(logIn(d.dir)))
	put := func(s slot, text []byte) {
		copy(version[s.offset():], text)
		d.heads = append(d.heads, bytes.Clone(version))
	}
	if rotated {
		put(flushed, h.encode(nil, flushed, start))
		put(committed, h.encode(nil, committed, start))
	}
	for _, s := range []slot{intended, committed} {
		put(s, now[s.offset():][:slotLength])
	}
	if !bytes.Equal(version, now) {
		d.t.Error("the head is written in another order than the test knows")
	}
}

// after returns a folder as a power cut leaves it.
func (d *disk) after(r *rand.Rand) (dir string, head []byte) {
	dir = filepath.Join(d.t.TempDir(), "audit")
	if err := os.CopyFS(dir, os.DirFS(d.dir)); err != nil {
		d.t.Fatal(err)
	}
	lines := d.read(logIn(d.dir))
	kept := d.durable + r.Int64N(int64(len(lines))-d.durable+1)
	if r.IntN(2) == 0 {
		kept = max(d.durable, int64(bytes.LastIndexByte(lines[:kept], '\n')+1))
	}
	lines = lines[:kept:kept]
	if r.IntN(4) == 0 {
		lines = append(lines, make([]byte, r.IntN(300))...) // a size that was written before its bytes
	}
	head = d.heads[r.IntN(len(d.heads))]
	for name, text := range map[string][]byte{logIn(dir): lines, headName(logIn(dir)): head} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			d.t.Fatal(err)
		}
	}
	return dir, head
}

// TestAPowerCutKeepsWhatWasOnDisk whenever it comes and whatever of the rest had reached
// the disk: the chain opens, verifies, has every record that was synced, and says which
// acknowledged ones it lost.
func TestAPowerCutKeepsWhatWasOnDisk(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		d := &disk{t: t, dir: t.TempDir()}
		l := openLog(t, d.dir, Options{boot: "first", SegmentSize: 4000})
		l.due = time.AfterFunc(time.Hour, func() {}) // synced by hand
		d.heads = [][]byte{d.read(headName(l.path))}
		var hashes []hash // of the records
		check := func() error { return d.check(r, hashes, seen) }
		l.flush = func(f *os.File) error {
			if err := check(); err != nil {
				return err
			}
			if f == l.file {
				info, err := f.Stat()
				if err != nil {
					return err
				}
				d.durable, d.lines = info.Size(), l.at.count
			} else {
				d.heads, d.count = [][]byte{d.read(f.Name())}, d.lines
			}
			return check()
		}
		for n := range 22 {
			file, start := l.file, position{count: l.at.count, last: l.at.last}
			if _, err := l.Append(record(n)); err != nil {
				t.Fatal(err)
			}
			if l.file != file {
				d.durable = 0 // of the new file
			}
			hashes = append(hashes, l.at.last)
			d.wrote(headFile{key: l.head.key}, l.file != file, start)
			if err := check(); err != nil {
				t.Fatal(err)
			}
			if r.IntN(6) == 0 {
				l.mu.Lock()
				err := l.locked(l.sync)
				l.mu.Unlock()
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"whole", "lost", "aside", "lost and aside"} {
		if seen[want] == 0 {
			t.Errorf("no power cut left it %s: %v", want, seen)
		}
	}
}

func (d *disk) check(r *rand.Rand, hashes []hash, seen map[string]int) error {
	t := d.t
	dir, head := d.after(r)
	counted, err := (headFile{key: d.read(keyName(logIn(dir)))}).in(head)
	if err != nil {
		return err
	}
	l, err := Open(logIn(dir), Options{boot: "second"})
	if err != nil {
		return fmt.Errorf("%d records on disk, %d in the head: %v", d.count, counted.count, err)
	}
	l.Close()
	var records []Entry
	if err := Read(logIn(dir), Filter{}, func(e Entry) error { records = append(records, e); return nil }); err != nil {
		return err
	}
	var lost loss
	how := "whole"
	kept := len(records)
	if kept > 0 && records[kept-1].Tool == "record/power-cut" {
		kept--
		if err := json.Unmarshal(records[kept].Parameters, &lost); err != nil {
			return err
		}
		how = strings.Join(strings.Fields(map[bool]string{true: "lost"}[lost.From > 0]+" "+map[bool]string{true: "aside"}[lost.Aside != ""]), " and ")
	}
	seen[how]++
	if r, err := Verify(logIn(dir)); err != nil || len(r.Defects) > 0 || r.Records != uint64(len(records)) {
		return fmt.Errorf("%+v, %w", r, err)
	}
	if uint64(kept) < d.count || kept > len(hashes)+1 {
		return fmt.Errorf("%d records are there of %d on disk and %d written", kept, d.count, len(hashes))
	}
	for i := range min(kept, len(hashes)) {
		if want := fmt.Sprintf("call%04d", i); records[i].ID != want {
			return fmt.Errorf("record %d is %s", i, records[i].ID)
		}
	}
	if counted.count > uint64(kept) && (lost.From != uint64(kept)+1 || lost.To != counted.count) || counted.count <= uint64(kept) && lost.From > 0 {
		return fmt.Errorf("%d records are there, the head counted %d: %+v", kept, counted.count, lost)
	}
	if lost.Aside != "" {
		if info, err := os.Stat(filepath.Join(dir, lost.Aside)); err != nil || info.Size() != lost.Bytes {
			return fmt.Errorf("%+v: %v, %v", lost, info, err)
		}
	}
	if _, err := os.Stat(lossName(logIn(dir))); !os.IsNotExist(err) {
		return fmt.Errorf("the note is still there: %v", err)
	}
	fill(t, dir, 1, Options{boot: "second"}) // and it goes on
	wholeChain(t, dir, len(records)+1)
	return nil
}

// in returns the committed position that the bytes of a head say.
func (h headFile) in(head []byte) (position, error) {
	f, err := os.CreateTemp("", "head")
	if err != nil {
		return position{}, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.Write(head); err != nil {
		return position{}, err
	}
	h.file = f
	return h.read(committed)
}

// TestNoPowerCutNoLoss: within one boot, or when lines are missing that were on disk, a
// shorter file is a cut tail, and it stays as it is.
func TestNoPowerCutNoLoss(t *testing.T) {
	for _, tc := range []struct {
		name, boot string
		synced     bool
		forged     bool // another line is there in the place of the last
		opens      bool
	}{
		{"another boot, not synced", "second", false, false, true},
		{"another boot, synced", "second", true, false, false},
		{"another boot, another line", "second", false, true, false},
		{"the same boot", "first", false, false, false},
	} {
		dir := t.TempDir()
		fill(t, dir, 3, Options{boot: "first"})
		l := openLog(t, dir, Options{boot: "first"})
		l.due = time.AfterFunc(time.Hour, func() {})
		before, err := os.ReadFile(l.path)
		if err != nil {
			t.Fatal(err)
		}
		if tc.forged {
			before, _ = appendLine(before, l.at.count+1, l.at.last, []byte(`{"name":"what nobody did, with a length of its own"}`))
		}
		if _, err := l.Append(record(4)); err != nil {
			t.Fatal(err)
		}
		if tc.synced {
			if err := l.locked(l.sync); err != nil {
				t.Fatal(err)
			}
		}
		l.closeFiles() // as a process ends that is killed
		l.closed = true
		if err := os.WriteFile(l.path, before, 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := Open(l.path, Options{boot: tc.boot})
		if (err == nil) != tc.opens {
			t.Errorf("%s: %v", tc.name, err)
		}
		if err == nil {
			again.Close()
			continue
		}
		if text, readErr := os.ReadFile(l.path); readErr != nil || !bytes.Equal(text, before) || !strings.Contains(err.Error(), "its head says") {
			t.Errorf("%s: %v, %v; %d bytes, were %d", tc.name, err, readErr, len(text), len(before))
		}
	}
}
