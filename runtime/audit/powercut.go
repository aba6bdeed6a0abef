package audit

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/glovebox-run/glovebox/internal/osfile"
)

// A killed process leaves everything that it wrote; a power cut leaves what the kernel had
// brought to the disk, of lines and head in any order. Lines are synced every 50 ms, so
// without more the head of a busy log would nearly always count lines that are gone, which
// is what a cut tail looks like, or lines would stand behind the head, which is what
// forged ones look like; and neither is opened.
//
// So the head also says up to where the lines are known to be on disk, and in which boot
// of the machine. Within that boot nothing can be lost, and a missing line is a defect.
// After another start, lines behind the known ones may be missing. Those that are there
// and that the head counts stay; what it does not count is moved into a file beside the
// chain; and a record of the chain says what was lost. Where the system does not tell
// boots apart, or when lines are missing that were known to be on disk, nothing changes: it is a
// defect.

// loss is what a power cut did to a chain.
type loss struct {
	From  uint64 `json:"from,omitempty"` // first record that is lost; zero if none is
	To    uint64 `json:"to,omitempty"`   // last
	Aside string `json:"aside,omitempty"`
	Bytes int64  `json:"bytes,omitempty"` // in Aside
}

// bootMark is what the head says of the machine's boot.
func bootMark(id string) position { return position{count: 1, last: sha256.Sum256([]byte(id))} }

// sinceBoot returns up to where the lines of the growing file were on disk in an earlier
// boot; ok is false if the head was last opened in this boot, or nothing is known.
func (h headFile) sinceBoot(id string) (at position, ok bool) {
	was, err := h.read(booted)
	if err != nil || id == "" || was.count == 0 || was == bootMark(id) {
		return position{}, false
	}
	at, err = h.read(flushed)
	return at, err == nil
}

// enterBoot brings everything to disk once in each boot and says so.
func (l *Log) enterBoot() error {
	if was, err := l.head.read(booted); l.boot == "" || err == nil && was == bootMark(l.boot) {
		return nil
	}
	if err := l.flush(l.file); err != nil {
		return err
	}
	return errors.Join(l.head.write(flushed, l.at), l.head.write(booted, bootMark(l.boot)), l.flush(l.head.file))
}

// noteFlushed says in the head that the lines of a file up to at are on disk, if it is
// still the growing one: whoever closed a full one has said so. It runs under both locks.
func (l *Log) noteFlushed(file os.FileInfo, at position) error {
	if now, err := os.Stat(l.path); err != nil || !os.SameFile(file, now) {
		return nil
	}
	return l.head.write(flushed, at)
}

// afterPowerCut returns where the chain ends that the head lets end at a position. It
// changes nothing unless the machine was started since the head was last opened.
func (l *Log) afterPowerCut(at position) (position, error) {
	known, ok := l.head.sinceBoot(l.boot)
	if !ok {
		return at, nil
	}
	info, err := l.file.Stat()
	if err != nil {
		return position{}, err
	}
	size := info.Size()
	if intent, err := l.head.read(intended); err == nil && intent == (position{count: at.count, last: at.last}) && (known == at || known == intent) {
		if first, err := firstSeq(l.file); (err != nil || first > at.count) && l.segmentOfSize(at.size) {
			at, known = intent, intent // it came while the log rotated
		}
	}
	if size < known.size || at.count < known.count || at.size < known.size {
		return at, nil // not what a power cut does
	}
	end, err := follow(io.NewSectionReader(l.file, known.size, size-known.size), known, at.count)
	if err != nil {
		return position{}, err
	}
	if end.count == at.count {
		if end != at {
			return at, nil // other lines than the head counts: not what a power cut does
		}
		intent, err := l.head.read(intended)
		if size == at.size || err == nil && intent.count == at.count+1 && size <= intent.size {
			return at, nil // whole, or as a killed process leaves it
		}
	}
	var lost loss
	if end.count < at.count {
		lost.From, lost.To = end.count+1, at.count
	}
	if size > end.size {
		if lost.Aside, err = l.setAside(end, size); err != nil {
			return position{}, err
		}
		lost.Bytes = size - end.size
	}
	// Before the head forgets what it counted, so that a process that ends here leaves the
	// note to the next.
	text, err := json.Marshal(lost)
	if err == nil {
		err = writeFile(lossName(l.path), text)
	}
	if err == nil && size > end.size {
		err = l.file.Truncate(end.size)
	}
	if err == nil {
		err = l.head.write(committed, end)
	}
	return end, err
}

// follow returns the end of the unbroken chain of lines that begins behind a position, at
// most up to a record.
func follow(r io.Reader, from position, last uint64) (position, error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	for from.count < last {
		text, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return from, err
		}
		next, err := parseWhole(text)
		if errors.Is(err, errNewer) {
			return from, err
		}
		if err != nil || !next.intact || next.prev != from.last || next.seq != from.count+1 {
			return from, nil
		}
		from = position{count: next.seq, last: next.hash, size: from.size + int64(len(text))}
	}
	return from, nil
}

// setAside copies what stands behind the end of the chain into a file of its own, whose
// name it returns: it may be lines that nobody vouches for, or what a disk shows where
// nothing was written.
func (l *Log) setAside(end position, size int64) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(l.path), filepath.Base(unprovenName(l.path))+"-")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, io.NewSectionReader(l.file, end.size, size-end.size))
	return filepath.Base(f.Name()), errors.Join(err, f.Sync(), f.Close(), osfile.SyncDir(filepath.Dir(l.path)))
}

// recordLoss puts on record what a power cut took, so that a gap in the acknowledged
// records has a reason.
func (l *Log) recordLoss() error {
	text, err := os.ReadFile(lossName(l.path))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var lost loss
	if err == nil {
		err = json.Unmarshal(text, &lost)
	}
	if err == nil {
		_, err = l.Append(Record{
			Time: time.Now(), ID: rand.Text()[:8], ToolID: "record", Tool: "record/power-cut", Category: "operator",
			Decision: "noted by the record itself", Parameters: text, Outcome: Error, Cause: &Cause{Kind: "power_cut", Message: lost.String()},
		})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", lossName(l.path), err)
	}
	return os.Remove(lossName(l.path))
}

func (c loss) String() string {
	text := "the machine stopped before everything was on its disk"
	if c.From > 0 {
		text += fmt.Sprintf("; records %d to %d, acknowledged in the last moments before, are lost, and their numbers are used again", c.From, c.To)
	}
	if c.Aside != "" {
		text += fmt.Sprintf("; %d bytes that the head does not vouch for are in %s", c.Bytes, c.Aside)
	}
	return text
}
