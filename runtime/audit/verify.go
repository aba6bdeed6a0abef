package audit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/sumdb/note"
)

// DefectKind is the kind of damage at one place of a chain.
type DefectKind string

const (
	Damaged   DefectKind = "damaged"   // a line that is no record
	Edited    DefectKind = "edited"    // a line whose bytes do not match its hash
	Removed   DefectKind = "removed"   // records are missing before this line
	Reordered DefectKind = "reordered" // a line that belongs elsewhere
	Inserted  DefectKind = "inserted"  // a line that no other line follows
	Cut       DefectKind = "cut"       // the chain ends before its head
	Appended  DefectKind = "appended"  // the chain continues past its head
	Forged    DefectKind = "forged"    // the head does not match its key
	// RolledBack means the chain does not pass through an anchor.
	RolledBack DefectKind = "rolled-back"
	Missing    DefectKind = "missing" // the chain, its head or its key does not exist
)

// Defect is one place where a chain is broken.
type Defect struct {
	Kind   DefectKind `json:"kind"`
	File   string     `json:"file"`
	Line   int        `json:"line"` // from 1; 0 for the file as a whole
	Seq    uint64     `json:"seq"`  // the record concerned, as the chain counts
	Detail string     `json:"detail"`
}

// Report is what Verify found. A chain is whole when Defects is empty.
type Report struct {
	Records uint64 `json:"records"` // that were read
	Files   int    `json:"files"`
	Head    string `json:"head"` // hash of the last record that the head knows
	// Archived is the beginning of the chain that is no longer beside it, as its key
	// signed; nil if everything is here.
	Archived *Archived `json:"archived,omitempty"`
	// Unchecked are checkpoints within the archived part, which the archive has to be
	// verified with.
	Unchecked []string `json:"unchecked,omitempty"`
	Defects   []Defect `json:"defects"`
}

// Evidence is what a chain is compared with, beside its own head.
type Evidence struct {
	// Checkpoints are signed notes by the name of where they were kept.
	Checkpoints map[string][]byte
	// Archive is a folder whose segments are the beginning of the chain; empty if they
	// are not to be read.
	Archive string
}

// maxDefects bounds a report: a chain with more defects than this is no longer
// the same chain.
const maxDefects = 1000

var errTooManyDefects = errors.New("too many defects")

// Verify reads the whole chain at path once, as it is at one moment; appends may
// continue. Its memory does not grow with the chain. The chain has to pass through the
// checkpoints in the anchor files. The error means that the chain could not be read;
// defects of the chain itself are in the report.
func Verify(path string, anchorFiles ...string) (Report, error) {
	e := Evidence{Checkpoints: map[string][]byte{}}
	// Read before the chain, which may grow past them meanwhile.
	for _, name := range anchorFiles {
		text, err := os.ReadFile(name)
		if err != nil {
			return Report{}, fmt.Errorf("audit: %w", err)
		}
		e.Checkpoints[name] = text
	}
	return VerifyWith(path, e)
}

// VerifyWith is Verify with more to compare with.
func VerifyWith(path string, e Evidence) (Report, error) {
	v := newVerifier()
	key, err := v.readAnchors(path, e.Checkpoints)
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	chain, err := takeSnapshot(path)
	if errors.Is(err, os.ErrNotExist) {
		v.file = path
		v.add(Missing, 0, 0, "there is no folder: the record was taken away, or never kept here")
		return v.report, nil
	}
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	defer chain.close()
	if err := v.begin(path, chain, key, e.Archive); err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	v.report.Files = len(chain.files)
	err = chain.each(v.line)
	if errors.Is(err, errTooManyDefects) {
		return v.report, nil
	}
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	v.missed()
	return v.report, v.checkHead(chain)
}

