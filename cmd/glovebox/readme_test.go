package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestTheReadmeIsTrue follows the README as a new user would.
func TestTheReadmeIsTrue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	readme, dir := string(text), t.TempDir()
	shell := func(line string) (string, error) {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + dir, "XDG_CACHE_HOME=" + cacheDir(), "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}

	_, section, found := strings.Cut(readme, "## A tool of your own\n")
	blocks := regexp.MustCompile("(?s)```(?:json)?\n(.*?)```").FindAllStringSubmatch(section, 2)
	if !found || len(blocks) < 2 {
		t.Fatal("the README has no tool and no commands for it")
	}
	if err := os.WriteFile(filepath.Join(dir, "greet.json"), []byte(blocks[0][1]), 0o600); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(blocks[1][1]) {
		out, err := shell(line)
		if err != nil || strings.Contains(out, "warning") {
			t.Errorf("%s%v: %s", line, err, out)
		}
	}

	// What make run prints is about the README itself, which is edited; it may be a
	// fifth away (statements grow by steps, with the words that occur most).
	spec, err := filepath.Abs(filepath.Join("..", "..", "examples", "word-count.json"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("glovebox", "run", spec, "--json", "--arg", "text="+readme)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "XDG_CACHE_HOME=" + cacheDir()}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`(?m)^\{"lines":(\d+),"words":(\d+),"top":\[\{"word":"\w+","count":\d+\}, …\]\}\nL0 Verified, \S+ms, ([\d,]+) fuel, ([\d,]+) statements, [\d.]+ MiB at most, call [A-Z2-7]{8}$`).FindStringSubmatch(readme)
	if shown == nil {
		t.Fatal("the README does not show what make run prints")
	}
	for i, path := range []string{"result.lines", "result.words", "usage.fuel", "usage.statements"} {
		said, err := strconv.ParseFloat(strings.ReplaceAll(shown[i+1], ",", ""), 64)
		if got := gjson.GetBytes(out, path).Float(); err != nil || math.Abs(got-said) > got/5 {
			t.Errorf("%s: the README says %s, it is %v", path, shown[i+1], got)
		}
	}
}

// TestTheStartPagesAreTrue does what docs/start says of a first tool, in an empty
// home. The other two pages wait for a client and a person; every command that they
// name is one.
func TestTheStartPagesAreTrue(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "start", "*.md"))
	if err != nil || len(pages) < 3 {
		t.Fatal(pages, err)
	}
	dir := t.TempDir()
	environment := []string{"HOME=" + dir, "XDG_CACHE_HOME=" + cacheDir(), "PATH=" + os.Getenv("PATH")}
	run := func(line string) {
		t.Helper()
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = dir, environment
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", line, err, out)
		}
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			if filepath.Base(page) == "first-tool.md" {
				run(block[1])
				continue
			}
			for line := range strings.Lines(block[1]) {
				verbs := strings.Fields(strings.ReplaceAll(line, "ID", ""))
				run(strings.Join(verbs, " ") + " --help")
			}
		}
	}
}
