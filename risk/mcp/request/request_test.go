package request

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/glovebox-run/glovebox/risk/mcp"
)

const definition = `{"name":"list_items","description":"Lists all items of the shop with price and stock.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`

func TestOneToolInThreeForms(t *testing.T) {
	const facts = `{"name":"list_items","description":"Lists all items of the shop with price and stock.","annotations":{"read_only":true},"input_schema_present":true}`
	for _, trusted := range []bool{false, true} {
		ctx := mcp.ToolContext{TrustedServer: trusted}
		bare, err := ScoreTool(mcp.Default, []byte(definition), ctx)
		if err != nil {
			t.Fatal(err)
		}
		flag := map[bool]string{true: "true", false: "false"}[trusted]
		wrapped, err := ScoreTool(mcp.Default, []byte(`{"id":1,"server":"s","tool":`+definition+`,"trusted_server":`+flag+`}`), mcp.ToolContext{})
		if err != nil || wrapped.Chip() != bare.Chip() {
			t.Errorf("wrapped: %v, %v; bare: %v", wrapped.Chip(), err, bare.Chip())
		}
		plain, err := ScoreTool(mcp.Default, []byte(strings.Replace(facts, `"name"`, `"trusted_server":`+flag+`,"name"`, 1)), mcp.ToolContext{})
		if err != nil || plain.Chip() != bare.Chip() {
			t.Errorf("facts: %v, %v; bare: %v", plain.Chip(), err, bare.Chip())
		}
	}
}

