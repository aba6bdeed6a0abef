package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
	"github.com/glovebox-run/glovebox/risk/egress/internal/present"
)

// encoded decodes runs and reports those with a credential inside, as a whole.
func (w *Sweep) encoded(text []byte, found func(start, end, rule int)) {
	w.decoder.Paid = 0
	decode.EncodedRuns(text, func(start, end int) {
		w.decoder.Pay(start)
		from := start
		rule := w.inside(text[start:end], 0)
		for rule < 0 {
			// A run may be the last part of a path.
			i := bytes.IndexByte(text[from:end], '/')
			if i < 0 || end-from-i-1 < decode.ShortestRun {
				return
			}
			from += i + 1
			if stop := bytes.IndexByte(text[from:end], '/'); stop < 0 {
				rule = w.inside(text[from:end], 0)
			}
		}
		for end < len(text) && text[end] == '=' {
			end++
		}
		found(from, end, rule)
	})
}

// inside returns the rule of a credential that a run holds in one code or two, -1
// for none.
func (w *Sweep) inside(run []byte, depth int) int {
	text, ok := w.decoder.Read(depth, run)
	if !ok {
		return -1
	}
	w.inner.reset(w.engine, text)
	w.inner.run(present.In(text))
	if len(w.inner.hits) > 0 {
		return w.inner.hits[0].Rule
	}
	rule := -1
	if depth+1 < decode.DeepestCode {
		decode.EncodedRuns(text, func(start, end int) {
			if rule < 0 {
				rule = w.inside(text[start:end], depth+1)
			}
		})
	}
	return rule
}
