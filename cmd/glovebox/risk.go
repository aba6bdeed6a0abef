package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/risk/mcp/request"
)

func newRisk() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "risk",
		Short: "Say how risky an MCP server, one of its tools or both together are",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRiskServer(), newRiskTool(), newRiskCompose())
	return cmd
}

// riskFlags are the flags that the three verbs share.
type riskFlags struct {
	json, lines, explain bool
	profile, cap         string
	limit                mcp.Level // parsed from cap
}

func (r *riskFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.profile, "profile", mcp.Default.String(), "the rules: default, or reference for exactly the published ones")
	f.StringVar(&r.cap, "cap", "", "fail when a level is above this one (L0 to L5)")
	f.BoolVar(&r.explain, "explain", false, "draw the axes and say what drove them")
	f.BoolVar(&r.json, "json", false, "print one JSON object")
	f.BoolVar(&r.lines, "jsonl", false, "read one JSON object a line and answer each with one")
	cmd.MarkFlagsMutuallyExclusive("json", "jsonl", "explain")
}

// parse reads the flags that are not plain switches.
func (r *riskFlags) parse() (mcp.Profile, error) {
	p, ok := mcp.ParseProfile(r.profile)
	if !ok {
		return p, exitWith(exitUsage, fmt.Errorf("--profile %s: want default or reference", r.profile))
	}
	if r.cap == "" {
		return p, nil
	}
	if err := r.limit.UnmarshalText([]byte(r.cap)); err != nil || r.limit == mcp.Unrated {
		return p, exitWith(exitUsage, fmt.Errorf("--cap %s: want L0 to L5", r.cap))
	}
	return p, nil
}

// run scores the argument's file, or standard input, and prints the result.
func (r *riskFlags) run(cmd *cobra.Command, args []string, score func(p mcp.Profile, raw []byte) (request.Scored, error)) error {
	p, err := r.parse()
	if err != nil {
		return err
	}
	name := "-"
	if len(args) > 0 {
		name = args[0]
	}
	if r.lines {
		in := cmd.InOrStdin()
		if name != "-" {
			file, err := os.Open(name)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			defer file.Close()
			in = file
		}
		tally, err := request.ScoreLines(in, cmd.OutOrStdout(), func(raw []byte) (request.Scored, error) { return score(p, raw) })
		if err != nil {
			return exitWith(exitIncomplete, err)
		}
		if tally.Bad > 0 {
			return exitWith(exitUsage, fmt.Errorf("%d of %d lines hold no request", tally.Bad, tally.Rows))
		}
		return r.judge(tally.Worst)
	}
	raw, err := readInput(cmd, name)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return exitWith(exitUsage, fmt.Errorf("%s is empty: give a file that says what is to be scored; %s --help says more", map[bool]string{true: "standard input", false: name}[name == "-"], cmd.CommandPath()))
	}
	result, err := score(p, raw)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	return r.print(cmd, result)
}

// print writes one result and ends the verb with its exit code.
func (r *riskFlags) print(cmd *cobra.Command, result request.Scored) error {
	out, err := cmd.OutOrStdout(), error(nil)
	switch {
	case r.json:
		err = json.NewEncoder(out).Encode(result)
	case r.explain:
		_, err = fmt.Fprint(out, result.Explain())
	default:
		_, err = fmt.Fprintln(out, result.Chip())
	}
	if err != nil {
		return exitWith(exitIncomplete, err)
	}
	return r.judge(result.Rated())
}

func (r *riskFlags) judge(worst mcp.Level) error {
	if r.cap != "" && !worst.Within(r.limit) {
		return exitWith(exitNo, fmt.Errorf("%v is above the cap of %v", worst, r.limit))
	}
	return nil
}

