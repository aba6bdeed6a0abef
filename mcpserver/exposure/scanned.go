package exposure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/score"
)

// grades that a set may demand, best first. F would demand nothing but a scan.
var grades = []string{"A", "B", "C", "D"}

func checkGrade(grade string) error {
	if grade != "" && !slices.Contains(grades, grade) {
		return fmt.Errorf("the grade %q: want one of %s", grade, strings.Join(grades, ", "))
	}
	return nil
}

// judgeScan holds the last scan of a candidate's server against the one before and
// against the grade that its set demands. A hard fail is below every grade: a good
// average does not outweigh it.
func (c *candidate) judgeScan() {
	if last := c.source.Scan; last != nil && len(last.New) > 0 {
		way := fmt.Sprintf("glovebox scan diff %s; once it is mended, glovebox upstream scan %s; if it is wrong, glovebox scan feedback %s --rule %s --kind false-positive",
			shell([]string{cmp.Or(c.source.Config.URL, strings.Join(c.source.Config.Command, " "))}), c.source.Name(), last.Scan, last.New[0])
		c.withhold(NewHardFail, way, "the scan of %s finds what the one before did not: %s", last.Seen.Format("2006-01-02 15:04"), strings.Join(last.New, ", "))
		return
	}
	want := c.set.grade
	if want == "" {
		return
	}
	again := ScanCommand(&c.source.Config)
	relax := fmt.Sprintf("see glovebox scan history; once its author mended it, %s; or glovebox composition update %s --grade none", again, c.set.id)
	switch last := c.source.Scan; {
	case last == nil:
		c.withhold(NotScanned, again, "the set demands the grade %s, and the server was never scanned as it is reached now", want)
	case last.Grade == "" || last.Verdict == score.NoVerdict:
		c.withhold(NotScanned, again, "the set demands the grade %s, and the last scan could not score the server", want)
	case last.Verdict == score.Block:
		c.withhold(BelowGrade, relax, "the last scan of the server says block: %s", strings.Join(last.HardFails, ", "))
	case last.Grade > want: // letters sort as grades do
		c.withhold(BelowGrade, relax, "the set demands the grade %s, and the last scan of the server has %s (%d)", want, last.Grade, last.Score)
	}
}

// ScanCommand returns the command line that scans a server the way it is reached. What
// a program gets in variables of other names than the gateway's cannot be passed on.
func ScanCommand(c *upstream.Config) string {
	words := []string{"glovebox", "scan"}
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		words = append(words, "--header", name+": "+c.Headers[name])
	}
	if c.Kind != upstream.Stdio {
		if c.AllowPrivate {
			words = append(words, "--allow-private")
		}
		if c.Kind == upstream.SSE {
			words = append(words, "--http-sse")
		}
		return shell(append(words, c.URL))
	}
	words = append(words, "--start")
	for _, name := range c.PassEnv {
		words = append(words, "--pass-env", name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		if c.Env[name] == "${"+name+"}" {
			words = append(words, "--pass-env", name)
		}
	}
	if c.Sandbox != "" && c.Sandbox != "none" {
		words = append(words, "--sandbox", c.Sandbox)
	}
	return shell(append(append(words, "--"), c.Command...))
}

// shell joins words so that a POSIX shell takes them apart again.
func shell(words []string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./_-", r)
	}
	all := make([]string, len(words))
	for i, w := range words {
		if all[i] = w; w == "" || strings.ContainsFunc(w, func(r rune) bool { return !plain(r) }) {
			all[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(all, " ")
}
