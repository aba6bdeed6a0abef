package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// modules returns what a binary says is linked in, replaced modules resolved. The binary
// has its version from the tag of the commit.
func (r *release) modules(binary string) ([]*debug.Module, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	if info.Main.Version != r.version && !r.untagged {
		return nil, fmt.Errorf("the binary says %s: commit everything and run git tag %s first", info.Main.Version, r.version)
	}
	var all []*debug.Module
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, m)
	}
	if len(all) == 0 {
		return nil, errors.New("the binary names no modules")
	}
	return all, nil
}

// allowed are the licences that may be linked in, each with sentences that only its text
// has, white space folded and in lower case. What none fits is refused by name; a person
// reads it and adds a row.
var allowed = []struct {
	id   string
	says []string
}{
	{"Apache-2.0", []string{"apache license version 2.0, january 2004"}},
	// libcap/psx offers two; this is the one that is taken.
	{"BSD-3-Clause", []string{"spdx-license-identifier: bsd-3-clause or gpl-2.0-only"}},
	{"MPL-2.0", []string{"mozilla public license version 2.0"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted"}},
	{"ISC", []string{"permission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted"}},
	{"MIT", []string{"permission is hereby granted, free of charge, to any person obtaining a copy", "the above copyright notice and this permission notice shall be included in all copies or substantial portions"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms, with or without modification, are permitted", "used to endorse or promote products derived from this software without specific prior written permission"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms, with or without modification, are permitted"}},
	{"CC0-1.0", []string{"cc0 1.0 universal"}},
	{"Unlicense", []string{"this is free and unencumbered software released into the public domain"}},
}

var space = regexp.MustCompile(`[\s*#/>"“”]+`)

// licence names the licence of a text; empty if it is none that is allowed.
func licence(text []byte) string {
	folded := strings.ToLower(space.ReplaceAllString(string(text), " "))
	for _, a := range allowed {
		if !slices.ContainsFunc(a.says, func(s string) bool { return !strings.Contains(folded, space.ReplaceAllString(s, " ")) }) {
			return a.id
		}
	}
	return ""
}

// notices are the files of a module that its licence wants passed on.
var notices = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense|notice|patents|authors)([-_.].*)?$`)

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([-_.].*)?$`)

// licences returns one text with the notices of all modules and of Go. A module without
// an allowed licence is an error.
func (r *release) licences(linked []*debug.Module) ([]byte, error) {
	dirs, err := r.folders(linked)
	if err != nil {
		return nil, err
	}
	goRoot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("Glovebox is under the Apache License 2.0. What is linked into it, and under which terms:\n")
	var refused []error
	add := func(name, dir string) {
		texts, ids, err := noticesIn(dir)
		if err != nil {
			refused = append(refused, fmt.Errorf("%s: %w", name, err))
			return
		}
		fmt.Fprintf(&out, "\n%s\n%s: %s\n%s\n\n%s\n", strings.Repeat("=", 80), name, strings.Join(ids, " and "), strings.Repeat("=", 80), texts)
	}
	add("Go", strings.TrimSpace(string(goRoot)))
	for _, m := range linked {
		add(m.Path+" "+m.Version, dirs[m.Path+"@"+m.Version])
	}
	return out.Bytes(), errors.Join(refused...)
}

func noticesIn(dir string) (texts []byte, ids []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if e.IsDir() || !notices.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, nil, err
		}
		if licenceFile.MatchString(e.Name()) {
			id := licence(text)
			if id == "" {
				return nil, nil, fmt.Errorf("the terms in %s are none of those that are allowed", e.Name())
			}
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		texts = append(append(texts, bytes.TrimSpace(text)...), "\n\n"...)
	}
	if len(ids) == 0 {
		return nil, nil, errors.New("it has no licence")
	}
	return bytes.TrimSpace(texts), ids, nil
}

// folders returns where the module cache has each module.
func (r *release) folders(linked []*debug.Module) (map[string]string, error) {
	args := []string{"mod", "download", "-json"}
	for _, m := range linked {
		args = append(args, m.Path+"@"+m.Version)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = r.root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download: %w", err)
	}
	dirs := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var m struct{ Path, Version, Dir string }
		if err := d.Decode(&m); err != nil {
			return nil, err
		}
		dirs[m.Path+"@"+m.Version] = m.Dir
	}
	return dirs, nil
}
