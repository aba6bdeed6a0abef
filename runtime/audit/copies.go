package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Forked is a defect that only the copy of a chain shows: the writer's key has signed two
// records with one number. The chain was put back, or two processes have the key.
const Forked DefectKind = "forked"

// State is how a writer stands.
type State string

const (
	Writing State = "writing"
	Ended   State = "ended" // on purpose; everything was copied
	// Silent means that nothing was heard for some time, and no end: the process was
	// killed or is cut off from the cluster, or its machine is lost. What it recorded
	// since then is in its own file alone.
	Silent State = "silent"
	Gone   State = "gone" // nothing is left of what somebody knew
)

// silentAfter is how long a process may take to give its next sign: four are lost.
const silentAfter = 4 * SignEvery

// CopyDefect is one place where the copy of a chain is broken.
type CopyDefect struct {
	Kind   DefectKind `json:"kind"`
	Seq    uint64     `json:"seq"` // the record concerned, as the chain counts; 0 for the whole
	Detail string     `json:"detail"`
}

// Copy is what is known of the copy of one chain. It is whole when Defects is empty.
type Copy struct {
	Writer  string       `json:"writer"`
	Name    string       `json:"name,omitempty"` // of the machine and the file, as the writer says
	Key     string       `json:"key,omitempty"`  // checks what the writer signed
	State   State        `json:"state,omitempty"`
	Heard   time.Time    `json:"heard,omitzero"` // by the cluster's clock
	From    uint64       `json:"from,omitempty"` // the first record that is here
	Records uint64       `json:"records"`        // the number of the last one
	Head    string       `json:"head,omitempty"` // its hash
	Defects []CopyDefect `json:"defects"`
}

// Copies checks what a mirror has of all chains. Its memory grows by some 100 bytes with
// each part, and its time with the bytes.
type Copies struct {
	kept time.Duration // how long the mirror keeps a part; 0 is for ever, or not known
	all  map[string]*copied
}

// copied is what was seen of one copy.
type copied struct {
	Copy
	at    position
	parts []span
	// gaps are the records that were not there, by the defect, until they turn up.
	gaps map[int]gap
}

// span is a part that its writer signed.
type span struct {
	first uint64
	prev  hash
	end   position
}

type gap struct{ from, to uint64 }

// NewCopies returns a check of copies of which the mirror drops parts after a time; 0 if
// it keeps them, or drops them by another rule.
func NewCopies(kept time.Duration) *Copies { return &Copies{kept, map[string]*copied{}} }

func (c *Copies) of(writer string) *copied {
	w := c.all[writer]
	if w == nil {
		w = &copied{Copy: Copy{Writer: writer, Defects: []CopyDefect{}}, gaps: map[int]gap{}}
		c.all[writer] = w
	}
	return w
}

// Part takes the next part of a writer's copy, in the order of the mirror. now is the
// time there.
func (c *Copies) Part(writer string, p Part, now time.Time) {
	w := c.of(writer)
	if len(w.Defects) >= maxDefects {
		return
	}
	says, err := p.open(writer)
	if err != nil {
		w.add(Forged, 0, "a part is not signed by the writer: "+err.Error())
		return
	}
	w.Key, w.Name = p.Key, says.name
	s, wrong := inPart(p.Lines, says.position)
	if wrong != nil {
		w.Defects = append(w.Defects, *wrong)
	}
	if wrong != nil && (len(w.parts) > 0 || s.first == 0) { // one defect is enough
		s.first, s.prev = w.at.count+1, w.at.last
	}
	if len(w.parts) == 0 {
		w.begin(s, says, c.kept, now)
	} else {
		w.join(s)
	}
	w.parts = append(w.parts, s)
	if s.end.count > w.at.count {
		w.at = s.end
	}
}

// inPart returns what a part spans, and what is wrong inside it.
func inPart(text []byte, end position) (s span, wrong *CopyDefect) {
	s.end = end
	var at position
	defect := func(kind DefectKind, seq uint64, detail string) {
		if wrong == nil {
			wrong = &CopyDefect{kind, seq, detail}
		}
	}
	for line := range bytes.Lines(text) {
		l, err := parseWhole(line)
		switch {
		case err != nil:
			defect(Damaged, at.count+1, err.Error())
			continue
		case !l.intact:
			defect(Edited, l.seq, "its bytes do not give its hash")
		case s.first != 0 && l.seq > at.count+1:
			defect(Removed, at.count+1, fmt.Sprintf("records %d to %d were taken out of a part", at.count+1, l.seq-1))
		case s.first != 0 && l.seq != at.count+1:
			defect(Reordered, l.seq, fmt.Sprintf("expected record %d here", at.count+1))
		case s.first != 0 && l.prev != at.last:
			defect(Edited, at.count, "the record after it follows another one")
		}
		if s.first == 0 {
			s.first, s.prev = l.seq, l.prev
		}
		at = position{count: l.seq, last: l.hash}
	}
	switch {
	case at.count < end.count:
		defect(Removed, at.count+1, fmt.Sprintf("records %d to %d were taken out of a part", at.count+1, end.count))
	case at.count != end.count || at.last != end.last:
		defect(Edited, at.count, "it is not the one that its writer signed")
	}
	return s, wrong
}

