package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/risk/poison/glyph"
)

// errAsked is the exit code of a call that must not be made as it is.
var errAsked = errors.New("the call is not allowed as it is")

func (s *sessionCommand) ask() *cobra.Command {
	c := labels.HostCall{}
	hook := false
	cmd := &cobra.Command{
		Use:   "ask",
		Short: "Ask whether a client may make a call with a tool of its own",
		Long: `Ask whether a client may make a call with a tool of its own: its shell, its browser, its
file writer. The arguments come on standard input, as a JSON object. They are judged like
those of a call through the gateway, by what the session has met; the operator's file says
what such a tool does under the server "host".

With --hook standard input is what an agent host gives a hook before a tool, and the answer
is what it expects from one; nothing is printed for a call that nothing speaks against, so
that the host asks its user as ever. If nobody can be asked, the answer is deny.

Exit code 1 means that the call is denied or has to be asked about. With --hook it is 0
for every answer.`,
		Example: `  echo '{"command": "git push"}' | glovebox session ask --principal bearer --tool Bash
  glovebox session ask --principal bearer --hook < event.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if hook {
				return s.askHooked(cmd, c.Principal)
			}
			if c.Tool == "" {
				return exitWith(exitUsage, errors.New("required flag(s) \"tool\" not set; or let --hook read it"))
			}
			text, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxReported))
			if err == nil && !gjson.ParseBytes(text).IsObject() {
				err = errors.New("standard input is no JSON object of arguments")
			}
			if err != nil {
				return exitWith(exitUsage, err)
			}
			c.Input = text
			a, err := s.answer(cmd, c)
			if err != nil {
				return err
			}
			if s.asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(a)
			} else {
				_, err = fmt.Fprint(cmd.OutOrStdout(), spoken(a))
			}
			if err == nil && a.Verdict != allowed {
				err = exitWith(exitNo, errAsked)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.Principal, "principal", "", "whose session, as session list shows it")
	f.StringVar(&c.Tool, "tool", "", "the tool, as the client calls it, such as Bash")
	f.BoolVar(&hook, "hook", false, "standard input is the JSON that an agent host gives a hook before a tool, with tool_name and tool_input, and the answer is for it")
	_ = cmd.MarkFlagRequired("principal") // it fails for a flag that there is not
	return s.jsonFlag(cmd)
}

// allowed is the verdict of a call that nothing speaks against.
const allowed = "allow"

func (s *sessionCommand) answer(cmd *cobra.Command, c labels.HostCall) (a labels.HostAnswer, err error) {
	peer, err := s.owner()
	if err != nil {
		return a, err
	}
	if a, err = peer.AskHost(cmd.Context(), c); err != nil {
		return a, s.refused(err)
	}
	return a, nil
}

// spoken is an answer for a person.
func spoken(a labels.HostAnswer) string {
	if a.Verdict == allowed {
		return "allow\n"
	}
	lines := append([]string{a.Verdict + ": " + a.Reason}, a.Details...)
	return glyph.Visible(strings.Join(lines, "\n")) + "\n"
}

// hookAnswer is what a hook before a tool says (Claude Code's PreToolUse).
type hookAnswer struct {
	Output struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"` // allow, ask, deny
		Reason   string `json:"permissionDecisionReason"`
	} `json:"hookSpecificOutput"`
}

// askHooked answers an agent host. Hosts run the tool after every other exit code but one,
// so that what went wrong is said as a denial.
func (s *sessionCommand) askHooked(cmd *cobra.Command, principal string) error {
	text, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxReported))
	c := labels.HostCall{Principal: principal}
	if err == nil {
		c.Tool, c.Input, err = askedBy(text)
	}
	var a labels.HostAnswer
	if err == nil {
		a, err = s.answer(cmd, c)
	}
	if err != nil {
		a = labels.HostAnswer{Verdict: "deny", Reason: "nobody could be asked whether this call is safe: " + err.Error()}
	}
	if a.Verdict == allowed {
		return nil
	}
	var h hookAnswer
	h.Output.Event, h.Output.Decision = beforeTool, a.Verdict
	h.Output.Reason = glyph.Visible(strings.Join(append([]string{a.Reason}, a.Details...), "\n"))
	return json.NewEncoder(cmd.OutOrStdout()).Encode(h)
}

// beforeTool is the event of a hook before a tool.
const beforeTool = "PreToolUse"

// askedBy reads what an agent host tells a hook that runs before one of its tools.
func askedBy(event []byte) (tool string, input json.RawMessage, err error) {
	if !gjson.ValidBytes(event) {
		return "", nil, errors.New("standard input is not the JSON of a hook")
	}
	tool = gjson.GetBytes(event, "tool_name").Str
	arguments := gjson.GetBytes(event, "tool_input")
	if tool == "" || !arguments.IsObject() {
		return "", nil, errors.New("standard input has no tool_name or no tool_input: put the hook before the tool (PreToolUse)")
	}
	return tool, json.RawMessage(arguments.Raw), nil
}
