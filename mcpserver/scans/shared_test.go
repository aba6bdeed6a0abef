package scans

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
	"github.com/glovebox-run/glovebox/risk/score"
)

// patience is how long a state is waited for on a busy machine.
const patience = time.Minute

// joined is the history of a cluster as one server has it.
func joined(t *testing.T, url string, replicas int) (*History, *Shared) {
	t.Helper()
	s, err := store.Connect(t.Context(), store.Cluster{URL: url, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	board, err := Share(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	h, _, err := In(s, board)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h, board
}

// shell is a server that the rules block, seen some hours later.
func shell(url string, later time.Duration) score.Observation {
	o := observation(url, "Runs a shell command.")
	o.Seen = o.Seen.Add(later * time.Hour)
	o.Tools.Items[0] = []byte(`{"name":"run_shell_command","description":"Runs a shell command.","inputSchema":{"type":"object","properties":{"command":{"type":"string"}}}}`)
	return o
}

// becomes waits until a board says something of a server.
func becomes(t *testing.T, b Board, of score.Target, what string, is func(*Last) bool) *Last {
	t.Helper()
	for started := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		last, err := b.Of(of)
		if err != nil {
			t.Fatal(err)
		}
		if is(last) {
			return last
		}
		if time.Since(started) > patience {
			t.Fatalf("%s: the board has %+v", what, last)
		}
	}
}

// TestServersShareScans: what one server has kept, another finds at once, whichever member
// of the cluster it asks, and scores by; what somebody calls false at one is believed at
// the other.
func TestServersShareScans(t *testing.T) {
	t.Parallel()
	members := natstest.Three(t)
	a, _ := joined(t, members[0].ClientURL(), 3)
	b, board := joined(t, members[2].ClientURL(), 3)
	told := make(chan struct{}, 100)
	board.Watch(func() { told <- struct{}{} })
	const url = "https://a.example.com/"
	of := observation(url, "").Target

	first, err := a.Add(t.Context(), observation(url, "Lists the notes."), scored(observation(url, "Lists the notes.")))
	if err != nil {
		t.Fatal(err)
	}
	for n := range 20 { // never only a moment later
		next := observation(url, "Lists the notes.")
		next.Seen = next.Seen.Add(time.Duration(n+1) * time.Minute)
		r, err := a.Add(t.Context(), next, scored(next))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := b.Get(t.Context(), r.ID); err != nil || !got.Observation.Seen.Equal(next.Seen) {
			t.Fatalf("scan %d at the other server: %v", n, err)
		}
		if rows, err := b.Rows(t.Context()); err != nil || len(rows) != n+2 || rows[0].ID != first.ID || rows[0].Target.URL != url {
			t.Fatalf("%d scans, %v", len(rows), err)
		}
	}
	blocked := shell(url, 1)
	bg, before, err := b.Background(t.Context(), &blocked)
	if err != nil || before == nil || bg.Previous == nil {
		t.Fatalf("the other server has nothing to compare with: %v", err)
	}
	r, err := b.Add(t.Context(), blocked, scored(blocked))
	if err != nil {
		t.Fatal(err)
	}
	last, err := board.Of(of)
	if err != nil || last.Scan != r.ID || len(last.New) == 0 {
		t.Fatalf("what a server did itself it knows at once: %+v, %v", last, err)
	}
	if _, err := a.Say(t.Context(), r.ID, last.New[0], FalsePositive, "it is meant to"); err != nil {
		t.Fatal(err)
	}
	becomes(t, board, of, "called false elsewhere", func(l *Last) bool { return !slices.Contains(l.New, last.New[0]) })
	select {
	case <-told:
	case <-time.After(patience):
		t.Error("nobody was told of what others wrote")
	}
	if err := board.Fresh(t.Context()); err != nil {
		t.Error(err)
	}
	if err := a.Forget(t.Context(), Row{ID: first.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(t.Context(), first.ID); err == nil {
		t.Error("what was forgotten at one server is found at the other")
	}

	// Without a majority nothing is kept, and it is said.
	members[0].Shutdown()
	members[1].Shutdown()
	if _, err := b.Add(t.Context(), shell(url, 2), scored(shell(url, 2))); err == nil {
		t.Error("a scan was kept without a majority")
	}
	if _, err := b.Rows(t.Context()); err == nil {
		t.Error("scans are listed that may not be all")
	}
	for started := time.Now(); board.Fresh(t.Context()) == nil; time.Sleep(50 * time.Millisecond) {
		if time.Since(started) > patience {
			t.Fatal("a board that hears nothing calls itself fresh")
		}
	}
	if last, err := board.Of(of); err != nil || last == nil || last.Scan != r.ID {
		t.Errorf("what was known is forgotten: %+v, %v", last, err)
	}
}

// TestAMachinesScansAreBroughtIn: once each, with what was said about them and how the last
// one ended, also if the scan itself was forgotten; what is newer in the cluster stays, and
// what was forgotten there does not come back.
func TestAMachinesScansAreBroughtIn(t *testing.T) {
	t.Parallel()
	cluster := natstest.One(t, nil)
	shared, board := joined(t, cluster.ClientURL(), 1)
	dir := t.TempDir()
	folder := Folder(filepath.Join(dir, "scores"))
	own, done, err := Local(filepath.Join(dir, "scans"), folder)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	add := func(h *History, o score.Observation) Record {
		t.Helper()
		r, err := h.Add(t.Context(), o, scored(o))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	bring := func(want int) {
		t.Helper()
		n, err := shared.BringIn(t.Context(), own, folder)
		if err != nil || n != want {
			t.Fatalf("%d scans were brought in, want %d: %v", n, want, err)
		}
	}
	is := func(of score.Target, scan string, fresh int) {
		t.Helper()
		last, err := board.Of(of)
		if err != nil || last == nil || last.Scan != scan || len(last.New) != fresh {
			t.Fatalf("the board has %+v, want scan %s with %d new hard fails: %v", last, scan, fresh, err)
		}
	}
	const a, b, c = "https://a.example.com/", "https://b.example.com/", "https://c.example.com/"
	first := add(own, observation(a, "Lists the notes."))
	second := add(own, shell(a, 1))
	add(own, observation(b, "Lists the files."))
	newerThere := shell(b, 5)
	there := add(shared, newerThere)
	gone := add(own, shell(c, 1))
	if err := own.Forget(t.Context(), Row{ID: gone.ID}); err != nil {
		t.Fatal(err)
	}
	bring(3)
	is(second.Observation.Target, second.ID, 1)
	is(newerThere.Target, there.ID, 0)
	is(gone.Observation.Target, gone.ID, 0)
	bring(0)
	rows, err := shared.Rows(t.Context())
	if err != nil || len(rows) != 4 || rows[0].Target.URL == "" {
		t.Fatalf("%+v, %v", rows, err)
	}
	if got, err := shared.Get(t.Context(), first.ID); err != nil || len(got.Observation.Tools.Items) != 1 {
		t.Errorf("%+v, %v", got, err)
	}

	// What is said or scanned later follows, and nothing that was forgotten returns.
	if err := shared.Forget(t.Context(), Row{ID: first.ID}); err != nil {
		t.Fatal(err)
	}
	last, _ := board.Of(second.Observation.Target)
	if _, err := own.Say(t.Context(), second.ID, last.New[0], FalsePositive, ""); err != nil {
		t.Fatal(err)
	}
	bring(0)
	is(second.Observation.Target, second.ID, 0)
	if said, err := shared.Said(t.Context()); err != nil || len(said) != 1 {
		t.Errorf("%+v, %v", said, err)
	}
	third := add(own, observation(a, "Lists the notes."))
	bring(1)
	if _, err := shared.Get(t.Context(), third.ID); err != nil {
		t.Error(err)
	}
	if _, err := shared.Get(t.Context(), first.ID); err == nil {
		t.Error("what was forgotten has come back")
	}

	// A copy that was interrupted before it was noted is made again.
	mark, err := own.bucket.Keys(t.Context(), broughtKey+"*")
	if err != nil || len(mark) != 1 {
		t.Fatal(mark, err)
	}
	if err := own.bucket.Erase(t.Context(), mark[0]); err != nil {
		t.Fatal(err)
	}
	bring(4)
	is(second.Observation.Target, second.ID, 0)
	if rows, err := shared.Rows(t.Context()); err != nil || len(rows) != 5 {
		t.Errorf("%d scans, %v", len(rows), err)
	}
}

// TestASharedScoreOfANewerProgramStays: it is not read for what it may not say, and not
// written over.
func TestASharedScoreOfANewerProgramStays(t *testing.T) {
	t.Parallel()
	cluster := natstest.One(t, nil)
	h, board := joined(t, cluster.ClientURL(), 1)
	const url = "https://a.example.com/"
	o := observation(url, "Lists the notes.")
	if _, err := h.Add(t.Context(), o, scored(o)); err != nil {
		t.Fatal(err)
	}
	e, err := board.bucket.Latest(t.Context(), server(o.Target))
	if err != nil {
		t.Fatal(err)
	}
	text := slices.Replace(slices.Clone(e.Value), len(`{"version":`), len(`{"version":1`), '2')
	if _, err := board.bucket.Update(t.Context(), e.Key, text, e.Revision); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Add(t.Context(), shell(url, 1), scored(shell(url, 1))); err == nil {
		t.Error("it was written over")
	}
	for started := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if _, err := board.Of(o.Target); err != nil {
			break
		}
		if time.Since(started) > patience {
			t.Fatal("it is read")
		}
	}
	// What is damaged is replaced.
	e, _ = board.bucket.Latest(t.Context(), e.Key)
	if _, err := board.bucket.Update(t.Context(), e.Key, []byte("?"), e.Revision); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Add(t.Context(), shell(url, 1), scored(shell(url, 1))); err != nil {
		t.Error(err)
	}
}
