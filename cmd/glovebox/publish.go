package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/publication"
	"github.com/glovebox-run/glovebox/mcpserver/service"
)

// publishCommand holds the flags of publish.
type publishCommand struct {
	settings
	show, withdraw, asJSON bool
}

func newPublish() *cobra.Command {
	c := &publishCommand{}
	cmd := &cobra.Command{
		Use:   "publish DIR",
		Short: "Have all servers of a cluster serve the specs of a folder",
		Long: `Have all servers of a cluster serve the specs of a folder, beside their own and instead
of what was published before, all at once. The passes must come with them, signed (glovebox
test --sign), and each server takes them only from keys in its specs.pass_keys.

Exit code 1 means that a spec has no signed pass, or that nothing is published.`,
		Example: `  glovebox publish tools --nats nats://n1:4222
  glovebox publish --show
  glovebox publish --withdraw`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	c.bind(cmd, "state.nats.url", "state.nats.credentials", "state.nats.nkey", "state.nats.ca", "state.nats.certificate", "state.nats.key", "state.nats.replicas")
	f := cmd.Flags()
	f.BoolVar(&c.show, "show", false, "show what is published, and change nothing")
	f.BoolVar(&c.withdraw, "withdraw", false, "publish nothing any more")
	f.BoolVar(&c.asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("show", "withdraw")
	return cmd
}

func (c *publishCommand) run(cmd *cobra.Command, args []string) error {
	if (len(args) == 1) == (c.show || c.withdraw) {
		return exitWith(exitUsage, errors.New("name one folder to publish, or say --show or --withdraw"))
	}
	p, err := place()
	if err != nil {
		return exitWith(exitUsage, err)
	}
	l, err := c.load(cmd)
	if err != nil {
		return err
	}
	if l.State.NATS.URL == "" {
		return exitWith(exitUsage, errors.New("specs are published to a cluster, and none is configured: say --nats URL; a server of its own serves a folder with glovebox serve --folder DIR"))
	}
	var files map[string][]byte
	if len(args) == 1 {
		keys, err := service.PassKeys(l, p)
		if err != nil {
			return exitWith(exitUsage, err)
		}
		folder, err := publication.Read(args[0], keys, time.Now())
		if errors.Is(err, publication.ErrUnfit) {
			return exitWith(exitNo, err)
		}
		if err != nil {
			return exitWith(exitUsage, err)
		}
		for _, name := range folder.Drafts {
			fmt.Fprintf(cmd.ErrOrStderr(), "left out %s: it is a draft\n", name)
		}
		files = folder.Files
	}
	ctx := cmd.Context()
	shelf, done, err := service.OperatePublication(ctx, service.Options{Configuration: l, Place: p}, cmd.CommandPath())
	if err != nil {
		return exitOf(err)
	}
	defer done()
	switch {
	case c.withdraw:
		_, err = shelf.Withdraw(ctx, whoPublishes(), time.Now())
	case !c.show:
		_, err = shelf.Put(ctx, files, whoPublishes(), time.Now())
	}
	if errors.Is(err, publication.ErrFile) {
		return exitWith(exitUsage, err)
	}
	if err != nil {
		return exitOf(err)
	}
	now, err := shelf.Now(ctx)
	if errors.Is(err, publication.ErrNone) && !c.withdraw {
		return exitWith(exitNo, err)
	}
	if err != nil && !errors.Is(err, publication.ErrNone) {
		return exitOf(err)
	}
	return c.print(cmd, now)
}

// print says what is published.
func (c *publishCommand) print(cmd *cobra.Command, p *publication.Publication) error {
	if c.asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(p)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s published by %s at %s\n", counted(p.Specs(), "spec"), p.By, p.At.Local().Format(time.DateTime))
	return err
}

// whoPublishes names the person at this machine.
func whoPublishes() string {
	name := "somebody"
	if u, err := user.Current(); err == nil {
		name = strings.TrimSpace(u.Username)
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return name
}
