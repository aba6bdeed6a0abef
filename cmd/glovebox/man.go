package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "Write the manual pages",
		Long: `Write the manual pages: all of them into DIR, or without DIR the first one to
standard output. They hold no date, so the same program always writes the same.`,
		Example: `  glovebox man | man -l -
  glovebox man ~/.local/share/man/man1`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				page, err := manPage(cmd.Root())
				if err != nil {
					return exitWith(exitBug, err)
				}
				_, err = cmd.OutOrStdout().Write(page)
				return err
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return exitWith(exitUsage, err)
			}
			return writeManPages(cmd.Root(), args[0])
		},
	}
}

func writeManPages(cmd *cobra.Command, dir string) error {
	page, err := manPage(cmd)
	if err != nil {
		return exitWith(exitBug, err)
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	if err := os.WriteFile(filepath.Join(dir, name), page, 0o644); err != nil {
		return exitWith(exitIncomplete, err)
	}
	var errs []error
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() && !below.IsAdditionalHelpTopicCommand() {
			errs = append(errs, writeManPages(below, dir))
		}
	}
	return errors.Join(errs...)
}

// manPage is the page of one command in roff. The generator requires a date; it is
// removed afterwards.
func manPage(cmd *cobra.Command) ([]byte, error) {
	cmd.DisableAutoGenTag = true
	noDate := time.Time{}
	var page bytes.Buffer
	err := doc.GenMan(cmd, &doc.GenManHeader{Title: strings.ToUpper(strings.ReplaceAll(cmd.CommandPath(), " ", "-")), Section: "1", Source: "Glovebox", Date: &noDate}, &page)
	if err != nil {
		return nil, err
	}
	dated := fmt.Sprintf("%q", noDate.Format("Jan 2006"))
	return bytes.Replace(page.Bytes(), []byte(dated), []byte(`""`), 1), nil
}
