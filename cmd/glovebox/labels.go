package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/live"
)

func newLabels() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "labels",
		Short: "Write and check the file that says what tools return and where arguments go",
		Long: `Write and check the operator's file for policy.labels: what each tool returns (trusted or
not, private or not), how far its consequences reach, and which arguments say where
something goes.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLabelsInit(), newLabelsCheck())
	return cmd
}

func newLabelsInit() *cobra.Command {
	var v gatewayVerbs
	var server string
	cmd := &cobra.Command{
		Use:   "init [TOOLS]",
		Short: "Write a file from the definitions of tools, to be corrected by hand",
		Long: `Write a file of labels from what the definitions of tools say: of all servers of the
gateway, of the one that --server names, or of TOOLS, the answer to tools/list in a file or,
for -, on standard input. What a definition does not say is the worst that is plausible:
read each line and correct it.

` + gatewayHelp,
		Example: `  glovebox labels init > labels.json
  glovebox labels init --server mail
  glovebox labels init --server mail tools.json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			file := &live.File{About: "Written from the definitions; correct it by hand.", Format: 1, Servers: map[string]live.FileServer{}}
			if len(args) == 0 {
				if err := labelsOfGateway(cmd, &v, server, file); err != nil {
					return err
				}
			} else {
				if server == "" {
					return exitWith(exitUsage, errors.New("required flag(s) \"server\" not set: whose tools these are"))
				}
				text, err := readInput(cmd, args[0])
				if err != nil {
					return err
				}
				tools, err := listedIn(text)
				if err != nil {
					return exitWith(exitUsage, fmt.Errorf("%s: %w", args[0], err))
				}
				file.Servers[server] = labelsOf(server, tools)
			}
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetIndent("", "  ")
			return enc.Encode(file)
		},
	}
	cmd.Flags().StringVar(&server, "server", "", "the name of the server, as the gateway knows it")
	return cmd
}

// labelsOfGateway reads what the servers of the gateway listed last. Of a server that could
// not be listed it says so on standard error.
func labelsOfGateway(cmd *cobra.Command, v *gatewayVerbs, server string, file *live.File) error {
	var all []gateway.Listed
	if err := v.do(cmd, "listed", gateway.Name{Name: server}, &all); err != nil {
		return err
	}
	for _, l := range all {
		if l.Failed != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s; glovebox upstream test %s says more\n", l.Server, oneLine(l.Failed), l.Server)
		}
		if len(l.Tools) > 0 {
			file.Servers[l.Server] = labelsOf(l.Server, l.Tools)
		}
	}
	if len(file.Servers) == 0 {
		return exitWith(exitNo, errors.New("no server has listed a tool; glovebox upstream add NAME -- COMMAND adds one"))
	}
	return nil
}

// listedIn reads the answer to tools/list.
func listedIn(text []byte) (tools []json.RawMessage, err error) {
	if !gjson.ValidBytes(text) {
		return nil, errors.New("this is not JSON")
	}
	list := gjson.ParseBytes(text)
	for _, path := range []string{"result.tools", "tools"} {
		if found := list.Get(path); found.IsArray() {
			list = found
			break
		}
	}
	if !list.IsArray() {
		return nil, errors.New("want the answer to tools/list")
	}
	list.ForEach(func(_, raw gjson.Result) bool {
		tools = append(tools, json.RawMessage(raw.Raw))
		return true
	})
	return tools, nil
}

// labelsOf reads what definitions say.
func labelsOf(server string, tools []json.RawMessage) live.FileServer {
	of := live.FileServer{Tools: map[string]live.FileTool{}}
	for _, raw := range tools {
		d := capability.Parse(raw)
		of.Tools[d.Name] = live.Infer(server, d, live.Hints{
			ReadOnly:    gjson.GetBytes(raw, "annotations.readOnlyHint").Type == gjson.True,
			Destructive: gjson.GetBytes(raw, "annotations.destructiveHint").Type == gjson.True,
		}, false).File()
	}
	return of
}

func newLabelsCheck() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:     "check FILE",
		Short:   "Check a file of labels, and say what it leaves open",
		Example: `  glovebox labels check labels.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := service.LabelsFile(args[0])
			if err != nil {
				return exitWith(exitNo, err)
			}
			counts := countLabels(file)
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(counts)
			}
			for _, server := range slices.Sorted(maps.Keys(counts)) {
				counts[server].print(cmd.OutOrStdout(), server)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// labelled counts what a file says of one server.
type labelled struct {
	Tools int            `json:"tools"`
	Sinks map[string]int `json:"sinks"`
	// Open are the tools of which nothing says where arguments go.
	Open []string `json:"open"`
}

func countLabels(file *live.File) map[string]labelled {
	counts := map[string]labelled{}
	for server, of := range file.Servers {
		c := labelled{len(of.Tools), map[string]int{}, []string{}}
		for _, name := range slices.Sorted(maps.Keys(of.Tools)) {
			t := of.Tools[name]
			c.Sinks[t.Sink]++
			if t.Sink != "none" && len(t.Roles) == 0 {
				c.Open = append(c.Open, name)
			}
		}
		counts[server] = c
	}
	return counts
}

func (c labelled) print(out io.Writer, server string) {
	fmt.Fprintf(out, "%s: %s; sinks none %d, internal %d, external %d, exec %d\n", server, counted(c.Tools, "tool"), c.Sinks["none"], c.Sinks["internal"], c.Sinks["external"], c.Sinks["exec"])
	if len(c.Open) > 0 {
		fmt.Fprintf(out, "  no roles of arguments, so that nothing is known of where they go: %s\n", strings.Join(c.Open, ", "))
	}
}
