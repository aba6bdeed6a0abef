package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheSameCommitGivesTheSameBytes: two clones in two folders, one target. The binary
// is built twice, the second time from the cache; packing and linking are not cached.
func TestTheSameCommitGivesTheSameBytes(t *testing.T) {
	made := map[string][]byte{}
	for round, folder := range []string{"a", "a longer name"} {
		root := filepath.Join(t.TempDir(), folder)
		if out, err := exec.Command("git", "clone", "-q", "--shared", "..", root).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		r := release{root: root, out: filepath.Join(t.TempDir(), "dist"), version: "v0.0.1", untagged: true, targets: []target{{"linux", "amd64"}}}
		if err := r.make(); err != nil {
			t.Fatal(err)
		}
		all, err := os.ReadDir(r.out)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			text, err := os.ReadFile(filepath.Join(r.out, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if round == 0 {
				made[f.Name()] = text
			} else if !bytes.Equal(made[f.Name()], text) {
				t.Errorf("%s differs", f.Name())
			}
		}
		if len(all) != len(made) || len(made) != 6 { // archive, bill, deb, rpm, image, checksums
			t.Errorf("%d files, then %d", len(made), len(all))
		}
	}
	bill := made["glovebox_0.0.1_linux_amd64.cdx.json"]
	for _, name := range []string{"github.com/tetratelabs/wazero", "github.com/nats-io/nats-server/v2"} {
		if !bytes.Contains(bill, []byte(name)) {
			t.Errorf("%s is not in the bill", name)
		}
	}
}

func TestLicencesAreKnown(t *testing.T) {
	for want, text := range map[string]string{
		"MIT":          "Permission is hereby granted, free of charge, to any person obtaining a copy of it.\nThe above copyright notice and this permission notice shall be\nincluded in all copies or substantial portions of the Software.",
		"Apache-2.0":   "                                 Apache License\n                           Version 2.0, January 2004",
		"BSD-3-Clause": "Redistribution and use in source and binary forms, with or without\nmodification, are permitted. Neither name may be used to endorse or promote products derived from\nthis software without specific prior written permission.",
		"":             "GNU GENERAL PUBLIC LICENSE Version 3",
	} {
		if got := licence([]byte(text)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAModuleWithoutAnAllowedLicenceIsRefused, by name.
func TestAModuleWithoutAnAllowedLicenceIsRefused(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := noticesIn(dir); err == nil || !strings.Contains(err.Error(), "no licence") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "COPYING"), []byte("GNU GENERAL PUBLIC LICENSE"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := noticesIn(dir); err == nil || !strings.Contains(err.Error(), "COPYING") {
		t.Error(err)
	}
}
