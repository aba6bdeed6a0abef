package egress

import (
	"bytes"
	"io"

	"github.com/glovebox-run/glovebox/risk/egress/internal/finder"
	"github.com/glovebox-run/glovebox/risk/egress/internal/jsonwalk"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// BlockedError is returned by [Sanitiser.Stream] for a text that may not pass.
type BlockedError struct{ Reason string }

func (e *BlockedError) Error() string { return e.Reason }

// Stream cleans a text of any length, with the same result as [Sanitiser.Text]. It
// holds only a few windows in memory, except for JSON and for any text under a policy
// that may block, because no part of a blocked text may pass: these it holds as a
// whole. Found is called for every finding, in order; offsets are as in Text. It may be
// nil for a caller who only wants the clean text.
func (s *Sanitiser) Stream(session *Session, at Place, in io.Reader, out io.Writer, found func(Finding)) error {
	if found == nil {
		found = func(Finding) {}
	}
	start, err := fill(nil, in, finder.WindowSize)
	if err != nil && err != io.EOF {
		return err
	}
	in = io.MultiReader(bytes.NewReader(start), in)
	if !s.policy.blocks() && !mayBeJSON(start, err == io.EOF) {
		return s.windows(session, at, session.known.reader(in), out, found)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	clean, outcome := s.Bytes(session, at, text)
	for _, f := range outcome.Findings {
		found(f)
	}
	if outcome.Blocked != "" {
		return &BlockedError{outcome.Blocked}
	}
	_, err = out.Write(clean)
	return err
}

// windows is Stream for a text that is not JSON.
func (s *Sanitiser) windows(session *Session, at Place, in io.Reader, out io.Writer, found func(Finding)) error {
	win := finder.Windows{Sweep: finder.NewSweep(s.engine.finder, s.policy.wants), Size: finder.WindowSize}
	var buffer []byte
	base, done := 0, 0 // where the buffer begins in the text, and what is written of it
	grown := growth{}
	for {
		var err error
		buffer, err = fill(buffer, in, done+win.Size+finder.Reach+1)
		last := err == io.EOF
		if err != nil && !last {
			return err
		}
		from, to := win.Bounds(buffer, done)
		hits, upTo := win.Search(buffer[from:to], done-from, last && to == len(buffer))
		upTo += from
		for i := range hits {
			hits[i].Shift(from - done)
		}
		var outcome Outcome
		clean := s.rewrite(session, at, buffer[done:upTo], hits, &outcome, &grown)
		for _, f := range outcome.Findings {
			f.Start, f.End = f.Start+base+done, f.End+base+done
			found(f)
		}
		if _, err := out.Write(clean); err != nil {
			return err
		}
		if last && upTo == len(buffer) {
			return nil
		}
		// Text further back than a window's reach is no longer needed.
		done = upTo
		if drop := done - finder.Reach; drop > 0 {
			buffer = append(buffer[:0], buffer[drop:]...)
			base, done = base+drop, finder.Reach
		}
	}
}

// fill reads until the buffer has so many bytes or the text ends, which it reports
// by io.EOF.
func fill(buffer []byte, in io.Reader, size int) ([]byte, error) {
	have := len(buffer)
	if have >= size {
		return buffer, nil
	}
	buffer = append(buffer, make([]byte, size-have)...)
	n, err := io.ReadFull(in, buffer[have:])
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return buffer[:have+n], err
}

// mayBeJSON reports whether a text is JSON as far as it is known.
func mayBeJSON(text []byte, whole bool) bool {
	trimmed := bytes.TrimLeft(text, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[' {
		return false
	}
	var walk jsonwalk.Walker
	if walk.Walk(trimmed, func(jsonwalk.Leaf) {}) {
		return true
	}
	rest := trimmed[min(len(trimmed), walk.Pos):]
	return !whole && (len(rest) < secretvalue.LongestWord || rest[0] == '"' && bytes.IndexByte(bytes.ReplaceAll(rest[1:], []byte(`\"`), nil), '"') < 0)
}

// reader masks known secrets in what is read.
func (m *Masker) reader(in io.Reader) io.Reader {
	if m == nil || m.find == nil {
		return in
	}
	return &maskReader{masker: m, in: in, longest: m.longest() + 2}
}

// maskReader holds back what may be the beginning of a secret, and one byte before
// it, which tells whether base64 has neighbours.
type maskReader struct {
	masker  *Masker
	in      io.Reader
	longest int
	buffer  []byte
	seen    int // bytes at the start of the buffer that were given out
	ready   []byte
	err     error
}

func (r *maskReader) Read(p []byte) (int, error) {
	for len(r.ready) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.next()
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

func (r *maskReader) next() {
	r.buffer, r.err = fill(r.buffer, r.in, finder.Reach+r.longest)
	upTo := len(r.buffer)
	if r.err == nil {
		upTo -= r.longest
	}
	limit := upTo
	var spans []span
	for _, s := range locate(r.masker, r.buffer) {
		if s.end > r.seen && s.start < limit {
			spans = append(spans, span{max(s.start, r.seen) - r.seen, s.end - r.seen, 0})
			upTo = max(upTo, s.end)
		}
	}
	r.ready = mask(r.ready[:0], r.buffer[r.seen:upTo], spans)
	keep := max(0, upTo-1)
	r.buffer, r.seen = append(r.buffer[:0], r.buffer[keep:]...), upTo-keep
}
