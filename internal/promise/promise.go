// Package promise checks, for tests, what several servers that are one have said of a thing
// that is theirs together: whether one order of everything that was done to it explains all of
// their answers. Porcupine decides that.
package promise

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// Act is what is done: a permission is changed to be there or gone, a question is answered
// with yes or no, either is used.
type Act int

const (
	Change Act = iota
	Use
	Answer
)

func (a Act) String() string { return [...]string{"change", "use", "answer"}[a] }

// Outcome is what came of it. The zero value is that nobody knows: it may have happened, or
// happens later, or never.
type Outcome int

const (
	Unknown Outcome = iota
	Allowed
	Forbidden
	Done
	Late // somebody else had answered
)

func (o Outcome) String() string {
	return [...]string{"unknown", "allowed", "forbidden", "done", "late"}[o]
}

// State is how a thing is: of a permission Gone or There, of a question one of the others. A
// yes is Spent by one use.
type State int

const (
	Gone State = iota
	There
	Open
	Yes
	No
	Spent
)

// Step is one act; To is what it changes to.
type Step struct {
	Act Act
	To  State
}

func next(state, input, output any) []any {
	s, in, out := state.(State), input.(Step), output.(Outcome)
	switch {
	case in.Act == Change && out == Done:
		return []any{in.To}
	case in.Act == Change:
		return []any{s, in.To}
	case in.Act == Answer && out == Done && counts(s, in.To):
		return []any{in.To}
	case in.Act == Answer && out == Unknown && counts(s, in.To):
		return []any{s, in.To}
	case in.Act == Answer && (out == Unknown || out == Late && !counts(s, in.To)):
		return []any{s}
	case in.Act == Use && s == Yes && out == Allowed:
		return []any{Spent}
	case in.Act == Use && s == Yes && out == Unknown:
		return []any{s, Spent}
	case in.Act == Use && s != Yes && (out == Unknown || (s == There) == (out == Allowed)):
		return []any{s}
	}
	return nil
}

// counts says whether an answer is in time: the first one, or a no that takes a yes back which
// nobody has used.
func counts(s, answer State) bool { return s == Open || s == Yes && answer == No }

func model(first State) porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{first} }, Step: next, Equal: func(a, b any) bool { return a == b },
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %v", input, output) },
	}
	return m.ToModel()
}

// History is what was done with one thing, and what came of it. Times are since its start.
type History struct {
	Name  string
	first State
	began time.Time

	mu  sync.Mutex
	ops []porcupine.Operation
	// settled is when servers have acknowledged changes: what they know later is not older.
	settled map[int][]time.Duration
}

// New begins the history of a thing.
func New(name string, first State) *History {
	return &History{Name: name, first: first, began: time.Now(), settled: map[int][]time.Duration{}}
}

// Now is the time since the start.
func (h *History) Now() time.Duration { return time.Since(h.began) }

// Add notes what a client did at a server, or at nobody knows which (-1), since a moment, and
// that it ended now.
func (h *History) Add(client, server int, s Step, since time.Duration, out Outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Now()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: s, Call: since.Nanoseconds(), Output: out, Return: now.Nanoseconds()})
	if s.Act == Change && out == Done && server >= 0 {
		h.settled[server] = append(h.settled[server], now)
	}
}

// Since is from when on an answer may be that a server begins at a moment: it may be old by
// the staleness, and not older than what the same server had acknowledged by then.
func (h *History) Since(server int, staleness, begun time.Duration) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	since := max(begun-staleness, 0)
	for _, at := range h.settled[server] {
		if at < begun {
			since = max(since, at+1) // what is at one moment counts as at the same time
		}
	}
	return since
}

// String is one operation a line, in the order of their beginnings, in milliseconds.
func (h *History) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b strings.Builder
	for _, o := range slices.SortedFunc(slices.Values(h.ops), func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) }) {
		fmt.Fprintf(&b, "%d-%d client %d: %+v %v\n", o.Call/1e6, o.Return/1e6, o.ClientId, o.Input, o.Output)
	}
	return b.String()
}

// Check returns an error if no order of the operations explains all of them, and writes it as
// a page into the folder.
func (h *History) Check(folder string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	end := h.Now().Nanoseconds()
	for i := range h.ops {
		if o := &h.ops[i]; o.Output.(Outcome) == Unknown {
			o.Return = end
		}
	}
	m := model(h.first)
	result, info := porcupine.CheckOperationsVerbose(m, decisive(h.first, h.ops), 3*time.Minute)
	if result == porcupine.Ok {
		return nil
	}
	file := filepath.Join(folder, h.Name+".html")
	if err := porcupine.VisualizePath(m, info, file); err != nil {
		return err
	}
	return fmt.Errorf("the history of %s, from state %d, is %v: %s", h.Name, h.first, result, file)
}
