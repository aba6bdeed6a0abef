package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/audit/ocsf"
)

// auditCommand holds what the sub-commands of audit share.
type auditCommand struct {
	settings
	asJSON     bool
	configured *config.Loaded // by chain
}

func newAudit() *cobra.Command {
	var a auditCommand
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Read and check the record of what was enforced",
		Args:  cobra.NoArgs,
	}
	a.bindIn(cmd, cmd.PersistentFlags(), "audit.file")
	cmd.AddCommand(a.tail(), a.query(), a.show(), a.export(), a.verify(), a.checkpoint())
	return cmd
}

// file returns the chain to read. A chain that does not exist is a usage error,
// not an empty answer.
func (a *auditCommand) file(cmd *cobra.Command) (string, error) {
	path, _, err := a.chain(cmd)
	if err != nil {
		return "", err
	}
	if !audit.Exists(path) {
		return "", exitWith(exitUsage, fmt.Errorf("no audit record: there is no file %s", path))
	}
	return path, nil
}

// chain returns where the chain is or should be, and its anchor if there is one.
func (a *auditCommand) chain(cmd *cobra.Command) (path string, anchors []string, err error) {
	configured, err := a.load(cmd)
	if err != nil {
		return "", nil, err
	}
	a.configured = configured
	if path, err = auditPath(configured); err != nil {
		return "", nil, exitWith(exitUsage, err)
	}
	here, err := place()
	if err != nil && configured.Audit.File == "" {
		return "", nil, exitWith(exitUsage, err)
	}
	anchor := here.Anchor(configured)
	if _, err := os.Stat(anchor); err == nil || configured.Audit.Anchor != "" {
		anchors = append(anchors, anchor)
	}
	return path, anchors, nil
}

func (a *auditCommand) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.asJSON, "json", false, "print JSON, one record a line")
}

// selection holds the flags of a filter.
type selection struct {
	audit.Filter
	outcome, since, until string
}

func (s *selection) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.Tool, "tool", "", "only this tool, by name or id")
	f.StringVar(&s.outcome, "outcome", "", "only OK, ERROR, REFUSED or ASKED")
	f.StringVar(&s.Level, "level", "", "only this risk level, such as L3")
	f.StringVar(&s.Caller, "caller", "", "only calls of this principal")
	f.StringVar(&s.Text, "text", "", "only records in which this stands, in large or small letters")
	f.StringVar(&s.Kind, "kind", "", "only this kind of failure, such as timeout")
	f.StringVar(&s.since, "since", "", "not before this time, or this long ago: 2026-01-02T15:04:05Z or 2h")
	f.StringVar(&s.until, "until", "", "before this time, or this long ago")
	oneOf(cmd, "outcome", "OK", "ERROR", "REFUSED", "ASKED")
	oneOf(cmd, "level", "L0", "L1", "L2", "L3", "L4", "L5")
}

func (s *selection) filter(now time.Time) (audit.Filter, error) {
	switch s.Outcome = audit.Outcome(s.outcome); s.Outcome {
	case "", audit.OK, audit.Error, audit.Refused, audit.Asked:
	default:
		return audit.Filter{}, exitWith(exitUsage, fmt.Errorf("--outcome %s: want OK, ERROR, REFUSED or ASKED", s.outcome))
	}
	if _, err := risk.ParseLevel(s.Level); s.Level != "" && err != nil {
		return audit.Filter{}, exitWith(exitUsage, fmt.Errorf("--level %s: want L0 to L5", s.Level))
	}
	var err error
	for _, bound := range []struct {
		flag, text string
		at         *time.Time
	}{{"since", s.since, &s.Since}, {"until", s.until, &s.Until}} {
		if *bound.at, err = parseWhen(bound.text, now); err != nil {
			return audit.Filter{}, exitWith(exitUsage, fmt.Errorf("--%s: %w", bound.flag, err))
		}
	}
	return s.Filter, nil
}

// selected returns the chain to read and the filter for its records.
func (a *auditCommand) selected(cmd *cobra.Command, s *selection) (path string, filter audit.Filter, err error) {
	if path, err = a.file(cmd); err != nil {
		return "", filter, err
	}
	filter, err = s.filter(time.Now())
	return path, filter, err
}

// parseWhen reads a point in time or a duration before now.
func parseWhen(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago), nil
	}
	if days, found := strings.CutSuffix(text, "d"); found {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is neither a time like 2026-01-02T15:04:05Z nor a duration like 2h or 90d", text)
	}
	return at, nil
}

func (a *auditCommand) tail() *cobra.Command {
	var s selection
	var n int
	cmd := &cobra.Command{
		Use:     "tail",
		Short:   "Print the newest records",
		Example: `  glovebox audit tail -n 5`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, filter, err := a.selected(cmd, &s)
			if err == nil && n < 0 {
				err = exitWith(exitUsage, fmt.Errorf("--lines %d: want a number of records", n))
			}
			if err != nil {
				return err
			}
			entries, err := audit.Last(path, filter, n)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			p := a.printer(cmd.OutOrStdout())
			for _, e := range entries {
				if err := p.print(e); err != nil {
					return err
				}
			}
			return p.flush()
		},
	}
	s.flags(cmd)
	a.jsonFlag(cmd)
	cmd.Flags().IntVarP(&n, "lines", "n", 20, "how many")
	return cmd
}