func TestMisspelledFieldsAreErrors(t *testing.T) {
	for name, err := range map[string]error{
		"server":       second(ScoreServer(mcp.Default, []byte(`{"oauth_scope":["admin"]}`))),
		"a value":      second(ScoreServer(mcp.Default, []byte(`{"transport":"carrier pigeon"}`))),
		"two values":   second(ScoreServer(mcp.Default, []byte(`{}{}`))),
		"tool facts":   second(ScoreTool(mcp.Default, []byte(`{"name":"t","trusted_server":true,"sideEffect":"local"}`), mcp.ToolContext{})),
		"coverage":     second(ScoreTool(mcp.Default, []byte(`{"name":"t","param_description_coverage":1.5}`), mcp.ToolContext{})),
		"tool wrapped": second(ScoreTool(mcp.Default, []byte(`{"tool":`+definition+`,"trusted":true}`), mcp.ToolContext{})),
		"no tool":      second(ScoreTool(mcp.Default, []byte(`[]`), mcp.ToolContext{})),
		"composition":  second(ScoreComposition(mcp.Default, []byte(`{"server":{},"tool":`+definition+`,"hitl":true}`))),
		"one side":     second(ScoreComposition(mcp.Default, []byte(`{"server":{}}`))),
		"a level":      second(ScoreComposition(mcp.Default, []byte(`{"server":{"level":"L9"},"tool":{"level":"L1"}}`))),
		"registration": second(ScoreRegistration(mcp.Default, []byte(`{"uri":"https://x.example"}`), nil)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestComposingEarlierScores(t *testing.T) {
	for _, tc := range []struct {
		text             string
		level, effective mcp.Level
		trigger          string
	}{
		{`{"server":{"level":"L2","score":1,"floor":null},"tool":{"level":"L3","score":2}}`, mcp.L4, mcp.L4, ""},
		{`{"server":{"level":"L2","score":1},"tool":{"level":"L5","score":0,"floor":"x"},"human_in_the_loop":true}`, mcp.L5, mcp.L4, "x"},
		{`{"server":{"level":"unrated"},"tool":{"level":"L1"},"human_in_the_loop":true}`, mcp.Unrated, mcp.Unrated, ""},
		{`{"server":{"level":"L1","score":9223372036854775807},"tool":{"level":"L1","score":9223372036854775807}}`, mcp.L5, mcp.L5, ""},
		{`{"server":{"transport":"stdio","trust_signals":["vendor_official"]},"tool":{"level":"L2","score":1}}`, mcp.L2, mcp.L2, ""},
	} {
		got, err := ScoreComposition(mcp.Default, []byte(tc.text))
		if err != nil || got.Level != tc.level || got.Effective != tc.effective || got.Trigger.ID != tc.trigger {
			t.Errorf("%s: %v, %v (%s)", tc.text, got.Chip(), err, got.Trigger.ID)
		}
	}
}

// What the verbs server and tool print, compose reads.
func TestComposingWhatWasPrinted(t *testing.T) {
	server, err := ScoreServer(mcp.Default, []byte(`{"url":"https://x.example/","user_typed":true}`))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := ScoreTool(mcp.Default, []byte(definition), mcp.ToolContext{})
	if err != nil {
		t.Fatal(err)
	}
	request, err := json.Marshal(map[string]any{"server": server, "tool": tool})
	if err != nil {
		t.Fatal(err)
	}
	got, err := ScoreComposition(mcp.Default, request)
	want := mcp.Compose(mcp.Default, server, tool)
	if err != nil || got.Chip() != want.Level.String()+" - "+want.Label+" (no-auth-unknown)" || got.Points != want.Points || !strings.Contains(got.Explain(), "nobody known runs its host") {
		t.Errorf("%s, %v\n%s", got.Chip(), err, got.Explain())
	}
	for _, floor := range []string{`7`, `{}`, `["x"]`} {
		if _, err := ScoreComposition(mcp.Default, []byte(`{"server":{"level":"L1","floor":`+floor+`},"tool":{"level":"L1"}}`)); err == nil {
			t.Errorf("the floor %s was read", floor)
		}
	}
}

func TestAListIsAsBadAsItsWorstTool(t *testing.T) {
	for _, tc := range []struct {
		list string
		want mcp.Level
	}{
		{`{"tools":[]}`, mcp.L0},
		{`{"tools":[` + definition + `]}`, mcp.L2},
		{`{"tools":[` + definition + `,{"name":"delete_all"}],"nextCursor":"x"}`, mcp.L5},
		{`{"tools":[` + definition + `,7]}`, mcp.Unrated},
	} {
		got, err := ScoreTools(mcp.Default, []byte(tc.list), mcp.ToolContext{})
		if err != nil || got.Rated() != tc.want {
			t.Errorf("%s: %v, %v", tc.list, got, err)
		}
	}
}

func scoreTool(raw []byte) (Scored, error) { return ScoreTool(mcp.Default, raw, mcp.ToolContext{}) }

func TestLinesGoOnAfterABadOne(t *testing.T) {
	in := definition + "\n\n  {\"id\":\"x\",\"tool\":7}\n{\n" + `{"id":null,"tool":` + definition + "}"
	var out strings.Builder
	tally, err := ScoreLines(strings.NewReader(in), &out, scoreTool)
	if err != nil || tally != (Tally{Rows: 4, Bad: 2, Worst: mcp.L2}) {
		t.Errorf("%+v, %v", tally, err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines: %s", len(lines), out.String())
	}
	for i, want := range []string{`{"level":"L2",`, `{"id":"x","error":`, `{"error":`, `{"id":null,"level":"L2",`} {
		if !strings.HasPrefix(lines[i], want) || !json.Valid([]byte(lines[i])) {
			t.Errorf("line %d: %s", i+1, lines[i])
		}
	}
	if tally, err := ScoreLines(strings.NewReader(""), &out, scoreTool); err != nil || tally.Rows != 0 {
		t.Errorf("nothing: %+v, %v", tally, err)
	}
	broken := errors.New("the pipe is gone")
	if _, err := ScoreLines(iotest.ErrReader(broken), &out, scoreTool); !errors.Is(err, broken) {
		t.Errorf("a broken pipe: %v", err)
	}
	if _, err := ScoreLines(strings.NewReader(strings.Repeat("x", maxLine+1)), &out, scoreTool); err == nil {
		t.Error("a line without an end was read")
	}
}

func FuzzScore(f *testing.F) {
	f.Add([]byte(definition))
	f.Add([]byte(`{"name":"dеlete","annotations":{"destructiveHint":[]}}`))
	f.Add([]byte(`{"tool":{"name":"t"},"server":"s","trusted_server":true}`))
	f.Add([]byte(`{"name":"t","param_description_coverage":1e300,"curator_gaps":-9223372036854775808}`))
	f.Add([]byte(`{"server":{"level":"L0"},"tool":{"name":"x"},"human_in_the_loop":true}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, p := range []mcp.Profile{mcp.Default, mcp.Reference} {
			for _, score := range []func() (Scored, error){
				func() (Scored, error) { return ScoreServer(p, raw) },
				func() (Scored, error) { return ScoreTools(p, raw, mcp.ToolContext{}) },
				func() (Scored, error) { return ScoreRegistration(p, raw, nil) },
				func() (Scored, error) { return ScoreComposition(p, raw) },
			} {
				result, err := score()
				if err != nil {
					continue
				}
				if _, err := json.Marshal(result); err != nil || result.Rated() != mcp.L0 && (result.Explain() == "" || result.Chip() == "") {
					t.Fatalf("%v: %v", result, err)
				}
			}
			if c, err := ScoreComposition(p, raw); err == nil && c.Effective > c.Level && c.Level != mcp.L0 {
				t.Errorf("approval raised %v to %v", c.Level, c.Effective)
			}
		}
	})
}