// skew bounds how far the clocks of a writer and of the cluster may differ before a part
// that has left is called missing.
func skew(kept time.Duration) time.Duration { return min(kept/10, time.Hour) }

// begin takes the first part that is here.
func (w *copied) begin(s span, says signed, kept time.Duration, now time.Time) {
	w.From = s.first
	if !says.before.IsZero() && kept > 0 && now.Sub(says.before) < kept-skew(kept) {
		w.add(Removed, s.first-1, fmt.Sprintf("what was added before record %d, at %s, is not old enough to have left", s.first, says.before.UTC().Format(time.RFC3339)))
	}
}

// join compares a part with those before it.
func (w *copied) join(s span) {
	switch {
	case s.first == w.at.count+1 && s.prev == w.at.last:
	case s.first == w.at.count+1:
		w.add(Forked, s.first, fmt.Sprintf("it follows another record %d than the one that is here", w.at.count))
	case s.first > w.at.count+1:
		w.gaps[len(w.Defects)] = gap{w.at.count + 1, s.first - 1}
		w.add(Removed, w.at.count+1, fmt.Sprintf("records %d to %d are missing", w.at.count+1, s.first-1))
	case slices.ContainsFunc(w.parts, func(before span) bool { return before == s }):
		w.add(Reordered, s.first, fmt.Sprintf("records %d to %d are here a second time", s.first, s.end.count))
	default:
		w.early(s)
	}
}

// early takes a part that belongs before others.
func (w *copied) early(s span) {
	for defect, g := range w.gaps {
		if s.first >= g.from && s.end.count <= g.to {
			d := &w.Defects[defect]
			d.Kind, d.Detail = Reordered, fmt.Sprintf("records %d to %d come later", s.first, s.end.count)
			delete(w.gaps, defect)
			return
		}
	}
	w.add(Forked, s.first, fmt.Sprintf("another record %d is here as well", s.first))
}

// Sign takes a writer's newest sign, after the parts, although it has to be read before
// them. It was given at a time of the cluster, where it is now.
func (c *Copies) Sign(writer string, s Sign, given, now time.Time) {
	w := c.of(writer)
	w.State, w.Heard = Silent, given
	says, err := s.open(writer)
	if err != nil {
		w.add(Forged, 0, "its sign of life is not signed by the writer: "+err.Error())
		return
	}
	w.Key, w.Name = s.Key, says.name
	switch {
	case says.closed:
		w.State = Ended
	case now.Sub(given) <= silentAfter:
		w.State = Writing
	}
	gone := c.kept == 0 || now.Sub(says.before) > c.kept-skew(c.kept) // its parts may have left
	switch {
	case len(w.parts) == 0 && (says.count == 0 || gone):
		w.at = says.position
	case says.count > w.at.count:
		w.add(Cut, w.at.count+1, fmt.Sprintf("records %d to %d are missing at the end", w.at.count+1, says.count))
	default:
		w.through(says.position, "the writer signed record %d, and it is not here")
	}
}

// Known compares a copy, after its parts and its sign, with what somebody has kept of it.
func (c *Copies) Known(before Copy) {
	w := c.of(before.Writer)
	if w.Key == "" && len(w.parts) == 0 {
		w.Name, w.Key, w.State = before.Name, before.Key, Gone
		w.add(Missing, 0, "nothing of this writer is here any more")
		return
	}
	at := position{count: before.Records}
	if err := decodeHash(&at.last, []byte(before.Head)); err != nil && before.Records > 0 {
		w.add(Forged, 0, "what was kept has no hash: "+err.Error())
		return
	}
	if at.count > w.at.count {
		w.add(RolledBack, w.at.count+1, fmt.Sprintf("records %d to %d were here", w.at.count+1, at.count))
		return
	}
	w.through(at, "record %d is another one than was kept")
}

// through reports a place that the copy does not pass through. Parts before the first
// that is here have left.
func (w *copied) through(at position, detail string) {
	if at.count == 0 || at.count < w.From || len(w.parts) == 0 {
		return
	}
	if !slices.ContainsFunc(w.parts, func(s span) bool { return s.end.count == at.count && s.end.last == at.last }) {
		w.add(RolledBack, at.count, fmt.Sprintf(detail, at.count))
	}
}

func (w *copied) add(kind DefectKind, seq uint64, detail string) {
	if len(w.Defects) < maxDefects {
		w.Defects = append(w.Defects, CopyDefect{kind, seq, detail})
	}
}

// All returns what was found, by the names of the writers.
func (c *Copies) All() []Copy {
	all := []Copy{}
	for _, writer := range slices.Sorted(maps.Keys(c.all)) {
		w := c.all[writer]
		if w.State == "" {
			w.add(Missing, 0, "its sign of life was taken away")
		}
		w.Records = w.at.count
		if w.at.count > 0 {
			w.Head = w.at.last.String()
		}
		all = append(all, w.Copy)
	}
	slices.SortStableFunc(all, func(a, b Copy) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