func (a *auditCommand) query() *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:     "query",
		Short:   "Print the records that match, oldest first",
		Example: `  glovebox audit query --tool fetchPage --json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, filter, err := a.selected(cmd, &s)
			if err != nil {
				return err
			}
			p := a.printer(cmd.OutOrStdout())
			if err := audit.Read(path, filter, p.print); err != nil {
				return exitWith(exitUsage, err)
			}
			return p.flush()
		},
	}
	s.flags(cmd)
	a.jsonFlag(cmd)
	return cmd
}

func (a *auditCommand) show() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print everything about one invocation",
		Long: `Print everything about one invocation. ID is the reference that the caller was given,
or the record's number. An invocation that a person was asked about while it waited
has two records.`,
		Example: `  glovebox audit show IIA7U5RO`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := a.file(cmd)
			if err != nil {
				return err
			}
			found := false
			err = audit.Find(path, args[0], func(e audit.Entry) error {
				found = true
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				return enc.Encode(e)
			})
			if err != nil {
				return exitWith(exitUsage, err)
			}
			if !found {
				return exitWith(exitNo, fmt.Errorf("no record with the id or number %s", args[0]))
			}
			return nil
		},
	}
	a.jsonFlag(cmd) // accepted for uniformity: the answer is JSON either way
	return cmd
}

func (a *auditCommand) export() *cobra.Command {
	var s selection
	var format string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the records that match as JSON lines, CSV or OCSF events",
		Long: `Write the records that match, oldest first: as JSON lines, as CSV, or as events of the
Open Cybersecurity Schema Framework 1.2.0, class API Activity (6003), one JSON object a
line, for programs that collect security events.`,
		Example: `  glovebox audit export --format csv > calls.csv
  glovebox audit export --format ocsf --since 24h`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, filter, err := a.selected(cmd, &s)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("json") {
				format = "jsonl"
			}
			var p recordPrinter
			switch format {
			case "jsonl":
				p = jsonPrinter{json.NewEncoder(cmd.OutOrStdout())}
			case "csv":
				p = &csvPrinter{w: csv.NewWriter(cmd.OutOrStdout())}
			case "ocsf":
				p = ocsfPrinter{json.NewEncoder(cmd.OutOrStdout())}
			default:
				return exitWith(exitUsage, fmt.Errorf("--format %s: want jsonl, csv or ocsf", format))
			}
			if err := audit.Read(path, filter, p.print); err != nil {
				return exitWith(exitUsage, err)
			}
			return p.flush()
		},
	}
	s.flags(cmd)
	cmd.Flags().StringVar(&format, "format", "jsonl", "jsonl, csv or ocsf")
	oneOf(cmd, "format", "jsonl", "csv", "ocsf")
	cmd.Flags().Bool("json", false, "the same as --format jsonl")
	return cmd
}

func (a *auditCommand) verify() *cobra.Command {
	var kept []string
	var archive, key string
	var all clusterVerify
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that no record was changed, removed, moved or cut off",
		Long: `Check that no record was changed, removed, moved or cut off, and that the record still
has what its anchor knows, and what checkpoints know that somebody else kept.

With --archive the files that were moved away are read as well, as the beginning of the
record. With --public-key they are read alone, wherever they are: the key that
"glovebox audit checkpoint --key" printed where the record is has to have signed their
end.

With --cluster the copies that a cluster has of the records of all its servers are read
instead, on any machine: each has to be signed by its server, whole, and without a fork.
--known compares them with an earlier answer (--json) that was kept elsewhere. Exit code 3
means that nothing is wrong with what is there, but that a server has fallen silent, or
that a member of the cluster lacks its copy.`,
		Example: `  glovebox audit verify --checkpoint kept.note
  glovebox audit verify --cluster --nats nats://n1:4222
  glovebox audit verify --archive /mnt/old --public-key "$(cat record.key)"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all.cluster {
				return all.run(a, cmd)
			}
			path, anchors, err := a.chain(cmd)
			if err != nil {
				return err
			}
			if archive == "" && key != "" {
				return exitWith(exitUsage, errors.New("--public-key is for an archive: say --archive FOLDER"))
			}
			report, err := a.verified(cmd.Context(), path, archive, key, append(anchors, kept...))
			if err != nil {
				return exitWith(exitUsage, err)
			}
			out := cmd.OutOrStdout()
			if a.asJSON {
				if err := json.NewEncoder(out).Encode(report); err != nil {
					return err
				}
			} else {
				for _, d := range report.Defects {
					fmt.Fprintf(out, "%s:%d: record %d %s: %s\n", d.File, d.Line, d.Seq, d.Kind, d.Detail)
				}
				if before := report.Archived; before != nil {
					fmt.Fprintf(out, "records up to %d were %s at %s\n", before.Records, outOf(before), before.At.Format(time.RFC3339))
				}
				for _, name := range report.Unchecked {
					fmt.Fprintf(out, "%s knows a record that is not here: it is not checked without --archive\n", name)
				}
				fmt.Fprintf(out, "%s in %s, %s, head %s\n", counted(int(report.Records), "record"), counted(report.Files, "file"), counted(len(report.Defects), "defect"), report.Head)
			}
			if len(report.Defects) > 0 {
				return exitWith(exitNo, nil)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&a.asJSON, "json", false, "print one JSON object")
	cmd.Flags().StringVar(&archive, "archive", "", "the `FOLDER` that files of the record were moved to")
	cmd.Flags().StringVar(&key, "public-key", "", "check the archive alone, with the public key `TEXT` of the record")
	cmd.Flags().StringArrayVar(&kept, "checkpoint", nil, "a `FILE` that glovebox audit checkpoint wrote")
	all.flags(a, cmd)
	return cmd
}

