package local

import (
	"strings"
	"testing"
)

// TestIDsThatAreAlikeAreTwo: as float64 these ids would be equal, and the answer to
// one would settle the other.
func TestIDsThatAreAlikeAreTwo(t *testing.T) {
	for _, ids := range [][2]string{{"12345678901234567890", "12345678901234567891"}, {"1e400", "1e401"}, {"1", `"1"`}, {"1.5", "1"}, {"1e-400", "0"}} {
		s := newSession()
		for _, id := range ids {
			line := `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call"}` + "\n"
			if got := string(s.fromClient([]byte(line))); got != line {
				t.Errorf("%s became %s", line, got)
			}
		}
		answer := `{"jsonrpc":"2.0","id":` + ids[0] + `,"result":{}}` + "\n"
		if got, err := s.fromOwner([]byte(answer)); err != nil || string(got) != answer {
			t.Errorf("%s became %s, %v", answer, got, err)
		}
		if client, _ := s.resume(nil); !strings.Contains(string(client), `"id":`+ids[1]+",") || strings.Contains(string(client), `"id":`+ids[0]+",") {
			t.Errorf("the client is told %s", client)
		}
	}
}

// TestSpellingsOfAnIDAreOne: an owner may spell an id its own way when it answers.
func TestSpellingsOfAnIDAreOne(t *testing.T) {
	for _, ids := range [][2]string{{"1.0", "1"}, {"1e2", "100"}, {`"\u0061"`, `"a"`}, {"-0", "0"}} {
		s := newSession()
		s.fromClient([]byte(`{"jsonrpc":"2.0","id":` + ids[0] + `,"method":"tools/call"}`))
		s.fromOwner([]byte(`{"jsonrpc":"2.0","id":` + ids[1] + `,"result":{}}`))
		if !s.settled() {
			t.Errorf("%s does not answer %s", ids[1], ids[0])
		}
	}
}
