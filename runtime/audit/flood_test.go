package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func refused(n int, caller string) Record {
	r := record(n)
	r.Outcome, r.Caller = Refused, caller
	r.Cause = &Cause{Kind: "not-cleared", Message: "no"}
	return r
}

// Every call ends in one record or is counted in one, and the disk has a bound.
func TestAFloodOfRefusedCallsIsCounted(t *testing.T) {
	for _, end := range []string{"close", "wait", "another record"} {
		dir := t.TempDir()
		const calls = 5000
		want := calls
		synctest.Test(t, func(t *testing.T) {
			l, err := Open(logIn(dir), Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range calls {
				if _, err := l.Append(refused(i, "mallory")); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := l.Append(refused(1, "alice")); err != nil {
				t.Fatal(err)
			}
			want++
			switch end {
			case "wait":
				time.Sleep(heldTime + time.Second)
				synctest.Wait()
				if l.heldDue != nil {
					t.Error("something is still held")
				}
			case "another record":
				r := record(1)
				r.Caller = "mallory"
				if _, err := l.Append(r); err != nil {
					t.Fatal(err)
				}
				want++
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		})
		got, records, alice, kinds := 0, 0, 0, uint64(0)
		err := Read(logIn(dir), Filter{}, func(e Entry) error {
			records++
			got++
			if e.Caller == "alice" {
				alice++
			}
			if e.Coalesced != nil {
				got += int(e.Coalesced.Calls)
				kinds += e.Coalesced.Kinds["not-cleared"]
				if kinds != e.Coalesced.Calls || e.Caller != "mallory" {
					t.Errorf("%+v", e)
				}
			}
			return nil
		})
		if err != nil || got != want || alice != 1 {
			t.Errorf("%s: %d of %d calls are accounted for, %d of alice, %v", end, got, want, alice, err)
		}
		if records > refusedBurst+3 {
			t.Errorf("%s: %d records for a flood", end, records)
		}
		wholeChain(t, dir, records)
	}
}

func TestCallersBeyondTheBoundShareAnAllowance(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	const calls = 4 * maxCallers
	for i := range calls {
		if _, err := l.Append(refused(i, fmt.Sprint("caller", i))); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.floods) > maxCallers+1 {
		t.Errorf("%d allowances are kept", len(l.floods))
	}
	l.Close()
	got := 0
	err := Read(logIn(dir), Filter{}, func(e Entry) error {
		if got++; e.Coalesced != nil {
			got += int(e.Coalesced.Calls)
		}
		return nil
	})
	if err != nil || got != calls {
		t.Errorf("%d of %d, %v", got, calls, err)
	}
}

func TestRecordsAreBounded(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	long := strings.Repeat("ä<", 1<<20)
	r := refused(1, long)
	r.ID, r.Tool, r.ToolID, r.Category, r.Decision = long, long, long, long, long
	r.Cause = &Cause{Kind: long, Pointer: long, Message: long, Stack: long}
	r.Parameters, _ = json.Marshal(map[string]string{"text": long})
	for range 300 {
		r.Hosts = append(r.Hosts, "host.example")
	}
	if _, err := l.Append(r); err != nil {
		t.Fatal(err)
	}
	if r.Cause.Message != long || len(r.Hosts) != 300 {
		t.Error("the caller's own record was changed")
	}
	info, err := os.Stat(logIn(dir))
	if err != nil || info.Size() > 64<<10 {
		t.Errorf("the record has %d bytes, %v", info.Size(), err)
	}
	entries, err := Last(logIn(dir), Filter{}, 1)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	var kept struct{ Shortened Shortened }
	if err := json.Unmarshal(entries[0].Parameters, &kept); err != nil || kept.Shortened.Bytes != len(r.Parameters) || len(kept.Shortened.SHA256) != 64 ||
		!strings.HasPrefix(string(r.Parameters), kept.Shortened.Beginning) || kept.Shortened.Beginning == "" {
		t.Errorf("%s, %v", entries[0].Parameters, err)
	}
	wholeChain(t, dir, 1)
}
