package main

import "testing"

func TestVersionSaysCommitAndDay(t *testing.T) {
	b := buildInfo{Version: "v0.1.0", Go: "go1.26.4", Platform: "linux/amd64"}
	if got := b.String(); got != "glovebox v0.1.0 (go1.26.4, linux/amd64)" {
		t.Error(got)
	}
	b.Revision, b.Time, b.Modified = "0123456789abcdef0123", "2026-11-23T10:00:00Z", true
	if got := b.String(); got != "glovebox v0.1.0, commit 0123456789ab of 2026-11-23 with changes (go1.26.4, linux/amd64)" {
		t.Error(got)
	}
}
