package ledger_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/event"
	"github.com/glovebox-run/glovebox/risk/fingerprint"
)

func openStore(t *testing.T, folder string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, s *store.Store) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), s, func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func sighting(t *testing.T, description string) ledger.Sighting {
	t.Helper()
	raw := []byte(`{"name":"t","description":` + fmt.Sprintf("%q", description) + `,"inputSchema":{"type":"object"}}`)
	ours, err := fingerprint.Of(raw)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := fingerprint.Reference(raw)
	if err != nil {
		t.Fatal(err)
	}
	return ledger.Sighting{Tool: "t", Raw: raw, Ours: ours, Reference: reference}
}

// TestTheLifeOfAPin goes through sightings and decisions in order.
func TestTheLifeOfAPin(t *testing.T) {
	const words, spaced, other = "Reads the notes.", "Reads  the notes!", "Deletes the notes."
	type step struct {
		see, approve, revoke string // one of them
		policy               ledger.Policy
		order                bool
		state                ledger.State
		fails                error
		mismatch             bool
	}
	trust, cosmetic := ledger.Policy{TrustFirst: true}, ledger.Policy{PassCosmetic: true}
	for _, tc := range []struct {
		name  string
		steps []step
	}{
		{"review, change, review", []step{
			{see: words, state: ledger.New}, {see: words, state: ledger.New}, {approve: words, state: ledger.Active}, {see: words, state: ledger.Active},
			{see: other, state: ledger.Changed, mismatch: true}, {see: other, state: ledger.Changed}, {approve: other, state: ledger.Active},
		}},
		{"a policy that trusts", []step{{see: words, policy: trust, state: ledger.Active}, {see: other, policy: trust, state: ledger.Changed, mismatch: true}}},
		{"and a text with orders", []step{{see: words, policy: trust, order: true, state: ledger.New}}},
		{"what was shown is no longer there", []step{
			{see: words, state: ledger.New}, {see: other, state: ledger.New, mismatch: true}, {approve: words, fails: fingerprint.ErrChangedAgain, state: ledger.New}, {approve: other, state: ledger.Active},
		}},
		{"nothing to approve", []step{{see: words, policy: trust, state: ledger.Active}, {approve: words, fails: ledger.ErrNothing, state: ledger.Active}}},
		{"a change that goes back waits", []step{
			{see: words, policy: trust, state: ledger.Active}, {see: other, state: ledger.Changed, mismatch: true}, {see: words, policy: cosmetic, state: ledger.Changed, mismatch: true},
		}},
		{"cosmetic, by policy", []step{{see: words, policy: trust, state: ledger.Active}, {see: spaced, policy: cosmetic, state: ledger.Active, mismatch: true}, {see: spaced, state: ledger.Active}}},
		{"cosmetic, without it", []step{{see: words, policy: trust, state: ledger.Active}, {see: spaced, state: ledger.Changed, mismatch: true}}},
		{"not cosmetic", []step{{see: words, policy: trust, state: ledger.Active}, {see: other, policy: cosmetic, state: ledger.Changed, mismatch: true}}},
		{"revoked", []step{
			{see: words, policy: trust, state: ledger.Active}, {revoke: "no", state: ledger.Revoked}, {see: other, policy: cosmetic, state: ledger.Revoked, mismatch: true},
			{approve: other, fails: fingerprint.ErrRevoked, state: ledger.Revoked}, {revoke: "no", fails: fingerprint.ErrRevoked, state: ledger.Revoked},
		}},
	} {
		l := open(t, openStore(t, t.TempDir()))
		for i, s := range tc.steps {
			var events []event.Event
			var err error
			switch {
			case s.see != "":
				seen := sighting(t, s.see)
				seen.ReadsLikeOrder = s.order
				events, err = l.Observe(t.Context(), "srv", []ledger.Sighting{seen}, s.policy, false)
			case s.approve != "":
				err = l.Approve(t.Context(), "srv", []ledger.Reviewed{{Tool: "t", Hash: sighting(t, s.approve).Ours.Hash}}, "ada")
			case s.revoke != "":
				err = l.Revoke(t.Context(), "srv", "t", s.revoke, "ada")
			}
			if !errors.Is(err, s.fails) {
				t.Errorf("%s, step %d: %v, want %v", tc.name, i, err, s.fails)
			}
			mismatch := slices.ContainsFunc(events, func(e event.Event) bool { return e.Type() == event.HashLedgerMismatch{}.Type() })
			pin := l.Pins().Of("srv", "t")
			if pin.State() != s.state || mismatch != s.mismatch {
				t.Errorf("%s, step %d: %v (mismatch %v), want %v (%v)", tc.name, i, pin.State(), mismatch, s.state, s.mismatch)
			}
			if covers := s.see != "" && pin.Covers(sighting(t, s.see).Ours); s.see != "" && covers != (s.state == ledger.Active) {
				t.Errorf("%s, step %d: covers %v in state %v", tc.name, i, covers, s.state)
			}
		}
	}
}

