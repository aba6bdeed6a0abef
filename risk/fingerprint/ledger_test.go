package fingerprint

import (
	"encoding/json"
	"errors"
	"testing"
	"time"
)

func at(n int64) time.Time { return time.Unix(n, 0).UTC() }

func fp(hash string) Fingerprint { return Fingerprint{Profile, hash} }

func TestLedgerConversations(t *testing.T) {
	type step struct {
		check   string // hash, or "profile2:hash"
		approve string
		revoke  bool
		outcome Outcome
		err     error
		status  Status
	}
	see := func(hash string, o Outcome, s Status) step { return step{check: hash, outcome: o, status: s} }
	for _, tc := range []struct {
		name  string
		steps []step
	}{
		{"first sight, then nothing new", []step{see("A", New, Active), see("A", Unchanged, Active)}},
		{"a change withholds until it is reviewed", []step{see("A", New, Active), see("B", Mismatch, AwaitingRereview), see("B", Unchanged, AwaitingRereview),
			{approve: "B", status: Active}, see("B", Unchanged, Active)}},
		{"going back is a change too", []step{see("A", New, Active), see("B", Mismatch, AwaitingRereview), see("A", Mismatch, AwaitingRereview)}},
		{"changed while a person was reading", []step{see("A", New, Active), see("B", Mismatch, AwaitingRereview), see("C", Mismatch, AwaitingRereview),
			{approve: "B", err: ErrChangedAgain, status: AwaitingRereview}, {approve: "C", status: Active}}},
		{"nothing to approve", []step{{approve: "A", err: ErrUnknownToolRow}, see("A", New, Active), {approve: "A", err: ErrNotAwaiting, status: Active}}},
		{"revoked for good", []step{see("A", New, Active), {revoke: true, status: Revoked}, see("A", Unchanged, Revoked), see("B", Mismatch, Revoked), {approve: "B", err: ErrRevoked, status: Revoked}}},
		{"another form keeps the status", []step{see("A", New, Active), see("B", Mismatch, AwaitingRereview), see("profile2:X", Recanonicalized, AwaitingRereview), {approve: "B", err: ErrChangedAgain, status: AwaitingRereview}}},
		{"another form of an active tool", []step{see("A", New, Active), see("profile2:X", Recanonicalized, Active), see("profile2:Y", Mismatch, AwaitingRereview)}},
	} {
		var r Record
		for i, s := range tc.steps {
			var outcome Outcome
			var err error
			switch {
			case s.check != "":
				seen := fp(s.check)
				if hash, ok := cut(s.check); ok {
					seen = Fingerprint{"profile2", hash}
				}
				r, outcome = r.Check("s", "t", seen, at(int64(i)))
			case s.revoke:
				r, err = r.Revoke("found out")
			default:
				r, err = r.Approve(fp(s.approve), at(int64(i)))
			}
			if outcome != s.outcome || !errors.Is(err, s.err) || r.Status != s.status {
				t.Errorf("%s, step %d: %v, %v, %v", tc.name, i, outcome, err, r.Status)
			}
			if r.Exposed() != (r.Status == Active) {
				t.Errorf("%s, step %d: exposed while %v", tc.name, i, r.Status)
			}
		}
	}
}

func cut(s string) (string, bool) {
	if len(s) > 9 && s[:9] == "profile2:" {
		return s[9:], true
	}
	return s, false
}

func TestLedgerKeepsWhatWasAccepted(t *testing.T) {
	r, _ := Record{}.Check("s", "t", fp("A"), at(1))
	r, _ = r.Check("s", "t", fp("B"), at(2))
	if r.Accepted != fp("A") || r.Seen != fp("B") || r.FirstSeen != at(1) || !r.CuratedAt.IsZero() {
		t.Errorf("after a change: %+v", r)
	}
	r, _ = r.Approve(fp("B"), at(3))
	if r.Accepted != fp("B") || r.CuratedAt != at(3) {
		t.Errorf("after the review: %+v", r)
	}
	r, err := r.Publish(at(4))
	if err != nil || r.PublishedAt != at(4) {
		t.Errorf("published: %+v, %v", r, err)
	}
	text, _ := json.Marshal(r)
	var back Record
	if err := json.Unmarshal(text, &back); err != nil || back != r {
		t.Errorf("%s came back as %+v, %v", text, back, err)
	}
	if err := json.Unmarshal([]byte(`{"status":"OK"}`), &back); err == nil {
		t.Error("a damaged status was read")
	}
	for _, r := range []Record{{}, {Status: AwaitingRereview}, {Status: Revoked}} {
		if _, err := r.Publish(at(5)); err == nil {
			t.Errorf("published while %v", r.Status)
		}
	}
}
