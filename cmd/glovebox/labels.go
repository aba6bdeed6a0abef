package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

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
	var server string
	cmd := &cobra.Command{
		Use:   "init [TOOLS]",
		Short: "Write a file from the definitions of a server's tools, to be corrected by hand",
		Long: `Write a file of labels from what the definitions of a server's tools say. TOOLS is the
answer to tools/list, or - for standard input (default). What the definition does not say
is the worst that is plausible: read each line and correct it.`,
		Example: `  glovebox labels init --server mail tools.json > labels.json`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "-"
			if len(args) > 0 {
				name = args[0]
			}
			text, err := readInput(cmd, name)
			if err != nil {
				return err
			}
			file, err := labelsOf(server, text)
			if err != nil {
				return exitWith(exitUsage, fmt.Errorf("%s: %w", name, err))
			}
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetIndent("", "  ")
			return enc.Encode(file)
		},
	}
	cmd.Flags().StringVar(&server, "server", "", "the name of the server, as the gateway knows it")
	_ = cmd.MarkFlagRequired("server") // it fails for a flag that there is not
	return cmd
}

// labelsOf reads what definitions say.
func labelsOf(server string, text []byte) (*live.File, error) {
	if !gjson.ValidBytes(text) {
		return nil, fmt.Errorf("this is not JSON")
	}
	list := gjson.ParseBytes(text)
	for _, path := range []string{"result.tools", "tools"} {
		if found := list.Get(path); found.IsArray() {
			list = found
			break
		}
	}
	if !list.IsArray() {
		return nil, fmt.Errorf("want the answer to tools/list")
	}
	file := &live.File{About: "Written from the definitions; correct it by hand.", Format: 1, Servers: map[string]live.FileServer{server: {Tools: map[string]live.FileTool{}}}}
	list.ForEach(func(_, raw gjson.Result) bool {
		d := capability.Parse([]byte(raw.Raw))
		file.Servers[server].Tools[d.Name] = live.Infer(server, d, live.Hints{
			ReadOnly:    raw.Get("annotations.readOnlyHint").Type == gjson.True,
			Destructive: raw.Get("annotations.destructiveHint").Type == gjson.True,
		}, false).File()
		return true
	})
	return file, nil
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
