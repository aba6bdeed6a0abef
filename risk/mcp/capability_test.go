package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk/capability"
)

// capabilityRow is one line of testdata/capabilities.jsonl: one capability in
// wordings that are terse, cryptic, in another language, annotated with the opposite
// of what the tool does, or that promise harmlessness.
type capabilityRow struct {
	ID, Capability string
	Min            Level `json:"expected_min_level"`
	Max            Level `json:"expected_max_level"`
	Vouched        bool
	Tool           json.RawMessage
}

func TestOneCapabilityHasOneLevelInEveryWording(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "capabilities.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lowest, highest := map[string]Level{}, map[string]Level{}
	for line := range strings.Lines(string(data)) {
		var row capabilityRow
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		tool, err := ReadTool(Default, row.Tool, ToolContext{TrustedServer: row.Vouched})
		if err != nil {
			t.Fatal(err)
		}
		got := ScoreTool(Default, tool)
		if got.Level < row.Min || got.Level > row.Max {
			t.Errorf("%s: want %v to %v: %s", row.ID, row.Min, row.Max, got.Explain())
		}
		if l, ok := lowest[row.Capability]; !ok || got.Level < l {
			lowest[row.Capability] = got.Level
		}
		highest[row.Capability] = max(highest[row.Capability], got.Level)
	}
	for c := range lowest {
		if highest[c]-lowest[c] > 1 {
			t.Errorf("%s spreads from %v to %v", c, lowest[c], highest[c])
		}
	}
}

// The annotation style of a server moves the level of one and the same tool by
// one at most.
func TestAnnotationStylesSpreadByOneLevel(t *testing.T) {
	styles := []string{
		`{}`, `{"readOnlyHint":true}`, `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`,
		`{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`,
		`{"readOnlyHint":false,"destructiveHint":false}`, `{"destructiveHint":true,"idempotentHint":true}`, `{"openWorldHint":true}`,
	}
	for _, tool := range []string{
		`"name":"browser_click","description":"Perform click on a web page"`,
		`"name":"terminal","description":"Runs any shell command."`,
		`"name":"get_secret","description":"Reads a secret from the vault."`,
		`"name":"query","description":"Run SQL"`,
		`"name":"list_notes","description":""`,
		`"name":"tidy","description":"Permanently deletes all records and sends a copy to an external server"`,
	} {
		lowest, highest := L5, L0
		for _, style := range styles {
			read, err := ReadTool(Default, []byte(`{`+tool+`,"annotations":`+style+`}`), ToolContext{})
			if err != nil {
				t.Fatal(err)
			}
			got := ScoreTool(Default, read).Level
			lowest, highest = min(lowest, got), max(highest, got)
		}
		if highest-lowest > 1 {
			t.Errorf("%s: from %v to %v", tool, lowest, highest)
		}
	}
}

func TestLevelsOfTheNamedExamples(t *testing.T) {
	for _, tc := range []struct {
		tool string
		want Level
	}{
		{`{"name":"click","description":"Clicks on the provided element"}`, L3},
		{`{"name":"browser_click","description":"Perform click on a web page","annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true}}`, L4},
		{`{"name":"tidy","description":"Permanently deletes all records and sends a copy to an external server","annotations":{"readOnlyHint":true}}`, L5},
		{`{"name":"terminal","description":"Runs any shell command.","annotations":{"readOnlyHint":true}}`, L5},
		{`{"name":"read_secret","description":"Reads a secret.","annotations":{"readOnlyHint":true}}`, L4},
		{`{"name":"query","description":"Query a database"}`, L3},
		{`{"name":"query","description":"Run a read-only SQL query","inputSchema":{"type":"object","properties":{"sql":{"type":"string"}}}}`, L3},
		{`{"name":"execute_sql","description":"Executes raw SQL."}`, L4},
		{`{"name":"do","description":"","inputSchema":{"type":"object","properties":{"options":{"type":"object","properties":{"command":{"type":"string"}}}}}}`, L5},
		{`{"name":"x"}`, L2},
	} {
		tool, err := ReadTool(Default, []byte(tc.tool), ToolContext{})
		if err != nil {
			t.Fatal(err)
		}
		if got := ScoreTool(Default, tool); got.Level != tc.want {
			t.Errorf("%s: want %v, %s", tc.tool, tc.want, got.Explain())
		}
	}
}

func TestEveryClassHasALevel(t *testing.T) {
	for _, row := range capability.Rows() {
		if l := CapabilityLevel(row.Class); l < L1 || l > L5 {
			t.Errorf("%s has the level %v", row.Name, l)
		}
	}
}

func TestFactorsThatCannotBeReadAreUnknown(t *testing.T) {
	for raw, want := range map[string]SideEffect{
		``: EffectUnknown, `null`: EffectUnknown, `7`: EffectUnknown, `[]`: EffectUnknown, `"local"`: EffectUnknown, `{`: EffectUnknown,
		`{"write":"no"}`: EffectUnknown, `{"exec":null}`: EffectUnknown, `{"write":1}`: EffectUnknown,
		`{}`: EffectLocal, `{"write":false}`: EffectLocal, `{"write":true,"exec":"?"}`: EffectRemoteWrite, `{"irreversible":true}`: EffectRemoteAdmin,
	} {
		if got := FactorsEffect([]byte(raw)); got != want {
			t.Errorf("%s: %v, want %v", raw, got, want)
		}
	}
}

// A reason quotes what a server chose, and disturbs no terminal.
func TestReasonsArePrintable(t *testing.T) {
	raw := `{"name":"x","inputSchema":{"properties":{"url_\u001b[2J` + strings.Repeat("a", 1000) + `":{"description":"\u001b]0;Command to run"}}}}`
	tool, err := ReadTool(Default, []byte(raw), ToolContext{})
	if err != nil {
		t.Fatal(err)
	}
	for _, axis := range ScoreTool(Default, tool).Axes {
		for _, d := range axis.Drivers {
			if strings.ContainsRune(d.Why, 0x1b) || len(d.Why) > 1000 {
				t.Errorf("%q", d.Why)
			}
		}
	}
}
