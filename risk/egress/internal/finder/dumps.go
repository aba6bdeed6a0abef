package finder

import (
	"slices"

	"github.com/glovebox-run/glovebox/risk/egress/internal/hexdump"
	"github.com/glovebox-run/glovebox/risk/egress/internal/present"
)

// shortestDump is the length of a row of sixteen pairs of digits, in bytes.
const shortestDump = 47

// dumped finds what dumps of bytes show: in their digits and in their column of characters,
// which breaks off every sixteen bytes.
func (w *Sweep) dumped(text []byte) {
	d := &w.dump
	hexdump.Each(text, d, func() {
		w.inner.reset(w.engine, d.Bytes)
		w.inner.run(present.In(d.Bytes))
		// What looked like a table or a name with its value were pieces of the rows.
		w.scan.hits = slices.DeleteFunc(w.scan.hits, func(h Hit) bool {
			r := &w.engine.Rules[h.Rule]
			return r.secret && r.pattern == nil && d.Start <= h.Start && h.End <= d.End
		})
		for _, hit := range w.engine.merge(w.inner.hits, d.Bytes) {
			w.places = d.Places(hit.Start, hit.End, w.places[:0])
			h := Hit{Rule: hit.Rule, Start: w.places[0][0], End: w.places[len(w.places)-1][1]}
			for i, p := range w.places[1:] {
				h.Holes = append(h.Holes, [2]int{w.places[i][1], p[0]})
			}
			w.scan.hits = append(w.scan.hits, h)
		}
	})
}
