package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// clusterVerify holds the flags of audit verify that are about a cluster.
type clusterVerify struct {
	cluster bool
	known   string
}

func (c *clusterVerify) flags(a *auditCommand, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.cluster, "cluster", false, "check the copies that the cluster has of the records of all servers")
	cmd.Flags().StringVar(&c.known, "known", "", "a `FILE` with an earlier answer of --cluster --json")
	for _, other := range []string{"archive", "public-key", "checkpoint"} {
		cmd.MarkFlagsMutuallyExclusive("cluster", other)
	}
	a.bind(cmd, "state.nats.url", "state.nats.credentials", "state.nats.nkey", "state.nats.ca", "state.nats.certificate", "state.nats.key")
}

func (c *clusterVerify) run(a *auditCommand, cmd *cobra.Command) error {
	l, err := a.load(cmd)
	if err != nil {
		return err
	}
	if l.State.NATS.URL == "" {
		return exitWith(exitUsage, errors.New("no cluster is configured: say --nats URL"))
	}
	known, err := c.kept()
	if err != nil {
		return exitWith(exitUsage, fmt.Errorf("--known: %w", err))
	}
	found, err := service.CheckCopies(cmd.Context(), l, known)
	if errors.Is(err, store.NotFound) {
		return exitWith(exitNo, errors.New("the cluster has no copies of records: no server has used it yet, or they were taken away"))
	}
	if err != nil {
		return exitOf(err)
	}
	if a.asJSON {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(found)
	} else {
		err = printCopies(cmd.OutOrStdout(), found)
	}
	if err != nil {
		return err
	}
	code := 0
	for _, m := range found.Store.Members {
		if !m.Current {
			code = exitIncomplete
		}
	}
	for _, w := range found.Writers {
		if w.State == audit.Silent && code == 0 {
			code = exitIncomplete
		}
		if len(w.Defects) > 0 {
			code = exitNo
		}
	}
	if code != 0 {
		return exitWith(code, nil)
	}
	return nil
}

// kept reads an earlier answer.
func (c *clusterVerify) kept() ([]audit.Copy, error) {
	if c.known == "" {
		return nil, nil
	}
	text, err := os.ReadFile(c.known)
	if err != nil {
		return nil, err
	}
	var before service.Copies
	if err := json.Unmarshal(bytes.TrimSpace(text), &before); err != nil {
		return nil, fmt.Errorf("%s: %w", c.known, err)
	}
	if len(before.Writers) == 0 {
		return nil, fmt.Errorf("%s names no writers", c.known)
	}
	return before.Writers, nil
}

// printCopies says what was found, one writer a line, and what is wrong with it below.
func printCopies(out io.Writer, found service.Copies) error {
	var b strings.Builder
	defects := 0
	for _, w := range found.Writers {
		fmt.Fprintf(&b, "%s %s: records %d to %d, %s", w.Writer, w.Name, w.From, w.Records, w.State)
		if !w.Heard.IsZero() && w.State != audit.Writing {
			fmt.Fprintf(&b, " since %s", w.Heard.UTC().Format(time.RFC3339))
		}
		if w.State == audit.Silent {
			b.WriteString(": it was killed or is cut off, and what it recorded since is in its own file alone")
		}
		b.WriteString("\n")
		for _, d := range w.Defects {
			fmt.Fprintf(&b, "  %s: record %d: %s\n", d.Kind, d.Seq, d.Detail)
		}
		defects += len(w.Defects)
	}
	for _, m := range found.Store.Members {
		switch {
		case m.Away:
			fmt.Fprintf(&b, "%s, a member of the cluster, is away: its copy of the records is lost or late\n", m.Name)
		case !m.Current:
			fmt.Fprintf(&b, "%s, a member of the cluster, does not have all records yet\n", m.Name)
		}
	}
	fmt.Fprintf(&b, "%s, %s, kept %s\n", counted(len(found.Writers), "writer"), counted(defects, "defect"), counted(found.Store.Copies, "time"))
	_, err := io.WriteString(out, b.String())
	return err
}
