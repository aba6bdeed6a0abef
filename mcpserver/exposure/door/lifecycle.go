package door

import (
	"maps"
	"slices"
	"strconv"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/risk/event"
)

// tellChanges tells which compositions were created, updated and deleted since the round
// before; of the first round nobody needs to hear. The caller holds d.rounds.
func (d *Door) tellChanges(view *exposure.View) {
	before, now := d.revisions, map[string]int{}
	for _, c := range view.Compositions {
		now[c.Name] = c.Revision
	}
	d.revisions = now
	if before == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		revision, there := before[name]
		switch {
		case !there:
			d.tell(event.CompositionLifecycle{Composition: name, Phase: event.Created})
		case revision != now[name]:
			d.tell(event.CompositionLifecycle{Composition: name, Phase: event.Updated, Revision: strconv.Itoa(now[name])})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, there := now[name]; !there {
			d.tell(event.CompositionLifecycle{Composition: name, Phase: event.Deleted})
		}
	}
}
