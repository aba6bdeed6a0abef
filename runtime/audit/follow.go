package audit

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Follower verifies a chain a part at a time, and from then on what is added to it. It
// finds what [VerifyWith] finds. What it has read before it reads again when a file of it
// has another size or time, and in any case after some time: a change that leaves no such
// trace is found by the next round. It is safe for concurrent use.
type Follower struct {
	path  string
	again time.Duration
	known func() (map[string][]byte, error)
	now   func() time.Time

	mu       sync.Mutex
	v        *verifier // nil before a round
	began    time.Time // the round
	boundary string    // what the round has seen of the archive
	at       uint64    // the first record of the file that is being read
	offset   int64     // in that file
	line     int       // lines before the offset
	read     map[uint64]os.FileInfo
}

// Checked is how far a Follower has come.
type Checked struct {
	Report // of what was read in this round
	// Last is the number of the newest record.
	Last uint64
	// Whole says that everything was read.
	Whole bool
}

// NewFollower returns a follower of a chain. It begins anew after the duration again.
// known returns the checkpoints that the chain has to pass through, by the name of where
// they were kept; nil for none.
func NewFollower(path string, again time.Duration, known func() (map[string][]byte, error), now func() time.Time) *Follower {
	return &Follower{path: path, again: again, known: known, now: now}
}

// errEnough ends a step.
var errEnough = errors.New("enough for one step")

// Step reads at most so many bytes, to the end of a line. The error means that the chain
// could not be read.
func (f *Follower) Step(most int64) (Checked, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	// Read before the chain, which may grow past them meanwhile.
	var checkpoints map[string][]byte
	fresh := f.v == nil || f.now().Sub(f.began) > f.again
	if fresh && f.known != nil {
		var err error
		if checkpoints, err = f.known(); err != nil {
			return Checked{}, err
		}
	}
	chain, err := takeSnapshot(f.path)
	if errors.Is(err, os.ErrNotExist) {
		f.v = nil
		report, err := VerifyWith(f.path, Evidence{})
		return Checked{Report: report, Whole: true}, err
	}
	if err != nil {
		return Checked{}, err
	}
	defer chain.close()
	if !fresh && f.changed(chain) {
		f.v = nil // the checkpoints belong to a round: the next step begins one
		return Checked{Report: Report{Defects: []Defect{}}, Last: chain.at.count}, nil
	}
	if fresh {
		if err := f.begin(chain, checkpoints); err != nil {
			return Checked{}, err
		}
	} else if a := f.v.report.Archived; a != nil {
		chain.dropUpTo(a.Records)
	}
	err = f.on(chain, most)
	full := errors.Is(err, errTooManyDefects)
	if err != nil && !full && !errors.Is(err, errEnough) {
		f.v = nil
		return Checked{}, err
	}
	c := Checked{Last: chain.at.count, Whole: err == nil || full}
	// The next step goes on without what only holds of the end as it is now.
	found := len(f.v.report.Defects)
	if err == nil {
		f.v.missed()
		if err := f.v.checkHead(chain); err != nil {
			f.v = nil
			return Checked{}, err
		}
	}
	c.Report = f.v.report
	c.Files = len(chain.files)
	c.Defects = append([]Defect{}, f.v.report.Defects...)
	f.v.report.Defects = f.v.report.Defects[:found]
	return c, nil
}

// begin begins a round.
func (f *Follower) begin(chain *snapshot, checkpoints map[string][]byte) error {
	f.v = newVerifier()
	key, err := f.v.readAnchors(f.path, checkpoints)
	if err == nil {
		err = f.v.begin(f.path, chain, key, "")
	}
	if err != nil {
		f.v = nil
		return err
	}
	f.began, f.boundary, f.read = f.now(), string(chain.boundary), map[uint64]os.FileInfo{}
	f.offset, f.line = 0, 0
	if len(chain.files) > 0 {
		f.at = f.firstOf(chain.files[0])
	}
	return nil
}

// firstOf returns the number of the first record of a file; 0 if it cannot be told.
func (f *Follower) firstOf(file *os.File) uint64 {
	if file.Name() != f.path {
		return firstIn(file.Name())
	}
	first, _ := firstSeq(file) // an empty or a damaged file: 0
	return first
}

// changed reports whether something that was read is no longer as it was.
func (f *Follower) changed(chain *snapshot) bool {
	if string(chain.boundary) != f.boundary {
		return true
	}
	found := map[uint64]bool{}
	for i, file := range chain.files {
		first := f.firstOf(file)
		found[first] = true
		if was := f.read[first]; was != nil {
			is, err := file.Stat()
			if err != nil || is.Size() != was.Size() || !is.ModTime().Equal(was.ModTime()) {
				return true
			}
		}
		if first == f.at && chain.sizes[i] < f.offset {
			return true
		}
	}
	for first := range f.read {
		if !found[first] {
			return true
		}
	}
	return f.at != 0 && !found[f.at]
}

// on reads on from where the step before ended.
func (f *Follower) on(chain *snapshot, most int64) error {
	reached := false
	for i, file := range chain.files {
		first := f.firstOf(file)
		if f.at == 0 && i == len(chain.files)-1 {
			f.at = first // it was empty before
		}
		if reached = reached || first == f.at; !reached || f.read[first] != nil {
			continue
		}
		if first != f.at {
			f.at, f.offset, f.line = first, 0, 0
		}
		name, from := filepath.Base(file.Name()), f.offset
		err := eachLine(io.NewSectionReader(file, from, chain.sizes[i]-from), func(_ int, offset int64, text []byte) error {
			f.line++
			f.offset = from + offset + int64(len(text))
			if most -= int64(len(text)); most <= 0 {
				return errors.Join(errEnough, f.v.line(name, f.line, text))
			}
			return f.v.line(name, f.line, text)
		})
		if err != nil {
			return err
		}
		if i < len(chain.files)-1 {
			info, err := file.Stat()
			if err != nil {
				return err
			}
			f.read[first] = info
		}
	}
	return nil
}
