package main

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/glovebox-run/glovebox/internal/vectors"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// The scripts run the real command in a folder of their own; `glovebox` in a
// script is this test binary.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"glovebox": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			// The guest's cache is shared between scripts: it holds nothing that
			// a test may see, and linking it anew takes a second each.
			cache, err := os.UserCacheDir()
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("TESTDATA", vectors.Testdata())
			env.Setenv("XDG_STATE_HOME", env.WorkDir+"/.state")
			return err
		},
	})
}