// VerifyArchive reads the archive of a chain that is not here. key is the public key
// that [Checkpoint] returns.
func VerifyArchive(path, key string) (Report, error) {
	v := newVerifier()
	by, err := note.NewVerifier(key)
	if err != nil {
		return Report{}, fmt.Errorf("audit: the key: %w", err)
	}
	chain, err := takeSnapshot(path)
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	defer chain.close()
	v.report.Files, v.file = len(chain.files), archivedName(path)
	end, err := parseBoundary(chain.boundary, by)
	if err = errors.Join(chain.boundaryErr, err); err != nil {
		v.add(Forged, 0, 0, "it is not signed with this key: "+err.Error())
		return v.report, nil
	}
	v.report.Archived, v.report.Head = end.archived(), end.last.String()
	chain.dropAfter(end.count)
	v.startAt(chain, end.from)
	if err := chain.each(v.line); err != nil && !errors.Is(err, errTooManyDefects) {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	v.ends(archivedName(path), end.position)
	return v.report, nil
}

// ends compares the end of the files with what a note says.
func (v *verifier) ends(name string, at position) {
	v.file = name
	switch {
	case v.seq < at.count:
		v.add(Cut, 0, v.seq+1, fmt.Sprintf("records %d to %d are missing at the end", v.seq+1, at.count))
	case v.seq > at.count:
		v.add(Appended, 0, at.count+1, fmt.Sprintf("records %d to %d are not known here", at.count+1, v.seq))
	case v.prev != at.last:
		v.add(Edited, 0, v.seq, "the last record is not the one that is known here")
	}
}

// begin finds where the chain begins: with its first record, behind what was archived,
// or in the archive.
func (v *verifier) begin(path string, chain *snapshot, key signer, archive string) error {
	if chain.boundaryErr != nil {
		return chain.boundaryErr
	}
	v.file = archivedName(path)
	var begin boundary
	if len(chain.boundary) > 0 {
		err := errors.New("there is no key")
		if key.Verifier != nil {
			begin, err = parseBoundary(chain.boundary, key.Verifier)
		}
		if err != nil {
			v.add(Forged, 0, 0, "the chain's key did not sign what was archived")
			return nil
		}
	}
	// A process that ended while archiving leaves segments that the note counts.
	chain.dropUpTo(begin.count)
	if archive == "" {
		v.report.Archived = begin.archived()
		v.seq, v.prev = begin.count, begin.last
		for name, at := range v.anchors {
			if at.count == begin.count && at.last == begin.last {
				delete(v.anchors, name)
			} else if at.count > 0 && at.count < begin.count {
				v.report.Unchecked = append(v.report.Unchecked, name)
				delete(v.anchors, name)
			}
		}
		slices.Sort(v.report.Unchecked)
		return nil
	}
	old, err := takeSnapshot(filepath.Join(archive, filepath.Base(path)))
	if err != nil {
		return err
	}
	old.dropAfter(begin.count)
	if begin.count > 0 {
		v.anchors[v.file] = begin.position
	}
	chain.files, chain.sizes = append(old.files, chain.files...), append(old.sizes, chain.sizes...)
	v.startAt(chain, begin.from)
	return nil
}

// startAt lets the files begin with record from instead of 1. What it follows cannot be
// checked without the files before.
func (v *verifier) startAt(chain *snapshot, from uint64) {
	if from <= 1 || len(chain.files) == 0 {
		return
	}
	text, _ := bufio.NewReader(io.NewSectionReader(chain.files[0], 0, maxLine)).ReadBytes('\n')
	if first, err := parseWhole(text); err == nil && first.seq == from {
		v.seq, v.prev = from-1, first.prev
	}
}

func newVerifier() *verifier {
	return &verifier{wanted: map[hash]int{}, strays: map[hash]bool{}, anchors: map[string]position{}, report: Report{Defects: []Defect{}}}
}

type verifier struct {
	report Report
	file   string
	seq    uint64 // of the last line
	prev   hash   // of the last line

	anchors map[string]position // by file, until the chain passes through

	// Whether a line that appears too early was moved, or the lines before it were
	// removed, shows only later, when the line it follows turns up. Both maps are
	// bounded by maxDefects.
	wanted map[hash]int  // hash of a line not met yet -> the defect it would explain
	strays map[hash]bool // lines in the wrong place, and the ones before
}

func (v *verifier) line(file string, number int, text []byte) error {
	v.file = file
	l, err := parseWhole(text)
	if errors.Is(err, errNewer) {
		return err
	}
	if err != nil {
		v.add(Damaged, number, v.seq+1, err.Error())
		v.seq++
		return v.full()
	}
	v.report.Records++
	if defect, ok := v.wanted[l.hash]; ok {
		d := &v.report.Defects[defect]
		d.Kind, d.Detail = Reordered, fmt.Sprintf("expected record %d here", d.Seq)
		d.Seq = l.seq + 1
	}
	if l.prev != v.prev || l.seq != v.seq+1 {
		v.misplaced(l, number)
	}
	if !l.intact {
		v.add(Edited, number, l.seq, "its bytes do not give its hash")
	}
	if l.intact {
		v.pass(l)
	}
	v.seq, v.prev = l.seq, l.hash
	return v.full()
}

func (v *verifier) misplaced(l line, number int) {
	switch {
	case l.prev != v.prev && l.seq == v.seq+1:
		v.add(Inserted, number, l.seq, "it does not follow from the line before")
	case l.prev != v.prev && l.seq > v.seq+1 && !v.strays[l.prev]:
		v.wanted[l.prev] = len(v.report.Defects)
		v.add(Removed, number, v.seq+1, fmt.Sprintf("records %d to %d are missing", v.seq+1, l.seq-1))
	default:
		v.add(Reordered, number, l.seq, fmt.Sprintf("expected record %d here", v.seq+1))
	}
	v.strays[v.prev], v.strays[l.hash] = true, true
}

func (v *verifier) checkHead(chain *snapshot) error {
	v.file = "head"
	at, intent := chain.at, chain.intent
	switch {
	case errors.Is(chain.headErr, os.ErrNotExist) && v.report.Records+uint64(len(v.report.Defects)) > 0:
		v.add(Forged, 0, 0, "the head or its key is missing: whether the tail was cut cannot be told")
		return nil
	case errors.Is(chain.headErr, os.ErrNotExist):
		v.add(Missing, 0, 0, "neither records nor a head with its key are here: the record was taken away, or never kept here")
		return nil
	case errors.Is(chain.headErr, errHeadForged):
		v.add(Forged, 0, 0, chain.headErr.Error())
		return nil
	case chain.headErr != nil:
		return fmt.Errorf("audit: %w", chain.headErr)
	}
	v.report.Head = at.last.String()
	why := ""
	if chain.rebooted {
		why = "; the machine was started since, and a power cut can do this: the next start of a server puts on record what it took"
	}
	switch {
	case v.seq == at.count && v.prev == at.last:
	case chain.intentErr == nil && v.seq == intent.count && v.prev == intent.last:
		// a process was killed between the line and the commit
	case v.seq < at.count:
		v.add(Cut, 0, v.seq+1, fmt.Sprintf("records %d to %d are missing at the end", v.seq+1, at.count)+why)
	case v.seq > at.count:
		v.add(Appended, 0, at.count+1, fmt.Sprintf("records %d to %d are not known to the head", at.count+1, v.seq)+why)
	default:
		v.add(Edited, 0, v.seq, "the last record is not the one that the head knows")
	}
	return nil
}

func (v *verifier) add(kind DefectKind, line int, seq uint64, detail string) {
	v.report.Defects = append(v.report.Defects, Defect{kind, v.file, line, seq, detail})
}

func (v *verifier) full() error {
	if len(v.report.Defects) >= maxDefects {
		return errTooManyDefects
	}
	return nil
}
