package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hostile returns texts that cost a careless parser time or stack.
func hostile() []string {
	of := strings.Repeat
	return []string{
		of("[", 60000), of("{a: ", 15000), of("- ", 30000), of("? ", 30000), of("a:\n", 20000), of("a: >\n", 12000), of("{", 200) + of("a: ", 20000),
		of("a: b\n", 13000), "{" + of("a: b,", 13000) + "}", of("&a ", 20000), of("!a ", 20000), of("%a\n", 20000), of("---\n", 16000), of("\"", 65000), of("'", 65001),
		"hosts: [" + of("*a,", 15000) + "]", of("a: &a [*a]\n", 1999), "x: \"" + of("\\n", 30000) + "\"", of("|\n", 32000), of(" \n", 32000), of("\t\n", 32000), of("[]\n", 21000),
		"a: &a [x]\n" + of("b: *a\n", 1000), of("a: ", 20000), of("é", 30000), of("\x00", 100), of("#\n", 30000), of("- - - - -\n", 6000),
	}
}

// TestHostileTexts: whatever the file contains, reading it ends (it takes a few milliseconds,
// and on a busy machine a second) and reports a problem with its position.
func TestHostileTexts(t *testing.T) {
	for _, text := range hostile() {
		started := time.Now()
		readAll(t, []byte(text))
		if d := time.Since(started); d > time.Minute {
			t.Errorf("%.20q takes %v", text, d)
		}
	}
}

func readAll(t *testing.T, text []byte) {
	l, err := Sources{File: "f"}.Parse(text)
	if err == nil {
		// Values that were read can be shown and read again.
		for _, k := range Keys {
			var c Config
			r := &reading{config: &c, at: map[string]position{}}
			r.parse([]byte(inFile(k, k.Show(&l.Config))))
			if len(r.problems) > 0 && k.Show(&l.Config) != `""` {
				t.Errorf("%s: %s: %v", k.Path, k.Show(&l.Config), r.problems)
			}
		}
		return
	}
	lines := bytes.Count(text, []byte("\n")) + 1
	for _, p := range err.(Problems) {
		if p.Line < 1 || p.Line > lines+1 || p.Column < 1 || p.Message == "" || p.Fix == "" || strings.ContainsAny(p.String(), "\n\x1b") {
			t.Errorf("%q: %+v", text, p)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(Example()))
	for _, text := range hostile() {
		f.Add([]byte(text[:min(len(text), 300)]))
	}
	files, _ := filepath.Glob("testdata/bad/*.yaml")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, k := range Keys {
		f.Add([]byte(inFile(k, samples(k)[1])))
	}
	f.Fuzz(readAll)
}
