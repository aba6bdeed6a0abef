package egress

import "bytes"

// A long text is searched in windows, so that the memory needed beside the text
// itself does not grow. Sizes in bytes.
const (
	windowSize = 1 << 20
	// reach is how far a find may depend on what stands beside it: a key block has
	// 16 KiB, a chain of parts 32 KiB and a run of one character class 8 KiB.
	reach = 64 << 10
)

// windows goes through a text in pieces with room on both sides.
type windows struct {
	sweep *sweep
	size  int
	// heading is the line that names the columns of the table at the end of what
	// was searched, with its line end; the rows that follow need it.
	heading []byte
}

// long searches a text of any length.
func (w *sweep) long(text []byte) []hit {
	if len(text) <= w.window+2*reach {
		return w.prose(text)
	}
	win := windows{sweep: w, size: w.window}
	var hits []hit
	for done := 0; done < len(text); {
		from, to := win.bounds(text, done)
		found, upTo := win.search(text[from:to], done-from, to == len(text))
		for _, h := range found {
			h.shift(from)
			hits = append(hits, h)
		}
		done = from + upTo
	}
	return hits
}

// bounds returns the piece of a text in which what follows done is searched. It
// begins at a line where there is one.
func (win *windows) bounds(text []byte, done int) (from, to int) {
	if from = max(0, done-reach); from > 0 {
		if i := bytes.IndexByte(text[from:from+reach/2], '\n'); i >= 0 {
			from += i + 1
		}
	}
	return from, min(len(text), done+win.size+reach)
}

// search returns the findings in a piece that begin after done, and the place up to
// which the search is complete. Findings are copies.
func (win *windows) search(text []byte, done int, last bool) (hits []hit, upTo int) {
	lead := len(win.heading)
	whole := text
	if lead > 0 {
		whole = append(bytes.Clone(win.heading), text...)
	}
	if upTo = len(text); !last {
		upTo -= reach
	}
	limit := upTo
	for _, h := range win.sweep.prose(whole) {
		h.shift(-lead)
		if h.end <= done || h.start >= limit {
			continue
		}
		h.start = max(h.start, done)
		hits = append(hits, h)
		upTo = max(upTo, h.end)
	}
	win.keep(whole, upTo+lead)
	return hits, upTo
}

// keep remembers the heading of the table that a place is in.
func (win *windows) keep(text []byte, at int) {
	s := &win.sweep.scan
	if s.tableAt >= 0 && s.tableAt < at && at <= s.tableDone {
		end := s.tableAt + bytes.IndexByte(text[s.tableAt:], '\n') + 1
		win.heading = append(win.heading[:0], text[s.tableAt:end]...)
		return
	}
	win.heading = win.heading[:0]
}
