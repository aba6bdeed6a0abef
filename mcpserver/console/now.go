package console

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/chart"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/numbers"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
)

const (
	maxToolRows   = 25 // on Now; the page is for a look
	maxServerRows = 50
	maxRefusals   = 8
	// lookTime bounds what one page asks of the store.
	lookTime = 3 * time.Second
)

// nowView is the page Now.
type nowView struct {
	Address  string
	Tools    int
	Trouble  error
	Waiting  []waiting // the questions that wait longest for a person, the rest is a number
	Open     int
	Numbers  *numbers.Seen
	Rows     []toolRow
	More     int // tools with calls that have no row
	Chart    template.HTML
	Bars     []barRow
	Servers  []serverRow
	MoreUp   int // servers without a row
	NeedEyes int // servers with something to do
	Record   recordView
	Chain    chainView
	Checks   []Check
	Checked  time.Time
	Memory   float64
	Store    storeView
	Levels   []numbers.Tool // calls by level
	Ends     []end          // and by how they ended
}

// storeView is what a page has seen of the store while it read the questions.
type storeView struct {
	Took time.Duration
	Err  error
}

// end is a class of ways in which calls ended.
type end struct {
	numbers.Tool
	Word, Dot string
	Outcomes  string // each with its number
}

// classWords are the classes for people, and their colours.
var classWords = map[telemetry.Class]end{
	telemetry.Ran: {Word: "ok", Dot: "good"}, telemetry.Questioned: {Word: "asked", Dot: "warn"}, telemetry.Kept: {Word: "refused", Dot: "warn"}, telemetry.Failed: {Word: "failed", Dot: "bad"},
}

// group sums the calls up by level and by outcome.
func (n *nowView) group(levels map[string]string) {
	n.Levels = n.Numbers.By(func(tool string) string { return cmp.Or(levels[tool], "unrated") })
	outcomes := map[telemetry.Class][]string{}
	for _, outcome := range slices.Sorted(maps.Keys(n.Numbers.Ended)) {
		class := telemetry.Outcome(outcome).Class()
		outcomes[class] = append(outcomes[class], outcome+" "+humanize.Comma(int64(n.Numbers.Ended[outcome])))
	}
	for _, class := range telemetry.Classes {
		e := classWords[class]
		if e.Tool = n.Numbers.Classes[string(class)]; e.Calls > 0 {
			e.Outcomes = strings.Join(outcomes[class], ", ")
			n.Ends = append(n.Ends, e)
		}
	}
}

type waiting struct{ approve.Entry }

// toolRow is one tool with calls in the last minutes.
type toolRow struct {
	numbers.Tool
	Level               string
	OK, Refused, Failed float64
}

// barRow is one bar of the chart as a row of the table beside it.
type barRow struct {
	At                  time.Time
	OK, Refused, Failed float64
}

// serverRow is one upstream server.
type serverRow struct {
	Name, Level, Word, Class, Why string
	Tools, Waiting                int
}

// threeWays sorts outcomes into good, refused and failed. Questions count as none: the
// call that is repeated after the answer counts.
func threeWays(ended map[string]float64) (ok, refused, failed float64) {
	for outcome, n := range ended {
		switch telemetry.Outcome(outcome).Class() {
		case telemetry.Ran:
			ok += n
		case telemetry.Kept:
			refused += n
		case telemetry.Failed:
			failed += n
		}
	}
	return ok, refused, failed
}

func (c *Console) showNow(v *visit) (any, error) {
	ctx, cancel := context.WithTimeout(v.r.Context(), c.atMost(lookTime))
	defer cancel()
	view := &nowView{Address: c.options.Address, Trouble: c.options.Trouble()}
	levels := map[string]string{}
	for _, t := range c.options.Tools() {
		levels[t.About().Name] = t.About().Level.String()
		view.Tools++
	}
	var err error
	if view.Numbers, err = c.recent.Now(); err != nil {
		return nil, err
	}
	view.Memory = view.Numbers.Gauge("process_resident_memory_bytes")
	for i, t := range view.Numbers.Tools {
		if i == maxToolRows {
			view.More = len(view.Numbers.Tools) - i
			break
		}
		row := toolRow{Tool: t, Level: levels[t.Name]}
		row.OK, row.Refused, row.Failed = threeWays(t.Ended)
		view.Rows = append(view.Rows, row)
	}
	view.draw()
	view.group(levels)
	all, err := v.questions(ctx, c)
	view.Store = storeView{v.openTook, err}
	if err == nil {
		for _, e := range dangerFirst(all) {
			if view.Open++; len(view.Waiting) < 3 {
				view.Waiting = append(view.Waiting, waiting{e})
			}
		}
	}
	c.servers(view)
	if view.Record, err = c.refused.now(c); err != nil {
		c.options.Log.Warn("console.record", "cause", err)
	}
	view.Chain = c.chain.look(c)
	view.Checks, view.Checked = c.checks.failed(c)
	return view, nil
}