func newRiskServer() *cobra.Command {
	var flags riskFlags
	var preview bool
	var catalog string
	var reg registrationFlags
	cmd := &cobra.Command{
		Use:   "server [FILE]",
		Short: "Score an MCP server on four axes and three floors",
		Long: `Score an MCP server on four axes and three floors.

The input is a JSON object with the facts: transport, url, auth, oauth_scopes,
trust_signals, user_typed, user_typed_matches_catalog, doc_gaps, write_capability.

With --preview it is what a person is about to register (name, transport, url,
command, args, auth, oauth_scopes, write_capability) and is looked up in the
catalog of known servers first; --url or --command give the same without a file.`,
		Example: `  glovebox risk server server.json
  glovebox risk server --url https://mcp.example.com/mcp --explain`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			entries, err := serverCatalog(cmd, catalog)
			if err != nil {
				return err
			}
			if reg.given() {
				if len(args) > 0 || flags.lines {
					return exitWith(exitUsage, errors.New("--url and --command take the place of a file"))
				}
				p, err := flags.parse()
				if err != nil {
					return err
				}
				r, err := reg.registration()
				if err != nil {
					return exitWith(exitUsage, err)
				}
				return flags.print(cmd, mcp.PreviewRegistration(p, r, entries))
			}
			return flags.run(cmd, args, func(p mcp.Profile, raw []byte) (request.Scored, error) {
				if preview {
					return request.ScoreRegistration(p, raw, entries)
				}
				return request.ScoreServer(p, raw)
			})
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&preview, "preview", false, "look the server up in the catalog first")
	cmd.Flags().StringVar(&catalog, "catalog", "", "another catalog of servers instead of the bundled one")
	reg.add(cmd)
	return cmd
}

// registrationFlags describe a server without a file.
type registrationFlags struct {
	url, transport, auth, command string
	args, scopes                  []string
}

func (r *registrationFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.url, "url", "", "preview the server at this address")
	f.StringVar(&r.command, "command", "", "preview the stdio server that this program starts")
	f.StringArrayVar(&r.args, "command-arg", nil, "an argument of --command; repeat it")
	f.StringVar(&r.transport, "transport", mcp.StreamableHTTP.String(), "of --url: streamable_http or sse")
	f.StringVar(&r.auth, "auth", mcp.AuthNone.String(), "none, api_key, bearer, oauth_standard or oauth_custom")
	f.StringArrayVar(&r.scopes, "scope", nil, "an OAuth scope that is asked for; repeat it")
	cmd.MarkFlagsMutuallyExclusive("url", "command")
}

func (r *registrationFlags) given() bool { return r.url != "" || r.command != "" }

func (r *registrationFlags) registration() (mcp.Registration, error) {
	reg := mcp.Registration{URL: r.url, Command: r.command, Args: r.args, Scopes: r.scopes, Transport: mcp.STDIO}
	var err error
	if reg.Auth, err = mcp.ParseAuth(r.auth); err != nil {
		return reg, fmt.Errorf("--auth: %w", err)
	}
	if r.command == "" {
		if reg.Transport, err = mcp.ParseTransport(r.transport); err != nil {
			return reg, fmt.Errorf("--transport: %w", err)
		}
	}
	return reg, nil
}

func newRiskTool() *cobra.Command {
	var flags riskFlags
	var trusted bool
	cmd := &cobra.Command{
		Use:   "tool [FILE]",
		Short: "Score a tool of an MCP server",
		Long: `Score a tool of an MCP server: what it does, how well that is documented, and
three floors.

The input is a tool definition as the server sends it, a whole tools/list result,
or {"tool": definition} with trusted_server, sends_user_data, side_effect and curator_gaps beside it, or
those facts alone in place of a definition (name, description, annotations with
read_only and so on, input_schema_present, param_description_coverage).`,
		Example: `  glovebox risk tool tool.json --explain`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd, args, func(p mcp.Profile, raw []byte) (request.Scored, error) {
				return request.ScoreTools(p, raw, mcp.ToolContext{TrustedServer: trusted})
			})
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&trusted, "trusted-server", false, "a catalog entry vouches for the server of a bare definition")
	return cmd
}

func newRiskCompose() *cobra.Command {
	var flags riskFlags
	cmd := &cobra.Command{
		Use:   "compose [FILE]",
		Short: "Score a tool together with its server, as it would be re-published",
		Long: `Score a tool together with its server, as it would be re-published.

The input is {"server", "tool", "human_in_the_loop"}; each side is what the verbs
server and tool read, or an earlier result as {"level", "score", "floor"}.`,
		Example: `  glovebox risk compose both.json`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd, args, func(p mcp.Profile, raw []byte) (request.Scored, error) { return request.ScoreComposition(p, raw) })
		},
	}
	flags.add(cmd)
	return cmd
}

// serverCatalog reads the named catalog, or the bundled one.
func serverCatalog(cmd *cobra.Command, name string) ([]servers.Entry, error) {
	if name == "" {
		return servers.Bundled()
	}
	raw, err := readInput(cmd, name)
	if err != nil {
		return nil, exitWith(exitUsage, err)
	}
	entries, err := servers.Parse(raw)
	if err != nil {
		return nil, exitWith(exitUsage, fmt.Errorf("%s: %w", name, err))
	}
	return entries, nil
}
