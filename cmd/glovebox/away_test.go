package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// TestFilesThatGoAwayAreNoticed: nobody calls or asks for the readiness, and the
// server says within two seconds what happened to a file of its record or state. Then
// it is not ready, refuses calls, and recovers when the file is back.
func TestFilesThatGoAwayAreNoticed(t *testing.T) {
	t.Parallel()
	for what, path := range map[string]string{
		"the record":        "audit/audit.jsonl",
		"its folder":        "audit",
		"its key":           "audit/audit.jsonl.key",
		"the owner's lock":  "run/owner.lock",
		"the store":         "store",
		"a bucket":          "store/jetstream/$G/streams/KV_glovebox-approvals",
		"the head of one":   "store/KV_glovebox-approval-secret.head",
		"the state folder":  ".",
		"a block of values": "store/jetstream/$G/streams/KV_glovebox-approval-secret/msgs/1.blk",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			p := m.start(t, "server", "--listen", "127.0.0.1:0")
			url := regexp.MustCompile(`http://\S+/`).FindString(p.told("tools at http"))
			ready := func() bool {
				response, err := http.Get(url + "readyz")
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
				return response.StatusCode == http.StatusOK
			}
			for started := time.Now(); !ready(); {
				if time.Since(started) > patience {
					t.Fatal("never ready")
				}
			}
			from := filepath.Join(m.state, "glovebox", path)
			to := from + ".elsewhere"
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
			p.told("calls are refused")
			for started := time.Now(); ready(); time.Sleep(10 * time.Millisecond) { // an answer counts for a second
				if time.Since(started) > patience {
					t.Fatal("still ready")
				}
			}
			if err := os.Rename(to, from); err != nil {
				t.Fatal(err)
			}
			p.told("calls are recorded again")
			for started := time.Now(); !ready(); time.Sleep(50 * time.Millisecond) {
				if time.Since(started) > patience {
					t.Fatal("not ready again")
				}
			}
		})
	}
}