// verified reads the record at path and compares it with the notes that were kept; with
// a key, the archive alone.
func (a *auditCommand) verified(ctx context.Context, path, archive, key string, kept []string) (audit.Report, error) {
	if key != "" {
		return audit.VerifyArchive(filepath.Join(archive, filepath.Base(path)), key)
	}
	here, err := place()
	if err != nil && a.configured.Audit.File == "" {
		return audit.Report{}, err
	}
	notes, err := service.Anchors(ctx, a.configured, here)
	if err != nil {
		return audit.Report{}, err
	}
	for _, name := range kept {
		text, err := os.ReadFile(name)
		if err != nil {
			return audit.Report{}, err
		}
		notes[name] = text
	}
	return audit.VerifyWith(path, audit.Evidence{Checkpoints: notes, Archive: archive})
}

func outOf(a *audit.Archived) string {
	if a.From == 0 {
		return "deleted"
	}
	return "archived"
}

func (a *auditCommand) checkpoint() *cobra.Command {
	var key bool
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Print a signed note of where the record ends, for somebody else to keep",
		Long: `Print a signed note of where the record ends, for somebody else to keep. Whoever has it
can tell later whether the record was rolled back: glovebox audit verify --checkpoint.`,
		Example: `  glovebox audit checkpoint > kept.note`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := a.file(cmd)
			if err != nil {
				return err
			}
			text, public, err := audit.Checkpoint(path)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			if key {
				text = []byte(public + "\n")
			}
			if a.asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]string{"checkpoint": string(text), "key": public})
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	cmd.Flags().BoolVar(&key, "key", false, "print the public key that checks the signature")
	cmd.Flags().BoolVar(&a.asJSON, "json", false, "print one JSON object")
	return cmd
}

// recordPrinter writes records in one format.
type recordPrinter interface {
	print(audit.Entry) error
	flush() error
}

func (a *auditCommand) printer(w io.Writer) recordPrinter {
	if a.asJSON {
		return jsonPrinter{json.NewEncoder(w)}
	}
	return tablePrinter{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
}

type jsonPrinter struct{ enc *json.Encoder }

func (p jsonPrinter) print(e audit.Entry) error { return p.enc.Encode(e) }
func (p jsonPrinter) flush() error              { return nil }

type ocsfPrinter struct{ enc *json.Encoder }

func (p ocsfPrinter) print(e audit.Entry) error {
	event, err := ocsf.Of(e)
	if err != nil {
		return err
	}
	return p.enc.Encode(event)
}
func (p ocsfPrinter) flush() error { return nil }

type tablePrinter struct{ w *tabwriter.Writer }

func (p tablePrinter) print(e audit.Entry) error {
	_, err := fmt.Fprintf(p.w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", e.Seq, e.Time.UTC().Format(time.RFC3339), e.ID, e.RiskLevel, e.Tool, e.Outcome, causeText(e.Cause))
	return err
}
func (p tablePrinter) flush() error { return p.w.Flush() }

type csvPrinter struct {
	w     *csv.Writer
	begun bool
}

func (p *csvPrinter) print(e audit.Entry) error {
	if !p.begun {
		p.begun = true
		if err := p.w.Write([]string{"seq", "time", "id", "toolId", "name", "category", "riskLevel", "decision", "outcome", "kind", "cause", "elapsedUs", "fuel", "statements", "peakMemory", "hash"}); err != nil {
			return err
		}
	}
	kind, message := "", ""
	if e.Cause != nil {
		kind, message = e.Cause.Kind, e.Cause.Message
	}
	return p.w.Write([]string{
		strconv.FormatUint(e.Seq, 10), e.Time.UTC().Format(time.RFC3339Nano), e.ID, e.ToolID, e.Tool, e.Category, e.RiskLevel, e.Decision,
		string(e.Outcome), kind, message, strconv.FormatInt(time.Duration(e.Elapsed).Microseconds(), 10), strconv.FormatUint(e.Fuel, 10),
		strconv.FormatUint(e.Statements, 10), strconv.FormatUint(e.PeakMemory, 10), e.Hash,
	})
}

func (p *csvPrinter) flush() error {
	p.w.Flush()
	return p.w.Error()
}

func causeText(c *audit.Cause) string {
	if c == nil {
		return ""
	}
	return c.Kind + ": " + c.Message
}
