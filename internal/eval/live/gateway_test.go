package main

import (
	"os"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk/live"
)

// Between the engine and a client stand the protocol, the sanitiser, the desk and the
// keeper of sessions; none of them may change a decision.
func TestTheServerDecidesAsTheEngine(t *testing.T) {
	var out strings.Builder
	if err := run(&out, "testdata/sessions.jsonl", "testdata/servers.json", "testdata/operator.json", "", true, true); err != nil {
		t.Fatal(err)
	}
	if same := strings.Count(out.String(), "steps decided otherwise than by the engine alone: 0 of 12\n"); same != 2 {
		t.Error(out.String())
	}
}

// A difference is seen: without the operator's file a note that nobody calls reversible
// is asked about.
func TestADifferenceIsSeen(t *testing.T) {
	var defined map[string]server
	if err := readJSON("testdata/servers.json", &defined); err != nil {
		t.Fatal(err)
	}
	g, err := newGateway(t.Context(), defined, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	text, err := os.ReadFile("testdata/operator.json")
	if err != nil {
		t.Fatal(err)
	}
	file, err := live.ParseFile(text)
	if err != nil {
		t.Fatal(err)
	}
	r := replay{book: book(defined, file), suites: map[string]*counts{}}
	if err := readSessions("testdata/sessions.jsonl", func(s *session) error { return r.session(s, g) }); err != nil {
		t.Fatal(err)
	}
	if r.steps != 12 || r.differ == 0 {
		t.Errorf("%d of %d steps differ", r.differ, r.steps)
	}
	if c := r.suites["own/desk"]; c == nil || c.honestAsked != 2 {
		t.Errorf("the counts are not the gateway's: %+v", c)
	}
}

// What the judge says and what the server does are compared, not believed.
func TestAServerThatDoesNotActIsAnError(t *testing.T) {
	var defined map[string]server
	if err := readJSON("testdata/servers.json", &defined); err != nil {
		t.Fatal(err)
	}
	g, err := newGateway(t.Context(), defined, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	g.sanitiser = nil // without one nothing runs
	s := &session{ID: "one", Servers: []string{"desk"}, Steps: []step{{Server: "desk", Tool: "read_inbox"}}}
	if said, err := g.judgements(t.Context(), s); err == nil {
		t.Errorf("%v", said)
	}
}
