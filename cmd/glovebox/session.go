package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/risk/poison/glyph"
)

// sessionCommand holds what the sub-commands of session share.
type sessionCommand struct {
	approvalsCommand // finds the server, and gives its errors their exit codes
}

func newSession() *cobra.Command {
	var s sessionCommand
	cmd := &cobra.Command{
		Use:   "session",
		Short: "Show what clients have met, and release those that were stopped",
		Long: `Show what the principals of a running server have met, as far as decisions by
policy.session go by it: whether text that strangers can write, whose private data, and
why a session was stopped. The server that owns the state folder is asked over its socket.

Exit code 1 means that there is no such session, or that none are tracked; 3 that no
server is running.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(s.list(), s.show(), s.reset(), s.revoke(), s.met(), s.ask(), newSessionReport())
	return cmd
}

// owner finds the process that has the state folder.
func (s *sessionCommand) owner() (*local.Peer, error) {
	state, err := stateDir()
	if err != nil {
		return nil, exitWith(exitUsage, err)
	}
	peer, err := local.Find(state)
	if errors.Is(err, local.ErrNoOwner) {
		return nil, exitWith(exitIncomplete, fmt.Errorf("%w for this state folder, so nobody knows what clients have met: start one with glovebox serve, or name its folder with XDG_STATE_HOME", err))
	}
	if err != nil {
		return nil, s.failed(err)
	}
	return peer, nil
}

// sessions asks the server for all sessions, the one used last first.
func (s *sessionCommand) sessions(cmd *cobra.Command) ([]labels.Head, error) {
	peer, err := s.owner()
	if err != nil {
		return nil, err
	}
	all, err := peer.Sessions(cmd.Context())
	if err != nil {
		return nil, s.refused(err)
	}
	return all, nil
}

// refused gives a server's error its exit code.
func (s *sessionCommand) refused(err error) error {
	var problem local.Problem
	if errors.As(err, &problem) && (problem.Code == local.Off || problem.Code == local.Unknown) {
		return exitWith(exitNo, err)
	}
	return s.failed(err)
}

func (s *sessionCommand) jsonFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&s.asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (s *sessionCommand) list() *cobra.Command {
	return s.jsonFlag(&cobra.Command{
		Use:     "list",
		Short:   "List the sessions, the one used last first",
		Example: `  glovebox session list`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := s.sessions(cmd)
			if err != nil {
				return err
			}
			return s.printHeads(cmd.OutOrStdout(), all)
		},
	})
}

func (s *sessionCommand) printHeads(out io.Writer, all []labels.Head) error {
	if s.asJSON {
		enc := json.NewEncoder(out)
		for _, h := range all {
			if err := enc.Encode(h); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, h := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", glyph.Visible(h.Principal), h.Used.Local().Format(time.DateTime), standing(h), h.Label)
	}
	return w.Flush()
}

// standing says in one word how a session is.
func standing(h labels.Head) string {
	switch {
	case len(h.Killed) > 0:
		return "stopped"
	case h.Forgot:
		return "forgot"
	}
	return "open"
}

func (s *sessionCommand) show() *cobra.Command {
	return s.jsonFlag(&cobra.Command{
		Use:     "show PRINCIPAL",
		Short:   "Show one session in plain words",
		Example: `  glovebox session show bearer`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := s.sessions(cmd)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(all, func(h labels.Head) bool { return h.Principal == args[0] })
			if i < 0 {
				return exitWith(exitNo, fmt.Errorf("there is no session of %s; glovebox session list shows them", glyph.Visible(args[0])))
			}
			if s.asJSON {
				return s.printHeads(cmd.OutOrStdout(), all[i:i+1])
			}
			fmt.Fprint(cmd.OutOrStdout(), told(all[i]))
			return nil
		},
	})
}

// told says what a session has met.
func told(h labels.Head) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, since %s, used last %s.\n", glyph.Visible(h.Principal), h.Began.Local().Format(time.DateTime), h.Used.Local().Format(time.DateTime))
	say := func(is bool, yes, no string) {
		if is {
			b.WriteString(yes + "\n")
		} else if no != "" {
			b.WriteString(no + "\n")
		}
	}
	say(h.Label.Untrusted, "It has read text that strangers can write.", "It has read no text that strangers can write.")
	say(h.Label.Private, "It has read private data of "+strings.Join(h.Label.Origins, ", ")+".", "It has read no private data.")
	say(h.Label.Secret, "There were secrets among it.", "")
	say(h.Forgot, "It has met more than is remembered of it, so every call with an effect is asked about.", "")
	for _, k := range h.Killed {
		fmt.Fprintf(&b, "It was stopped: %s (call %s). glovebox session reset releases it.\n", k.Signal, k.Call)
	}
	for _, l := range h.Leaves {
		by := "A person"
		if l.By != "" {
			by = glyph.Visible(l.By)
		}
		fmt.Fprintf(&b, "%s allowed %d more calls of %s/%s to %s until %s, with call %s.\n", by, l.Left, glyph.Visible(l.Server), glyph.Visible(l.Tool), glyph.Visible(l.Recipient), l.Until.Local().Format(time.DateTime), l.ID)
	}
	return b.String()
}

func (s *sessionCommand) reset() *cobra.Command {
	return &cobra.Command{
		Use:   "reset PRINCIPAL",
		Short: "End a session: the next call begins a new one, and a stop is released",
		Long: `End a session: what its principal met is forgotten, and a stop is released. Do it when
the client's own context ended too; a model that still holds a stranger's text is not
made clean by this.`,
		Example: `  glovebox session reset bearer`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			peer, err := s.owner()
			if err != nil {
				return err
			}
			if err := peer.ResetSession(cmd.Context(), args[0]); err != nil {
				return s.refused(err)
			}
			return nil
		},
	}
}

func (s *sessionCommand) revoke() *cobra.Command {
	return s.jsonFlag(&cobra.Command{
		Use:   "revoke PRINCIPAL [ID...]",
		Short: "Take back what a person allowed for the rest of a task",
		Long: `Take back what a person allowed for the rest of a task, by the ids that session show
prints, or all of it. The next such call is asked about again.`,
		Example: `  glovebox session revoke bearer
  glovebox session revoke bearer 7QK2M4XA`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			peer, err := s.owner()
			if err != nil {
				return err
			}
			ids := args[1:]
			if len(ids) == 0 {
				ids = []string{""}
			}
			var ended local.Revoked
			for _, id := range ids {
				n, err := peer.Revoke(cmd.Context(), args[0], id)
				if err != nil {
					return s.refused(err)
				}
				ended.Revoked += n
			}
			if s.asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(ended)
			}
			return nil
		},
	})
}

func (s *sessionCommand) met() *cobra.Command {
	m := local.Met{}
	vouched, hook := false, false
	cmd := &cobra.Command{
		Use:   "met",
		Short: "Tell the server what a client read without it",
		Long: `Tell the server what a client read without it, with a shell, a browser or files of its
own. The text comes on standard input. Put it into a hook of the client that runs after
its own tools, and session ask into one that runs before them; without such hooks nobody
here knows what those read or sent.`,
		Example: `  curl -s https://example.com | tee page.html | glovebox session met --principal bearer --source fetch
  glovebox session met --principal bearer --hook < event.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxReported))
			if err != nil {
				return exitWith(exitUsage, err)
			}
			m.Text, m.Untrusted = string(text), !vouched
			if hook {
				if m.Source, m.Text, err = hooked(text); err != nil {
					return exitWith(exitUsage, err)
				}
			} else if m.Source == "" {
				return exitWith(exitUsage, errors.New("required flag(s) \"source\" not set; or let --hook read it"))
			}
			peer, err := s.owner()
			if err != nil {
				return err
			}
			if err := peer.Met(cmd.Context(), m); err != nil {
				return s.refused(err)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&m.Principal, "principal", "", "whose session, as session list shows it")
	f.StringVar(&m.Source, "source", "", "what read it, such as shell")
	f.BoolVar(&m.Private, "private", false, "it is private data")
	f.BoolVar(&vouched, "vouch", false, "vouch that no stranger can have written it")
	f.BoolVar(&hook, "hook", false, "standard input is the JSON that an agent host gives a hook after a tool, with tool_name and tool_response")
	_ = cmd.MarkFlagRequired("principal") // it fails for a flag that there is not
	return cmd
}

// maxReported is how much a hook can report at once, in bytes: beyond half of it the
// server remembers that there was more.
const maxReported = 600 << 10
