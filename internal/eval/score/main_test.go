package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func rowOf(id, label, server, name, description string) row {
	tool := fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{}}}`, name, description)
	return row{ID: id, Label: label, Server: server, Tool: json.RawMessage(tool)}
}

func TestEvaluate(t *testing.T) {
	var rows []row
	for i := range 20 {
		rows = append(rows, rowOf(fmt.Sprint("b", i), "benign", fmt.Sprint("s", i), "list_items", "Lists the items."))
	}
	rows = append(rows, rowOf("a", "attack", "s1", "run_shell_command", "Runs a shell command."))
	var out bytes.Buffer
	met, err := evaluate(&out, rows, true)
	if err != nil || !met {
		t.Fatal(err, out.String())
	}
	for _, want := range []string{"honest    refined  20  20     0       0", "attacks   refined  1   0      0       1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, out.String())
		}
	}
	for i := range 2 {
		rows = append(rows, rowOf(fmt.Sprint("c", i), "benign", fmt.Sprint("t", i), "run_shell_command", "Runs a shell command."))
	}
	if met, err := evaluate(&out, rows, false); err != nil || met {
		t.Error("2 of 22 blocked servers meet the bar")
	}
	if _, err := evaluate(&out, nil, false); err == nil {
		t.Error("nothing is measured")
	}
}