// TestCosmeticChangesDoNotAddUp: each is compared with what a person accepted.
func TestCosmeticChangesDoNotAddUp(t *testing.T) {
	l := open(t, openStore(t, t.TempDir()))
	see := func(description string, p ledger.Policy) ledger.State {
		if _, err := l.Observe(t.Context(), "srv", []ledger.Sighting{sighting(t, description)}, p, false); err != nil {
			t.Fatal(err)
		}
		return l.Pins().Of("srv", "t").State()
	}
	see("Reads the notes.", ledger.Policy{TrustFirst: true})
	accepted := l.Pins().Of("srv", "t").Accepted
	for _, description := range []string{"Reads the notes!", "reads the notes", "READS   THE NOTES?"} {
		if got := see(description, ledger.Policy{PassCosmetic: true}); got != ledger.Active || l.Pins().Of("srv", "t").Accepted != accepted {
			t.Errorf("%q: %v, and what is compared with moved", description, got)
		}
	}
}

// TestPinsOutliveTheProcess, with the definitions and who decided.
func TestPinsOutliveTheProcess(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, folder)
	l := open(t, s)
	seen := sighting(t, "Reads the notes.")
	if _, err := l.Observe(t.Context(), "srv", []ledger.Sighting{seen}, ledger.Policy{}, false); err != nil {
		t.Fatal(err)
	}
	if err := l.Approve(t.Context(), "srv", []ledger.Reviewed{{Tool: "t", Hash: seen.Ours.Hash}}, "ada"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	l = open(t, openStore(t, folder))
	pin := l.Pins().Of("srv", "t")
	raw, err := l.Form(t.Context(), "srv", pin.Accepted.Hash)
	if !pin.Covers(seen.Ours) || err != nil || string(raw) != string(seen.Raw) || pin.Reference != seen.Reference {
		t.Errorf("%+v, %s, %v", pin, raw, err)
	}
	if h := pin.History; len(h) != 2 || h[0].What != ledger.Sighted || h[1].What != ledger.Approved || h[1].By != "ada" || !h[1].Time.Equal(noon) {
		t.Errorf("%+v", h)
	}
	kept, err := l.Kept(t.Context())
	if err != nil || len(kept["srv"]) != 1 || string(kept["srv"][0]) != string(seen.Raw) {
		t.Errorf("%s, %v", kept["srv"], err)
	}
}

