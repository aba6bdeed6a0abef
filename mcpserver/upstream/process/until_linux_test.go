package process_test

import (
	"bufio"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
)

// TestUntil: a server runs for as long as it was said, without anybody doing anything for
// it to end, in every sandbox; and longer when that is said in time.
func TestUntil(t *testing.T) {
	for _, sandbox := range []process.Sandbox{process.None, process.Files} {
		c := shell("echo up; read a; echo $a; read b")
		c.Sandbox = sandbox
		c.Until = process.Clock() + 30*time.Second
		p := start(t, c)
		out := bufio.NewReader(p.Stdout())
		if line, err := out.ReadString('\n'); line != "up\n" {
			t.Fatal(line, err)
		}
		// An earlier time counts as well: it is the last one that was said.
		until := process.Clock() + time.Second
		p.Extend(until)
		exit := p.Exit()
		if process.Clock() < until {
			t.Errorf("%s: it ended before its time", sandbox)
		}
		if !strings.Contains(exit.Reason, "did not say in time") {
			t.Errorf("%s: it ended: %+v", sandbox, exit)
		}
		c.Until = process.Clock() // over
		if p, err := supervisor.Start(t.Context(), c); err == nil {
			p.Kill()
			t.Errorf("%s: it started although its time was over", sandbox)
		}
	}
}
