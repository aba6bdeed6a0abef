package scans

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/score"
)

func TestBoardHasTheLastScan(t *testing.T) {
	s, err := store.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	board := Folder(filepath.Join(t.TempDir(), "scores"))
	h, err := Open(t.Context(), s, board, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	const url = "https://a.example.com/"
	target := TargetOf(&upstream.Config{Kind: upstream.HTTP, URL: url})
	if last, err := board.Of(target); last != nil || err != nil {
		t.Fatal(last, err)
	}
	scan := func(o score.Observation, p score.Profile) Record {
		r, err := h.Add(t.Context(), o, score.Evaluate(o, p, score.Background{}))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	shows := func(r Record, hardFails int) {
		t.Helper()
		last, err := board.Of(target)
		if err != nil || last.Scan != r.ID || last.Grade != r.Report.Grade || last.Verdict != r.Report.Verdict || len(last.HardFails) != hardFails {
			t.Errorf("%+v, want %s %s %s: %v", last, r.ID, r.Report.Grade, r.Report.Verdict, err)
		}
	}
	old := scan(observation(url, "Lists the notes."), score.Refined)
	shows(old, 0)
	shell := observation(url, "Runs a shell command.")
	shell.Seen = shell.Seen.Add(time.Hour)
	shell.Tools.Items[0] = []byte(`{"name":"run_shell_command","description":"Runs a shell command.","inputSchema":{"type":"object","properties":{"command":{"type":"string"}}}}`)
	blocked := scan(shell, score.Refined)
	shows(blocked, 1)

	// Neither the other rules, nor another server, nor an older scan is its last.
	scan(shell, score.Classic)
	scan(observation("https://b.example.com/", "d"), score.Refined)
	rescored(t, h, old.ID, score.Refined)
	shows(blocked, 1)
	again, err := h.Get(t.Context(), rescored(t, h, blocked.ID, score.Refined).ID)
	if err != nil {
		t.Fatal(err)
	}
	shows(again, 1)

	// What a scan finds and the one before did not is new, also in the scans that follow,
	// until it is gone or somebody calls it false.
	newHere := func(want ...string) {
		t.Helper()
		if last, err := board.Of(target); err != nil || !slices.Equal(last.New, want) {
			t.Errorf("new: %+v, want %v (%v)", last, want, err)
		}
	}
	newHere("no_public_code_execution_tools/3")
	scan(shell, score.Refined)
	newHere("no_public_code_execution_tools/3")
	honest := observation(url, "Lists the notes.")
	honest.Seen = shell.Seen
	scan(honest, score.Refined)
	newHere()
	rescored(t, h, blocked.ID, score.Refined)
	newHere() // nothing was looked at again
	scan(honest, score.Refined)
	found := scan(shell, score.Refined)
	newHere("no_public_code_execution_tools/3")
	if _, err := h.Say(t.Context(), found.ID, "no_public_code_execution_tools/3", Confirmed, ""); err != nil {
		t.Fatal(err)
	}
	newHere("no_public_code_execution_tools/3")
	if _, err := h.Say(t.Context(), found.ID, "no_public_code_execution_tools/3", FalsePositive, ""); err != nil {
		t.Fatal(err)
	}
	newHere()
	scan(shell, score.Refined)
	newHere()

	// What is not the last scan of this server says nothing about it.
	of := filepath.Join(string(board), server(target)+".json")
	good, err := os.ReadFile(of)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{", `{"version":1}`, strings.Replace(string(good), `"version":1`, `"version":2`, 1), strings.Replace(string(good), "a.example", "b.example", 1)} {
		if err := os.WriteFile(of, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if last, err := board.Of(target); last != nil || err == nil {
			t.Errorf("%q is read as %+v", text, last)
		}
	}
	shows(scan(shell, score.Refined), 1)
	if left, _ := filepath.Glob(filepath.Join(string(board), ".new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
