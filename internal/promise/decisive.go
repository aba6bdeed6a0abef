package promise

import (
	"cmp"
	"slices"

	"github.com/anishathalye/porcupine"
)

// decisive returns the operations without those uses of unknown outcome that decide nothing,
// so that an order of what is left exists exactly if one of all exists. Each of them is under
// way until the end, so deciding takes twice as long with every one more.
//
// A use of unknown outcome does nothing, in whatever state, or it spends a yes. One that does
// nothing can be put behind everything else, as it has not ended before anything begins. So
// only those that spend a yes are needed, and these are no more than the times that there can
// be a yes anew: none for a permission, one for a question with one answer that is a yes. All
// of them end last, so each may stand wherever one that began later does: those that began
// first are enough.
func decisive(first State, ops []porcupine.Operation) []porcupine.Operation {
	var others, unknown []porcupine.Operation
	yeses := 0
	if first == Yes {
		yeses++
	}
	for _, o := range ops {
		in := o.Input.(Step)
		if in.Act == Use && o.Output.(Outcome) == Unknown {
			unknown = append(unknown, o)
			continue
		}
		others = append(others, o)
		if in.Act != Use && in.To == Yes {
			yeses++
		}
	}
	slices.SortFunc(unknown, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return append(others, unknown[:min(yeses, len(unknown))]...)
}
