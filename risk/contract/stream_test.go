package contract_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/risk/contract"
)

func TestLines(t *testing.T) {
	c := publishedContract(t)
	long := `{"id":"long","raw_request":{"namespace":"` + strings.Repeat("x", 1<<20) + `"}}`
	in := strings.Join([]string{
		`{"id":"a","raw_request":{"namespace":"findings.sast","requested_access_mode":"read"},"extra":1}`,
		`{"id":7,"request":{"namespace":"findings.sast","requested_access_mode":"read"}}`,
		``,
		`{"id":"both","request":{},"raw_request":{}}`,
		`{"id":"none"}`,
		`{"id":"list","raw_request":[]}`,
		`{"id":"unknown","request":{"nemespace":"findings.sast"}}`,
		`{"id":"twice","raw_request":{"namespace":"findings.sast","namespace":"findings.sast"}}`,
		`{"id":"é<","raw_request":null}`,
		`{"id":1.5,"raw_request":{"namespace":"findings.sast"}}`,
		`{"id":["x"],"raw_request":{"namespace":"findings.sast"}}`,
		`nonsense`,
		`{"id":"cut","raw_request":{"namespace":`,
		`{"raw_request":{"namespace":NaN},"id":"behind"}`,
		`{"id":"\ud800"}`,
		`[]`,
		long,
		`{"raw_request":{"namespace":"findings.sast","requested_access_mode":"read"}}`, // no newline after it
	}, "\n")
	var out strings.Builder
	tally, err := c.DecideLines(strings.NewReader(in), &out)
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		ID       any
		Decision string
		Allowed  bool
		Error    string
		Line     int
	}
	want := []line{
		{ID: "a", Decision: "allow_tool_call", Allowed: true},
		{ID: 7.0, Decision: "allow_tool_call", Allowed: true},
		{ID: "both", Error: "invalid_request", Line: 4},
		{ID: "none", Error: "invalid_request", Line: 5},
		{ID: "list", Error: "invalid_request", Line: 6},
		{ID: "unknown", Error: "invalid_request", Line: 7},
		{ID: "twice", Error: "invalid_request", Line: 8},
		{ID: "é<", Error: "invalid_request", Line: 9},
		{Error: "invalid_request", Line: 10},
		{Error: "invalid_request", Line: 11},
		{Error: "invalid_request", Line: 12},
		{ID: "cut", Error: "invalid_request", Line: 13},
		{Error: "invalid_request", Line: 14},
		{Error: "invalid_request", Line: 15},
		{Error: "invalid_request", Line: 16},
		{Error: "invalid_request", Line: 17},
		{Decision: "allow_tool_call", Allowed: true},
	}
	var got []line
	for raw := range strings.Lines(out.String()) {
		var l line
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			t.Fatal(err)
		}
		got = append(got, l)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if strings.Contains(out.String(), `\u003c`) {
		t.Error("the answers are escaped for HTML")
	}
	if tally.Rows != 17 || tally.Invalid != 14 || tally.Decisions[contract.Allow] != 3 || tally.Refused() != 0 {
		t.Errorf("%+v", tally)
	}
}

// A caller that waits for each answer before it sends the next line gets it; if
// it did not, everybody in the bubble would wait and the test would fail.
func TestLinesAnswersAtOnce(t *testing.T) {
	c := publishedContract(t)
	synctest.Test(t, func(t *testing.T) {
		requests, send := io.Pipe()
		receive, answers := io.Pipe()
		go func() {
			_, err := c.DecideLines(requests, answers)
			answers.CloseWithError(err)
		}()
		lines := bufio.NewScanner(receive)
		for range 3 {
			if _, err := io.WriteString(send, `{"id":1,"request":{"namespace":"findings.sast"}}`+"\n"); err != nil {
				t.Fatal(err)
			}
			if !lines.Scan() || !strings.Contains(lines.Text(), `"allowed":true`) {
				t.Fatalf("answer %q, %v", lines.Text(), lines.Err())
			}
		}
		send.Close()
		if lines.Scan() || lines.Err() != nil {
			t.Errorf("more answers: %q, %v", lines.Text(), lines.Err())
		}
	})
}

type brokenPipe struct{}

var errBroken = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }
func (brokenPipe) Read([]byte) (int, error)  { return 0, errBroken }

func TestLinesReportsReadingAndWriting(t *testing.T) {
	c := publishedContract(t)
	if _, err := c.DecideLines(strings.NewReader(`{"id":1,"raw_request":{}}`), brokenPipe{}); !errors.Is(err, errBroken) {
		t.Errorf("writing: %v", err)
	}
	var out strings.Builder
	if _, err := c.DecideLines(brokenPipe{}, &out); !errors.Is(err, errBroken) || out.Len() > 0 {
		t.Errorf("reading: %v, %q", err, out.String())
	}
}
