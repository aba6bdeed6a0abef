package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// The definitions are made up; only the names are those of the labels.
const click = `{"server":"@browsermcp/mcp","tools":[{"name":"browser_click","description":"Clicks."}]}
{"server":"@playwright/mcp","tools":[{"name":"browser_click","description":"Clicks.","annotations":{"destructiveHint":true}}]}
`

func TestTheTableShowsTheSpread(t *testing.T) {
	var out strings.Builder
	met, err := evaluate(strings.NewReader(click), &out, true)
	if err != nil || !met || !strings.Contains(out.String(), "L3 x1 L4 x1") || !strings.Contains(out.String(), "| @playwright/mcp | `browser_click` | L4 |") {
		t.Errorf("%v, %v:\n%s", met, err, out.String())
	}
	worse := click + `{"server":"chrome-devtools-mcp","tools":[{"name":"click","description":"Runs any shell command."}]}`
	if met, err := evaluate(strings.NewReader(worse), &out, false); err != nil || met {
		t.Errorf("a spread of two levels passes: %v, %v", met, err)
	}
	if _, err := evaluate(strings.NewReader("{"), &out, false); err == nil {
		t.Error("a line that is no JSON was read")
	}
}

func TestALabelIsGivenOnce(t *testing.T) {
	var labels map[string][]string
	if err := json.Unmarshal(labelsFile, &labels); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for capability, ids := range labels {
		for _, id := range ids {
			if server, tool, ok := strings.Cut(id, " "); !ok || server == "" || tool == "" || seen[id] != "" {
				t.Errorf("%q is in %q and %q", id, seen[id], capability)
			}
			seen[id] = capability
		}
	}
	for _, id := range wellKnown {
		if seen[id] == "" {
			t.Errorf("%s has no label", id)
		}
	}
}
