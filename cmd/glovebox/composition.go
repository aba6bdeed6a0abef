package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
)

func newComposition() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "composition",
		Short: "Keep named sets of other servers' tools, each served at /mcp/NAME",
		Long:  "Keep named sets of other servers' tools, each served at /mcp/NAME. " + gatewayHelp,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCompose(true), newCompose(false), newCompositionEnable(true), newCompositionEnable(false), newCompositionDelete(), newCompositionShow())
	return cmd
}

func newCompose(create bool) *cobra.Command {
	var v gatewayVerbs
	x := gateway.Composing{Create: create}
	var drop []string
	var description, limit, grade string
	var approve bool
	cmd := &cobra.Command{
		Use:   "update NAME [SERVER/TOOL[=ALIAS]...]",
		Short: "Add tools to a set, take some out, or change what holds for it",
		Example: `  glovebox composition update docs wiki/search=find
  glovebox composition update docs --drop files/write_file --cap L2`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			x.Name = args[0]
			if x.Cap, err = parseCap(limit); err != nil {
				return err
			}
			if cmd.Flags().Changed("description") {
				x.Description = &description
			}
			if cmd.Flags().Changed("grade") {
				x.Grade = &grade
				if grade == "none" {
					*x.Grade = ""
				}
			}
			if x.Tools, err = members(args[1:]); err == nil {
				x.Drop, err = members(drop)
			}
			if err != nil {
				return exitWith(exitUsage, err)
			}
			for i := range x.Tools {
				x.Tools[i].Approve = approve
			}
			return v.compose(cmd, x)
		},
	}
	if create {
		cmd.Use, cmd.Short = "create NAME SERVER/TOOL[=ALIAS]...", "Make a set, which is served once it is enabled"
		cmd.Example = `  glovebox composition create docs files/read_file wiki/search=find --cap L2`
	} else {
		cmd.Flags().StringArrayVar(&drop, "drop", nil, "take this `TOOL` out, as SERVER/TOOL; repeat it")
	}
	f := cmd.Flags()
	f.StringVar(&description, "description", "", "what the set is for")
	f.BoolVar(&approve, "approve", false, "ask a person before every call of these tools, which counts one level less")
	f.StringArrayVar(&x.Resources, "resources-of", nil, "offer the resources of this `SERVER`; repeat it")
	f.StringArrayVar(&x.Prompts, "prompts-of", nil, "offer the prompts of this `SERVER`; repeat it")
	f.StringVar(&limit, "cap", "", "offer no tool above this level (default L3)")
	f.StringVar(&grade, "grade", "", "offer only servers whose last glovebox scan has this grade or a better one; none demands no scan")
	oneOf(cmd, "grade", "A", "B", "C", "D", "none")
	v.bindJSON(cmd)
	return cmd
}

// demanded names the grade that a set demands, behind its cap.
func demanded(grade string) string {
	if grade == "" {
		return ""
	}
	return ", grade " + grade
}

func members(texts []string) (all []exposure.Member, err error) {
	for _, text := range texts {
		m, err := config.ParseMember(text)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

func (v *gatewayVerbs) compose(cmd *cobra.Command, x gateway.Composing) error {
	var c gateway.CompositionView
	if err := v.do(cmd, "compose", x, &c); err != nil {
		return err
	}
	if err := v.print(cmd, c, func(out io.Writer) { writeWithheld(out, &c) }); err != nil {
		return err
	}
	switch {
	case x.Enabled == nil && !c.Enabled:
		v.next(cmd, "glovebox composition enable %s", c.Name)
	case x.Enabled != nil && *x.Enabled && !c.Enabled:
		return exitWith(exitNo, nil) // what is withheld says why
	}
	return nil
}

func writeWithheld(out io.Writer, c *gateway.CompositionView) {
	for _, w := range c.Withheld {
		fmt.Fprintf(out, "withheld %s/%s: %s; %s\n", oneLine(w.Upstream), oneLine(w.Tool), oneLine(w.Why), oneLine(w.WayOut))
	}
}

func newCompositionEnable(on bool) *cobra.Command {
	var v gatewayVerbs
	verb, short := "disable", "Serve a set no longer"
	if on {
		verb, short = "enable", "Serve a set at /mcp/NAME"
	}
	cmd := &cobra.Command{
		Use:     verb + " NAME",
		Short:   short,
		Example: `  glovebox composition ` + verb + ` docs`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.compose(cmd, gateway.Composing{Name: args[0], Enabled: &on})
		},
	}
	v.bindJSON(cmd)
	return cmd
}

func newCompositionDelete() *cobra.Command {
	var v gatewayVerbs
	return &cobra.Command{
		Use:     "delete NAME",
		Short:   "Forget a set",
		Example: `  glovebox composition delete docs`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.do(cmd, "decompose", gateway.Name{Name: args[0]}, &struct{}{})
		},
	}
}

func newCompositionShow() *cobra.Command {
	var v gatewayVerbs
	cmd := &cobra.Command{
		Use:     "show [NAME]",
		Short:   "List the sets, or show one",
		Example: `  glovebox composition show docs`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var all []gateway.CompositionView
			if err := v.do(cmd, "compositions", gateway.Name{Name: strings.Join(args, "")}, &all); err != nil {
				return err
			}
			return v.print(cmd, all, func(out io.Writer) {
				w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
				for i := range all {
					c := &all[i]
					state := "disabled"
					if c.Enabled {
						state = "enabled"
					}
					fmt.Fprintf(w, "%s\t%s\tcap %s%s\t%d of %s offered\t%s\n", c.Name, state, c.Cap, demanded(c.Grade), len(c.Offered), counted(len(c.Members), "tool"), oneLine(c.Description))
				}
				w.Flush()
				if len(args) == 0 {
					return
				}
				for i := range all {
					for _, m := range all[i].Members {
						text := m.Upstream + "/" + m.Tool
						if m.Alias != "" {
							text += " as " + m.Alias
						}
						if m.Approve {
							text += ", after approval"
						}
						fmt.Fprintf(out, "  %s\n", oneLine(text))
					}
					writeWithheld(out, &all[i])
				}
			})
		},
	}
	v.bindJSON(cmd)
	return cmd
}
