// Command levels measures whether tools that can do the same have the same level:
// it scores the definitions of real servers, which servers/list.mjs fetches and
// asks, and prints one row for each capability in labels.json with the spread of
// its levels. The labels are ours, given by hand for what a tool is for; they are
// not read by the scorer. It ends with 1 if a capability spreads over more than
// one level.
//
// Nobody vouches for the servers, so that annotations count for nothing in their
// favour: the spread that is left comes from declared danger and from texts.
package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/glovebox-run/glovebox/risk/mcp"
)

//go:embed labels.json
var labelsFile []byte

// wellKnown are the tools whose level and reason docs/mcp-risk.md shows.
var wellKnown = []string{
	"@modelcontextprotocol/server-filesystem read_text_file",
	"@modelcontextprotocol/server-filesystem write_file",
	"@modelcontextprotocol/server-github create_issue",
	"@modelcontextprotocol/server-memory delete_entities",
	"@modelcontextprotocol/server-postgres query",
	"@modelcontextprotocol/server-slack slack_post_message",
	"@playwright/mcp browser_click",
	"@wonderwhy-er/desktop-commander start_process",
	"chrome-devtools-mcp evaluate_script",
	"tavily-mcp tavily_search",
}

const (
	maxSpread = 1        // levels between the lowest and the highest tool of a capability
	maxLine   = 64 << 20 // bytes; one line is all tools of a server
)

func main() {
	verbose := flag.Bool("v", false, "list every tool with its level and reason")
	flag.Parse()
	met, err := evaluate(os.Stdin, os.Stdout, *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "levels:", err)
		os.Exit(2)
	}
	if !met {
		os.Exit(1)
	}
}

// rated is one tool with its score.
type rated struct {
	id    string // server and tool
	score mcp.ToolRisk
}

func (r rated) why() string { return r.score.Axis("capability").Drivers[0].Why }

func evaluate(in io.Reader, out io.Writer, verbose bool) (met bool, err error) {
	tools, servers, err := read(in)
	if err != nil {
		return false, err
	}
	var labels map[string][]string
	if err := json.Unmarshal(labelsFile, &labels); err != nil {
		return false, fmt.Errorf("labels.json: %w", err)
	}
	met = true
	fmt.Fprintf(out, "%d tools of %d servers, default profile, nobody vouches\n\n", len(tools), servers)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "capability\ttools\tservers\tlevels\tspread\tapart from the others")
	for _, capability := range slices.Sorted(maps.Keys(labels)) {
		row, spread := tabulate(tools, labels[capability])
		fmt.Fprintf(w, "%s\t%s\n", capability, row)
		met = met && spread <= maxSpread
	}
	w.Flush()

	fmt.Fprintf(out, "\nTen well-known tools\n\n| server | tool | level | reason |\n|---|---|---|---|\n")
	for _, id := range wellKnown {
		if tool, ok := tools[id]; ok {
			server, name, _ := strings.Cut(id, " ")
			fmt.Fprintf(out, "| %s | `%s` | %s | %s |\n", server, name, tool.score.Level, reason(tool))
		}
	}
	if verbose {
		fmt.Fprintln(out)
		for _, id := range slices.Sorted(maps.Keys(tools)) {
			fmt.Fprintf(w, "%s\t%s\t%s\n", tools[id].score.Level, id, reason(tools[id]))
		}
		w.Flush()
	}
	return met, nil
}

// reason is what decided: the evidence, what was declared, the floor.
func reason(t rated) string {
	why := t.why()
	if declared := t.score.Axis("declared"); declared.Points > 0 {
		why += "; " + declared.Drivers[0].Why
	}
	if t.score.Floor.Tripped() {
		why += "; " + t.score.Floor.Why
	}
	return why
}

// tabulate returns the row of one capability and its spread.
func tabulate(tools map[string]rated, ids []string) (row string, spread int) {
	levels := map[mcp.Level][]string{}
	servers := map[string]bool{}
	found := 0
	for _, id := range ids {
		tool, ok := tools[id]
		if !ok {
			continue // the server did not start
		}
		found++
		server, _, _ := strings.Cut(id, " ")
		servers[server] = true
		levels[tool.score.Level] = append(levels[tool.score.Level], id)
	}
	if found == 0 {
		return "0\t0\t\t\t", 0
	}
	order := slices.Sorted(maps.Keys(levels))
	spread = int(order[len(order)-1] - order[0])
	var counts []string
	rarest := order[0]
	for _, l := range order {
		counts = append(counts, fmt.Sprintf("%s x%d", l, len(levels[l])))
		if len(levels[l]) < len(levels[rarest]) {
			rarest = l
		}
	}
	apart := ""
	if len(order) > 1 {
		apart = rarest.String() + ": " + strings.Join(levels[rarest], ", ")
	}
	return fmt.Sprintf("%d\t%d\t%s\t%d\t%s", found, len(servers), strings.Join(counts, " "), spread, apart), spread
}

func read(in io.Reader) (tools map[string]rated, servers int, err error) {
	tools = map[string]rated{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var list struct {
			Server string
			Tools  []json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &list); err != nil {
			return nil, 0, err
		}
		servers++
		for _, definition := range list.Tools {
			tool, err := mcp.ReadTool(mcp.Default, definition, mcp.ToolContext{})
			if err != nil {
				return nil, 0, fmt.Errorf("%s: %w", list.Server, err)
			}
			id := list.Server + " " + tool.Name
			tools[id] = rated{id, mcp.ScoreTool(mcp.Default, tool)}
		}
	}
	return tools, servers, lines.Err()
}
