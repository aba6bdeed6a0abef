package scans

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/score"
)

func observation(url, description string) score.Observation {
	return score.Observation{
		Version: 1, Target: score.Target{Kind: score.HTTP, URL: url}, Seen: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC),
		Hello: &score.Hello{Era: "legacy", Protocol: "2025-11-25", Server: json.RawMessage(`{"name":"n","version":"1"}`)},
		Tools: score.Listing{Asked: true, Items: []json.RawMessage{json.RawMessage(`{"name":"t","description":"` + description + `"}`)}},
	}
}

func scored(o score.Observation) score.Report {
	return score.Evaluate(o, score.Refined, score.Background{})
}

// rescored scores one scan again.
func rescored(t testing.TB, h *History, id string, p score.Profile) (row Row) {
	t.Helper()
	of, err := h.Find(t.Context(), id)
	if err == nil {
		err = h.RescoreAll(t.Context(), []Row{of}, p, nil, func(_, after Row) error { row = after; return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// The history survives the process that wrote it.
func TestHistory(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC)
	clock := func() time.Time { now = now.Add(time.Second); return now }
	reopen := func() (*History, func()) {
		s, err := store.Open(t.Context(), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		h, err := Open(t.Context(), s, Folder(""), clock)
		if err != nil {
			t.Fatal(err)
		}
		return h, s.Close
	}
	h, closeStore := reopen()
	a, b := observation("https://a.example.com/", "same"), observation("https://b.example.com/", "same")
	first, err := h.Add(t.Context(), a, scored(a))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Add(t.Context(), b, scored(b)); err != nil {
		t.Fatal(err)
	}
	again := rescored(t, h, first.ID, score.Classic)
	if again.Of != first.ID || again.Profile != score.Classic {
		t.Fatal(again)
	}
	if third := rescored(t, h, again.ID, score.Refined); third.Of != first.ID {
		t.Fatal(third)
	}
	closeStore()

	h, closeStore = reopen()
	defer closeStore()
	if got, err := h.Get(t.Context(), first.ID); err != nil || got.Report.Profile != score.Refined || got.Of != "" || len(got.Observation.Tools.Items) != 1 {
		t.Errorf("the first record changed: %+v %v", got, err)
	}
	rows, err := h.Rows(t.Context())
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d scans, %v", len(rows), err)
	}
	want := Row{ID: first.ID, Made: first.Made, Target: a.Target, Profile: score.Refined, Score: first.Report.Score, Grade: first.Report.Grade, Verdict: first.Report.Verdict, Spoke: true}
	if diff := cmp.Diff(want, rows[0], cmpopts.IgnoreUnexported(Row{})); diff != "" {
		t.Error(diff)
	}
	if rows[2].Of != first.ID || rows[1].Target.URL != b.Target.URL {
		t.Errorf("%+v", rows)
	}
	bg, before, err := h.Background(t.Context(), &a)
	if err != nil || before == nil || before.ID != first.ID || bg.Previous == nil || bg.Previous.Target.URL != a.Target.URL {
		t.Fatal(bg, err)
	}
	if other := bg.Elsewhere[score.DescriptionHash("same")]; len(other) != 1 || other[0].Identity != b.Target.Identity() || other[0].Name != "n" {
		t.Errorf("elsewhere: %v", other)
	}
	for _, id := range []string{"", "nothing", strings.Split(first.ID, "-")[0]} {
		if _, err := h.Get(t.Context(), id); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestFeedbackIsAppended(t *testing.T) {
	s, err := store.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h, err := Open(t.Context(), s, Folder(""), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	o := observation("https://a.example.com/", "d")
	r, err := h.Add(t.Context(), o, scored(o))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := h.Say(t.Context(), r.ID, "tool_name_safety", FalsePositive, "it is a name"); err != nil {
			t.Fatal(err)
		}
	}
	if said, err := h.Said(t.Context()); err != nil || len(said) != 2 || said[0].Scan != r.ID {
		t.Errorf("%v %v", said, err)
	}
	for _, bad := range [][3]string{{"none", "tool_name_safety", "confirmed"}, {r.ID, "no_such_rule", "confirmed"}, {r.ID, "tool_name_safety", "maybe"}} {
		if _, err := h.Say(t.Context(), bad[0], bad[1], Kind(bad[2]), ""); err == nil {
			t.Errorf("%v is kept", bad)
		}
	}
}

// Old scans go with their later scores; the newest of each server, what was said, and the
// scans of others stay.
func TestForget(t *testing.T) {
	s, err := store.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC)
	h, err := Open(t.Context(), s, Folder(""), func() time.Time { now = now.Add(time.Hour); return now })
	if err != nil {
		t.Fatal(err)
	}
	var ids []string // a b a b a
	for i := range 5 {
		o := observation("https://"+"ab"[i%2:i%2+1]+".example.com/", "d")
		r, err := h.Add(t.Context(), o, scored(o))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	later := rescored(t, h, ids[0], score.Classic)
	if _, err := h.Say(t.Context(), ids[0], "tool_name_safety", Confirmed, ""); err != nil {
		t.Fatal(err)
	}
	names := func(rows []Row) string {
		var all []string
		for _, r := range rows {
			all = append(all, r.ID)
		}
		return strings.Join(all, " ")
	}
	rows, err := h.Rows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second := rows[1].Made
	for _, c := range []struct {
		keep   int
		before time.Time
		want   []string
	}{
		{0, time.Time{}, []string{ids[2], ids[1], ids[0]}},
		{1, time.Time{}, []string{ids[2], ids[1], ids[0]}},
		{2, time.Time{}, []string{ids[0]}},
		{3, time.Time{}, nil},
		{1, second, []string{ids[0]}},
		{1, now.Add(time.Hour), []string{ids[2], ids[1], ids[0]}},
	} {
		if got := names(Old(rows, c.keep, c.before)); got != strings.Join(c.want, " ") {
			t.Errorf("keep %d before %v: %s, want %s", c.keep, c.before, got, c.want)
		}
	}
	if err := h.Forget(t.Context(), later); err != nil { // by a later score of it
		t.Fatal(err)
	}
	rows, err = h.Rows(t.Context())
	if want := strings.Join(ids[1:], " "); err != nil || names(rows) != want {
		t.Fatalf("%s, want %s, %v", names(rows), want, err)
	}
	if keys, err := h.bucket.Keys(t.Context(), "seen."+store.All); err != nil || len(keys) != 4 {
		t.Errorf("%q, %v", keys, err)
	}
	for _, id := range ids[1:] {
		if _, err := h.Get(t.Context(), id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	if said, err := h.Said(t.Context()); err != nil || len(said) != 1 {
		t.Errorf("%v, %v", said, err)
	}
}

func TestTooLargeAScanIsSaid(t *testing.T) {
	s, err := store.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h, err := Open(t.Context(), s, Folder(""), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	var noise strings.Builder
	x := uint64(1)
	for noise.Len() < 2<<20 {
		x = x*6364136223846793005 + 1442695040888963407
		noise.WriteString(string(rune('a'+x>>60)) + string(rune('A'+x>>40&15)) + string(rune('0'+x>>20&7)))
	}
	o := observation("https://a.example.com/", noise.String())
	if _, err := h.Add(t.Context(), o, score.Report{}); err == nil || !strings.Contains(err.Error(), "are kept") {
		t.Error(err)
	}
}

// Scores come in the order of what is scored, whoever is done first, and the first error
// ends the rest.
func TestRescoreAllKeepsOrder(t *testing.T) {
	s, err := store.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h, err := Open(t.Context(), s, Folder(t.TempDir()), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		o := observation(fmt.Sprintf("https://%d.example.com/", i%13), strings.Repeat("Lists the notes. ", 1+i*7%50))
		if _, err := h.Add(t.Context(), o, scored(o)); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := h.Rows(t.Context())
	if err != nil || len(rows) != 40 {
		t.Fatal(len(rows), err)
	}
	next := 0
	err = h.RescoreAll(t.Context(), rows, score.Classic, nil, func(before, after Row) error {
		if before.ID != rows[next].ID || after.Of != before.ID || after.Target.Identity() != before.Target.Identity() || after.Profile != score.Classic {
			t.Errorf("%d: %+v of %+v", next, after, before)
		}
		next++
		return nil
	})
	if err != nil || next != 40 {
		t.Fatal(next, err)
	}
	stop := errors.New("stop")
	if err := h.RescoreAll(t.Context(), rows, score.Classic, nil, func(_, _ Row) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	if err := h.RescoreAll(t.Context(), []Row{{ID: rows[0].ID + "x"}}, score.Classic, nil, nil); err == nil {
		t.Error("what was never seen is scored")
	}
}
