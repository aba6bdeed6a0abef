package main

import (
	"archive/tar"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheSameCommitGivesTheSameBytes: two clones in two folders, one target; what is in it;
// and the first minute with it. The second time compiled packages come from the cache;
// packing and linking are not cached.
func TestTheSameCommitGivesTheSameBytes(t *testing.T) {
	made, last := map[string][]byte{}, ""
	for round, folder := range []string{"a", "a longer name"} {
		root := filepath.Join(t.TempDir(), folder)
		if out, err := exec.Command("git", "clone", "-q", "--shared", "..", root).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		r := release{root: root, out: filepath.Join(t.TempDir(), "dist"), version: "v0.0.1", untagged: true, targets: []target{{"linux", "amd64"}}}
		if err := r.make(); err != nil {
			t.Fatal(err)
		}
		last = r.out
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
	if t.Failed() {
		return
	}
	archive := entries(t, tar.NewReader(bytes.NewReader(unpacked(t, made["glovebox_0.0.1_linux_amd64.tar.gz"]))))
	binary := archive["/glovebox_0.0.1_linux_amd64/glovebox"]
	if binary.mode != 0o755 || len(binary.text) == 0 || len(binary.text) > maxBinary {
		t.Fatalf("the binary has mode %o and %d bytes of %d", binary.mode, len(binary.text), maxBinary)
	}
	for _, name := range []string{"README.md", "LICENSE", "NOTICE", "CHANGELOG.md", "THIRD_PARTY_LICENSES", "completions/glovebox.bash", "completions/_glovebox", "completions/glovebox.fish", "completions/glovebox.ps1", "man/man1/glovebox.1"} {
		if len(archive["/glovebox_0.0.1_linux_amd64/"+name].text) == 0 {
			t.Errorf("the archive has no %s", name)
		}
	}
	installed := filepath.Join(t.TempDir(), "glovebox")
	if err := os.WriteFile(installed, binary.text, 0o755); err != nil {
		t.Fatal(err)
	}
	of := func(ending string) []byte { return made["glovebox_0.0.1_linux_amd64"+ending] }
	t.Run("deb", func(t *testing.T) { lookAtDeb(t, of(".deb"), binary.text) })
	t.Run("rpm", func(t *testing.T) { lookAtRpm(t, of(".rpm"), binary.text) })
	t.Run("image", func(t *testing.T) { lookAtImage(t, of("_image.tar"), binary.text) })
	t.Run("bill", func(t *testing.T) { lookAtBill(t, of(".cdx.json"), installed) })
	t.Run("sums", func(t *testing.T) { lookAtSums(t, last) })
	t.Run("first minute", func(t *testing.T) {
		firstMinute(t, installed, string(archive["/glovebox_0.0.1_linux_amd64/README.md"].text))
	})
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
