package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/editors"
)

// connectCommand holds the flags of connect.
type connectCommand struct {
	name   string
	file   string
	dryRun bool
	undo   bool
	asJSON bool
}

func newConnect() *cobra.Command {
	var c connectCommand
	var ids []string
	for _, client := range editors.All() {
		ids = append(ids, client.ID)
	}
	cmd := &cobra.Command{
		Use:   "connect CLIENT [-- SERVE-FLAG...]",
		Short: "Enter glovebox into the configuration of an MCP client",
		Long: `Enter glovebox into the configuration of an MCP client, or take it out with --undo.

CLIENT is one of ` + strings.Join(ids[:8], ", ") + `,
` + strings.Join(ids[8:], ", ") + `. It will start
"glovebox serve --stdio" with the flags after --. The change is shown; a copy of the
file as it was is kept beside it until --undo, which restores it byte for byte if
nothing else has changed. Everything else in the file stays, comments included.`,
		Example: `  glovebox connect claude-desktop
  glovebox connect cursor -- --folder ~/tools
  glovebox connect cursor --undo`,
		Args:      cobra.MinimumNArgs(1),
		ValidArgs: ids,
		RunE:      func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0], args[1:]) },
	}
	f := cmd.Flags()
	f.StringVar(&c.name, "name", "glovebox", "the `NAME` of the server in the client")
	f.StringVar(&c.file, "file", "", "the client's configuration `FILE` (default where the client has it)")
	f.BoolVar(&c.dryRun, "dry-run", false, "show the change and leave the file alone")
	f.BoolVar(&c.undo, "undo", false, "take the server out again")
	f.BoolVar(&c.asJSON, "json", false, "print the change as one JSON object")
	return cmd
}

// connectReport is the object that --json prints.
type connectReport struct {
	File    string          `json:"file"`
	Changed bool            `json:"changed"` // or would have changed, with --dry-run
	Old     json.RawMessage `json:"old,omitempty"`
	New     json.RawMessage `json:"new,omitempty"`
	Backup  string          `json:"backup,omitempty"`
}

func (c *connectCommand) run(cmd *cobra.Command, id string, flags []string) error {
	client, err := editors.Find(id)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	if named := cmd.Flag("config"); named != nil && named.Changed {
		flags = append([]string{"--config", named.Value.String()}, flags...)
	}
	if !c.undo {
		if err := servable(flags); err != nil {
			return exitWith(exitUsage, fmt.Errorf("glovebox serve --stdio %s would not start: %w", strings.Join(flags, " "), err))
		}
	}
	file, err := c.path(client)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	text, backup, err := editors.Read(file, c.name)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	var change editors.Change
	if c.undo {
		change, err = client.Disconnect(text, backup, c.name)
	} else {
		change, err = c.connect(client, text, flags)
	}
	if err != nil {
		return exitWith(exitUsage, fmt.Errorf("%s: %w", file, err))
	}
	changed := (change.After == nil) != (text == nil) || !bytes.Equal(change.After, text)
	if changed && !c.dryRun {
		write := editors.Apply
		if c.undo {
			write = editors.Undo
		}
		if err := write(file, c.name, change); err != nil {
			return exitWith(exitIncomplete, err)
		}
	}
	return c.print(cmd, client, file, change, changed)
}

func (c *connectCommand) path(client editors.Client) (string, error) {
	if c.file != "" {
		return c.file, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%w: set HOME, or name the client's file with --file", err)
	}
	folder, err := os.UserConfigDir()
	return client.File(home, folder), err
}

// pathFlags are the flags of serve that name files.
func pathFlags() []string {
	flags := []string{"--config"}
	for _, k := range config.Keys {
		if k.Flag != "" && k.IsPath() {
			flags = append(flags, "--"+k.Flag)
		}
	}
	return flags
}

// servable reports why serve would refuse the flags: a client never shows that
// error.
func servable(flags []string) error {
	var serve serveCommand
	cmd := serve.command()
	cmd.Flags().String("config", "", "")
	if err := cmd.ParseFlags(append([]string{"--stdio"}, flags...)); err != nil {
		return err
	}
	if cmd.Flags().NArg() > 0 {
		return fmt.Errorf("%q is no flag", cmd.Flags().Arg(0))
	}
	_, err := serve.load(cmd)
	return err
}

func (c *connectCommand) connect(client editors.Client, text []byte, flags []string) (editors.Change, error) {
	program, err := os.Executable()
	if err != nil {
		return editors.Change{}, err
	}
	// The client starts the program in any directory, so paths have to be absolute.
	paths := pathFlags()
	for i := range flags {
		name, path, joined := strings.Cut(flags[i], "=")
		switch {
		case joined && slices.Contains(paths, name):
			path, err = filepath.Abs(path)
			flags[i] = name + "=" + path
		case i > 0 && slices.Contains(paths, flags[i-1]):
			flags[i], err = filepath.Abs(flags[i])
		}
		if err != nil {
			return editors.Change{}, err
		}
	}
	return client.Connect(text, c.name, editors.Entry{Command: program, Args: append([]string{"serve", "--stdio"}, flags...)})
}

func (c *connectCommand) print(cmd *cobra.Command, client editors.Client, file string, change editors.Change, changed bool) error {
	out := cmd.OutOrStdout()
	if c.asJSON {
		report := connectReport{File: file, Changed: changed, Old: json.RawMessage(change.Old), New: json.RawMessage(change.New)}
		if changed && !c.undo && !c.dryRun && change.Before != nil {
			report.Backup = editors.Backup(file, c.name)
		}
		return json.NewEncoder(out).Encode(report)
	}
	if !changed {
		_, err := fmt.Fprintf(out, "%s: nothing to change\n", file)
		return err
	}
	fmt.Fprintln(out, file)
	if change.Old != "" {
		fmt.Fprintf(out, "- %s: %s\n", c.name, change.Old)
	}
	if change.New != "" {
		fmt.Fprintf(out, "+ %s: %s\n", c.name, change.New)
	}
	var err error
	if !c.dryRun {
		if !c.undo && change.Before != nil {
			fmt.Fprintf(out, "The file as it was is in %s; --undo takes the change back.\n", editors.Backup(file, c.name))
		}
		_, err = fmt.Fprintf(out, "Start %s again to use it.\n", client.Name)
	}
	return err
}
