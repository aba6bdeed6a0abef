package score

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Lock is what a build was reviewed with: the surface of each server, tool by tool.
type Lock struct {
	Version int               `json:"version"`
	Servers map[string]Locked `json:"servers"` // by Target.Identity
}

// Locked is one server as it was reviewed.
type Locked struct {
	Methodology string            `json:"methodology"`
	Score       int               `json:"score"`
	Verdict     Verdict           `json:"verdict"`
	Surface     string            `json:"surface"`
	Tools       map[string]string `json:"tools"` // SurfaceHash of each tool alone
}

// ParseLock reads a lock file.
func ParseLock(raw []byte) (Lock, error) {
	var l Lock
	if err := json.Unmarshal(raw, &l); err != nil {
		return Lock{}, fmt.Errorf("lock: %w", err)
	}
	if l.Version != 1 {
		return Lock{}, fmt.Errorf("lock: version is %d: want 1", l.Version)
	}
	return l, nil
}

// Add locks a server as it is. The zero Lock is empty.
func (l *Lock) Add(o *Observation, r *Report) {
	l.Version = 1
	if l.Servers == nil {
		l.Servers = map[string]Locked{}
	}
	l.Servers[o.Target.Identity()] = Locked{Methodology: r.Methodology, Score: r.Score, Verdict: r.Verdict, Surface: r.Surface, Tools: toolHashes(o)}
}

func toolHashes(o *Observation) map[string]string {
	all := map[string]string{}
	for _, raw := range o.Tools.Items {
		all[nameOf(raw)] = SurfaceHash(&Observation{Tools: Listing{Items: []json.RawMessage{raw}}})
	}
	return all
}

// Differences says what differs from what was locked; nothing if the server is as it
// was. A server that is not in the lock differs.
func (l Lock) Differences(o *Observation, r *Report) []string {
	was, ok := l.Servers[o.Target.Identity()]
	if !ok {
		return []string{"the server is not locked"}
	}
	var all []string
	is := toolHashes(o)
	for _, name := range slices.Sorted(maps.Keys(is)) {
		switch before, known := was.Tools[name]; {
		case !known:
			all = append(all, "tool "+name+" is new")
		case before != is[name]:
			all = append(all, "tool "+name+" changed")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was.Tools)) {
		if _, there := is[name]; !there {
			all = append(all, "tool "+name+" is gone")
		}
	}
	if len(all) == 0 && was.Surface != r.Surface {
		all = append(all, "the list of tools changed")
	}
	if was.Methodology == r.Methodology && r.Score < was.Score {
		all = append(all, fmt.Sprintf("the score fell from %d to %d", was.Score, r.Score))
	}
	if was.Verdict != r.Verdict {
		all = append(all, fmt.Sprintf("the verdict was %s and is %s", was.Verdict, r.Verdict))
	}
	return all
}
