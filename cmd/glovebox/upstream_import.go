package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/internal/osfile"
	"github.com/glovebox-run/glovebox/mcpserver/editors"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/imports"
)

// imported is one server as upstream import reports it.
type imported struct {
	imports.Found
	From  string        `json:"from"`
	Risk  *gateway.Risk `json:"risk,omitempty"`
	Added bool          `json:"added"`
	Why   string        `json:"why,omitempty"` // it was not added
}

type importCommand struct {
	gatewayVerbs
	dryRun  bool
	only    []string
	set     []string
	secrets string
}

func newUpstreamImport() *cobra.Command {
	var c importCommand
	cmd := &cobra.Command{
		Use:   "import [CLIENT | FILE]...",
		Short: "Register the servers of other programs' configurations, in quarantine",
		Long: `Register the servers of other programs' configurations, in quarantine: of the named
clients, of a configuration in any of their forms, of the registry's server.json or
of a .mcpb bundle; without a name, of every client that this machine has. Nothing is
started or contacted; a bundle is unpacked into the state folder.

Values that look like secrets are not kept. A ${NAME} takes their place, to be set in
the environment of the gateway or in the file of world.secrets; --keep-secrets writes the
values into such a file, mode 0600, without showing them.`,
		Example: `  glovebox upstream import --dry-run
  glovebox upstream import claude-desktop cursor
  glovebox upstream import ./mcp.json --keep-secrets ~/.config/glovebox/secrets.env`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, client := range editors.All() {
				ids = append(ids, client.ID)
			}
			return ids, cobra.ShellCompDirectiveDefault
		},
		RunE: c.run,
	}
	f := cmd.Flags()
	f.BoolVar(&c.dryRun, "dry-run", false, "say what would be done, and do nothing")
	f.StringArrayVar(&c.only, "only", nil, "only the server of this `NAME`; repeat it")
	f.StringArrayVar(&c.set, "set", nil, "a value that the catalog entry or bundle asks for, as `NAME=VALUE`")
	f.StringVar(&c.secrets, "keep-secrets", "", "write the secrets that were found into this `FILE`, for world.secrets")
	c.bindJSON(cmd)
	return cmd
}

func (c *importCommand) run(cmd *cobra.Command, args []string) error {
	found, left, err := c.read(args)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	if !c.dryRun && len(found) > 0 {
		if err := c.keepSecrets(cmd, found); err != nil {
			return exitWith(exitIncomplete, err)
		}
		if err := c.register(cmd, found); err != nil {
			return err
		}
	}
	if c.asJSON {
		err = c.print(cmd, map[string]any{"servers": found, "left": left}, nil)
	} else {
		err = c.print(cmd, nil, func(out io.Writer) { c.write(out, found, left) })
	}
	if err != nil {
		return err
	}
	added := 0
	for i := range found {
		if found[i].Added {
			added++
		}
	}
	if added > 0 {
		c.next(cmd, "glovebox upstream show NAME, then glovebox upstream enable NAME, for each of the %d that you want", added)
	}
	return nil
}

// read reads the named clients and files, or all clients.
func (c *importCommand) read(args []string) (found []imported, left []imports.Left, err error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, nil, err
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return nil, nil, err
	}
	reader, err := imports.NewReader(home)
	if err != nil {
		return nil, nil, err
	}
	add := func(from string, read imports.Read) {
		for _, f := range read.Found {
			if len(c.only) == 0 || contains(c.only, f.Name) || contains(c.only, f.Called) {
				found = append(found, imported{Found: f, From: from})
			}
		}
		left = append(left, read.Left...)
	}
	all := len(args) == 0
	if all {
		for _, client := range editors.All() {
			args = append(args, client.ID)
		}
	}
	for _, arg := range args {
		client, notClient := editors.Find(arg)
		if notClient == nil {
			read, file, err := gateway.ReadClient(reader, client, home, folder)
			if errors.Is(err, os.ErrNotExist) && all {
				continue
			}
			switch {
			case err != nil && all: // one broken file keeps nobody from the others
				left = append(left, imports.Left{Called: file, Why: err.Error()})
			case err != nil:
				return nil, nil, fmt.Errorf("%s: %w", file, err)
			}
			add(client.ID, read)
			continue
		}
		read, err := c.file(reader, arg)
		if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(arg, `/\.`) {
			return nil, nil, fmt.Errorf("%w, and there is no file of that name", notClient)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", arg, err)
		}
		add(arg, read)
	}
	return found, left, nil
}

