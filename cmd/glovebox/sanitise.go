package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/risk/egress"
)

// longestLine bounds one line of --format jsonl, in bytes: a line is held in memory
// several times over.
const longestLine = 64 << 20

type sanitiseFlags struct {
	format, policy, gitleaks, tool string
	isError, report                bool
}

func newSanitise() *cobra.Command {
	var flags sanitiseFlags
	cmd := &cobra.Command{
		Use:   "sanitise",
		Short: "Put placeholders where secrets are, from stdin to stdout",
		Long: `Sanitise reads a text and writes it with placeholders such as
[REDACTED:github-token#1] in the place of credentials. Equal values get equal
placeholders within one run.

With --format jsonl every line is {"id", "text"} and becomes {"id", "text",
"redactions": [{"rule", "start", "end"}]}; offsets are bytes of the text as it
came, in UTF-8.`,
		Example: `  some-tool | glovebox sanitise
  glovebox sanitise --format json --report < result.json
  glovebox sanitise --format jsonl --policy policy.yaml < rows.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return sanitise(cmd, flags) },
	}
	cmd.Flags().StringVar(&flags.format, "format", "text", "what comes in: text, json or jsonl")
	oneOf(cmd, "format", "text", "json", "jsonl")
	cmd.Flags().StringVar(&flags.policy, "policy", "", "policy and further rules, a YAML `FILE`")
	cmd.Flags().StringVar(&flags.gitleaks, "gitleaks", "", "further rules, a gitleaks rule `FILE` (TOML)")
	cmd.Flags().StringVar(&flags.tool, "tool", "", "the tool whose part of the policy counts, by `NAME`")
	cmd.Flags().BoolVar(&flags.isError, "error", false, "treat the text as an error: paths and stack frames are redacted")
	cmd.Flags().BoolVar(&flags.report, "report", false, "write what was found to stderr, as one JSON object a line")
	return cmd
}

func sanitise(cmd *cobra.Command, flags sanitiseFlags) error {
	cleaner, err := service.Sanitiser(flags.policy, flags.gitleaks, tellOn(cmd.ErrOrStderr()))
	if err != nil {
		return exitWith(exitUsage, err)
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return exitWith(exitIncomplete, err)
	}
	s := &sanitising{
		cleaner: cleaner,
		session: egress.NewSession(key, nil),
		place:   egress.Place{Tool: flags.tool, Error: flags.isError},
		report:  io.Discard,
	}
	if flags.report {
		s.report = cmd.ErrOrStderr()
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	switch flags.format {
	case "text", "json":
		err = s.whole(cmd.InOrStdin(), out, flags.format == "json")
	case "jsonl":
		err = s.lines(cmd.InOrStdin(), out)
	default:
		return exitWith(exitUsage, fmt.Errorf("--format %q: want text, json or jsonl", flags.format))
	}
	return errors.Join(err, out.Flush())
}

type sanitising struct {
	cleaner *egress.Sanitiser
	session *egress.Session
	place   egress.Place
	report  io.Writer
	failed  error // of the report
}

// whole cleans all of the input as one text. JSON is held in memory.
func (s *sanitising) whole(in io.Reader, out io.Writer, mustBeJSON bool) error {
	if mustBeJSON {
		text, err := io.ReadAll(in)
		if err != nil {
			return exitWith(exitIncomplete, err)
		}
		if !json.Valid(text) {
			return exitWith(exitUsage, errors.New("--format json: the input is not JSON; --format text takes anything"))
		}
		in = bytes.NewReader(text)
	}
	var outcome egress.Outcome
	err := s.cleaner.Stream(s.session, s.place, in, out, func(f egress.Finding) {
		outcome.Findings = append(outcome.Findings[:0], f)
		s.failed = errors.Join(s.failed, s.tell("", outcome))
	})
	if blocked := (*egress.BlockedError)(nil); errors.As(err, &blocked) {
		return errors.Join(exitWith(exitNo, err), s.failed)
	}
	if err != nil {
		return exitWith(exitIncomplete, err)
	}
	return s.failed
}

type redaction struct {
	Rule  string `json:"rule"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// lines cleans {id, text} by {id, text}.
func (s *sanitising) lines(in io.Reader, out io.Writer) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 64<<10), longestLine)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	blocked := 0
	n := 0
	for scanner.Scan() {
		n++
		if len(bytes.TrimSpace(scanner.Bytes())) == 0 {
			continue
		}
		var row struct {
			ID   json.RawMessage `json:"id"`
			Text *string         `json:"text"`
		}
		if err := json.Unmarshal(scanner.Bytes(), &row); err != nil {
			return exitWith(exitUsage, fmt.Errorf("line %d: %w", n, err))
		}
		if row.Text == nil {
			return exitWith(exitUsage, fmt.Errorf(`line %d: no "text"`, n))
		}
		clean, outcome := s.cleaner.Text(s.session, s.place, *row.Text)
		if err := s.tell(string(row.ID), outcome); err != nil {
			return err
		}
		answer := struct {
			ID         json.RawMessage `json:"id,omitempty"`
			Text       string          `json:"text"`
			Redactions []redaction     `json:"redactions"`
			Blocked    string          `json:"blocked,omitempty"`
		}{ID: row.ID, Text: clean, Redactions: []redaction{}, Blocked: outcome.Blocked}
		for _, f := range outcome.Findings {
			if f.Action == egress.Redact.String() {
				answer.Redactions = append(answer.Redactions, redaction{f.Rule, f.Start, f.End})
			}
		}
		if outcome.Blocked != "" {
			blocked++
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
	if err := scanner.Err(); err != nil {
		return exitWith(exitUsage, fmt.Errorf("line %d: %w", n+1, err))
	}
	if blocked > 0 {
		return exitWith(exitNo, fmt.Errorf("%d of %d texts were blocked", blocked, n))
	}
	return nil
}

// tell adds the findings of one text to the report.
func (s *sanitising) tell(id string, outcome egress.Outcome) error {
	encoder := json.NewEncoder(s.report)
	for _, f := range outcome.Findings {
		line := struct {
			ID json.RawMessage `json:"id,omitempty"`
			egress.Finding
		}{json.RawMessage(id), f}
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