// draw makes the chart of the last minutes, and its table.
func (n *nowView) draw() {
	drawn := chart.Chart{Title: "Calls in the last minutes: run, refused and failed, for each half minute", Series: []string{"ok", "refused", "failed"}}
	for _, s := range n.Numbers.Slices {
		ok, refused, failed := threeWays(s.Ended)
		drawn.Bars = append(drawn.Bars, chart.Bar{Values: []float64{ok, refused, failed}})
		n.Bars = append(n.Bars, barRow{s.To, ok, refused, failed})
	}
	// The newest is on the right, at the same place however many there are.
	for len(drawn.Bars) < bars {
		drawn.Bars = slices.Insert(drawn.Bars, 0, chart.Bar{})
	}
	n.Chart = drawn.SVG()
	slices.Reverse(n.Bars)
}

// bars is how many bars the chart has room for: 15 minutes.
const bars = 31

// servers lists the upstream servers, those with something to do first.
func (c *Console) servers(view *nowView) {
	all := c.options.Gateway.Servers()
	rows := make([]serverRow, 0, len(all))
	for i := range all {
		s := &all[i]
		row := serverRow{Name: s.Name(), Level: s.Risk.Level.String(), Tools: len(s.Tools), Waiting: s.Waiting()}
		row.Word, row.Class, row.Why = stateOf(s.State, s.Failed, s.Health != nil && s.Health.Connected, row.Waiting)
		if row.Class == "bad" || row.Class == "warn" {
			view.NeedEyes++
		}
		rows = append(rows, row)
	}
	rank := map[string]int{"bad": 0, "warn": 1, "good": 2, "off": 3}
	slices.SortStableFunc(rows, func(a, b serverRow) int {
		if d := rank[a.Class] - rank[b.Class]; d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	if len(rows) > maxServerRows {
		view.MoreUp = len(rows) - maxServerRows
		rows = rows[:maxServerRows]
	}
	view.Servers = rows
}

// stateOf says in a word how a server is.
func stateOf(state exposure.State, why string, connected bool, waiting int) (word, class, reason string) {
	switch {
	case state == exposure.Disabled:
		return "disabled", "off", ""
	case state != exposure.Enabled:
		return "quarantined", "warn", "It is not reached before somebody enables it."
	case why != "":
		return "unreachable", "bad", why
	case waiting > 0:
		return "review", "warn", fmt.Sprintf("Tools that wait for a person's review: %d.", waiting)
	case connected:
		return "connected", "good", ""
	}
	return "idle", "good", ""
}

// checksFor is how long the results of the checks hold: they read files and reach the
// issuer.
const checksFor = time.Minute

// checks are what doctor finds wrong.
type checks struct {
	mu      sync.Mutex
	running bool
	bad     []Check
	at      time.Time
}

// failed returns the failed checks as last known, and has them looked at again in the
// background when that was long ago: no page waits for them.
func (k *checks) failed(c *Console) ([]Check, time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c.options.Examine != nil && !k.running && c.options.Now().Sub(k.at) > checksFor {
		k.running = true
		go k.look(c)
	}
	return k.bad, k.at
}

func (k *checks) look(c *Console) {
	var bad []Check
	for f := range c.options.Examine(c.working) {
		if !f.OK {
			bad = append(bad, f)
		}
	}
	k.mu.Lock()
	k.running, k.bad, k.at = false, bad, c.options.Now()
	k.mu.Unlock()
	c.hub.Tell(topicTick)
}
