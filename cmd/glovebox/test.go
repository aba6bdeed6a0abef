package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// testCommand holds the flags of test. It runs tools as run does.
type testCommand struct {
	runCommand
	write bool
	watch bool
	sign  signCommand
}

func newTest() *cobra.Command {
	var c testCommand
	cmd := &cobra.Command{
		Use:   "test SPEC...",
		Short: "Give specs their Local Pass: run each with its own test values",
		Long: `Give specs their Local Pass: run each with its own test values, twice, in the
sandbox and with the posture that the published tool has. The second run gets the
clock, the randomness and the host's answers of the first.

A SPEC is a file, a bundle, or a folder: every .json file in it.

A pass is recorded for exactly this content; an edit asks for another. --write
also clears the draft flag in the files that passed.

--sign writes the passes into passes.note beside the specs, signed, so that they
travel with them: a server serves the specs if its specs.pass_keys names the key,
which is printed. The first --sign makes the key, pass.key in the state folder.`,
		Example: `  glovebox test greet.json
  glovebox test --write ~/tools
  glovebox test --write --watch greet.json
  glovebox test --sign ~/tools`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&c.write, "write", false, "set draft to false in the files that pass")
	f.BoolVar(&c.watch, "watch", false, "test again whenever a file changes")
	f.BoolVar(&c.asJSON, "json", false, "print one JSON object a line")
	c.sign.flags(cmd)
	c.bind(cmd, "limits.timeout", "world.workspace", "world.read_roots", "world.secrets", "audit.file")
	return cmd
}

func (c *testCommand) run(cmd *cobra.Command, args []string) error {
	paths, unread := testFiles(args)
	if len(paths) == 0 && unread != nil {
		return exitWith(exitUsage, unread)
	}
	configured, err := c.load(cmd)
	if err != nil {
		return err
	}
	runConfig, closeAudit, err := openRuntimeConfig(configured, cmd.ErrOrStderr())
	if err != nil {
		return exitWith(exitUsage, err)
	}
	defer closeAudit()
	dir, err := stateDir()
	if err != nil {
		return exitWith(exitUsage, err)
	}
	passes, err := library.OpenPasses(filepath.Join(dir, "passes.json"))
	if err != nil {
		return exitWith(exitUsage, err)
	}
	if err := c.sign.open(service.Place{State: dir}.PassKey()); err != nil {
		return exitWith(exitUsage, err)
	}
	rt, err := runtime.Open(cmd.Context(), runConfig)
	if err != nil {
		return exitWith(exitIncomplete, err)
	}
	defer rt.Close()

	failed := 0
	for _, path := range paths {
		ok, err := c.one(cmd, rt, passes, configured, path)
		if err != nil {
			return err
		}
		if !ok {
			failed++
		}
	}
	if err := c.sign.write(cmd); err != nil {
		return exitWith(exitIncomplete, err)
	}
	if unread != nil && !c.watch {
		return exitWith(exitUsage, unread)
	}
	if c.watch {
		return c.watchFiles(cmd, rt, passes, configured, paths)
	}
	if failed > 0 {
		return exitWith(exitNo, nil)
	}
	return nil
}

// testFiles returns the files that arguments name. An unreadable file does not
// keep the others from being tested.
func testFiles(args []string) (paths []string, unread error) {
	for _, arg := range args {
		files, err := specFiles(arg)
		if err != nil {
			unread = errors.Join(unread, err)
		}
		for _, file := range files {
			if file != arg { // in a folder, which may hold other files
				if _, err := library.Read(file); err != nil {
					unread = errors.Join(unread, err)
					continue
				}
			}
			paths = append(paths, file)
		}
	}
	return paths, unread
}

// one tests one file, or each spec of a bundle, and reports the result.
func (c *testCommand) one(cmd *cobra.Command, rt *runtime.Runtime, passes *library.Passes, l *config.Loaded, path string) (bool, error) {
	document, err := os.ReadFile(path)
	if err != nil {
		return false, exitWith(exitUsage, err)
	}
	if !catalog.IsBundle(document) {
		return c.testSpec(cmd, rt, passes, l, path, document, false)
	}
	bundle, problems := catalog.ParseBundle(document)
	all := problems.Err() == nil
	if !all {
		if err := (&testVerdict{File: path, Problems: problems}).print(cmd, c.asJSON); err != nil {
			return false, err
		}
	}
	for _, spec := range bundle.Specs {
		ok, err := c.testSpec(cmd, rt, passes, l, path, spec.Raw(), true)
		if err != nil {
			return false, err
		}
		if ok && c.write && spec.Draft() {
			fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %s: %s stays a draft: --write does not write into a bundle of specs; give test --write a file of its own, and glovebox library add that\n", path, spec.Name())
		}
		all = all && ok
	}
	return all, nil
}

