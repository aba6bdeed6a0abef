package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// run is the whole program except for the process: it returns the exit code. It
// holds the only recover of the command line: a panic is our own bug and is
// reported as one.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			id := rand.Text()[:8]
			fmt.Fprintf(stderr, "glovebox: a bug of ours (%s): %v\n%s\nPlease send the lines above together with the command.\n", id, p, debug.Stack())
			code = exitBug
		}
	}()
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	suggestAtAnyDepth(root, args)
	cmd, err := root.ExecuteC()
	var e *exitError
	switch withCode := errors.As(err, &e); {
	case err == nil:
	case !withCode: // from cobra: invalid flags or arguments
		fmt.Fprintf(stderr, "glovebox: %v\nusage: %s; %s --help says more\n", err, cmd.UseLine(), cmd.CommandPath())
	case e.cause != nil:
		fmt.Fprintf(stderr, "glovebox: %v%s\n", err, wayOut(cmd, err))
	}
	return exitCode(err)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "glovebox",
		Short: "Run other people's tools in a sealed and metered box",
		Long: `Run other people's tools in a sealed and metered box, and serve them over MCP.

Results go to standard output, everything else to standard error. Exit codes, the
same for every command: 0 done, and the answer is good; 1 done, and the answer is no;
2 it could not start; 3 incomplete; 4 a bug of ours.`,
		Example: `  glovebox serve
  glovebox connect claude-desktop
  glovebox run hash --arg text=hello
  glovebox new greet > greet.json`,
		Version:       readBuildInfo().String(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().String("config", "", "the configuration `FILE` (default GLOVEBOX_CONFIG, else glovebox/config.yaml in XDG_CONFIG_HOME)")
	root.SetVersionTemplate("{{.Version}}\n") // people expect --version; the verb has --json
	root.AddCommand(
		newApprovals(),
		newAudit(),
		newCheck(),
		newConfig(),
		newPublish(),
		newConsole(),
		newContract(),
		newDecide(),
		newExplain(),
		newLabels(),
		newSession(),
		newPreset(),
		newRun(),
		newPosture(),
		newTest(),
		newNew(),
		newLibrary(),
		newSanitise(),
		newCatalog(),
		newRisk(),
		newScan(),
		newRescore(),
		newBench(),
		newServe(),
		newDoctor(),
		newHealth(),
		newMan(),
		newConnect(),
		newUpstream(),
		newExpose(),
		newUnexpose(),
		newComposition(),
		newPin(),
		newToken(),
		newVersion(),
	)
	strict(root)
	return root
}

// strict refuses unknown shells and help topics like any other argument: cobra
// would print the help and succeed.
func strict(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		case "help":
			cmd.Run, cmd.RunE = nil, func(_ *cobra.Command, args []string) error {
				topic, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 {
					err = unknownVerb(topic, rest[0])
				}
				if err != nil {
					return err
				}
				return topic.Help()
			}
		}
	}
}
