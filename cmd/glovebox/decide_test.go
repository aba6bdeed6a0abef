package main

import (
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/vectors"
)

func TestDecideExitCodes(t *testing.T) {
	pack := "--contract=" + vectors.Testdata("contract", "mcp-tool-risk-contract.json")
	for _, tc := range []struct {
		name, stdin string
		args        []string
		code        int
		answers     bool // something is on stdout
	}{
		{"a deny is an answer", "", []string{pack, "--namespace=none"}, exitGood, true},
		{"unless a deny fails", "", []string{pack, "--namespace=none", "--fail-on-deny"}, exitNo, true},
		{"an allow does not", "", []string{pack, "--namespace=docs.handbook", "--fail-on-deny"}, exitGood, true},
		{"as expected", "", []string{pack, "--namespace=none", "--expect-decision=hold_for_tool_risk_review"}, exitGood, true},
		{"not as expected", "", []string{pack, "--namespace=none", "--expect-decision=allow_tool_call"}, exitNo, true},
		{"no such decision", "", []string{pack, "--expect-decision=allow"}, exitUsage, false},
		{"no such mode", "", []string{pack, "--mode=lenient"}, exitUsage, false},
		{"no such flag", "", []string{pack, "--nemespace=x"}, exitUsage, false},
		{"no such hint word", "", []string{pack, "--namespace=docs.handbook", "--read-only-hint=maybe"}, exitUsage, false},
		{"an empty hint word", "", []string{pack, "--namespace=docs.handbook", "--read-only-hint="}, exitUsage, false},
		{"no contract", "", []string{"--contract=none.json", "--namespace=docs.handbook"}, exitUsage, false},
		{"a contract that is none", "", []string{"--contract=decide.go", "--namespace=docs.handbook"}, exitUsage, false},
		{"no request file", "", []string{pack, "--request=none.json"}, exitUsage, false},
		{"a request that is none", "[]", []string{pack, "--request=-"}, exitUsage, false},
		{"an empty request", "", []string{pack, "--request=-"}, exitUsage, false},
		{"a request named twice", `{"namespace":"none","namespace":"docs.handbook"}`, []string{pack, "--request=-"}, exitUsage, false},
		{"a request", `{"namespace":"docs.handbook"}`, []string{pack, "--request=-", "--fail-on-deny"}, exitGood, true},
		{"a switch cannot clear", `{"namespace":"docs.handbook","contains_secret":true}`, []string{pack, "--request=-", "--contains-secret=false", "--fail-on-deny"}, exitNo, true},
		{"flags beside lines", "", []string{pack, "--jsonl", "--namespace=docs.handbook"}, exitUsage, false},
		{"a request beside lines", "", []string{pack, "--jsonl", "--request=-"}, exitUsage, false},
		{"lines", `{"id":1,"request":{"namespace":"docs.handbook"}}`, []string{pack, "--jsonl", "--fail-on-deny"}, exitGood, true},
		{"a line is denied", `{"id":1,"request":{"namespace":"none"}}`, []string{pack, "--jsonl", "--fail-on-deny"}, exitNo, true},
		{"a line is no request", `{"id":1}`, []string{pack, "--jsonl", "--fail-on-deny"}, exitUsage, true},
		{"no lines", "", []string{pack, "--jsonl"}, exitGood, false},
	} {
		var out, errs strings.Builder
		code := run(append([]string{"decide"}, tc.args...), strings.NewReader(tc.stdin), &out, &errs)
		if code != tc.code || (out.Len() > 0) != tc.answers || (errs.Len() > 0) != (tc.code != exitGood) {
			t.Errorf("%s: exit code %d, want %d; stdout %q, stderr %q", tc.name, code, tc.code, out.String(), errs.String())
		}
		if tc.code == exitUsage && strings.Contains(out.String(), `"allowed":true`) {
			t.Errorf("%s: unreadable input is allowed: %s", tc.name, out.String())
		}
	}
}

func TestContractExitCodes(t *testing.T) {
	testdata := vectors.Testdata()
	for _, tc := range []struct {
		name, stdin string
		args        []string
		code        int
	}{
		{"up to date", "", []string{"generate", "--repo-root", testdata, "--check"}, exitGood},
		{"not up to date", "", []string{"generate", "--repo-root", testdata, "--check", "--generated-at=x"}, exitNo},
		{"not there", "", []string{"generate", "--repo-root", testdata, "--check", "--output=none"}, exitNo},
		{"no sources", "", []string{"generate", "--check"}, exitUsage},
		{"a source that is none", "", []string{"generate", "--repo-root", testdata, "--check", "--manifest=contract/profile.json"}, exitUsage},
		{"nowhere to write", "", []string{"generate", "--repo-root", testdata, "--output=no/such/folder/pack.json"}, exitUsage},
		{"a connector", `{}`, []string{"profile", "-"}, exitUsage},
		{"no connector", "", []string{"profile"}, exitUsage},
		{"a file beside lines", "", []string{"profile", "--jsonl", "-"}, exitUsage},
		{"lines", "", []string{"profile", "--jsonl"}, exitGood},
		{"a line is no connector", `{"id":1}`, []string{"profile", "--jsonl"}, exitUsage},
	} {
		var out, errs strings.Builder
		if code := run(append([]string{"contract"}, tc.args...), strings.NewReader(tc.stdin), &out, &errs); code != tc.code {
			t.Errorf("%s: exit code %d, want %d; stdout %q, stderr %q", tc.name, code, tc.code, out.String(), errs.String())
		}
	}
}
