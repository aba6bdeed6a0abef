package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestExitCodes(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		want int
	}{
		{"nothing wrong", nil, exitGood},
		{"an error without a code is a usage error", errors.New("unknown flag"), exitUsage},
		{"no", exitWith(exitNo, nil), exitNo},
		{"wrapped", errors.Join(errors.New("x"), exitWith(exitIncomplete, errors.New("y"))), exitIncomplete},
	} {
		if got := exitCode(tc.err); got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.name, got, tc.want)
		}
	}
}

func TestUnknownVerbIsAUsageError(t *testing.T) {
	var out, errs strings.Builder
	if code := run([]string{"nosuchverb"}, strings.NewReader(""), &out, &errs); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
	if out.Len() != 0 || !strings.Contains(errs.String(), "nosuchverb") {
		t.Errorf("stdout %q, stderr %q", out.String(), errs.String())
	}
}

// TestUnknownStateIsAUsageError, also where no server is there to be asked.
func TestUnknownStateIsAUsageError(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	var out, errs strings.Builder
	if code := run([]string{"approvals", "list", "--state", "nonsense"}, strings.NewReader(""), &out, &errs); code != exitUsage || !strings.Contains(errs.String(), "no such state") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

func TestVersionJSON(t *testing.T) {
	var out, errs strings.Builder
	if code := run([]string{"version", "--json"}, strings.NewReader(""), &out, &errs); code != exitGood {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var info buildInfo
	if err := json.Unmarshal([]byte(out.String()), &info); err != nil || info.Go == "" || info.Platform == "" {
		t.Errorf("%s: %v", out.String(), err)
	}
}