// testSpec tests one document.
func (c *testCommand) testSpec(cmd *cobra.Command, rt *runtime.Runtime, passes *library.Passes, l *config.Loaded, path string, document []byte, inBundle bool) (bool, error) {
	verdict := testVerdict{File: path}
	tool, problems := rt.Load(document)
	if problems.Err() != nil {
		verdict.Problems = problems
		return false, verdict.print(cmd, c.asJSON)
	}
	verdict.Tool, verdict.Level = tool.Spec().Name(), tool.Level().String()
	world, closeWorld, err := c.world(l, tool.Posture(), cmd.ErrOrStderr())
	if err != nil {
		return false, exitWith(exitUsage, err)
	}
	defer closeWorld()
	report := tool.LocalPass(cmd.Context(), runtime.Invocation{World: world, Caller: "local"})
	verdict.judge(report)
	c.sign.add(path, tool.Spec(), verdict.Passed)
	if safety := tool.Safety(); !verdict.Passed {
		verdict.Safety = &safety
	}
	if verdict.Passed {
		if err := passes.Add(tool.Spec().Hash(), library.Pass{Tool: tool.Spec().Name(), At: time.Now().UTC(), Runtime: catalog.RuntimeID}); err != nil {
			return false, exitWith(exitIncomplete, err)
		}
		if c.write && tool.Spec().Draft() && !inBundle {
			published, problems := tool.Spec().With("draft", false)
			if err := problems.Err(); err != nil {
				return false, exitWith(exitBug, err)
			}
			if err := library.WriteFile(path, published.Raw()); err != nil {
				return false, exitWith(exitIncomplete, err)
			}
		}
	}
	return verdict.Passed, verdict.print(cmd, c.asJSON)
}

// testVerdict is what --json prints for one file.
type testVerdict struct {
	File     string           `json:"file"`
	Tool     string           `json:"tool,omitempty"`
	Passed   bool             `json:"passed"`
	Code     catalog.Code     `json:"code,omitempty"`
	Level    string           `json:"riskLevel,omitempty"`
	Failure  *runtime.Failure `json:"failure,omitempty"`
	Problems catalog.Problems `json:"problems,omitempty"`
	// Safety is the posture under which a run failed.
	Safety  *catalog.ToolSafety `json:"toolSafety,omitempty"`
	ID      string              `json:"id,omitempty"`
	Elapsed int64               `json:"elapsedUs,omitempty"`
	Result  json.RawMessage     `json:"result,omitempty"`
}

func (v *testVerdict) judge(report *runtime.PassReport) {
	v.Failure, v.Passed = report.Failure, report.Failure == nil
	if !v.Passed {
		v.Code = catalog.LocalPassFailed
	}
	if first := report.First; first != nil {
		v.ID, v.Elapsed, v.Result = first.ID, first.Usage.Elapsed.Microseconds(), first.Value
	}
}

func (v *testVerdict) print(cmd *cobra.Command, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		return json.NewEncoder(out).Encode(v)
	}
	switch {
	case v.Passed:
		_, err := fmt.Fprintf(out, "PASS  %s  %s %s  %s\n", v.File, v.Level, v.Tool, time.Duration(v.Elapsed)*time.Microsecond)
		return err
	case v.Failure != nil && v.Failure.Kind != jsengine.Internal:
		_, err := fmt.Fprintf(out, "FAIL  %s  %s\n", v.File, v.Failure)
		return err
	case v.Failure != nil:
		_, err := fmt.Fprintf(out, "FAIL  %s  %s (%v)\n", v.File, v.Failure, v.Failure.Cause)
		return err
	}
	fmt.Fprintf(out, "FAIL  %s\n", v.File)
	return printProblems(out, v.Problems)
}

func printProblems(w io.Writer, problems catalog.Problems) error {
	for _, p := range problems {
		if _, err := fmt.Fprintf(w, "      %s\n", p); err != nil {
			return err
		}
	}
	return nil
}

// watchFiles tests a file again after each change, until it is interrupted.
func (c *testCommand) watchFiles(cmd *cobra.Command, rt *runtime.Runtime, passes *library.Passes, l *config.Loaded, paths []string) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
	defer stop()
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return exitWith(exitIncomplete, err)
	}
	defer watcher.Close()
	watched := map[string]string{} // absolute path -> path as given
	for _, path := range paths {
		full, err := filepath.Abs(path)
		if err == nil {
			watched[full] = path
			// An editor replaces the file, so only its folder can be watched.
			err = watcher.Add(filepath.Dir(full))
		}
		if err != nil {
			return exitWith(exitUsage, err)
		}
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "watching; interrupt to stop")
	return c.retest(ctx, watcher, watched, func(path string) error {
		if _, err := c.one(cmd, rt, passes, l, path); err != nil {
			return err
		}
		return c.sign.write(cmd)
	})
}

// quietTime is how long a file must be left alone before it is tested: editors
// save in several steps.
const quietTime = 50 * time.Millisecond

func (c *testCommand) retest(ctx context.Context, watcher *fsnotify.Watcher, watched map[string]string, test func(path string) error) error {
	changed := map[string]bool{}
	quiet := time.NewTimer(0)
	<-quiet.C
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-watcher.Errors:
			return exitWith(exitIncomplete, err)
		case e := <-watcher.Events:
			if path, ok := watched[e.Name]; ok {
				changed[path] = true
				quiet.Reset(quietTime)
			}
		case <-quiet.C:
			for path := range changed {
				if _, err := os.Stat(path); err != nil {
					continue // between two steps of an editor
				}
				if err := test(path); err != nil {
					return err
				}
			}
			clear(changed)
		}
	}
}
