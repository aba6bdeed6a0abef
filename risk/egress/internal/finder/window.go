package finder

import "bytes"

// A long text is searched in windows, so that the memory needed beside the text
// itself does not grow. Sizes in bytes.
const (
	WindowSize = 1 << 20
	// Reach is how far a find may depend on what stands beside it: a key block has
	// 16 KiB, a chain of parts 32 KiB and a run of one character class 8 KiB.
	Reach = 64 << 10
)

// Windows goes through a text in pieces with room on both sides.
type Windows struct {
	Sweep *Sweep
	Size  int
	// heading is the line that names the columns of the table at the end of what
	// was searched, with its line end; the rows that follow need it.
	heading []byte
}

// Long searches a text of any length.
func (w *Sweep) Long(text []byte) []Hit {
	if len(text) <= w.Window+2*Reach {
		return w.Prose(text)
	}
	win := Windows{Sweep: w, Size: w.Window}
	var hits []Hit
	for done := 0; done < len(text); {
		from, to := win.Bounds(text, done)
		found, upTo := win.Search(text[from:to], done-from, to == len(text))
		for _, h := range found {
			h.Shift(from)
			hits = append(hits, h)
		}
		done = from + upTo
	}
	return hits
}

// Bounds returns the piece of a text in which what follows done is searched. It
// begins at a line where there is one.
func (win *Windows) Bounds(text []byte, done int) (from, to int) {
	if from = max(0, done-Reach); from > 0 {
		if i := bytes.IndexByte(text[from:from+Reach/2], '\n'); i >= 0 {
			from += i + 1
		}
	}
	return from, min(len(text), done+win.Size+Reach)
}

// Search returns the findings in a piece that begin after done, and the place up to
// which the search is complete. Findings are copies.
func (win *Windows) Search(text []byte, done int, last bool) (hits []Hit, upTo int) {
	lead := len(win.heading)
	whole := text
	if lead > 0 {
		whole = append(bytes.Clone(win.heading), text...)
	}
	if upTo = len(text); !last {
		upTo -= Reach
	}
	limit := upTo
	for _, h := range win.Sweep.Prose(whole) {
		h.Shift(-lead)
		if h.End <= done || h.Start >= limit {
			continue
		}
		h.Start = max(h.Start, done)
		hits = append(hits, h)
		upTo = max(upTo, h.End)
	}
	win.keep(whole, upTo+lead)
	return hits, upTo
}

// keep remembers the heading of the table that a place is in.
func (win *Windows) keep(text []byte, at int) {
	s := &win.Sweep.scan
	if s.tableAt >= 0 && s.tableAt < at && at <= s.tableDone {
		end := s.tableAt + bytes.IndexByte(text[s.tableAt:], '\n') + 1
		win.heading = append(win.heading[:0], text[s.tableAt:end]...)
		return
	}
	win.heading = win.heading[:0]
}
