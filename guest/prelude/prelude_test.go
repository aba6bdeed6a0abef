package prelude

import (
	"slices"
	"strings"
	"testing"
)

func TestFilesAreOrderedAndHeadsAreRead(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	installed := map[string]string{}
	for _, f := range files {
		for _, before := range f.After {
			if !slices.Contains(names, before) {
				t.Errorf("%s is evaluated before %s", f.Name, before)
			}
		}
		for _, global := range f.Installs {
			if other := installed[global]; other != "" {
				t.Errorf("%s and %s both install %s", other, f.Name, global)
			}
			installed[global] = f.Name
		}
		names = append(names, f.Name)
	}
	if !slices.Equal(names[:len(ground)], ground) {
		t.Errorf("the first files are %v, want %v", names[:len(ground)], ground)
	}
	if installed["setTimeout"] != "timers.js" || installed["console"] != "console.js" {
		t.Errorf("installed = %v", installed)
	}
}

func TestAFileIsLeftOutWhenAHostCallIsMissing(t *testing.T) {
	file, err := parse("fetch.js", "// installs: fetch\n// needs: http.fetch http.body\n// after: timers.js\nbody")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(file.Needs, " "); got != "http.fetch http.body" {
		t.Fatalf("needs = %q", got)
	}
	if granted := Granted([]File{file}, []string{"http.fetch"}); len(granted) != 0 {
		t.Error("evaluated although http.body is missing")
	}
	if granted := Granted([]File{file}, []string{"http.body", "http.fetch"}); len(granted) != 1 {
		t.Error("left out although both are there")
	}
	if _, err := parse("bad.js", "// installs: x\n'use strict'"); err == nil {
		t.Error("a head without needs was accepted")
	}
}

func TestACycleIsAnError(t *testing.T) {
	files := map[string]File{"a.js": {After: []string{"b.js"}}, "b.js": {After: []string{"a.js"}}}
	if _, err := order(files, []string{"a.js", "b.js"}); err == nil {
		t.Error("no error")
	}
	if _, err := order(files, []string{"c.js"}); err == nil {
		t.Error("a missing file is no error")
	}
}
