package scans

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/score"
)

// Board is a folder with one small file for every server that was scanned: how its last
// scan ended. A gateway reads it while a scan writes; the history is for one process at
// a time. The empty Board has nothing.
type Board string

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

// maxLast bounds a file of the board: every rule failing takes 3 KiB, and the command of
// a server may have 60.
const maxLast = 64 << 10

// TargetOf returns what a scan calls a server that a gateway reaches.
func TargetOf(c *upstream.Config) score.Target {
	return score.Target{Kind: score.Kind(c.Kind), URL: c.URL, Command: c.Command}
}

func (b Board) file(of score.Target) string { return filepath.Join(string(b), server(of)+".json") }

// put replaces what is said of a server. Who reads meanwhile sees the old or the new.
func (b Board) put(r *Record) error {
	if b == "" || r.Report.Profile != score.Refined {
		return nil // a demanded grade is one of the refined rules
	}
	before, err := b.Of(r.Observation.Target)
	if err == nil && before != nil && before.Seen.After(r.Observation.Seen) {
		return nil // an older scan was scored again
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
	if before != nil {
		last.New = before.newIn(&last, r.Of != "")
	}
	return b.write(&last, r.Observation.Target)
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
func (b Board) forgive(t score.Target, scan, rule string) error {
	last, err := b.Of(t)
	if err != nil || last == nil || last.Scan != scan || !slices.Contains(last.New, rule) {
		return err
	}
	last.New = slices.DeleteFunc(last.New, func(id string) bool { return id == rule })
	return b.write(last, t)
}

func (b Board) write(last *Last, of score.Target) error {
	text, err := json.Marshal(last)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(b), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(string(b), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // gone already if all went well
	_, err = temporary.Write(text)
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), b.file(of))
}

// Of returns how the last scan of a server ended, or nil if there was none.
func (b Board) Of(t score.Target) (*Last, error) {
	if b == "" {
		return nil, nil
	}
	f, err := os.Open(b.file(t))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLast))
	if err != nil {
		return nil, err
	}
	var last Last
	if err := json.Unmarshal(text, &last); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w; scan the server again", f.Name(), err)
	}
	if last.Version != version || last.Target != t.Identity() {
		return nil, fmt.Errorf("%s is of another version or server; scan the server again", f.Name())
	}
	return &last, nil
}