func contains(list []string, text string) bool {
	for _, item := range list {
		if item == text {
			return true
		}
	}
	return false
}

func (c *importCommand) file(reader *imports.Reader, name string) (imports.Read, error) {
	if ext := strings.ToLower(filepath.Ext(name)); ext == ".mcpb" || ext == ".dxt" {
		return c.bundle(reader, name)
	}
	text, err := gateway.ReadBounded(name, editors.MaxText)
	if err != nil {
		return imports.Read{}, err
	}
	whole, err := filepath.Abs(name)
	if err != nil {
		return imports.Read{}, err
	}
	return reader.File(whole, text)
}

// bundle reads a bundle, and unpacks it into the state folder.
func (c *importCommand) bundle(reader *imports.Reader, name string) (read imports.Read, err error) {
	f, err := os.Open(name)
	if err != nil {
		return read, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return read, err
	}
	b, err := imports.OpenBundle(f, info.Size())
	if err != nil {
		return read, err
	}
	values := map[string]string{}
	for _, text := range c.set {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return read, fmt.Errorf("--set %s: write NAME=VALUE", text)
		}
		values[key] = value
	}
	p, err := place()
	if err != nil {
		return read, err
	}
	dir := filepath.Join(p.Bundles(), b.Folder())
	found, err := reader.Bundle(b, dir, values)
	if err != nil {
		return imports.Read{Left: []imports.Left{{Called: found.Called, Why: err.Error()}}}, nil
	}
	if !c.dryRun {
		if err := b.Unpack(dir); errors.Is(err, os.ErrExist) {
			return read, fmt.Errorf("this version is unpacked already; remove %s to unpack it again", dir)
		} else if err != nil {
			return read, err
		}
	}
	return imports.Read{Found: []imports.Found{found}}, nil
}

// keepSecrets appends the secrets that were found to the file of --keep-secrets.
func (c *importCommand) keepSecrets(cmd *cobra.Command, found []imported) error {
	if c.secrets == "" {
		return nil
	}
	var lines strings.Builder
	n := 0
	for _, f := range found {
		for _, v := range f.Variables {
			if value := v.Value.Reveal(); value != "" {
				fmt.Fprintf(&lines, "%s=%s\n", v.Name, quoteEnv(value))
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	out, err := os.OpenFile(c.secrets, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := out.Stat()
	if err == nil {
		err = osfile.Private(c.secrets, info)
	}
	if err == nil {
		_, err = io.WriteString(out, lines.String())
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s into %s; world.secrets: %s has the gateway read them\n", counted(n, "secret"), c.secrets, c.secrets)
	return nil
}

// quoteEnv writes a value so that the reader of the file takes it literally.
func quoteEnv(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "$", `\$`).Replace(value) + `"`
}

// register adds what was found. A server that is there already stays as it is.
func (c *importCommand) register(cmd *cobra.Command, found []imported) error {
	do, done, err := c.open(cmd)
	if err != nil {
		return err
	}
	defer done()
	for i := range found {
		f := &found[i]
		r := exposure.Registration{Config: f.Config, Origin: exposure.ByImport, State: exposure.Quarantined}
		var s gateway.Server
		if err := do("add", r, &s); err != nil {
			if code := exitCode(err); code != exitNo && code != exitUsage {
				return err
			}
			f.Why = err.Error()
			continue
		}
		f.Added, f.Risk = true, &s.Risk
	}
	return nil
}

func (c *importCommand) write(out io.Writer, found []imported, left []imports.Left) {
	for i := range found {
		f := &found[i]
		level := ""
		if f.Risk != nil {
			level = f.Risk.Chip + "  "
		}
		fmt.Fprintf(out, "%s  %s%s  (%s)\n", f.Name, level, oneLine(reachedAt(f.Config)), oneLine(f.From))
		for _, v := range f.Variables {
			how := "set it"
			if v.Value.Reveal() != "" {
				how = "its value stays in that file; set it"
				if c.secrets != "" {
					how = "kept in " + c.secrets
				}
			}
			fmt.Fprintf(out, "  ${%s}: %s; %s\n", v.Name, oneLine(v.For), how)
		}
		for _, note := range f.Notes {
			fmt.Fprintf(out, "  %s\n", oneLine(note))
		}
		if f.Why != "" {
			fmt.Fprintf(out, "  not added: %s\n", oneLine(f.Why))
		}
	}
	for _, l := range left {
		fmt.Fprintf(out, "left out %s: %s\n", oneLine(l.Called), oneLine(l.Why))
	}
}
