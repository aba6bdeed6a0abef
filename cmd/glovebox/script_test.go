package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/glovebox-run/glovebox/internal/vectors"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// The scripts run the real command in a folder of their own; `glovebox` in a
// script is this test binary.
func TestMain(m *testing.M) {
	process.Main()
	testscript.Main(m, map[string]func(){"glovebox": main, "upstream-server": upstreamServer, "browser": browse, "storm-server": stormServer, "storm-bridge": stormBridge, "once-server": onceServer, "promise-server": promiseServer, "nats-member": natsMember})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"serving": serving, "capture": capture, "declaring": declaring, "until": await, "guarded": guarded, "walled": walled},
		Setup: func(env *testscript.Env) error {
			// The guest's cache is shared between scripts: it holds nothing that
			// a test may see, and linking it anew takes a second each.
			cache, err := os.UserCacheDir()
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("TESTDATA", vectors.Testdata())
			env.Setenv("XDG_STATE_HOME", env.WorkDir+"/.state")
			env.Values[walledKey{}] = &walledServer{}
			return err
		},
	})
}

// serving waits until the server that was started in the background serves.
func serving(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: serving")
	}
	for started := time.Now(); time.Since(started) < patience; time.Sleep(5 * time.Millisecond) {
		if peer, err := local.Find(filepath.Join(ts.Getenv("XDG_STATE_HOME"), "glovebox")); err == nil {
			if _, err := peer.Status(context.Background()); err == nil {
				return
			}
		}
	}
	ts.Fatalf("no server within %v", patience)
}

// await runs a command until its standard output matches.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEXP COMMAND...")
	}
	want := regexp.MustCompile("(?m)" + args[0])
	for started := time.Now(); time.Since(started) < patience; time.Sleep(50 * time.Millisecond) {
		if err := ts.Exec(args[1], args[2:]...); err == nil && want.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("no match for %s within %v in:\n%s", args[0], patience, ts.ReadFile("stdout"))
}

// declaring writes a spec whose code is so many declarations with let.
func declaring(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: declaring N FILE")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var code strings.Builder
	for i := range n {
		fmt.Fprintf(&code, "let v%d=%[1]d;", i)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), fmt.Appendf(nil, `{"name": "declaring", "code": %q, "codeType": "Javascript"}`, code.String()), 0o600))
}

// capture sets a variable to what a group in a regular expression matches in the
// last standard output.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture NAME REGEXP")
	}
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("no match for %s in %s", args[1], ts.ReadFile("stdout"))
	}
	ts.Setenv(args[0], found[1])
}
