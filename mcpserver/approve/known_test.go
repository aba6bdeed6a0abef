package approve_test

import (
	"fmt"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// TestListingReadsWhatChanged since it was done last, and not what else is open.
func TestListingReadsWhatChanged(t *testing.T) {
	cluster := natstest.One(t, nil)
	c := &clock{}
	var stores [2]*store.Store
	var desks [2]*approve.Desk
	for i := range stores {
		s, err := store.Connect(t.Context(), store.Cluster{URL: cluster.ClientURL()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		stores[i], desks[i] = s, deskIn(t, s, c)
	}
	asks := func(i, n int) string {
		t.Helper()
		call := theCall()
		call.Principal = fmt.Sprint("principal ", n)
		e, _, err := desks[i].Ask(t.Context(), question(call))
		if err != nil {
			t.Fatal(err)
		}
		return e.ID
	}
	const many = 40
	for n := range many {
		asks(0, n)
	}
	// lists returns how many questions are in which state, and the bytes that took.
	lists := func() (states map[approve.State]int, bytes uint64) {
		t.Helper()
		before := stores[1].Traffic()
		all, err := desks[1].List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		states = map[approve.State]int{}
		for _, e := range all {
			states[e.State]++
		}
		return states, stores[1].Traffic().BytesIn - before.BytesIn
	}
	found, whole := lists()
	if found[approve.Open] != many {
		t.Fatalf("%v", found)
	}
	id := asks(0, many)
	found, bytes := lists()
	if found[approve.Open] != many+1 || bytes > whole/4 {
		t.Errorf("%v; %d bytes after one change, %d for all", found, bytes, whole)
	}
	// The one who lists and others answer: both show.
	answer(t, desks[0], id, true)
	answer(t, desks[1], asks(1, many+1), false)
	found, _ = lists()
	if found[approve.Open] != many || found[approve.Approved] != 1 || found[approve.Denied] != 1 {
		t.Errorf("%v", found)
	}
	// What runs out does so without a change.
	c.pass(valid)
	found, _ = lists()
	if found[approve.Expired] != many || found[approve.Approved] != 1 {
		t.Errorf("%v", found)
	}
}
