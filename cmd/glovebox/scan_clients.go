package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/editors"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/imports"
	"github.com/glovebox-run/glovebox/risk/score"
)

// maxClientFile bounds a configuration that is read, in bytes: Claude Code keeps its
// history in the same file.
const maxClientFile = 64 << 20

// lookedAt is one file that may hold servers.
type lookedAt struct {
	Client  string          `json:"client"`
	Path    string          `json:"path"`
	Found   string          `json:"found"` // "servers", "no file" or why it was not read
	Servers []imports.Found `json:"servers,omitempty"`
	Left    []imports.Left  `json:"left,omitempty"`
}

// fromClients lists the servers of every known client with every file that was looked
// at, and returns those that the person agreed to scan.
func (s *serverScan) fromClients(cmd *cobra.Command, asJSON bool) ([]score.Target, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, exitWith(exitUsage, err)
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return nil, exitWith(exitUsage, err)
	}
	reader, err := imports.NewReader(home)
	if err != nil {
		return nil, err
	}
	var all []lookedAt
	var targets []score.Target
	seen := map[string]bool{}
	for _, c := range editors.All() {
		l := lookAt(reader, c, c.File(home, config))
		all = append(all, l)
		for _, found := range l.Servers {
			t, ok := s.agreed(found)
			if ok && !seen[t.Identity()] {
				seen[t.Identity()] = true
				targets = append(targets, t)
			}
		}
	}
	out := cmd.OutOrStdout()
	if len(targets) > 0 {
		out = cmd.ErrOrStderr() // the reports are the result
	}
	for _, l := range all {
		if asJSON {
			if err := json.NewEncoder(out).Encode(l); err != nil {
				return nil, err
			}
			continue
		}
		fmt.Fprintf(out, "%s: %s: %s\n", l.Client, oneLine(l.Path), oneLine(l.Found))
		for _, found := range l.Servers {
			fmt.Fprintf(out, "  %s  %s\n", oneLine(found.Called), oneLine(strings.Join(append([]string{found.Kind, found.URL}, found.Command...), " ")))
		}
		for _, left := range l.Left {
			fmt.Fprintf(out, "  %s  left out: %s\n", oneLine(left.Called), oneLine(left.Why))
		}
	}
	return targets, nil
}

func lookAt(reader *imports.Reader, c editors.Client, path string) lookedAt {
	l := lookedAt{Client: c.Name, Path: path}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.Found = "no file"
		return l
	case err != nil:
		l.Found = err.Error()
		return l
	case !info.Mode().IsRegular() || info.Size() > maxClientFile:
		l.Found = "is no file of at most 64 MiB"
		return l
	}
	text, err := os.ReadFile(path)
	if err != nil {
		l.Found = err.Error()
		return l
	}
	read, err := reader.Client(c, text)
	if err != nil {
		l.Found = err.Error()
		return l
	}
	l.Servers, l.Left = read.Found, read.Left
	l.Found = counted(len(read.Found), "server")
	return l
}

// agreed returns the target of a server if the flags allow to reach it.
func (s *serverScan) agreed(f imports.Found) (score.Target, bool) {
	switch {
	case f.Kind == "stdio":
		return score.Target{Kind: score.Stdio, Command: f.Command, Name: f.Name}, s.start && len(f.Variables) == 0
	case f.Kind == "sse":
		return score.Target{Kind: score.SSE, URL: f.URL}, s.contact
	}
	return score.Target{Kind: score.HTTP, URL: f.URL}, s.contact
}
