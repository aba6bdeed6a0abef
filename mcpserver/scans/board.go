package scans

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/score"
)

// Board says of every server that was scanned how its last scan ended. A gateway reads it
// before each offer. It is a [Folder] or [Shared].
type Board interface {
	// Of returns how the last scan of a server ended, or nil if there was none.
	Of(score.Target) (*Last, error)
	// Fresh returns nil if Of knows everything that is older than [store.Staleness].
	Fresh(context.Context) error
	// Watch has a function called after changes of other machines. It must not wait.
	Watch(func())
	// change lets f replace what is said of the server with a key. f gets nil if nothing
	// is, and returns nil to leave it as it is; it may be called again.
	change(ctx context.Context, server string, f func(before *Last) *Last) error
}

// Last is how the last scan of a server by the refined rules ended.
type Last struct {
	Version   int           `json:"version"`
	Scan      string        `json:"scan"` // its id in the history
	Target    string        `json:"target"`
	Seen      time.Time     `json:"seen"`
	Score     int           `json:"score"`
	Grade     string        `json:"grade,omitempty"` // empty: nothing proved that it is an MCP server
	Verdict   score.Verdict `json:"verdict"`
	HardFails []string      `json:"hard_fails,omitempty"` // ids of the rules that made it block
	// New are those of them that an earlier scan of the server by the same rules did not
	// have. They stay new until a scan is without them or somebody calls them false.
	New         []string `json:"new,omitempty"`
	Methodology string   `json:"methodology,omitempty"`
}

// maxLast bounds what is said of a server: every rule failing takes 3 KiB, and the command
// of a server may have 60.
const maxLast = 64 << 10

// TargetOf returns what a scan calls a server that a gateway reaches.
func TargetOf(c *upstream.Config) score.Target {
	return score.Target{Kind: score.Kind(c.Kind), URL: c.URL, Command: c.Command}
}

// read reads what is said of the server with a key.
func read(text []byte, key string) (*Last, error) {
	var last Last
	if err := json.Unmarshal(text, &last); err != nil {
		return nil, fmt.Errorf("the score of a server cannot be read: %w; scan the server again", err)
	}
	if last.Version > version {
		return nil, &newer{last.Version}
	}
	if last.Version < 1 || keyOfIdentity(last.Target) != key {
		return nil, fmt.Errorf("the score is of another version or server; scan the server again")
	}
	return &last, nil
}

// newer means that a newer program has written something, which must stay as it is.
type newer struct{ version int }

func (n *newer) Error() string {
	return fmt.Sprintf("the score of a server has version %d, and this program knows %d: a newer one has written it", n.version, version)
}

// put replaces what is said of a server by a scan of it.
func put(ctx context.Context, b Board, r *Record) error {
	if r.Report.Profile != score.Refined {
		return nil // a demanded grade is one of the refined rules
	}
	last := Last{
		Methodology: r.Report.Methodology,
		Version:     version, Scan: r.ID, Target: r.Observation.Target.Identity(), Seen: r.Observation.Seen,
		Score: r.Report.Score, Grade: r.Report.Grade, Verdict: r.Report.Verdict,
	}
	for _, f := range r.Report.Failing() {
		if f.Blocks() {
			last.HardFails = append(last.HardFails, f.ID)
		}
	}
	return b.change(ctx, server(r.Observation.Target), func(before *Last) *Last { return last.after(before, r.Of != "") })
}

// after is what is said after a scan; nil if what was said before still counts.
func (l Last) after(before *Last, rescored bool) *Last {
	if before != nil && before.Seen.After(l.Seen) {
		return nil // an older scan was scored again
	}
	if before != nil {
		l.New = before.newIn(&l, rescored)
	}
	return &l
}

// newIn returns the hard fails of a later scan that were not there before. What other
// rules find in a server, or what is found in the same scan again, is not new.
func (l *Last) newIn(later *Last, rescored bool) (all []string) {
	for _, id := range later.HardFails {
		if slices.Contains(l.New, id) || !rescored && l.Methodology == later.Methodology && !slices.Contains(l.HardFails, id) {
			all = append(all, id)
		}
	}
	return all
}

// forgive takes a rule off those that are new, if the scan is the last of its server.
func forgive(ctx context.Context, b Board, server, scan, rule string) error {
	return b.change(ctx, server, func(last *Last) *Last {
		if last == nil || last.Scan != scan || !slices.Contains(last.New, rule) {
			return nil
		}
		forgiven := *last
		forgiven.New = slices.DeleteFunc(slices.Clone(last.New), func(id string) bool { return id == rule })
		return &forgiven
	})
}