// TestDamageClosesTheDoor: each byte of a sheet of pins changed, a newer form, and an
// empty value. Nothing is pinned, it is said, and forgetting is the way out.
func TestDamageClosesTheDoor(t *testing.T) {
	s := openStore(t, t.TempDir())
	l := open(t, s)
	seen := sighting(t, "Reads the notes.")
	if _, err := l.Observe(t.Context(), "srv", []ledger.Sighting{seen}, ledger.Policy{TrustFirst: true}, false); err != nil {
		t.Fatal(err)
	}
	bucket, err := s.Bucket(t.Context(), store.BucketConfig{Name: "glovebox-pins", MaxValue: 900 << 10, MaxBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	good, err := bucket.Get(t.Context(), "srv")
	if err != nil {
		t.Fatal(err)
	}
	var damages [][]byte
	for i := 0; i < len(good.Value); i += 17 {
		bad := slices.Clone(good.Value)
		bad[i] ^= 1
		damages = append(damages, bad)
	}
	newer := []byte(strings.Replace(string(good.Value), `"version":1`, `"version":2`, 1))
	damages = append(damages, newer, []byte("{broken"), []byte("null"), []byte("{}"), good.Value[:len(good.Value)-1])
	for _, bad := range damages {
		e, err := bucket.Get(t.Context(), "srv")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bucket.Update(t.Context(), "srv", bad, e.Revision); err != nil {
			t.Fatal(err)
		}
		again := open(t, s)
		p := again.Pins()
		if p.Damage("srv") == nil || p.Of("srv", "t") != nil || !p.Known("srv") {
			t.Fatalf("%.100q: %v, %v", bad, p.Damage("srv"), p.Of("srv", "t"))
		}
		if _, err := again.Observe(t.Context(), "srv", []ledger.Sighting{seen}, ledger.Policy{TrustFirst: true}, true); err == nil {
			t.Fatalf("%.100q was written over", bad)
		}
	}
	again := open(t, s)
	if !strings.Contains(again.Pins().Damage("srv").Error(), "damaged") {
		t.Error(again.Pins().Damage("srv"))
	}
	if err := again.Forget(t.Context(), "srv", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Observe(t.Context(), "srv", []ledger.Sighting{seen}, ledger.Policy{TrustFirst: true}, true); err != nil {
		t.Fatal(err)
	}
	if got := again.Pins().Of("srv", "t").State(); got != ledger.New {
		t.Errorf("pins that were lost are trusted anew: %v", got)
	}
}

// TestInventedNamesDoNotFillTheLedger: a server lists other tools each time.
func TestInventedNamesDoNotFillTheLedger(t *testing.T) {
	l := open(t, openStore(t, t.TempDir()))
	for round := range 5 {
		var tools []ledger.Sighting
		for i := range 200 {
			s := sighting(t, "x")
			s.Tool = fmt.Sprintf("tool_%d_%d", round, i)
			tools = append(tools, s)
		}
		if _, err := l.Observe(t.Context(), "srv", tools, ledger.Policy{}, false); err != nil {
			t.Fatal(err)
		}
		if n := len(l.Pins().All("srv")); n != 200 {
			t.Fatalf("round %d: %d pins", round, n)
		}
	}
	var tools []ledger.Sighting
	for i := range ledger.MaxPins + 100 {
		s := sighting(t, "x")
		s.Tool = fmt.Sprintf("many_%d", i)
		tools = append(tools, s)
	}
	if _, err := l.Observe(t.Context(), "srv", tools, ledger.Policy{TrustFirst: true}, false); err != nil {
		t.Fatal(err)
	}
	if n := len(l.Pins().All("srv")); n != ledger.MaxPins {
		t.Errorf("%d pins", n)
	}
}

// TestLock: what is exported is what is accepted, byte for byte the same each time, and
// a check says what is different.
func TestLock(t *testing.T) {
	l := open(t, openStore(t, t.TempDir()))
	a, b := sighting(t, "One."), sighting(t, "Two.")
	b.Tool = "b"
	for _, server := range []string{"zeta", "alpha"} {
		if _, err := l.Observe(t.Context(), server, []ledger.Sighting{b, a}, ledger.Policy{TrustFirst: true}, false); err != nil {
			t.Fatal(err)
		}
	}
	text := l.Pins().Lock("").Bytes()
	want := fmt.Sprintf(`{
  "version": 1,
  "servers": {
    "alpha": {
      "b": {
        "sha256": "%[1]s",
        "reference": "%[2]s"
      },
      "t": {
        "sha256": "%[3]s",
        "reference": "%[4]s"
      }
    },
    "zeta": {
      "b": {
        "sha256": "%[1]s",
        "reference": "%[2]s"
      },
      "t": {
        "sha256": "%[3]s",
        "reference": "%[4]s"
      }
    }
  }
}
`, b.Ours.Hash, b.Reference.Hash, a.Ours.Hash, a.Reference.Hash)
	if string(text) != want {
		t.Errorf("%s", text)
	}
	lock, err := ledger.ParseLock(text)
	if err != nil || len(lock.Check(l.Pins())) != 0 {
		t.Fatalf("%v, %v", err, lock.Check(l.Pins()))
	}
	c := sighting(t, "Three.")
	c.Tool = "c"
	if _, err := l.Observe(t.Context(), "zeta", []ledger.Sighting{sighting(t, "Another."), c}, ledger.Policy{}, false); err != nil {
		t.Fatal(err)
	}
	if err := l.Revoke(t.Context(), "zeta", "b", "", "ada"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range lock.Check(l.Pins()) {
		got = append(got, b.Server+"/"+b.Tool)
	}
	if !slices.Equal(got, []string{"zeta/b", "zeta/c", "zeta/t"}) {
		t.Errorf("%v", lock.Check(l.Pins()))
	}
	for _, bad := range []string{"", "{}", "[]", `{"version":2,"servers":{}}`, `{"version":1,"servers":{},"more":1}`, string(text) + "{}"} {
		if _, err := ledger.ParseLock([]byte(bad)); err == nil {
			t.Errorf("%.40q is a lock", bad)
		}
	}
}

// TestApproveIsAllOrNothing.
func TestApproveIsAllOrNothing(t *testing.T) {
	l := open(t, openStore(t, t.TempDir()))
	seen := sighting(t, "One.")
	if _, err := l.Observe(t.Context(), "srv", []ledger.Sighting{seen}, ledger.Policy{}, false); err != nil {
		t.Fatal(err)
	}
	err := l.Approve(t.Context(), "srv", []ledger.Reviewed{{Tool: "t", Hash: seen.Ours.Hash}, {Tool: "other", Hash: "x"}}, "ada")
	if !errors.Is(err, ledger.ErrUnknown) || l.Pins().Of("srv", "t").State() != ledger.New {
		t.Errorf("%v, %v", err, l.Pins().Of("srv", "t").State())
	}
	if err := l.Approve(t.Context(), "nobody", nil, "ada"); !errors.Is(err, ledger.ErrUnknown) {
		t.Error(err)
	}
}

func FuzzParseLock(f *testing.F) {
	f.Add([]byte(`{"version":1,"servers":{"a":{"t":{"sha256":"x","reference":"y"}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := ledger.ParseLock(text)
		if err != nil {
			return
		}
		again, err := ledger.ParseLock(l.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		one, _ := json.Marshal(l)
		other, _ := json.Marshal(again)
		if string(one) != string(other) {
			t.Fatalf("%s and %s", one, other)
		}
	})
}
